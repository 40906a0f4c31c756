// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/DemoRun.h"

#include "core/base/SleepFor.h"
#include "core/db/SchemaInstaller.h"
#include "core/scenario/format/ScenarioFile.h"
#include "core/scenario/run/FreeRun.h"

#include <future>
#include <utility>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr milliseconds pauseAfterFailure{3'000};

Result<void> install(const db::Server& server)
{
    auto connection = server.connect(db::Purpose::Workload);
    if (!connection)
        return Failure(connection.error());
    // Others may be using it already.
    if (db::installedSchemaVersion(**connection) == db::currentSchemaVersion(server.engine()))
        return {};
    if (const auto installed = db::installSchema(**connection); !installed)
        return Failure(installed.error());
    return {};
}

Result<RunOrder> demoOrder()
{
    auto scenario = readScenarioFile(u":/demo/demo.json"_s);
    if (!scenario)
        return failure(ErrorKind::Internal, scenario.error().front().toString());
    RunOrder order;
    order.scenario = std::move(*scenario);
    order.duration = endless;
    return order;
}

} // namespace

Result<std::unique_ptr<DemoRun>> DemoRun::start(const db::Server& server)
{
    if (server.engine() != Engine::Postgres)
        return failure(
            ErrorKind::Unsupported, u"The demo runs on PostgreSQL only."_s, u"Start it on the sandbox."_s);
    if (auto installed = install(server); !installed)
        return Failure(installed.error());
    Result<void> started;
    std::unique_ptr<DemoRun> demo(new DemoRun(server, started));
    if (!started)
        return Failure(started.error());
    return demo;
}

DemoRun::DemoRun(const db::Server& server, Result<void>& started)
{
    std::promise<Result<void>> promise;
    auto future = promise.get_future();
    m_thread = std::jthread([server, promise = std::move(promise)](const std::stop_token& stop) mutable {
        bool hasStarted = false;
        const auto tell = [&](const Progress& progress) {
            if (progress.phase != Progress::Phase::Preparing && !std::exchange(hasStarted, true))
                promise.set_value({});
        };
        const auto order = demoOrder();
        while (order) {
            const auto ran = runFreely(server, *order, stop, tell);
            if (!hasStarted)
                return promise.set_value(ran ? Result<void>() : Failure(ran.error()));
            if (!sleepFor(pauseAfterFailure, stop))
                return;
        }
        promise.set_value(Failure(order.error()));
    });
    started = future.get();
}

} // namespace lockscope::scenario
