"""Tables and documents: separated text, submissions, provenance JSON."""
