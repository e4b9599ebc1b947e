"""Files in, arrays out. Nothing here knows a metric."""
