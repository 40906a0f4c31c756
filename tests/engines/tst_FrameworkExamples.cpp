// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The examples of all framework files that come with the program, as shipped: tables with such columns are
// made on real servers, such rows are put in, and what is read of them is what the example says.

#include "core/db/Connection.h"
#include "core/db/Server.h"
#include "core/frameworks/Catalogue.h"
#include "core/frameworks/ExampleProof.h"
#include "core/frameworks/ExampleReader.h"
#include "core/frameworks/RowLocks.h"
#include "core/frameworks/TableSearch.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

#include <QDateTime>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <functional>

namespace tst_FrameworkExamples {

using namespace lockscope;
using namespace lockscope::frameworks;
using namespace lockscope::test;
using namespace Qt::StringLiterals;

namespace {

template <class T> T orDie(Result<T> result)
{
    if (!result)
        qFatal("%s", qPrintable(result.error().toString()));
    if constexpr (!std::is_void_v<T>)
        return std::move(*result);
}

using ClockOf = std::function<std::optional<FrameworkClock>(const QString&)>;

/// A table with the columns of the examples, of the types that their values and clocks ask for.
class MadeTable {
public:
    MadeTable(QString name, Engine engine, ClockOf clockOf)
        : m_name(std::move(name))
        , m_engine(engine)
        , m_clockOf(std::move(clockOf))
    {
    }

    /// What its values tell of the columns' types; NULL tells nothing.
    void know(const FrameworkExample::Row& row)
    {
        for (const auto& [column, value] : row)
            if (!std::holds_alternative<std::monostate>(value) || !m_types.contains(column))
                m_types.insert(column, typeOf(column, value));
    }

    QString create() const
    {
        QStringList columns;
        for (auto column = m_types.begin(); column != m_types.end(); ++column)
            columns << quoted(column.key()) + u' ' + column.value();
        return u"CREATE TABLE %1 (%2); "_s.arg(quoted(m_name), columns.join(u", "_s));
    }

    QString insert(const FrameworkExample::Row& row, qint64 nowUs) const
    {
        QStringList columns;
        QStringList values;
        for (const auto& [column, value] : row) {
            columns << quoted(column);
            values << literal(column, value, nowUs);
        }
        return row.empty() ? QString()
                           : u"INSERT INTO %1 (%2) VALUES (%3); "_s.arg(
                               quoted(m_name), columns.join(u", "_s), values.join(u", "_s));
    }

private:
    static QString quoted(const QString& name) { return u'"' + name + u'"'; }

    QString typeOf(const QString& column, const FrameworkValue& value) const
    {
        const bool isPostgres = m_engine == Engine::Postgres;
        if (const auto clock = m_clockOf(column)) {
            const bool isText = *clock == FrameworkClock::IsoText;
            const bool isNumber = *clock == FrameworkClock::EpochSeconds
                || *clock == FrameworkClock::EpochMilliseconds || *clock == FrameworkClock::NetTicks;
            return isText ? u"text"_s : isNumber ? u"bigint"_s : u"timestamp"_s;
        }
        if (std::holds_alternative<bool>(value))
            return isPostgres ? u"boolean"_s : u"integer"_s;
        return std::holds_alternative<qint64>(value) ? u"bigint"_s : u"text"_s;
    }

    QString literal(const QString& column, const FrameworkValue& value, qint64 nowUs) const
    {
        if (std::holds_alternative<std::monostate>(value))
            return u"NULL"_s;
        if (const bool* truth = std::get_if<bool>(&value))
            return m_engine == Engine::Postgres ? (*truth ? u"true"_s : u"false"_s)
                                                : QString::number(*truth ? 1 : 0);
        if (const qint64* number = std::get_if<qint64>(&value))
            return QString::number(*number);
        QString text = std::get<QString>(value);
        if (const auto later = fromNow(text))
            text =
                storedTime(nowUs + later->count() * 1'000, m_clockOf(column).value_or(FrameworkClock::Utc));
        const bool isNumber = m_types.value(column) == u"bigint";
        return isNumber ? text : u'\'' + text.replace(u"'"_s, u"''"_s) + u'\'';
    }

    const QString m_name;
    const Engine m_engine;
    const ClockOf m_clockOf;
    QMap<QString, QString> m_types;
};

QString nameLike(const FrameworkTable& table)
{
    return table.names.isEmpty() ? u"examples"_s : QString(table.names.first()).replace(u'*', u'x');
}

/// The tables that the lock needs, and the rows of one example.
QString tablesFor(const FrameworkLock& lock, const FrameworkExample& example, Engine engine, qint64 nowUs)
{
    MadeTable rows(nameLike(*lock.table), engine,
        [&](const QString& column) { return clockOfColumn(lock.row, column, engine); });
    for (const FrameworkExample& one : lock.examples)
        rows.know(one.row);
    QString sql = rows.create() + rows.insert(example.row, nowUs);
    if (lock.row.process) {
        MadeTable processes(lock.row.process->table, engine,
            [&](const QString& column) { return clockOfProcess(lock.row, column, engine); });
        for (const FrameworkExample& one : lock.examples)
            processes.know(one.process);
        sql += processes.create() + processes.insert(example.process, nowUs);
    }
    for (const FrameworkTable& needed : lock.requires_) {
        MadeTable made(nameLike(needed), engine, [](const QString&) { return std::nullopt; });
        made.know({{u"id"_s, qint64(1)}});
        for (const QString& column : needed.columns)
            made.know({{column, QString()}});
        sql += made.create();
    }
    return sql;
}

} // namespace

class tst_FrameworkExamples : public QObject {
    Q_OBJECT

    db::ServerUrl m_url;

private Q_SLOTS:
    void initTestCase() { m_url = TestServer::shared().freshDatabase(TestServer::Schema::None); }

    void noFileIsLeftOut()
    {
        const std::vector<FrameworkPtr> all = loadCatalogue({}).frameworks;
        QVERIFY2(all.size() > 80, qPrintable(QString::number(all.size())));
        for (const FrameworkPtr& framework : all)
            for (const FrameworkLock& lock : framework->locks) {
                const auto isHeld = [](const FrameworkExample& example) { return example.isHeld; };
                QVERIFY2(
                    std::ranges::any_of(lock.examples, isHeld), qPrintable(framework->id + u' ' + lock.id));
            }
    }

    void rowsAreReadAsTheySay_data()
    {
        QTest::addColumn<QString>("framework");
        QTest::addColumn<int>("lock");
        QTest::addColumn<int>("example");
        QTest::addColumn<Engine>("engine");
        for (const FrameworkPtr& framework : loadCatalogue({}).frameworks)
            for (std::size_t lock = 0; lock < framework->locks.size(); ++lock)
                for (const Engine engine : {Engine::Postgres, Engine::Sqlite}) {
                    const FrameworkLock& one = framework->locks[lock];
                    for (std::size_t i = 0; one.engines.contains(engine) && i < one.examples.size(); ++i)
                        if (one.kind == FrameworkLockKind::Row)
                            QTest::addRow("%s %s %d on %s", qPrintable(framework->id), qPrintable(one.id),
                                int(i) + 1, engine == Engine::Postgres ? "PostgreSQL" : "SQLite")
                                << framework->id << int(lock) << int(i) << engine;
                }
    }

    void rowsAreReadAsTheySay()
    {
        QFETCH(const QString, framework);
        QFETCH(const int, lock);
        QFETCH(const int, example);
        QFETCH(const Engine, engine);
        const FrameworkPtr file = loadCatalogue({}).find(framework);
        const FrameworkLock& of = file->locks[std::size_t(lock)];
        const FrameworkExample& said = of.examples[std::size_t(example)];
        const qint64 nowUs = QDateTime::currentMSecsSinceEpoch() * 1'000;

        const QTemporaryDir folder;
        db::ServerProfile profile;
        std::unique_ptr<db::Connection> connection;
        const QString sql = tablesFor(of, said, engine, nowUs);
        if (engine == Engine::Postgres) {
            profile.url = m_url;
            TestServer::shared().run(m_url,
                u"DROP SCHEMA public CASCADE; CREATE SCHEMA public; SET search_path = public; "_s + sql);
            connection = orDie(TestServer::shared().at(profile.url).connect());
        } else {
            profile.url.engine = engine;
            profile.url.database = folder.filePath(u"examples.db"_s);
            db::ConnectOptions options;
            options.createFile = true;
            connection = orDie(db::Server::at(profile.url, db::fixedPassword({})).connect(options));
            orDie(connection->executeScript(sql.toUtf8()));
        }

        auto catalogue = std::make_shared<Catalogue>();
        catalogue->frameworks.push_back(file);
        TableSearch search(connection->dialect(), catalogue, profile);
        for (const auto& looked : connection->executeBatch(search.items()))
            orDie(looked);
        FoundTablePtr found;
        for (const FoundTablePtr& table : search.found())
            if (table->lock->id == of.id)
                found = table;
        QVERIFY2(found, qPrintable(sql));
        const RowLocks reading(connection->dialect(), found, matchOf(*found));
        std::vector<RowLock> rows;
        orDie(connection->execute(reading.statement(), reading.params(),
            [&](const db::Row& row) { rows.push_back(reading.read(row)); }));
        std::erase_if(rows, [nowUs](const RowLock& row) { return !row.isHeld(ServerTime{nowUs}); });

        QCOMPARE(rows.size(), said.isHeld ? 1U : 0U);
        if (!said.isHeld)
            return;
        const LockTableEntry& entry = rows.front().entry;
        QVERIFY2(entry.badRow.isEmpty(), qPrintable(entry.badRow));
        QCOMPARE(entry.name, said.meaning);
        const HolderParts& holder = rows.front().signs.holder;
        QCOMPARE(holder.host, said.holder.value(u"host"_s));
        QCOMPARE(holder.address, said.holder.value(u"address"_s));
        QCOMPARE(holder.owner, said.holder.value(u"owner"_s));
        QCOMPARE(holder.program, said.holder.value(u"program"_s));
        QCOMPARE(holder.processId, said.holder.value(u"pid"_s).toLongLong());
        const auto isTold = [&](const std::optional<FrameworkTime>& time) {
            return time && clockOf(*time, engine, ColumnKind::Moment) != FrameworkClock::Application;
        };
        const bool tellsSince = isTold(of.row.since) || !of.row.since;
        if (const auto later = fromNow(said.since); later && tellsSince)
            QCOMPARE(entry.acquiredAt.us / 1'000'000, (nowUs + later->count() * 1'000) / 1'000'000);
        else if (said.since.isEmpty())
            QVERIFY(!entry.acquiredAt.isValid());
        if (const auto later = fromNow(said.expires); later && isTold(of.row.expires))
            QCOMPARE(entry.expiresAt->us / 1'000'000, (nowUs + later->count() * 1'000) / 1'000'000);
        else if (said.expires.isEmpty())
            QVERIFY(!entry.expiresAt || !entry.expiresAt->isValid());
        if (const auto later = fromNow(said.heartbeat))
            QCOMPARE(entry.heartbeat.value().us / 1'000'000, (nowUs + later->count() * 1'000) / 1'000'000);
    }
};

LOCKSCOPE_TEST(tst_FrameworkExamples)

} // namespace tst_FrameworkExamples
#include "tst_FrameworkExamples.moc"
