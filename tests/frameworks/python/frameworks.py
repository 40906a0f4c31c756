# SPDX-FileCopyrightText: 2026 The Lockscope authors
# SPDX-License-Identifier: MIT
"""frameworks.py NAME hold|work: see tests/frameworks/fetch for what a program writes and how it ends."""

import importlib
import os
import signal
import sys
import traceback


class Locked(Exception):
    """The framework says that somebody else holds its lock."""


def under_the_lock():
    """What a framework does while it holds its lock: nothing; a holder never comes back."""
    if sys.argv[2] == "hold":
        print("held", flush=True)
        while True:
            signal.pause()


def main():
    name = sys.argv[1].replace("-", "_")
    try:
        importlib.import_module(f"program_{name}").run()
    except Locked as locked:
        print("locked:", locked)
        return 3
    except Exception:
        traceback.print_exc()
        return 1
    print("done")
    return 0


if __name__ == "__main__":
    sys.modules["frameworks"] = sys.modules["__main__"]
    code = main()
    sys.stdout.flush()
    os._exit(code)  # threads of a framework may live on
