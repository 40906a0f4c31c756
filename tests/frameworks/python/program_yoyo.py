# SPDX-FileCopyrightText: 2026 The Lockscope authors
# SPDX-License-Identifier: MIT
"""A migration with yoyo."""

import os
from urllib.parse import quote

import yoyo
from frameworks import Locked


def address():
    if "FRAMEWORK_FILE" in os.environ:
        return "sqlite:///" + os.environ["FRAMEWORK_FILE"]
    env = {name: quote(os.environ[name]) for name in ("PGUSER", "PGPASSWORD", "PGHOST", "PGPORT", "PGDATABASE")}
    return "postgresql+psycopg://{PGUSER}:{PGPASSWORD}@{PGHOST}:{PGPORT}/{PGDATABASE}".format(**env)


def run():
    backend = yoyo.get_backend(address())
    migrations = yoyo.read_migrations(os.path.join(os.path.dirname(__file__), "yoyo_migrations"))
    try:
        with backend.lock(timeout=1):
            backend.apply_migrations(backend.to_apply(migrations))
    except yoyo.exceptions.LockTimeout as timeout:
        raise Locked(timeout) from timeout
