"""What a screen or a report shows: figures, tables and sentences. Plotly is imported only here."""
