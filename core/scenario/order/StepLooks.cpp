// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/order/StepLooks.h"

#include "core/db/Connection.h"
#include "core/domain/PerEngine.h"

#include <QStringList>

#include <algorithm>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 mostRows = 1'000; ///< of a table
constexpr milliseconds patience{250};
constexpr PerEngine<const char*> keysOf{
    .postgres = "postgres/scenario/keys", .sqlServer = nullptr, .sqlite = nullptr};
constexpr PerEngine<const char*> lockedRowsOf{
    .postgres = "postgres/scenario/locked_rows", .sqlServer = nullptr, .sqlite = nullptr};

} // namespace

StepLooks::StepLooks(const StepRun& run)
    : m_run(run)
{
    monitor::ProbeSelection probes;
    probes.statements = false;
    m_source = monitor::makeSnapshotSource(run.context().server, probes);
}

StepLooks::~StepLooks() = default;

void StepLooks::expect(int session)
{
    m_stepping = session;
    m_expected = shown(m_run.nextLock(session));
    const auto* const acquire = std::get_if<AcquireStep>(&m_run.nextStep(session).act);
    m_isTry = acquire && acquire->waitMs.in(m_run.context().values) == 0;
}

Result<order::Look> StepLooks::look(const std::stop_token& stop)
{
    const auto taken = m_source->take(stop);
    if (!taken)
        return Failure(taken.error());
    const QString expected = u'\'' + m_expected + u'\'';
    order::Look look = m_reader.read(ofRun(**taken));
    if (m_isTry)
        for (order::SeenLock& lock : look.locks)
            lock.isTried = numberOf(lock.session.id) == m_stepping && lock.name->name.contains(expected);
    if (auto added = addRows(look, stop); !added)
        return Failure(added.error());
    return look;
}

int StepLooks::numberOf(SessionId session) const
{
    for (const SteppedView& view : m_run.sessions())
        if (m_run.sessionId(view.number) == session)
            return view.number;
    return 0;
}

QString StepLooks::stepOf(SessionKey session) const
{
    const int number = numberOf(session.id);
    const auto& steps = m_run.record().steps;
    const auto latest = std::find_if(
        steps.rbegin(), steps.rend(), [number](const StepRecord& step) { return step.session == number; });
    return latest == steps.rend() ? QString()
                                  : sessionLetter(latest->session) + QString::number(latest->step);
}

QString StepLooks::statementOf(int session) const
{
    const auto& steps = m_run.record().steps;
    const auto latest = std::find_if(
        steps.rbegin(), steps.rend(), [session](const StepRecord& step) { return step.session == session; });
    return latest == steps.rend() ? QString() : latest->text;
}

QString StepLooks::shown(QString name) const
{
    name.remove(m_run.context().lockPrefix);
    if (!m_run.context().schema.isEmpty())
        name.remove(m_run.context().schema + u'.');
    return name;
}

/// Of the run's sessions only, who are called by their letters.
SnapshotPtr StepLooks::ofRun(const Snapshot& seen)
{
    auto snapshot = std::make_shared<Snapshot>(seen);
    snapshot->waits.clear();
    std::erase_if(snapshot->sessions, [this](const Session& session) { return numberOf(session.id) == 0; });
    for (Session& session : snapshot->sessions) {
        const int number = numberOf(session.id);
        session.program = sessionLetter(number);
        session.statement = statementOf(number);
    }
    snapshot->index();
    nameAcquired(*snapshot);
    for (Resource& resource : snapshot->resources) {
        const bool isTransaction = resource.key.kind == ResourceKind::TransactionId;
        if (const QString name = m_appLocks.value(resource.key); !name.isEmpty()) {
            resource.name = u"app lock '%1'"_s.arg(name);
            resource.named = true;
        }
        resource.name = shown(resource.name);
        resource.database.clear();
        // Another run has other numbers for the same things.
        if (resource.named && !isTransaction)
            resource.key = {resource.key.kind, 0, 0, 0, resource.name};
    }
    for (LockTableEntry& entry : snapshot->entries)
        entry.name = shown(entry.name);
    for (LockTableWaiter& waiter : snapshot->entryWaiters)
        waiter.name = shown(waiter.name);
    return snapshot;
}

/// The step knows the name of the lock that is new; the server may know a number only.
void StepLooks::nameAcquired(Snapshot& snapshot)
{
    if (m_expected.isEmpty())
        return;
    QList<ResourceKey> fresh;
    for (const LockRequest& request : snapshot.requests) {
        const ResourceKey& key = snapshot.resourceOf(request).key;
        if (key.kind == ResourceKind::ApplicationLock && numberOf(request.session) == m_stepping
            && !m_appLocks.contains(key) && !fresh.contains(key))
            fresh << key;
    }
    if (fresh.size() == 1)
        m_appLocks.insert(fresh.front(), m_expected);
    m_expected.clear();
}

Result<void> StepLooks::readKeys(const std::stop_token& stop)
{
    const RunContext& context = m_run.context();
    db::ConnectOptions options;
    options.purpose = db::Purpose::Workload;
    options.programSuffix = u"rows"_s;
    options.statementTimeout = patience;
    auto connection = context.server.connect(options);
    if (!connection)
        return Failure(connection.error());
    m_connection = std::move(*connection);
    const db::Dialect& dialect = m_connection->dialect();
    std::map<QString, QStringList> columns;
    const auto read = m_connection->execute(
        db::Statement::get(keysOf[context.server.engine()]), {context.schema},
        [&](const db::Row& row) {
            QStringList& key = columns[row.text(0)];
            if (!row.isNull(1))
                key << u"t."_s + dialect.quoted(row.text(1));
        },
        stop);
    if (!read)
        return Failure(read.error());
    for (const auto& [table, key] : columns)
        m_lockedRows.emplace(table,
            db::Statement::filled(lockedRowsOf[context.server.engine()],
                {{"key"_L1, key.isEmpty() ? u"t.ctid"_s : key.join(u", "_s)},
                    {"table"_L1, dialect.quoted(context.schema, table)}}));
    return {};
}

/// PostgreSQL writes the lock of a row into the row.
Result<void> StepLooks::addRows(order::Look& look, const std::stop_token& stop)
{
    if (!keysOf[look.engine])
        return {};
    if (!m_connection)
        if (auto connected = readKeys(stop); !connected)
            return connected;
    QSet<QString> closed; // to everybody else: what reads them would wait
    for (const order::SeenLock& lock : look.locks)
        if (lock.mode.name() == u"AccessExclusiveLock" && lock.name->grain == order::Grain::Whole)
            closed.insert(lock.name->className);
    for (const auto& each : m_lockedRows) {
        const QString& table = each.first;
        if (closed.contains(table) || closed.contains(m_connection->dialect().quoted(table)))
            continue;
        const auto read = m_connection->execute(
            each.second, {mostRows},
            [&](const db::Row& row) {
                const Session* const session = look.snapshot->session(SessionId{row.int64(0)});
                if (!session)
                    return;
                order::SeenLock& lock = look.locks.emplace_back();
                lock.session = session->key();
                lock.name = std::make_shared<const order::LockName>(order::lockName(
                    u"table"_s, {}, u"row %1 of %2"_s.arg(row.text(1), table), table, order::Grain::Row));
                lock.mode = LockMode::fromText(look.engine, u"ExclusiveLock");
                lock.isOfTransaction = true;
            },
            stop);
        // Somebody keeps the whole table locked: nobody has rows of it.
        if (!read && read.error().kind != ErrorKind::Timeout)
            return Failure(read.error());
    }
    // Each row is known here.
    std::erase_if(look.locks, [](const order::SeenLock& lock) { return lock.standsForRows; });
    look.sort();
    return {};
}

} // namespace lockscope::scenario
