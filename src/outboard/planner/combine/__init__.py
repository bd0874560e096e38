"""The best assignment of several jobs to places that share fixed costs, quotas, hours and one budget."""
