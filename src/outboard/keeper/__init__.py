"""Watches one run where it runs: starts it, restarts it, says how it is.

Goes to the place as one file (a zip that Python executes) together with the readers of checkpoints and of trainers'
logs, and runs there under whatever ``python3`` the machine has: only the standard library, and no syntax above
Python 3.8. Everything it knows lies in the run's folder (:mod:`outboard.keeper.folder`), so that it may be killed at
any moment and started again.
"""
