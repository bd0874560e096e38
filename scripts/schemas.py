"""Writes the JSON Schemas that ship in ``src/outboard/schema``: ``make schemas``, after a document gained a key."""

import json
import sys
from pathlib import Path
from typing import Any, get_args

from outboard.compat.rules import Confidence, Consequence
from outboard.compat.symptoms import Sure
from outboard.compat.verdict import Outcome
from outboard.types.estimate import Bottleneck, Verdict
from outboard.types.evidence import Evidence
from outboard.types.job import JobFile
from outboard.types.plan import PlaceKind, ReasonKind
from outboard.types.situation import Goal, Situation

FOLDER = Path(__file__).parent.parent / "src" / "outboard" / "schema"
DRAFT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": ["number", "null"]}
TEXTS: Schema = {"type": "array", "items": TEXT}
EVIDENCE: Schema = {"enum": [level.label for level in Evidence]}


def described(schema: Schema, description: str) -> Schema:
    """``schema`` with a sentence for people."""
    return {**schema, "description": description}


def record(properties: Schema, optional: tuple[str, ...] = (), **more: Any) -> Schema:
    """An object with exactly these keys."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False, **more}


def listed(items: Schema, **more: Any) -> Schema:
    """An array of ``items``."""
    return {"type": "array", "items": items, **more}


def reference(name: str) -> Schema:
    """A definition of the same document."""
    return {"$ref": f"#/$defs/{name}"}


NUMBER_WITH_ORIGIN: Schema = {
    "value": described(NUMBER, "null when unknown, and then note says why"),
    "low": NUMBER,
    "high": NUMBER,
    "unit": described(TEXT, "SI unit; B for bytes, 1 for a ratio"),
    "source": TEXT,
    "evidence": EVIDENCE,
    "note": TEXT,
}
TERM = record(
    {"name": TEXT, **NUMBER_WITH_ORIGIN, "formula": TEXT, "children": listed(reference("term"))}, optional=("children",)
)
FACT = record(NUMBER_WITH_ORIGIN)
BYTES = described({"type": ["number", "null"], "minimum": 0}, "bytes")
MEMORY = record(
    {
        "peak_bytes": BYTES,
        "reserved_bytes": BYTES,
        "required_bytes": BYTES,
        "available_bytes": BYTES,
        "peak": reference("term"),
        "reserved": reference("term"),
        "required": reference("term"),
        "available": reference("term"),
        "parts": described(listed(reference("term")), "their values sum to peak"),
    }
)
ESTIMATE = record(
    {
        "workload": TEXT,
        "task": TEXT,
        "precision": TEXT,
        "place": TEXT,
        "verdict": {"enum": list(get_args(Verdict))},
        "batch": record(
            {
                "size": {"type": "integer", "minimum": 1},
                "safe_max": described({"type": ["integer", "null"], "minimum": 0}, "largest safe batch; null: unknown"),
            }
        ),
        "memory": MEMORY,
        "host": record(
            {
                "ram": reference("term"),
                "disk": reference("term"),
                "available_bytes": described({"type": ["number", "null"], "minimum": 0}, "null: nobody said"),
            }
        ),
        "step": record(
            {
                "seconds": reference("term"),
                "parts": described(listed(reference("term")), "their values sum to seconds"),
            }
        ),
        "throughput": reference("term"),
        "bottleneck": {"enum": list(get_args(Bottleneck))},
        "link": record(
            {
                "slowdown": described(NUMBER, "step time here / step time with the input already on the device"),
                "low": NUMBER,
                "high": NUMBER,
            }
        ),
        "evidence": described(EVIDENCE, "the weakest that went into the forecast"),
        "warnings": TEXTS,
        "assumptions": TEXTS,
        "levers": described(TEXTS, "what would make it fit, or go faster"),
        "remedies": listed(
            record(
                {
                    "name": TEXT,
                    "text": TEXT,
                    "saved_bytes": {"type": "number", "description": "bytes"},
                    "slowdown": described({"type": "number"}, "time per sample after it over the time before"),
                    "fits": {"type": "boolean"},
                }
            ),
            description="with --make-it-fit: every change that saves memory, best first",
        ),
    },
    optional=("remedies",),
)
KNOWN: Schema = {"anyOf": [reference("fact"), {"type": "null"}]}
TABLE: Schema = {"type": "object", "additionalProperties": reference("fact")}
DEVICE = record(
    {
        **dict.fromkeys(("id", "name", "vendor", "architecture", "kind"), TEXT),
        **dict.fromkeys(("memory", "memory_bandwidth", "units", "clock"), reference("fact")),
        **dict.fromkeys(("l2", "tdp"), KNOWN),
        **dict.fromkeys(("matmul", "vector"), described(TABLE, "type of the operands: rate")),
        **dict.fromkeys(("pcie_generation", "pcie_lanes", "matmul_fp16_accumulate", "usable_memory"), KNOWN),
        **dict.fromkeys(("launch_price", "length", "suggested_psu"), KNOWN),
        **dict.fromkeys(("compute_capability", "released", "slots", "power_connectors", "form", "origin"), TEXT),
        "notes": TEXTS,
    }
)
LINK = record(
    {
        **dict.fromkeys(("id", "name", "kind", "hotplug"), TEXT),
        **dict.fromkeys(("h2d", "d2h", "latency"), reference("fact")),
        "theoretical": KNOWN,
        "tunnelled": {"type": "boolean"},
        "aliases": TEXTS,
        "notes": TEXTS,
    }
)
HOST = record(
    {
        **dict.fromkeys(
            ("id", "name", "models", "ports", "hotplug", "os_notes", "known_issue", "confidence", "source"), TEXT
        ),
        "links": TEXTS,
    }
)
COUNT: Schema = {"type": "integer", "minimum": 0}
TRACE = record(
    {
        "file": {"type": ["string", "null"]},
        **dict.fromkeys(("workload", "task", "precision", "optimizer"), TEXT),
        "image_size": {"type": ["integer", "null"]},
        "seq_len": {"type": ["integer", "null"]},
        "unit": described(TEXT, "what a batch counts"),
        **dict.fromkeys(("parameters", "operators", "tensors"), COUNT),
        "flops": record({"constant": {"type": "number"}, "per_sample": {"type": "number"}}),
        "traced_batches": listed(COUNT),
        "not_affine_error": {"type": "number"},
        "versions": {"type": "object", "additionalProperties": TEXT},
        "warnings": TEXTS,
        "format_version": COUNT,
    }
)
INTERVAL = described(
    record(dict.fromkeys(("p10", "p50", "p90"), NUMBER)), "median and 80 % interval; null: unknown, or never"
)
INTERVAL_OR_NONE: Schema = {"anyOf": [INTERVAL, {"type": "null"}]}
PROBABILITY: Schema = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
NAME: Schema = {"type": ["string", "null"]}
PLACE = record(
    {
        "id": described(TEXT, "unique in the document"),
        "place": described(TEXT, "GPU[xN][@LINK]"),
        "kind": {"enum": list(get_args(PlaceKind))},
        **dict.fromkeys(("label", "provider"), TEXT),
        "feasible": {"type": "boolean"},
        "reasons": listed(record({"kind": {"enum": list(get_args(ReasonKind))}, "text": TEXT})),
        "hours_per_job": described(INTERVAL, "from starting a job to holding its result, queues included, hours"),
        **dict.fromkeys(("cost_per_job", "cost_over_horizon"), INTERVAL),
        "upfront": described(NUMBER, "paid before the first job"),
        "batch": described({"type": ["integer", "null"]}, "samples per device and step"),
        "load": described(NUMBER, "share of the hours that the place can give"),
        "pareto": {"type": "boolean"},
        "notes": TEXTS,
    }
)
RECOMMENDATION = record({"id": NAME, "place": NAME, "sentence": TEXT, "changes": TEXTS})
BREAK_EVEN = record(
    {
        **dict.fromkeys(("own", "rent"), described(NAME, "id of a place")),
        "stated_hours_per_week": NUMBER,
        **dict.fromkeys(("probability_never", "probability_at_stated_use"), PROBABILITY),
        **dict.fromkeys(("hours_per_week", "jobs_per_month", "payback_months"), INTERVAL),
        "price_of_waiting": INTERVAL_OR_NONE,
        "sensitivity": listed(
            record(
                {
                    **dict.fromkeys(("cause", "label"), TEXT),
                    **dict.fromkeys(("at_low", "at_high", "swing"), NUMBER),
                    "flips": {"type": "boolean"},
                }
            ),
            description="break-even in hours a week with one input at its 10th and 90th percentile, widest first",
        ),
        "why_not": described(TEXT, "why there is no break-even, else empty"),
    }
)
PORTFOLIO = record(
    {
        "assignment": listed(
            record(
                {
                    **dict.fromkeys(("job", "id", "place", "label"), TEXT),
                    "hours_per_job": INTERVAL,
                    "cost_over_horizon": NUMBER,
                }
            )
        ),
        "gap": described(NUMBER, "distance from proven optimal; 0: optimal"),
        "cost_over_horizon": INTERVAL,
        **dict.fromkeys(("all_cloud", "all_own"), INTERVAL_OR_NONE),
        "unplaced": TEXTS,
        "sentence": TEXT,
    }
)
SERVICE = described(
    record(
        {
            "tokens_per_day": {"type": "number"},
            "cost_per_million_tokens": INTERVAL,
            "api_per_million_tokens": NUMBER,
            "api_over_horizon": NUMBER,
            "pays_from_tokens_per_day": NUMBER,
            "most_tokens_per_day": {"type": "number"},
        }
    ),
    "of the task serve: written tokens [USD], and what an API asks for them",
)
PLAN = record(
    {
        "currency": described({"const": "USD"}, "of every amount"),
        "said_in": described(
            record({"currency": TEXT, "usd": {"type": "number"}}), "currency of the sentences, and its worth in dollars"
        ),
        "horizon_years": {"type": "number"},
        "goal": {"enum": list(get_args(Goal))},
        "prices": described(TEXT, "how old the prices are"),
        "recommendation": RECOMMENDATION,
        "places": described(listed(PLACE), "of the first job, best first"),
        "break_even": BREAK_EVEN,
        "portfolio": {"anyOf": [PORTFOLIO, {"type": "null"}]},
        "jobs": listed(
            record(
                {
                    **dict.fromkeys(("job", "workload"), TEXT),
                    "runs_per_month": {"type": "number"},
                    "recommendation": RECOMMENDATION,
                    "break_even": BREAK_EVEN,
                    "service": SERVICE,
                    "places": described(listed(PLACE), "empty for a single job: they are above"),
                },
                optional=("service",),
            )
        ),
        "assumptions": TEXTS,
    }
)
OFFER = record(
    {
        **dict.fromkeys(("provider", "instance", "gpu", "device", "kind", "tier", "market", "region", "date"), TEXT),
        **dict.fromkeys(("gpu_count", "least_gpus"), COUNT),
        **dict.fromkeys(("gpu_share", "vram_gb", "vcpus", "ram_gb", "usd_per_hour", "usd_per_gpu_hour"), NUMBER),
        "all_in_usd_per_hour": described(NUMBER, "with cores and memory, of what must be taken; null: unknown"),
        **dict.fromkeys(("source", "licence", "note", "alarm", "refusal"), TEXT),
    }
)
RATIO = described(NUMBER, "a ratio, not percent; null: unknown")
LABELS = {"type": "object", "additionalProperties": TEXT}
SUMMARY = record(
    {
        "name": TEXT,
        "labels": described(LABELS, "what the rows of the group have in common"),
        "rows": {"type": "integer", "minimum": 0},
        "covered": {"type": "integer", "minimum": 0},
        "median_ape": RATIO,
        "p90_ape": RATIO,
        "bias": described(NUMBER, "median of (forecast - measured) / measured; above 0: forecasts are too high"),
        "band_coverage": described(NUMBER, "share of the measurements inside the stated 80 % band"),
    }
)
ROW = {"id": TEXT, "line": {"type": "integer"}, **dict.fromkeys(("workload", "gpu", "quantity"), TEXT)}
VALIDATE = record(
    {
        "rows_in_table": {"type": "integer", "minimum": 1},
        "group_by": TEXTS,
        "overall": SUMMARY,
        "groups": described(listed(SUMMARY), "the one with the most rows first"),
        "worst": listed(
            record(
                {
                    **ROW,
                    "labels": LABELS,
                    "batch_size": described({"type": ["integer", "null"]}, "as the table states it; null: it does not"),
                    **dict.fromkeys(("forecast", "low", "high", "measured"), NUMBER),
                    "unit": described({"enum": ["samples/s", "tokens/s", "s", "B"]}, "of these four numbers"),
                    "error": RATIO,
                    "inside": {"type": ["boolean", "null"]},
                }
            ),
            description="furthest off first",
        ),
        "uncovered": listed(record({**ROW, "reason": TEXT})),
        "resolved": described(
            listed(record(dict.fromkeys(("name", "workload", "origin"), TEXT))),
            "names of models and what they were read as",
        ),
    }
)
OFFERS = record({"prices": TEXT, "offers": listed(OFFER), "refused": listed(OFFER)})

BACKED = {"confidence": {"enum": list(get_args(Confidence))}, "source": TEXTS}
CURE = {"cure": TEXT, "risk": described(TEXT, "what the cure gives up in security, else empty; never applied")}
DOCTOR = record(
    {
        "verdict": described({"enum": [*get_args(Outcome), None]}, "null: only a log was given"),
        "missing": described(TEXTS, "facts that decide, where the verdict is undecided"),
        "machine": described({"type": "object"}, "what is known of it, in SI units"),
        "assumed": described(TEXTS, "facts that nobody stated"),
        "findings": listed(
            record(
                {
                    "rule": TEXT,
                    "consequence": {"enum": list(get_args(Consequence))},
                    "applies": described({"enum": [True, None]}, "null: unknown, and then missing says what decides"),
                    "missing": TEXTS,
                    "why": TEXT,
                    **CURE,
                    **BACKED,
                }
            ),
            description="those that apply, then those that may; the gravest first",
        ),
        "log": described({"anyOf": [reference("log"), {"type": "null"}]}, "null: no log was given"),
        "here": described({"anyOf": [reference("here"), {"type": "null"}]}, "null: no computer was looked at"),
    }
)
FLAG: Schema = {"type": ["boolean", "null"]}
HERE = record(
    {
        **dict.fromkeys(("computer", "host", "processor"), TEXT),
        "memory_bytes": NUMBER,
        "container": {"type": "boolean"},
        "facts": described({"type": "object"}, "by the names that rules use"),
        "boxes": listed(record({"name": TEXT, "authorized": FLAG, "rate_bits_per_second": NUMBER})),
        "gpus": listed(
            record(
                {
                    **dict.fromkeys(("address", "vendor", "device_id", "name", "driver", "link", "link_now"), TEXT),
                    "device": described(NAME, "id of the catalogue"),
                    "tunnelled": {"type": "boolean"},
                    "rebar": FLAG,
                    "lost": described({"type": "boolean"}, "it no longer answers"),
                }
            )
        ),
        "log_readable": {"type": "boolean"},
    }
)
LOG = record(
    {
        "file": TEXT,
        "lines": COUNT,
        "verdict": {"enum": ["fault", "no fault", "nothing known"]},
        "symptoms": listed(
            record(
                {
                    "symptom": TEXT,
                    "fault": described({"type": "boolean"}, "false: it only looks like a fault"),
                    "sure": described({"enum": list(get_args(Sure))}, "of the cause"),
                    **dict.fromkeys(("what", "cause"), TEXT),
                    **CURE,
                    "rule": described({"type": ["string", "null"]}, "the rule that says the same of a machine"),
                    **BACKED,
                    "lines": listed(record({"number": COUNT, "text": TEXT})),
                }
            ),
            description="faults first",
        ),
    }
)

# What ``outboard estimate --faster --json`` prints.
FASTER: Schema = record(
    {
        "place": TEXT,
        "batch": {"type": "integer"},
        "verdict": described(TEXT, "one sentence: whether the link is the problem"),
        "losses": listed(
            record(
                {
                    "part": {"enum": ["link", "input", "collective", "launch", "pauses"]},
                    "gain_without": described({"type": "number"}, "rate without it over the rate with it, less 1"),
                }
            ),
            description="what the step waits for, dearest first",
        ),
        "changes": listed(
            record(
                {
                    "name": TEXT,
                    "text": TEXT,
                    "why": TEXT,
                    "code": TEXT,
                    "gain": described({"type": "number"}, "rate after over rate before, less 1"),
                    "fits": {"type": "boolean"},
                    "place": TEXT,
                }
            ),
            description="what would make it faster, largest gain first",
        ),
        "start": record(
            {
                "weights_bytes": {"type": "number"},
                "load_pageable_seconds": {"type": "number"},
                "load_pinned_seconds": {"type": "number"},
                "first_step_seconds": {"type": "number"},
            }
        ),
    }
)


def schemas() -> dict[str, Schema]:
    """Every schema by the name of its file."""
    terms, facts = {"$defs": {"term": TERM}}, {"$defs": {"fact": FACT}}
    bodies: dict[str, Schema] = {
        "estimate": {**ESTIMATE, **terms},
        "faster": FASTER,
        "compare": {**listed(ESTIMATE), **terms},
        "devices": {**listed(DEVICE), **facts},
        "links": {**listed(LINK), **facts},
        "hosts": listed(HOST),
        "trace": TRACE,
        "job": JobFile.model_json_schema(),
        "situation": Situation.model_json_schema(),
        "plan": PLAN,
        "offers": OFFERS,
        "validate": VALIDATE,
        "doctor": {**DOCTOR, "$defs": {"log": LOG, "here": HERE}},
    }
    return {name: {"$schema": DRAFT, "title": f"outboard {name}", **body} for name, body in bodies.items()}


def main() -> int:
    """Write the files; with ``--check``, only say whether they are current."""
    stale = 0
    for name, schema in schemas().items():
        path, text = FOLDER / f"{name}.json", json.dumps(schema, indent=2) + "\n"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale += 1
            if "--check" not in sys.argv:
                path.write_text(text, encoding="utf-8")
    return stale if "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
