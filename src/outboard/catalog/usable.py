"""How much of a GPU's memory a program can allocate, where no report of it is at hand.

Two things are taken away: inline error correction on GDDR memory, which costs a sixteenth (a 16 GiB T4 shows
15360 MiB in ``nvidia-smi``), and what driver and firmware keep. The second is one coefficient, :data:`RESERVED_SHARE`,
between the extremes of public reports: 0.9 % on an 80 GiB A100 and 2.3 % on an 11 GiB RTX 2080 Ti.
"""

from outboard.types.evidence import Evidence, Fact

INLINE_ECC_SHARE = 1 / 16
RESERVED_SHARE = 0.015
RESERVED_LOW, RESERVED_HIGH = 0.0, 0.025
SOURCE = "rule of outboard.catalog.usable: inline ECC takes 1/16, driver and firmware 1.5 % (0 to 2.5 %)"


def usable_memory(memory: Fact, inline_ecc: bool) -> Fact:
    """Return the memory [B] that programs can allocate of ``memory`` [B]; the band is that of the reserved share.

    >>> round(usable_memory(Fact(24 * 2.0**30, "bytes", "x", Evidence.DATASHEET), False).value / 2**30, 2)
    23.64
    """
    after_ecc = memory.value * (1 - INLINE_ECC_SHARE if inline_ecc else 1)
    return Fact(
        value=after_ecc * (1 - RESERVED_SHARE),
        unit="bytes",
        source=SOURCE,
        evidence=Evidence.ASSUMED,
        low=after_ecc * (1 - RESERVED_HIGH),
        high=after_ecc * (1 - RESERVED_LOW),
    )
