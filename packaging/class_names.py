# SPDX-FileCopyrightText: 2026 The Lockscope authors
# SPDX-License-Identifier: MIT
"""Fails if two files define a class, struct or enum of one name, be it in a namespace without a name. Types within a class count
for nothing, and neither do declarations ahead of a definition.

Usage: class_names.py FILE…, the C++ files relative to the repository
       class_names.py --self-test
"""
import pathlib
import re
import sys

NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<!\w)\'(?:[^\'\\\n]|\\.)+\'|^[ \t]*#[^\n]*', re.S | re.M)
SCOPE = re.compile(r"[{};]")
NAMESPACE = re.compile(r"\bnamespace\b[\w:\s]*$|\bextern\s*$")
TYPE = re.compile(r"(?:^|[\s>)])(?:class|struct|enum(?:\s+class)?)\s+(?:\[\[.*?\]\]\s*|[A-Z_]+(?:\([^)]*\))?\s+)?(\w+)(?:\s+final)?\s*"
                  r"(?::[^:].*)?$", re.S)


def types(code):
    """The name and the place of each type that a file defines outside of classes and functions."""
    code = NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), code)
    scopes, start = [], 0 # of each open brace: whether it is a namespace's
    for mark in SCOPE.finditer(code):
        before = code[start:mark.start()]
        start = mark.end()
        if mark[0] == "{":
            if all(scopes) and (found := TYPE.search(before.rstrip())):
                yield found[1], code.count("\n", 0, mark.start()) + 1
            scopes.append(bool(NAMESPACE.search(before)))
        elif mark[0] == "}" and scopes:
            scopes.pop()


def faults(sources):
    """Of {path: code}: each name that several files define, with where they do."""
    places = {}
    for path, code in sources.items():
        for name, line in types(code):
            places.setdefault(name, {}).setdefault(path, f"{path}:{line}")
    return [f"{name}: {', '.join(found.values())}" for name, found in sorted(places.items()) if len(found) > 1]


def self_test():
    one = "namespace a { namespace { struct Row final : Base<int> {\n class Cell {}; }; class Later; } }"
    other = 'namespace b {\nQ_NAMESPACE\nenum class Row : char { No };\nvoid f() { struct Cell {}; }\nauto s = "{"; // {\nclass Later {};\nstruct Row::Cell {}; }'
    assert faults({"a.cpp": one, "b.cpp": other}) == ["Row: a.cpp:1, b.cpp:3"], faults({"a.cpp": one, "b.cpp": other})
    assert [name for name, _ in types(other)] == ["Row", "Later"]


def main(files):
    found = faults({path: pathlib.Path(path).read_text(encoding="utf-8") for path in files})
    for fault in found:
        print(f"defined more than once: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        sys.exit(main(sys.argv[1:]))
