"""Files to hand over: reports, slides, tables, archives."""
