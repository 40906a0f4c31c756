// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Every framework file that comes with the program, with tables as the framework creates them and rows as it
// writes them: Lockscope must show what tests/support/frameworks/ID.json says.

#include "core/frameworks/Catalogue.h"
#include "core/monitor/SnapshotSource.h"
#include "tests/support/FrameworkProgram.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/support/tds/MonitorAnswers.h"
#include "tests/support/tds/Odbc.h"

namespace tst_FrameworkExamples {

using namespace lockscope;
using namespace lockscope::test;

const QDir folder(frameworkTables());

static QJsonArray casesOf(const QString& framework)
{
    QFile file(folder.filePath(framework + u".json"_s));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QJsonParseError error;
    const auto cases = QJsonDocument::fromJson(file.readAll(), &error);
    if (error.error != QJsonParseError::NoError)
        qFatal("%s: %s", qPrintable(file.fileName()), qPrintable(error.errorString()));
    return cases.array();
}

constexpr int localMinutes = 60; ///< that a server's time is ahead of UTC, where there is {local now}

/// A time as a program writes it: the form says how, and without one it is a time in UTC.
static QString literal(const QString& form, qint64 us)
{
    if (form == u"seconds")
        return QString::number(us / 1'000'000);
    if (form == u"milliseconds")
        return QString::number(us / 1'000);
    if (form == u"ticks") // of .NET: 100 ns since the year 1
        return QString::number(us * 10 + 621'355'968'000'000'000);
    if (form == u"local")
        us += localMinutes * 60'000'000LL;
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(us / 1'000, Qt::UTC);
    const QString text =
        time.toString(form.startsWith(u"iso") ? u"yyyy-MM-ddTHH:mm:ss.zzz"_s : u"yyyy-MM-dd HH:mm:ss.zzz"_s);
    const QString end = form == u"iso"            ? u"Z"_s
        : form == u"isoffset" || form == u"zoned" ? u"+00:00"_s
        : form == u"precise"                      ? QString::number(us % 1'000).rightJustified(3, u'0')
                                                  : QString();
    return u'\'' + text + end + u'\'';
}

/// Fills in "{now-7min}", "{milliseconds now}" …
static QString filled(const QString& sql, qint64 nowUs)
{
    static const QRegularExpression time(u"\\{(?:(\\w+) )?now(?:([+-]\\d+)min)?\\}"_s);
    QString text;
    qsizetype end = 0;
    for (auto each = time.globalMatch(sql); each.hasNext();) {
        const auto match = each.next();
        text += sql.mid(end, match.capturedStart() - end)
            + literal(match.captured(1), nowUs + match.captured(2).toLongLong() * 60'000'000);
        end = match.capturedEnd();
    }
    return text + sql.mid(end);
}

/// "task: mail, by host web-1 pid 4711, since -9min, until +5min, stale"
static QString entryText(const LockTableEntry& entry, ServerTime now)
{
    const auto minutes = [now](ServerTime time) {
        const auto count = std::chrono::round<std::chrono::minutes>(time - now).count();
        return (count > 0 ? u"+%1min"_s : u"%1min"_s).arg(count);
    };
    QStringList holder;
    const auto add = [&holder](const char* what, const QString& value) {
        if (!value.isEmpty())
            holder << QLatin1StringView(what) + u' ' + value;
    };
    add("host", entry.party.host);
    add("pid", entry.party.processId == 0 ? QString() : QString::number(entry.party.processId));
    add("owner", entry.party.owner);
    add("program", entry.party.program);
    if (holder.isEmpty() && !entry.holderText.isEmpty())
        holder << entry.holderText;
    QStringList parts{entry.framework->lock + u": "_s + entry.name};
    if (!holder.isEmpty())
        parts << u"by "_s + holder.join(u' ');
    if (entry.acquiredAt.isValid())
        parts << u"since "_s + minutes(entry.acquiredAt);
    if (entry.expiresAt && entry.expiresAt->isValid())
        parts << u"until "_s + minutes(*entry.expiresAt);
    if (entry.heartbeat)
        parts << u"heard of "_s + minutes(*entry.heartbeat);
    if (entry.isStale(now))
        parts << u"stale"_s;
    if (entry.holderLife.verdict == HolderLife::Verdict::Silent)
        parts << u"silent"_s;
    if (entry.isBad())
        parts << u"BAD: "_s + entry.badRow;
    return parts.join(u", "_s);
}

static QStringList lockTexts(const Snapshot& snapshot, const QString& framework)
{
    QStringList lines;
    const auto add = [&](const FrameworkMatch& match, const QString& line) {
        lines << (match.framework == framework ? line : match.framework + u'/' + line);
    };
    for (const LockTableEntry& entry : snapshot.entries)
        add(*entry.framework, entryText(entry, snapshot.takenAt));
    for (const Resource& resource : snapshot.resources)
        if (resource.framework)
            add(*resource.framework, resource.framework->lock + u": "_s + resource.framework->name);
    lines.removeDuplicates();
    lines.sort();
    return lines;
}

/// A database of the case's own, with its tables and rows, and sessions that hold its locks.
class Bench {
public:
    Bench(const QJsonObject& example, Engine engine)
    {
        profile.url.engine = engine;
        profile.url.database = freshPath(u"frameworks.db"_s);
        const QString name = example["database"_L1].toString();
        if (engine == Engine::Postgres) {
            profile.url = TestServer::shared().url();
            if (name.isEmpty())
                profile.url = TestServer::shared().freshDatabase(TestServer::Schema::None);
            else if (name != u"postgres")
                TestServer::shared().run(profile.url, u"CREATE DATABASE "_s + name);
            if (!name.isEmpty())
                profile.url.database = name;
        }
        if (engine == Engine::SqlServer) {
            showInDouble(example);
            return;
        }
        const qint64 nowUs = QDateTime::currentMSecsSinceEpoch() / 1'000 * 1'000'000 + 123'456;
        QString sql = engine == Engine::Postgres ? u"SET timezone = 'UTC';"_s : QString();
        for (const auto& statement : example["tables"_L1].toArray())
            sql += filled(statement.toString(), nowUs) + u";\n"_s;
        for (const auto& row : example["rows"_L1].toArray())
            sql += filled(row["sql"_L1].toString(), nowUs) + u";\n"_s;
        orDie(connect()->executeScript(sql.toUtf8()));
        for (const auto& session : example["sessions"_L1].toArray()) {
            m_sessions.push_back(connect());
            orDie(m_sessions.back()->begin());
            orDie(runSql(*m_sessions.back(), session["sql"_L1].toString()));
        }
    }

    QStringList shown(const QString& framework) const
    {
        const auto passwords = m_double ? db::fixedPassword(tds::passwordOf(m_double->server))
                                        : TestServer::shared().passwords();
        const auto source = monitor::makeSnapshotSource({profile, passwords});
        return lockTexts(*orDie(source->take()), framework);
    }

    db::ServerProfile profile;

private:
    std::unique_ptr<db::Connection> connect() const
    {
        if (profile.url.engine == Engine::Postgres)
            return TestServer::shared().connect(profile.url);
        return openFile(profile.url);
    }

    /// A double of SQL Server.
    struct Double {
        tds::TdsServer server;
        tds::MonitorAnswers answers{server};
    };
    void showInDouble(const QJsonObject& example)
    {
        m_double = std::make_unique<Double>();
        profile.url = tds::urlOf(m_double->server);
        tds::Picture picture;
        picture.nowUs += 123'456;
        picture.zoneMinutes = localMinutes;
        const auto run = [&picture](const QString& sql) {
            if (sql.startsWith(u"CREATE TABLE"))
                picture.lockRows.emplace_back(sql);
            else
                picture.lockRows.back().rows << filled(sql, picture.nowUs);
        };
        for (const auto& statement : example["tables"_L1].toArray())
            run(statement.toString());
        for (const auto& row : example["rows"_L1].toArray())
            run(row["sql"_L1].toString());
        for (const auto& session : example["sessions"_L1].toArray())
            addSession(picture, session.toObject());
        m_double->answers.show(picture);
    }
    /// A session that ran its "sql": an application lock, or that "mode" of a row of the table that it names.
    static void addSession(tds::Picture& picture, const QJsonObject& session)
    {
        static const QRegularExpression resource(u"sp_getapplock @Resource = N'([^']+)'"_s);
        const QString sql = session["sql"_L1].toString();
        const int id = 71 + static_cast<int>(picture.sessions.size());
        tds::Picture::Session& made = picture.session(id, "app").sleeping(1'000);
        if (const auto name = resource.match(sql); name.hasMatch()) {
            picture.appLock(id, name.captured(1), "X");
            return;
        }
        const auto& tables = picture.lockRows;
        const auto table = std::ranges::find_if(tables,
            [&sql](const tds::LockRows& rows) { return sql.contains(rows.table, Qt::CaseInsensitive); });
        if (table == tables.end())
            qFatal("No table of the case is in: %s", qPrintable(sql));
        made.inTransaction(1'000);
        picture.rowLock(
            id, static_cast<size_t>(table - tables.begin()), session["mode"_L1].toString().toLatin1());
    }

    std::unique_ptr<Double> m_double;
    std::vector<std::unique_ptr<db::Connection>> m_sessions;
};

static QStringList linesOf(const QJsonObject& example, const char* list)
{
    QStringList lines;
    for (const auto& each : example[QLatin1StringView(list)].toArray())
        if (const QString line = each["shows"_L1].toString(); !line.isEmpty())
            lines << line;
    return lines;
}

class tst_FrameworkExamples : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Each lock of a file is shown on each of its engines. Citus and TimescaleDB take keys of classes
    /// (objsubid) that pg_advisory_lock has not: their data put a view in place of pg_locks, which shows its
    /// first number as the class.
    void everyLockHasData_data()
    {
        QTest::addColumn<QString>("framework");
        for (const FrameworkPtr& framework : frameworks::loadCatalogue({}).frameworks)
            QTest::newRow(qPrintable(framework->id)) << framework->id;
    }
    void everyLockHasData()
    {
        QFETCH(const QString, framework);
        const QJsonArray cases = casesOf(framework);
        const auto isShown = [&cases](const char* list, const QString& lock, Engine engine) {
            return std::ranges::any_of(cases, [&](const auto& each) {
                const QJsonObject one = each.toObject();
                return one["on"_L1].toArray().contains(engineKey(engine))
                    && !linesOf(one, list).filter(QRegularExpression(u'^' + lock + u": "_s)).isEmpty();
            });
        };
        const FrameworkPtr file = frameworks::loadCatalogue({}).find(framework);
        for (const FrameworkLock& lock : file->locks) {
            const bool isRow = lock.kind == FrameworkLockKind::Row;
            for (const Engine engine : lock.engines)
                QVERIFY2(isShown(isRow ? "rows" : "sessions", lock.id, engine),
                    qPrintable(lock.id + u" on "_s + engineKey(engine)));
        }
    }

    void isShownAsItIs_data()
    {
        addColumns<QString, QJsonObject, Engine>("framework", "example", "engine");
        for (const QString& file : folder.entryList({u"*.json"_s}))
            for (const auto& each : casesOf(file.chopped(5))) {
                const QJsonObject example = each.toObject();
                for (const auto& on : example["on"_L1].toArray())
                    if (const auto engine = engineOfKey(on.toString()); engine)
                        QTest::addRow("%s on %s %s", qPrintable(file.chopped(5)), qPrintable(on.toString()),
                            qPrintable(example["as"_L1].toString()))
                            << file.chopped(5) << example << *engine;
            }
    }
    void isShownAsItIs()
    {
        FETCH(const QString, framework, const QJsonObject, example, const Engine, engine);
        QStringList expected = linesOf(example, "rows") + linesOf(example, "sessions");
        expected.sort();
        if (engine == Engine::SqlServer && !tds::use(tds::OdbcDriver::FreeTds))
            QSKIP("The driver is not installed.");
        const Bench bench(example, engine);
        QCOMPARE(bench.shown(framework).join(u'\n'), expected.join(u'\n'));
    }
};

LOCKSCOPE_TEST(tst_FrameworkExamples)

} // namespace tst_FrameworkExamples
#include "tst_FrameworkExamples.moc"
