"""Which of many proposals stay: NMS and its relatives."""
