"""From regions to numbers: parts → measures → join and best."""
