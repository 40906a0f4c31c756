# SPDX-FileCopyrightText: 2026 The Lockscope authors
# SPDX-License-Identifier: MIT
"""The job of program_procrastinate.py, as a coroutine that blocks its worker: no heartbeats come meanwhile."""

import program_procrastinate


async def report():
    program_procrastinate.report()


def run():
    program_procrastinate.run(report)
