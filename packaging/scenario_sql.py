# SPDX-FileCopyrightText: 2026 The Lockscope authors
# SPDX-License-Identifier: MIT
"""Writes the T-SQL of the scenarios to files, one batch after the other, so that a parser can look at it.

Usage: scenario_sql.py SCENARIO… DIRECTORY
"""
import json
import pathlib
import re
import sys


def texts(node):
    """Every text of a key "sqlserver", wherever it is: a statement, the lines of one, or a list of statements."""
    if isinstance(node, list):
        for item in node:
            yield from texts(item)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key == "sqlserver":
                yield value
            else:
                yield from texts(value)


def statements(scenario):
    # Of a set-up, each item is a statement; elsewhere they are its lines.
    scripts = [scenario.pop("setup", {}), scenario.pop("teardown", {})]
    scripts += [variant.pop("setup", {}) for variant in scenario["variants"]]
    for script in scripts:
        for each in script.get("sqlserver", []) if isinstance(script, dict) else script:
            yield "\n".join(each) if isinstance(each, list) else each
    for each in texts(scenario):
        yield "\n".join(each) if isinstance(each, list) else each


def plain(text):
    """With the values as variables and the identifiers as names."""
    text = re.sub(r"(?<![:\w]):([A-Za-z_]\w*)", r"@\1", text)
    return re.sub(r"\{(\w+)\}", r"some_\1", text)


*sources, target = map(pathlib.Path, sys.argv[1:])
target.mkdir(parents=True, exist_ok=True)
for old in target.glob("*.sql"):
    old.unlink()
for source in sources:
    seen = dict.fromkeys(plain(text) for text in statements(json.loads(source.read_text(encoding="utf-8"))))
    if seen:
        batches = "\nGO\n".join(seen)
        (target / (source.stem + ".sql")).write_text(batches + "\nGO\n", encoding="utf-8")
