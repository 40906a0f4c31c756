# SPDX-FileCopyrightText: 2026 The Lockscope authors
# SPDX-License-Identifier: MIT
"""Fails if folders of app, core and ui include each other in a circle, or if a folder includes one above it:
core knows neither ui nor app, ui not app, and in ui kit knows neither views nor shell, and views not shell.

A folder postgres, sqlite or sqlserver counts as a part of the folder that it lies in, which chooses by engine.

Usage: folder_circles.py FILE…, the C++ files relative to the repository
"""
import pathlib
import re
import sys

ENGINES = {"postgres", "sqlite", "sqlserver"}
ORDER = ["core", "ui/kit", "ui/views", "ui/shell", "app"]


def room(path):
    folder = pathlib.PurePosixPath(path).parent
    return str(folder.parent if folder.name in ENGINES else folder)


def height(folder):
    return next(i for i, prefix in enumerate(ORDER) if folder == prefix or folder.startswith(prefix + "/"))


def includes(files):
    """{room: {room included: "file includes file"}}"""
    found = {}
    for path in files:
        for included in re.findall(r'^#include "((?:app|core|ui)/[^"]+)"', pathlib.Path(path).read_text(encoding="utf-8"), re.M):
            here, there = room(path), room(included)
            if here != there:
                found.setdefault(here, {}).setdefault(there, f"{path} includes {included}")
    return found


def way(graph, start, end):
    """Each room on a way from start to end, or nothing."""
    before, ahead = {start: None}, [start]
    while ahead:
        here = ahead.pop(0)
        if here == end:
            rooms = []
            while here is not None:
                rooms.insert(0, here)
                here = before[here]
            return rooms
        for there in graph.get(here, {}):
            if there not in before:
                before[there] = here
                ahead.append(there)
    return []


def main(files):
    graph = includes(files)
    faults = set()
    for here, others in graph.items():
        for there, why in others.items():
            if height(here) < height(there):
                faults.add(f"{here} must not know {there}: {why}")
            elif rooms := way(graph, there, here):
                faults.add("circle: " + "; ".join(graph[a][b] for a, b in zip([here] + rooms, rooms)))
    for fault in sorted(faults):
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
