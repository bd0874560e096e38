"""What this computer is: read from the files and tools of the system, or from a recording of another one.

>>> from outboard.probe import Recorded, look
>>> look(Recorded("/nowhere")).gpus
()
"""

from outboard.probe.look import Sight, look
from outboard.probe.pci import Gpu
from outboard.probe.source import Live, Recorded, Recording, Source

__all__ = ["Gpu", "Live", "Recorded", "Recording", "Sight", "Source", "look"]
