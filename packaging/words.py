# SPDX-FileCopyrightText: 2026 The Lockscope authors
# SPDX-License-Identifier: MIT
"""Holds texts to one term for each thing: finds words that have a better one in the manual, in README and man pages, in
comments, and in literals for people; and new doc comments that begin with a headless
clause ("What …").

Usage: words.py [BASE]      BASE: the commit that lines of code are new since; without it no doc comment is checked
       words.py --self-test
"""
import pathlib
import re
import subprocess
import sys

# A pattern, the better term, and an example that is found.
WORDS = [
    (r"who(so)?ever", "a session, an account, anyone who …", "Whoever may can run it."),
    (r"await(s|ed|ing)?", "waits for", "the locks that it awaits"),
    (r"anew", "again", "reads them anew"),
    (r"untold", "unknown", "an untold number"),
    (r"told(?! (to|from|apart)\b)", "say, show, report; for an alert: alert", "the loss is told"),
    (r"log-ins?", "login; the verb: log in", "the log-in of a person"),
    (r"culprits?", "head blocker", "the culprit"),
    (r"deeds?", "action; end session, cancel statement …", "a deed"),
    (r"lets? go", "release, free", "it lets go of the lock"),
    (r"(?<!at the )(?<!at this )(?<!in a )(?<!it a )(?<!than a )(?<!^a )moments?", "time; of a poll: snapshot", "of another moment"),
    (r"(each|every|last|next|one|first|second|this|that|per|two|a|the|its|of|by|no|single|both|between) looks?(?!-up| (at|for|like|of|up|into|first|alike|as)\b)",
     "poll", "at the last look"),
    (r"(two looks of|L?\d+ looks(?=[,:;.)]| of\b)|how often to look|looked (only )?every)", "poll", "the worst of %3 looks: 4"),
    (r"stretch(es)?(?= of time)", "range", "a stretch of time"),
    (r"journeys?", "generation", "an old journey"),
    (r"not now", "You are viewing …; PAST", "12:04:31 — not now"),
    (r"in the way", "head blocker, blocks", "who is in the way"),
    (r"(stand|stands|stood) behind", "waits for, is blocked by", "63 stands behind 51"),
    (r"(past its lease|lease is over|time is over)", "expired", "an entry past its lease"),
    (r"nobody looked", "not recorded", "nobody looked then"),
    (r"(enough|no|much|more|some|the|of|has|give|gives) room", "space, size", "there is no room"),
    (r"(wants|wanted)", "waits for", "it wants a lock"),
    (r"(is|was|are|were|history|or) away(?! from\b)", "can't be reached", "the history is away"),
]
# A sentence whose subject is a clause; questions may begin so.
HEADLESS = re.compile(r"(?:^|(?<=[.:;!?] ))(What|Whatever|Who|Whose|Whoever)\b[^.?!:|]*[.;](?= |$)")
DOC_HEADLESS = re.compile(r"^\s*///<? ?(What|Whatever|Who|Whoever|Whose|Of|Where|How)\b")
# Of these only those with several words are texts for people; keys of JSON, settings and columns have one.
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# A text in SQL is passed over: it may hold the beginning of a comment; and the name of a statement.
SQL_COMMENT = re.compile(r"(?s)-- name: \w+|--[^\n]*|/\*.*?\*/|'[^']*'")
COMMENT = re.compile(r"(?:^|\s)//+<?(.*)")
CODE = re.compile(r"(?s)```.*?```|`[^`\n]*`|<!--.*?-->")


def findings(text, words=None):
    """The words of `text` that have a better term, with it."""
    for pattern, better, _ in words or WORDS:
        for found in re.finditer(rf"\b{pattern}\b", text, re.IGNORECASE):
            yield found.start(), f"“{found[0]}”: {better}"


def prose(markdown):
    """Markdown with blanks in the place of code and of the targets of links."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found[0])
    text = CODE.sub(blank, markdown)
    return re.sub(r"\]\([^)]*\)", blank, text)


def check_prose(path, text, is_markdown=True):
    text = prose(text) if is_markdown else text
    for at, fault in findings(text):
        yield f"{path}:{text.count(chr(10), 0, at) + 1}: {fault}"
    for number, line in enumerate(text.splitlines(), 1):
        for cell in line.split("|") if is_markdown else [line]:
            for found in HEADLESS.finditer(cell.strip(" *-")):
                if not line.startswith("#"):
                    yield f"{path}:{number}: no subject: “{found[0].strip()[:60]}”"


def check_literals(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith(("//", "#include", "*")):
            continue
        for literal in LITERAL.finditer(line):
            if " " in literal[1].strip():
                for _, fault in findings(literal[1]):
                    yield f"{path}:{number}: {fault}"
                # In JSON a clause is the value of a key that says what it is about.
                for found in HEADLESS.finditer(literal[1]) if not path.endswith(".json") else ():
                    yield f"{path}:{number}: no subject: “{found[0][:60]}”"


def check_comments(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        comment = COMMENT.search(line)
        for _, fault in findings(CODE.sub("", comment[1])) if comment else ():
            yield f"{path}:{number}: {fault}"


def check_sql_comments(path, text):
    for comment in SQL_COMMENT.finditer(text):
        if not comment[0].startswith(("'", "-- name: ")):
            for at, fault in findings(prose(comment[0])):
                yield f"{path}:{text.count(chr(10), 0, comment.start() + at) + 1}: {fault}"


def check_new_lines(diff):
    """Of a diff without context: a doc comment that begins with a headless clause."""
    path, number, before = "", 0, ""
    for line in diff.splitlines():
        if line.startswith("+++ b/"):
            path = line[6:]
        elif line.startswith("@@"):
            number, before = int(re.search(r"\+(\d+)", line)[1]) - 1, ""
        elif line.startswith("+"):
            number += 1
            if DOC_HEADLESS.match(line[1:]) and not before.lstrip().startswith("///"):
                yield f"{path}:{number}: no subject: “{line[1:].strip()[:60]}”"
            before = line[1:]


def self_test():
    for _, better, example in WORDS:
        assert list(findings(example)), f"not found: {example}"
        assert not list(findings(better.partition(";")[0])), f"found: {better}"
    assert list(check_prose("a", "What was done is recorded."))
    assert not list(check_prose("a", "What holds it? `await` is code, and so is\n```\nwhoever\n```"))
    assert not list(check_prose("a", "Look at it: the look of the page."))
    assert list(check_literals("a", 'u"Gone. What was done is recorded."_s'))
    assert list(check_literals("a", 'u"How often to look."_s')) and not list(check_literals("a", 'u"%1 looks like %2, 51 looks idle"_s'))
    assert list(check_literals("a", 'u"Reads them anew"_s')) and not list(check_literals("a", 'u"moment"_s // anew'))
    assert list(check_comments("a", "f(); // reads it anew\n")) and not list(check_comments("a", "f(x); // a `moment`, a look-up\n"))
    assert list(check_sql_comments("a", "-- name: moments\nSELECT '--''anew' -- a `anew`\n/* b\n anew */")) == ["a:4: “anew”: again"]
    assert list(check_new_lines("+++ b/a.h\n@@ -1 +1,2 @@\n+/// What it is.\n+/// Returns it.\n"))
    assert not list(check_new_lines("+++ b/a.h\n@@ -1 +1,2 @@\n+/// Returns it.\n+/// What it is.\n"))


def git(*arguments):
    return subprocess.run(["git", "-c", "safe.directory=*", *arguments], check=True, capture_output=True, text=True).stdout


def main(base):
    faults = []
    def each(check, *patterns, **options):
        for path in git("ls-files", "--", *patterns).splitlines():
            faults.extend(check(path, pathlib.Path(path).read_text(encoding="utf-8"), **options))
    each(check_prose, "resources/help/*.md", "README.md")
    each(check_prose, "packaging/man/*.1", "packaging/linux/*.1", is_markdown=False)
    each(check_comments, "app/*.cpp", "app/*.h", "core/*.cpp", "core/*.h", "tests/*.cpp", "tests/*.h", "ui/*.cpp", "ui/*.h")
    each(check_sql_comments, "schema/*.sql")
    each(check_literals, "app/*.cpp", "app/*.h", "core/*.cpp", "core/*.h", "ui/*.cpp", "ui/*.h", "resources/*.json")
    if base:
        faults += check_new_lines(git("diff", "--unified=0", "--find-renames", "--diff-filter=d", base, "--",
                                      "app/*.h", "app/*.cpp", "core/*.h", "core/*.cpp", "ui/*.h", "ui/*.cpp"))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
