"""The labs: methods that move under the reader's hand, in a page and in a notebook."""
