"""The blocks of Data: data sets, plain clusterings, tables of one's own."""
