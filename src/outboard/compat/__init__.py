"""Whether a GPU, a link, a computer and its software go together: rules as data, answered true, false or unknown.

>>> from outboard import catalog, compat
>>> host, card, link = catalog.host("framework-13-amd"), catalog.device("rtx-5080"), catalog.link("usb4-40")
>>> machine = compat.assemble(host, card, link, os="linux")
>>> answer = compat.verdict(machine)
>>> answer.outcome, answer.possible, answer.of("workaround")[0].rule.id
('workaround', True, 'nv-blackwell-tb-lock')
"""

from outboard.compat.assemble import assemble, seeing
from outboard.compat.diagnose import Diagnosis, Seen, diagnose
from outboard.compat.machine import Machine
from outboard.compat.rules import Rule, rules
from outboard.compat.verdict import Finding, Verdict, verdict

__all__ = [
    "Diagnosis",
    "Finding",
    "Machine",
    "Rule",
    "Seen",
    "Verdict",
    "assemble",
    "diagnose",
    "rules",
    "seeing",
    "verdict",
]
