"""Reading annotation files: values, rows and documents, each refused by name where it is not valid."""
