"""What screens and reports need computed; no words and no pictures."""
