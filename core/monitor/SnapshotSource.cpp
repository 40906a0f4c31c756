// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/SnapshotSource.h"

#include "core/monitor/PostgresSnapshotSource.h"
#include "core/monitor/SqliteSnapshotSource.h"

namespace lockscope::monitor {

namespace {

/// An engine that this program can't watch: says so at every poll.
class UnsupportedSource : public SnapshotSource {
public:
    explicit UnsupportedSource(Engine engine)
        : m_engine(engine)
    {
    }
    Result<SnapshotPtr> take(std::stop_token) override
    {
        return failure(ErrorKind::Unsupported,
            QStringLiteral("This version of Lockscope can't watch %1.").arg(engineName(m_engine)));
    }

private:
    Engine m_engine;
};

} // namespace

std::unique_ptr<SnapshotSource> makeSnapshotSource(
    const db::ServerProfile& profile, db::PasswordProvider passwords, ProbeSelection probes)
{
    switch (profile.url.engine) {
    case Engine::Postgres:
        return std::make_unique<PostgresSnapshotSource>(profile, std::move(passwords), probes);
    case Engine::Sqlite:
        return std::make_unique<SqliteSnapshotSource>(profile, std::move(passwords));
    case Engine::SqlServer:
        break;
    }
    return std::make_unique<UnsupportedSource>(profile.url.engine);
}

} // namespace lockscope::monitor
