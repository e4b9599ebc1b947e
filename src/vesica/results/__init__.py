"""What every result is, whatever it scores: a mapping that prints, tables, bytes, gates, and its policy."""
