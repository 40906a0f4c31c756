# SPDX-FileCopyrightText: 2026 The Lockscope authors
# SPDX-License-Identifier: MIT
"""Holds T-SQL to the catalogue of SQL Server's views: each view that a statement names is in it, has the column, and has
it in the oldest version that the statement is for: SQL Server 2016, or what a line of it says:

    -- From SQL Server 2022 on.

Usage: sqlserver_views.py CATALOGUE FILE…
       sqlserver_views.py CATALOGUE --self-test
"""
import json
import logging
import pathlib
import re
import sys

import sqlglot
from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope
from sqlglot.tokens import TokenType

OLDEST = 2016
BEGINNINGS = {TokenType.SELECT, TokenType.WITH, TokenType.UPDATE, TokenType.DELETE, TokenType.INSERT}


def since(text):
    """The year of "SQL Server 2022"; what is of no released version, or of another product, is of none."""
    found = re.fullmatch(r"SQL Server (\d{4})", text or f"SQL Server {OLDEST}")
    return int(found[1]) if found else 9999


def read_catalogue(path):
    views = {}
    for name, view in json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["views"].items():
        columns = {column["name"].lower(): since(column.get("since")) for column in view["columns"]}
        views[name.lower()] = (since(view.get("since")), columns)
    return views


FILLED_IN = "some_"  # what is put for a place in braces


def view_of(table):
    """"sys.objects" for a table of the schema sys; None for any other."""
    if not isinstance(table, exp.Table) or table.db.lower() != "sys":
        return None
    return f"sys.{(table.name or table.this.name).lower()}"  # a function's name is one level deeper


class Check:
    def __init__(self, catalogue, text):
        self.catalogue = catalogue
        self.faults = []
        said = re.search(r"^-- From SQL Server (\d{4}) on\.$", text, re.MULTILINE)
        self.version = int(said[1]) if said else OLDEST
        text = re.sub(r"\{(\w+)\}", rf"{FILLED_IN}\1", text)
        for batch in re.split(r"(?m)^GO$", text):
            self.batch(batch)

    def batch(self, text):
        tokens = sqlglot.tokenize(text, dialect="tsql")
        place = 0
        while place < len(tokens):
            end = self.end_of(tokens, place)
            parsed = tokens[place].token_type in BEGINNINGS and self.parsed(text[tokens[place].start : tokens[end - 1].end + 1])
            if parsed:
                self.statement(parsed)
                place = end
            else:
                self.unread(tokens, place)
                place += 1

    @staticmethod
    def end_of(tokens, start):
        """Where the brackets that `start` stands in are closed, or the statement ends."""
        depth = 0
        for place in range(start, len(tokens)):
            kind = tokens[place].token_type
            depth += (kind == TokenType.L_PAREN) - (kind == TokenType.R_PAREN)
            if depth < 0 or (depth == 0 and kind == TokenType.SEMICOLON):
                return place
        return len(tokens)

    @staticmethod
    def parsed(text):
        try:
            statement = sqlglot.parse_one(text, dialect="tsql")
        except sqlglot.errors.SqlglotError:
            return None
        return None if statement.find(exp.Command) else statement

    def unread(self, tokens, place):
        """A view that stands in nothing that could be parsed would go unchecked."""
        words = [token.text.lower() for token in tokens[place : place + 4]]
        if len(words) == 4 and words[0] in ("from", "join", "apply") and words[1:3] == ["sys", "."]:
            self.faults.append(f"sys.{words[3]}: the statement that names it can't be parsed")

    def statement(self, statement):
        for table in statement.find_all(exp.Table):
            view = view_of(table)
            if view and view not in self.catalogue:
                self.faults.append(f"{view}: not in the catalogue")
            elif view and self.catalogue[view][0] > self.version:
                self.faults.append(f"{view}: only from {self.catalogue[view][0]} on")
        for query in statement.find_all(exp.Query):
            if not query.find_ancestor(exp.Query):
                for scope in traverse_scope(query):
                    self.scope(scope)

    def scope(self, scope):
        for column in scope.columns:
            if not column.table and column.name.startswith(FILLED_IN):
                continue  # a value will stand there
            sources = self.sources_of(scope, column.table)
            views = [view_of(source) for source in sources]
            known = [self.catalogue[view][1] for view in views if view in self.catalogue]
            if not sources or len(known) < len(sources):
                continue  # of a table that is no view of the server, or reported already
            versions = [columns[column.name.lower()] for columns in known if column.name.lower() in columns]
            if not versions and not self.is_alias(scope, column):
                self.faults.append(f"{column.sql()}: no column of {', '.join(views)}")
            elif versions and min(versions) > self.version:
                self.faults.append(f"{column.sql()}: {', '.join(views)} does not have it in {self.version}")

    @staticmethod
    def sources_of(scope, alias):
        """What the alias stands for here or around; without one all that the column may be of."""
        found = []
        while scope:
            if alias and alias in scope.sources:
                return [scope.sources[alias]]
            found += [] if alias else list(scope.sources.values())
            scope = scope.parent
        return found

    @staticmethod
    def is_alias(scope, column):
        selects = getattr(scope.expression, "selects", [])
        return not column.table and any(isinstance(each, exp.Alias) and each.alias == column.name for each in selects)


SELF_TEST = [
    ("SELECT 1 FROM sys.dm_exec_sessions WHERE session_id = {id};", []),
    ("SELECT session_id, s.login_time FROM sys.dm_exec_sessions AS s;", []),
    ("SELECT session FROM sys.dm_exec_sessions;", ["session: no column"]),
    ("SELECT s.sql_handle FROM sys.dm_exec_sessions AS s;", ["s.sql_handle: no column"]),
    ("SELECT 1 FROM sys.dm_tran_lock;", ["sys.dm_tran_lock: not in the catalogue"]),
    ("IF @P1 > (SELECT SUM(pages) FROM sys.dm_os_memory_clerks) SELECT 1;", ["pages: no column"]),
    ("SELECT name FROM {place}.sys.objects AS o WHERE o.kind = 'U';", ["o.kind: no column"]),
    ("SELECT x.a FROM (SELECT l.request_state AS a FROM sys.dm_tran_locks AS l) AS x;", ["l.request_state: no column"]),
    ("DECLARE @x int; BEGIN TRY SET @x = (SELECT s.status FROM sys.dm_exec_sessions AS s WHERE s.spid = 1); END TRY", ["s.spid: no"]),
    ("UPDATE t SET a = 1 FROM lockscope.t AS t WHERE EXISTS (SELECT 1 FROM sys.objects AS o WHERE o.id = t.id);", ["o.id: no"]),
    ("SELECT p.xml_compression FROM sys.partitions AS p;", ["p.xml_compression: sys.partitions does not have it in 2016"]),
    ("-- From SQL Server 2022 on.\nSELECT p.xml_compression FROM sys.partitions AS p;", []),
    ("SELECT pdw_node_id FROM sys.dm_tran_locks;", ["pdw_node_id: sys.dm_tran_locks does not have it"]),
    ("SELECT text FROM sys.dm_exec_sql_text(@P1);", []),
    ("SELECT body FROM sys.dm_exec_sql_text(@P1);", ["body: no column"]),
    ("SELECT a ( FROM sys.objects", ["sys.objects: the statement that names it can't be parsed"]),
]


def self_test(catalogue):
    for text, expected in SELF_TEST:
        faults = Check(catalogue, text).faults
        if len(faults) != len(expected) or not all(map(str.startswith, faults, expected)):
            sys.exit(f"self-test: {text}\n  expected {expected}\n  found    {faults}")


logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
catalogue, *files = sys.argv[1:]
catalogue = read_catalogue(catalogue)
if files == ["--self-test"]:
    sys.exit(self_test(catalogue))
failed = False
for file in files:
    # What stands before the first name, or the whole file; then name after name with its statement.
    parts = re.split(r"(?m)^-- name: (\S+)$", pathlib.Path(file).read_text(encoding="utf-8"))
    for name, text in zip([""] + parts[1::2], parts[0::2]):
        for fault in Check(catalogue, text).faults:
            print(f"{file}: {name}{': ' if name else ''}{fault}")
            failed = True
sys.exit(failed)
