"""Money per finished job and over a horizon: buying, renting, free quotas, clusters, and when one beats the other.

Everything here is arithmetic over arrays of draws. Amounts are US dollars of one date, work is in hours, tariffs in
dollars per kWh and horizons in years, because that is how every price in the world is quoted; seconds and bytes are
converted where the forecast meets the price.
"""
