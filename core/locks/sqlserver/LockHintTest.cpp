// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/sqlserver/LockHintTest.h"

#include "core/base/EnumTable.h"
#include "core/base/Mutex.h"
#include "core/db/SchemaTrust.h"
#include "core/db/sqlserver/SqlServerConnection.h"

#include <QRandomGenerator>

#include <map>
#include <set>

namespace lockscope::locks {

namespace {

using Kept = std::set<Hint>; ///< the hints that a server keeps

/// Two sessions and a table between them: the one that the schema keeps for it, in the database itself, whose
/// settings count; else a temporary one, which goes with the first session.
class HintTrial {
public:
    HintTrial(db::Connection& first, db::Connection& second)
        : m_first(first)
        , m_second(second)
    {
    }

    Result<Kept> run()
    {
        if (auto found = findTable(); !found)
            return Failure(found.error());
        Kept kept;
        struct Step {
            Hint hint;
            const char* path;
            qint64 proof; ///< the second session's expected answer
        };
        for (const Step& step : {Step{Hint::UpdLock, "sqlserver/hints/updlock", -1},
                 Step{Hint::ReadPast, "sqlserver/hints/readpast", 2},
                 Step{Hint::TabLockX, "sqlserver/hints/tablockx", -1}}) {
            const auto answer = meet(filled(step.path));
            if (!answer)
                return Failure(answer.error());
            if (*answer == step.proof)
                kept.insert(step.hint);
        }
        return kept;
    }

private:
    Result<void> findTable()
    {
        bool isOurs = false;
        if (db::trustSchema(m_first, db::SchemaUse::Calling)) {
            const auto asked = m_first.execute(db::Statement::get("sqlserver/hints/place"), {},
                [&isOurs](const db::Row& row) { isOurs = row.boolean(0); });
            if (!asked)
                return Failure(asked.error());
        }
        if (isOurs) {
            m_table = QStringLiteral("lockscope.hint_proof");
            return {};
        }
        m_table =
            QStringLiteral("[##lockscope proof %1]").arg(QRandomGenerator::system()->generate64(), 0, 36);
        if (auto made = m_first.execute(filled("sqlserver/hints/table")); !made) {
            Error error = made.error();
            if (error.kind == ErrorKind::Unsupported)
                error.what =
                    QStringLiteral("It can't be tried out here whether the server heeds locking hints.");
            return Failure(std::move(error));
        }
        return {};
    }

    db::Statement filled(const char* path) const
    {
        return db::Statement::filled(path, {{QLatin1StringView("table"), m_table}});
    }

    /// The first session runs the statement in a transaction, the second one meets what it locked.
    Result<qint64> meet(const db::Statement& statement)
    {
        qint64 answer = 0;
        if (auto begun = m_first.begin(); !begun)
            return Failure(begun.error());
        const auto locked = m_first.execute(statement);
        const auto met = locked
            ? m_second.execute(statement, {}, [&answer](const db::Row& row) { answer = row.int64(0); })
            : locked;
        if (auto ended = m_first.rollback(); !ended)
            return Failure(ended.error());
        return ifDone(met, answer);
    }

    db::Connection& m_first;
    db::Connection& m_second;
    QString m_table;
};

Result<Kept> tryOut(const db::Connection& connection)
{
    const auto first = db::SqlServerConnection::another(connection);
    if (!first)
        return Failure(first.error());
    const auto second = db::SqlServerConnection::another(connection);
    if (!second)
        return Failure(second.error());
    return HintTrial(**first, **second).run();
}

QString nameOf(Hint hint)
{
    static constexpr EnumTable<Hint> names({u"UPDLOCK", u"READPAST", u"TABLOCKX"});
    return names[hint].toString();
}

} // namespace

Result<void> testLockHint(const db::Connection& connection, Hint hint)
{
    if (connection.engine() != Engine::SqlServer)
        return {};
    static Mutex mutex;
    static std::map<QString, Kept> servers LOCKSCOPE_GUARDED_BY(mutex);
    const MutexLock lock(mutex); // one trial is enough for all who ask at the same time
    const QString server = connection.url().toString();
    auto known = servers.find(server);
    if (known == servers.end()) {
        auto kept = tryOut(connection);
        if (!kept)
            return Failure(kept.error());
        known = servers.emplace(server, std::move(*kept)).first;
    }
    if (known->second.contains(hint))
        return {};
    Failure refused = failure(ErrorKind::Unsupported,
        QStringLiteral("This server takes the locking hint %1 and ignores it.").arg(nameOf(hint)),
        QStringLiteral("Use a lock-table lock or an application lock."));
    refused.value().server = connection.url().display();
    return refused;
}

} // namespace lockscope::locks
