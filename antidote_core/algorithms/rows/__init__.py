"""V made of copies of rows of U: nobody is invented, and V is a set of whole sample weights."""
