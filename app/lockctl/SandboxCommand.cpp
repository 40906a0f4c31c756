// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/CommandLine.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/SignalWatch.h"
#include "core/sandbox/Sandbox.h"
#include "core/scenario/run/FreeRun.h"

#include <semaphore>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

int runSandbox(const CommandLine& line)
{
    if (line.has(u"demo"_s) && line.readOnly()) {
        complain(
            u"The demo changes what is in the sandbox: leave out --demo, or --read-only and LOCKSCOPE_READ_ONLY."_s);
        return exitFailed;
    }
    std::binary_semaphore ended(0);
    // Nothing has to be put in order: the server's supervisor notices our end, however that comes.
    StopOnSignal stop(briefly, [&ended] { ended.release(); });
    const auto sandbox = sandbox::Sandbox::open();
    if (!sandbox)
        return fail(sandbox.error());
    std::unique_ptr<scenario::DemoRun> demo;
    if (line.has(u"demo"_s)) {
        auto started = scenario::DemoRun::start(
            db::Server::at((*sandbox)->url(), db::fixedPassword((*sandbox)->password())));
        if (!started)
            return fail(started.error());
        demo = std::move(*started);
    }
    stop.setPatience(inOrder);
    if (line.json())
        printJson(QJsonObject{{u"url"_s, (*sandbox)->url().toString()}, {u"server"_s, u"sandbox:"_s}});
    else
        print(u"%1\nRunning until Ctrl+C. Others join it with LOCKSCOPE_SERVER=sandbox:\n"_s.arg(
            (*sandbox)->url().toString()));
    ended.acquire();
    return exitOk;
}

} // namespace

Command sandboxCommand()
{
    Command command(u"sandbox"_s, u"keep a private PostgreSQL server running"_s, runSandbox,
        u"Keeps a private PostgreSQL server running until Ctrl+C, and prints its URL. Other programs join it as sandbox:; it stops with the last of them."_s);
    command.examples = {u"lockctl sandbox --demo"_s};
    command.addFlag(u"demo"_s, u"Let sessions contend for locks there."_s);
    return command;
}

} // namespace lockscope::ctl
