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
    if (db::installedSchemaVersion(**connection) == db::schemaVersion)
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
    const auto order = demoOrder();
    if (!order)
        return Failure(order.error());
    if (!order->scenario->engines.contains(server.engine()))
        return failure(ErrorKind::Unsupported,
            u"The demo does not run on %1."_s.arg(engineName(server.engine())),
            u"Start it on the sandbox."_s);
    if (auto installed = install(server); !installed)
        return Failure(installed.error());
    Result<void> started;
    std::unique_ptr<DemoRun> demo(new DemoRun(server, *order, started));
    if (!started)
        return Failure(started.error());
    return demo;
}

DemoRun::DemoRun(const db::Server& server, const RunOrder& order, Result<void>& started)
{
    std::promise<Result<void>> promise;
    auto future = promise.get_future();
    m_thread =
        std::jthread([server, order, promise = std::move(promise)](const std::stop_token& stop) mutable {
            bool hasStarted = false;
            const auto tell = [&](const Progress& progress) {
                if (progress.phase != Progress::Phase::Preparing && !std::exchange(hasStarted, true))
                    promise.set_value({});
            };
            while (true) {
                const auto ran = runFreely(server, order, stop, tell);
                if (!hasStarted)
                    return promise.set_value(ran ? Result<void>() : Failure(ran.error()));
                if (!sleepFor(pauseAfterFailure, stop))
                    return;
            }
        });
    started = future.get();
}

} // namespace lockscope::scenario
