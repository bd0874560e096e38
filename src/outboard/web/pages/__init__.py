"""One module for each view: from a request to the context of its template."""
