// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include <span>

namespace lockscope::ctl {

/// What the shell gets. Documented in --help and in lockctl(1).
enum ExitCode : int {
    exitOk = 0,
    exitFailed = 1, ///< the server refused, was not there, or something else went wrong
    exitUsage = 2,
    exitNoVerdict = 3, ///< of scenarios: nothing can be said about the invariant; 1 is that it broke
    exitNotObtained = 75, ///< sysexits' EX_TEMPFAIL: somebody else has the lock; try again later
    exitNotExecutable = 126, ///< as shells do
    exitNotFound = 127,
    exitSignal = 128, ///< plus the number of the signal that ended the command, or lockctl's wait
};

/// One sub-command. `arguments` begin with what the parser takes for the program's name.
struct Command {
    const char* name;
    const char* summary;
    int (*run)(const QStringList& arguments);
};
std::span<const Command> commands();

int runList(const QStringList& arguments);
int runTree(const QStringList& arguments);
int runWatch(const QStringList& arguments);
int runRun(const QStringList& arguments);
int runAcquire(const QStringList& arguments);
int runRelease(const QStringList& arguments);
int runPurge(const QStringList& arguments);
int runEndSession(const QStringList& arguments);
int runCheck(const QStringList& arguments);
int runPlan(const QStringList& arguments);
int runAudit(const QStringList& arguments);
int runInstall(const QStringList& arguments);
int runUninstall(const QStringList& arguments);
int runSandbox(const QStringList& arguments);
int runScenarioCommand(const QStringList& arguments);

} // namespace lockscope::ctl
