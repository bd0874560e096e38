"""Real engines for tests, started and stopped by them: an SSH server, a Slurm cluster."""
