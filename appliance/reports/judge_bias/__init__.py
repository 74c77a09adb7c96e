"""The report of a judge-bias audit."""
