"""Words, pictures and documents. Reporting draws and says; it solves nothing."""
