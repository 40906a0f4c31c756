// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/sandbox/DemoWorkload.h"

#include "core/db/SchemaInstaller.h"
#include "core/sandbox/DemoCrowd.h"
#include "core/sandbox/DemoStage.h"

#include <algorithm>
#include <functional>
#include <thread>

namespace lockscope::sandbox {

namespace {

Result<void> openShop(const Resolved& server)
{
    db::ConnectOptions options;
    options.purpose = db::Purpose::Workload;
    auto connection = db::Connection::open(server.url, db::fixedPassword(server.password), options);
    if (!connection)
        return Failure(connection.error());
    // Others may be using it already.
    if (db::installedSchemaVersion(**connection) != db::currentSchemaVersion(Engine::Postgres))
        if (auto installed = db::installSchema(**connection); !installed)
            return Failure(installed.error());
    return (*connection)->executeScript(db::Statement::get("postgres/demo/install.sql").sql());
}

class Shop final : public DemoWorkload {
public:
    Shop(Resolved server, const Options& options)
        : m_server(std::move(server))
    {
        engage([this](DemoActor actor) { playHead(m_stage, std::move(actor)); });
        for (int i = 0; i < demoVictims; ++i)
            engage([this, i](DemoActor actor) { playVictim(m_stage, std::move(actor), i); });
        engage([](DemoActor actor) { playCrashing(std::move(actor)); });
        quint32 seed = options.seed;
        const int regulars = std::min(int(demoRegulars().size()), std::max(3, options.sessions - 7));
        for (int i = 0; i < regulars; ++i)
            engage([i, s = ++seed](
                       DemoActor actor) { playRegular(std::move(actor), demoRegulars()[size_t(i)], s); });
        while (int(m_threads.size()) < options.sessions)
            engage([s = ++seed](DemoActor actor) { playShopper(std::move(actor), s); });
    }
    ~Shop() override
    {
        // All at once, then wait: each takes a cancel's round trip.
        for (std::jthread& thread : m_threads)
            thread.request_stop();
    }

private:
    void engage(std::function<void(DemoActor)> play)
    {
        m_threads.emplace_back([server = m_server, play = std::move(play)](
                                   std::stop_token stop) { play(DemoActor(server, std::move(stop))); });
    }

    const Resolved m_server;
    DemoStage m_stage;
    std::vector<std::jthread> m_threads; // last: joined before the stage goes
};

} // namespace

Result<std::unique_ptr<DemoWorkload>> DemoWorkload::start(const Resolved& server, const Options& options)
{
    if (server.url.engine != Engine::Postgres) {
        return failure(ErrorKind::Unsupported, QStringLiteral("The demo workload runs on PostgreSQL only."),
            QStringLiteral("Start it on the sandbox."));
    }
    if (auto opened = openShop(server); !opened)
        return Failure(opened.error());
    return std::make_unique<Shop>(server, options);
}

} // namespace lockscope::sandbox
