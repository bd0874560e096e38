"""What would make a job faster where it is: changes ranked by the gain that the forecast gives them."""

from outboard.planner.faster.judge import Faster, faster
from outboard.planner.faster.losses import Loss, losses
from outboard.planner.faster.start import Start, start

__all__ = ["Faster", "Loss", "Start", "faster", "losses", "start"]
