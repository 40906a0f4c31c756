# SPDX-FileCopyrightText: 2026 The Lockscope authors
# SPDX-License-Identifier: MIT
"""A job with Procrastinate, under a lock of its own."""

import asyncio

import procrastinate
from frameworks import Locked, under_the_lock

app = procrastinate.App(connector=procrastinate.PsycopgConnector())
ran = False


# In a thread: the worker goes on with its heartbeats meanwhile.
def report():
    global ran
    under_the_lock()
    ran = True


async def work(task):
    async with app.open_async():
        if not await app.check_connection_async():
            await app.schema_manager.apply_schema_async()
        await task.defer_async()
        # What the framework advises for jobs of dead workers.
        for job in await app.job_manager.get_stalled_jobs():
            await app.job_manager.retry_job(job)
        await app.run_worker_async(wait=False, install_signal_handlers=False, listen_notify=False)


def run(job=report):
    asyncio.run(work(app.task(job, name="report", lock="nightly")))
    if not ran:
        raise Locked("no job was free")
