"""Ways of running things at a place, one file each, on the small contract of :mod:`outboard.executors.base`."""
