// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/LockTableRows.h"
#include "core/db/sqlserver/SqlServerFacts.h"
#include "core/monitor/sqlserver/SqlServerRequests.h"
#include "core/monitor/sqlserver/SqlServerSessions.h"
#include "tests/fuzz/FrameworkRowFuzz.h"
#include "tests/fuzz/FuzzRow.h"
#include "tests/fuzz/FuzzTarget.h"

namespace lockscope::test {

/// Feeds values to all readers of SQL Server's rows; aborts if a lock has no resource, or if what is read
/// can't be shown.
static void fuzzSqlServerRows(const QByteArray& bytes)
{
    static const frameworks::RowLocks everyRow = everyColumn(Engine::SqlServer);
    const auto rows = fuzzedRows(bytes);
    monitor::SqlServerLockRows locks;
    monitor::SqlServerSessions sessions;
    for (const QByteArrayList& fields : rows) {
        const FuzzRow row(fields);
        locks.add(row);
        sessions.addSession(row);
        sessions.addRequest(row);
        sessions.addConnection(row);
        sessions.addTransaction(row);
        (void)db::entryFromRow(Engine::SqlServer, row).isStale(ServerTime{1});
        (void)db::waiterFromRow(Engine::SqlServer, row).isExpired(ServerTime{1});
        fuzzFrameworkRow(everyRow, row);
        const auto facts = db::SqlServerFacts::fromRow(row);
        (void)facts.versionNumber();
        (void)facts.isTooOld();
        if (facts.display().isEmpty() || facts.viewStateRight().isEmpty())
            qFatal("a server without a name");
    }
    for (const auto& lock : locks.locks())
        if (lock.resource >= locks.resources().size())
            qFatal("a lock without a resource");
    monitor::StatementTexts texts;
    sessions.requestTexts(texts);
    for (const QString& handle : texts.toFetch(100))
        texts.set(handle, QStringLiteral("SELECT 1; SELECT 2"));
    (void)sessions.waitsOfRequests();
    (void)sessions.databases();
    (void)sessions.sessions(SessionId{7}, {}, &texts);
    (void)sessions.sessions(SessionId{7}, {}, nullptr);
}

} // namespace lockscope::test

LOCKSCOPE_FUZZ(fuzzSqlServerRows)
