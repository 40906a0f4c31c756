// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"

namespace lockscope::ctl {

std::span<const Command> commands()
{
    static constexpr Command all[] = {
        {"list", "every lock held or awaited, and the lock table", runList},
        {"tree", "who blocks whom, worst first", runTree},
        {"watch", "the same, again and again, in place", runWatch},
        {"run", "hold a lock round a command", runRun},
        {"acquire", "take a lock and leave it held", runAcquire},
        {"release", "give a lock-table entry back", runRelease},
        {"purge", "delete the stale entries of the lock table", runPurge},
        {"end-session", "end a session, or cancel what it runs", runEndSession},
        {"audit", "who did what to locks and sessions, and why", runAudit},
        {"plan", "the plan by which a session's statement runs", runPlan},
        {"check", "what can be found out about a server and the way to it", runCheck},
        {"install", "create or update Lockscope's own tables", runInstall},
        {"uninstall", "remove them again, after telling what would go", runUninstall},
        {"scenario", "make a race between sessions happen, and see what keeps it from happening",
            runScenarioCommand},
        {"sandbox", "keep a private PostgreSQL server running", runSandbox},
    };
    return all;
}

} // namespace lockscope::ctl
