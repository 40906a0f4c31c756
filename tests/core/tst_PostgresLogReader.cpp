// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// PostgreSQL's log while it grows, rotates and vanishes; the counter beside it; and the rule for one deadlock
// in several records.

#include "core/deadlock/PostgresReport.h"
#include "core/deadlock/ReadReports.h"
#include "core/deadlock/source/DeadlockSource.h"
#include "core/deadlock/source/PostgresLogReader.h"
#include "tests/support/TestProgram.h"

#include <sys/resource.h>

namespace tst_PostgresLogReader {

using namespace lockscope;
using namespace lockscope::deadlock;

/// Files in memory, which grow when a test says so.
class MadeLog final : public PostgresLog {
public:
    explicit MadeLog(SourceFormat format)
        : m_format(format)
    {
    }
    struct File {
        QString name;
        QByteArray content;
        ServerTime modified;
    };
    QList<File> made; ///< the last one is written now
    int failures = 0; ///< so many reads fail

    SourceFormat format() const override { return m_format; }
    void ask(std::vector<db::BatchItem>&, const QString& known, ServerTime from) override
    {
        m_files.clear();
        for (const File& each : made)
            if (each.modified >= from || each.name == known || each.name == made.last().name)
                m_files << LogFile{u"log/"_s + each.name, each.content.size(), each.modified};
    }
    const QList<LogFile>& files() const override { return m_files; }
    Result<std::optional<QByteArray>> read(
        const LogFile& file, qint64 from, qint64 count, const std::stop_token&) override
    {
        if (failures > 0) {
            --failures;
            return failure(ErrorKind::Connection, u"lost"_s);
        }
        for (const File& each : made)
            if (u"log/"_s + each.name == file.path)
                return each.content.mid(from, count);
        return std::nullopt;
    }
    int roundTrips() const override { return 0; }

private:
    const SourceFormat m_format;
    QList<LogFile> m_files;
};

static constexpr ServerTime at(qint64 seconds)
{
    return {seconds * 1'000'000};
}

static PostgresLogReader::Part readOn(MadeLog& log, PostgresLogReader& reader, qint64 now)
{
    std::vector<db::BatchItem> items;
    log.ask(items, reader.file(), reader.from());
    return test::orDie(reader.readOn(log, at(now), u"server"_s, {}));
}

/// An entry of a deadlock between two sessions.
static QByteArray entry(SourceFormat format, int session)
{
    const QByteArray one = QByteArray::number(session);
    const QByteArray other = QByteArray::number(session + 1);
    const auto detail = [&](const QByteArray& end) {
        return "Process " + one + " waits for ShareLock on transaction 7" + one + "; blocked by process "
            + other + '.' + end + "Process " + other + " waits for ShareLock on transaction 7" + other
            + "; blocked by process " + one + '.' + end + "Process " + one + ": UPDATE a SET note = ''" + end
            + "Process " + other + ": UPDATE b";
    };
    const QByteArray time = "2026-11-22 03:12:07.123 UTC";
    if (format == SourceFormat::PostgresJson)
        return "{\"timestamp\":\"" + time + "\",\"pid\":" + one
            + ",\"error_severity\":\"ERROR\",\"state_code\":\"40P01\",\"message\":\"deadlock detected\",\"detail\":\""
            + detail("\\n") + "\"}\n";
    if (format == SourceFormat::PostgresCsv)
        return time + ",\"ann\",\"shop\"," + one + ",\"[local]\",x,1,\"UPDATE\"," + time
            + ",3/4,0,ERROR,40P01,\"deadlock detected\",\"" + detail("\n")
            + "\",,,,,\"UPDATE a\nSET\",,,\"psql\"\n";
    const QByteArray prefix = time + " [" + one + "] ";
    return prefix + "ERROR:  deadlock detected\n" + prefix + "DETAIL:  " + detail("\n\t") + '\n' + prefix
        + "HINT:  See server log for query details.\n" + prefix + "STATEMENT:  UPDATE a\n\tSET\n";
}

static QByteArray noise(SourceFormat format, int lines)
{
    QByteArray text;
    for (int i = 0; i < lines; ++i) {
        if (format == SourceFormat::PostgresJson)
            text +=
                "{\"timestamp\":\"2026-11-22 03:12:07.123 UTC\",\"message\":\"statement: SELECT 40P01\"}\n";
        else if (format == SourceFormat::PostgresCsv)
            text +=
                "2026-11-22 03:12:07.123 UTC,\"ann\",\"shop\",1,\"[local]\",x,1,\"SELECT\",2026-11-22 03:12:07 UTC,3/4,0,LOG,00000,\"statement: SELECT\n\"\"x\"\"\",,,,,,,,,\"psql\"\n";
        else
            text += "2026-11-22 03:12:07.123 UTC [1] LOG:  statement: LOCK TABLE a IN ShareLock\n\tMODE\n";
    }
    return text;
}

class tst_PostgresLogReader : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Names and values that users choose look like an entry of a wait.
    void waitsThatAreNoneAreLeftOut_data()
    {
        test::addColumns<QByteArray, QByteArray, bool>("message", "detail", "isWait");
        const QByteArray wait =
            "LOG:  process 4711 still waiting for ShareLock on transaction 742 after 50.123 ms";
        const QByteArray holder = "DETAIL:  Process holding the lock: 4712. Wait queue: 4711.";
        test::row("a wait", wait, holder, true);
        test::row("several have it", wait,
            QByteArray("DETAIL:  Processes holding the lock: 4712, 4713. Wait queue: 4711, 4714."), true);
        test::row("it was given", wait, QByteArray("CONTEXT:  while updating tuple (0,1) in relation \"a\""),
            false);
        test::row("an error's names",
            QByteArray(
                "ERROR:  duplicate key value violates unique constraint \"4711 waits for ShareLock on transaction 742 for 960000.123 ms\""),
            QByteArray("DETAIL:  Key (a)=(4712) already exists."), false);
        test::row("an error that says so", "ERROR:  " + wait.mid(6), holder, false);
        test::row("another session's",
            QByteArray("LOG:  process 99 still waiting for ShareLock on transaction 742 after 50.123 ms"),
            QByteArray("DETAIL:  Process holding the lock: 4712. Wait queue: 99."), false);
        test::row("a detail without end", wait, QByteArray("DETAIL:  Process holding the lock: 4712"), false);
    }
    void waitsThatAreNoneAreLeftOut()
    {
        FETCH(QByteArray, message, QByteArray, detail, bool, isWait);
        const QByteArray prefix = "2026-11-28 06:00:01 UTC [4711] ";
        const QByteArray log =
            prefix + message + '\n' + prefix + detail + '\n' + prefix + "STATEMENT:  select 1\n";
        const auto found = readLogPiece(log, SourceFormat::PostgresText, u"log"_s, Behind::Nothing).found;
        QCOMPARE(found.size(), isWait ? 1 : 0);
    }

    void theContextOfAWaitNamesItsRow_data()
    {
        test::addRows<QByteArray>("context",
            {{"English", "while updating tuple (0,1) in relation \"a\""},
                {"Chinese, since 15.18", "当更新关系\"a\"的元组(0, 1)时"}});
    }
    void theContextOfAWaitNamesItsRow()
    {
        QFETCH(QByteArray, context);
        const QByteArray prefix = "2026-11-28 06:00:01 UTC [4711] ";
        const QByteArray log = prefix
            + "LOG:  process 4711 still waiting for ShareLock on transaction 742 after 50.123 ms\n" + prefix
            + "DETAIL:  Process holding the lock: 4712. Wait queue: 4711.\n" + prefix + "CONTEXT:  " + context
            + '\n' + prefix + "STATEMENT:  update public.a set id = 3\n";
        const auto found = readLogPiece(log, SourceFormat::PostgresText, u"log"_s, Behind::Nothing).found;
        QCOMPARE(found.size(), 1);
        const LockedThing& thing = found.first().report->resources.first();
        QCOMPARE(thing.table, u"public.a"_s);
        QCOMPARE(thing.part, u"row (0,1)"_s);
    }

    void everyGrowthGivesTheSame_data() { formats(); }

    /// For any division of the writing into polls, each deadlock comes once, and as a whole.
    void everyGrowthGivesTheSame()
    {
        QFETCH(SourceFormat, format);
        const QByteArray text = noise(format, 2) + entry(format, 10) + entry(format, 20) + noise(format, 1)
            + entry(format, 30) + noise(format, 1) + entry(format, 40);
        QList<qsizetype> steps{1, 2, 7};
        for (qsizetype step = 40; step < text.size(); step += 97)
            steps << step;
        for (const qsizetype step : std::as_const(steps)) {
            MadeLog log(format);
            log.made << MadeLog::File{u"a"_s, {}, at(100)};
            PostgresLogReader reader(at(1));
            QList<ReportPtr> reports;
            qint64 now = 100;
            for (qsizetype size = step; size < text.size() + step; size += step) {
                log.made[0].content = text.left(size);
                log.made[0].modified = at(++now);
                const auto part = readOn(log, reader, now);
                QVERIFY(part.gaps.isEmpty());
                reports << part.reports;
            }
            reports << readOn(log, reader, now + 10).reports; // nothing came since
            QCOMPARE(reports.size(), 4);
            for (int i = 0; i < 4; ++i) {
                QCOMPARE(reports[i]->participants.first().session.value, 10 * (i + 1));
                QCOMPARE(reports[i]->participants.last().statement, u"UPDATE b"_s);
                if (format != SourceFormat::PostgresJson)
                    QCOMPARE(reports[i]->participants.first().inputBuffer, u"UPDATE a\nSET"_s);
            }
            QVERIFY(readOn(log, reader, now + 20).reports.isEmpty());
            QCOMPARE(readOn(log, reader, now + 20).bytes, 0);
        }
    }

    /// The message and its detail are lines of their own, and one poll may see only the first.
    void aMessageAtTheEndIsKept()
    {
        const QByteArray text = entry(SourceFormat::PostgresText, 10);
        MadeLog log(SourceFormat::PostgresText);
        log.made << MadeLog::File{u"a"_s, text.left(text.indexOf('\n') + 1), at(100)};
        PostgresLogReader reader(at(1));
        QVERIFY(readOn(log, reader, 100).reports.isEmpty());
        log.made[0] = {u"a"_s, text, at(101)};
        const auto part = readOn(log, reader, 101);
        QVERIFY(part.reports.isEmpty() && part.isMoreToRead); // it may be longer, so it is read again soon
        QCOMPARE(readOn(log, reader, 110).reports.size(), 1);
    }

    void fromNowOn_data() { formats(); }

    void fromNowOn()
    {
        QFETCH(SourceFormat, format);
        MadeLog log(format);
        log.made << MadeLog::File{u"a"_s, entry(format, 10) + noise(format, 3), at(100)};
        PostgresLogReader reader({});
        QVERIFY(readOn(log, reader, 100).reports.isEmpty());
        log.made[0].content += entry(format, 20) + noise(format, 300);
        log.made[0].modified = at(101);
        const auto part = readOn(log, reader, 110);
        QCOMPARE(part.reports.size(), 1);
        QCOMPARE(part.reports[0]->participants.first().session.value, 20);
    }

    void linesOfStatementsAreNoEntries_data() { formats(); }

    /// If the start of the reading lies within a statement, the statement's lines may look like entries.
    void linesOfStatementsAreNoEntries()
    {
        QFETCH(SourceFormat, format);
        const QByteArray likeEntries =
            "2026-11-22 03:12:07.123 UTC,x\n2026-11-22 03:12:07.123 UTC,\"\"ann\"\",y\n"
            "2026-11-22 03:12:07.123 UTC,";
        const auto failed = [&](qsizetype size) {
            QByteArray statement = "SELECT\n" + QByteArray(size, 'x') + '\n' + likeEntries;
            if (format == SourceFormat::PostgresCsv)
                return "2026-11-22 03:12:07.123 UTC,\"ann\",\"shop\",1,\"[local]\",x,1,\"SELECT\",2026-11-22 03:12:07 UTC,3/4,0,ERROR,42P01,\"no such table\",,,,,,\""
                    + statement + "\",,,\"psql\"\n";
            if (format == SourceFormat::PostgresJson)
                return "{\"state_code\":\"42P01\",\"statement\":\""
                    + statement.replace('"', "\\\"").replace('\n', "\\n") + "\"}\n";
            return "2026-11-22 03:12:07.123 UTC [1] STATEMENT:  " + statement.replace("\n", "\n\t") + '\n';
        };
        // It is longer than what is read at once.
        MadeLog log(format);
        log.made << MadeLog::File{u"a"_s,
            failed(PostgresLogReader::maxAtOnce + 100'000) + noise(format, 1) + entry(format, 10)
                + noise(format, 300),
            at(100)};
        PostgresLogReader reader(at(1));
        QList<ReportPtr> reports;
        bool isMore = true;
        for (qint64 now = 110; isMore && now < 120; ++now) {
            const auto part = readOn(log, reader, now);
            reports << part.reports;
            isMore = part.isMoreToRead;
        }
        QCOMPARE(reports.size(), 1);
        // It is being written when the reading begins.
        const QByteArray some = failed(10);
        for (qsizetype size = 1; size < some.size(); ++size) {
            MadeLog half(format);
            half.made << MadeLog::File{u"a"_s, some.left(size), at(100)};
            PostgresLogReader late({});
            readOn(half, late, 100);
            half.made[0] = {
                u"a"_s, some + entry(format, 10) + entry(format, 20) + noise(format, 300), at(101)};
            QCOMPARE(readOn(half, late, 110).reports.size(), 2);
        }
    }

    void rotationLosesNothing_data() { formats(); }

    void rotationLosesNothing()
    {
        QFETCH(SourceFormat, format);
        MadeLog log(format);
        log.made << MadeLog::File{u"a"_s, noise(format, 1), at(100)};
        PostgresLogReader reader({});
        readOn(log, reader, 100);
        // Between two polls the log goes on in two more files.
        log.made[0].content += entry(format, 10);
        log.made[0].modified = at(101);
        log.made << MadeLog::File{u"b"_s, entry(format, 20), at(102)};
        log.made << MadeLog::File{u"c"_s, entry(format, 30) + noise(format, 300), at(103)};
        const auto part = readOn(log, reader, 103);
        QCOMPARE(part.gaps, QStringList());
        QCOMPARE(part.reports.size(), 3);
        for (int i = 0; i < 3; ++i)
            QCOMPARE(part.reports[i]->participants.first().session.value, 10 * (i + 1));
    }

    void whatIsGoneIsReported()
    {
        constexpr auto format = SourceFormat::PostgresJson;
        MadeLog log(format);
        log.made << MadeLog::File{u"a"_s, noise(format, 3), at(100)};
        PostgresLogReader reader({});
        readOn(log, reader, 100);
        // Removed.
        log.made = {MadeLog::File{u"b"_s, entry(format, 10), at(101)}};
        auto part = readOn(log, reader, 101);
        QCOMPARE(part.reports.size(), 1);
        QVERIFY2(part.gaps.size() == 1 && part.gaps[0].startsWith(u"a was removed"_s),
            qPrintable(part.gaps.join(u' ')));
        // Removed beside an older one, which was read and last written at the same time.
        MadeLog twins(format);
        twins.made << MadeLog::File{u"a"_s, noise(format, 1), at(100)};
        PostgresLogReader twinReader({});
        readOn(twins, twinReader, 100);
        twins.made[0].content += entry(format, 10);
        twins.made << MadeLog::File{u"b"_s, noise(format, 1), at(100)};
        QCOMPARE(readOn(twins, twinReader, 101).reports.size(), 1);
        twins.made[1] = MadeLog::File{u"c"_s, noise(format, 1), at(102)};
        QCOMPARE(readOn(twins, twinReader, 102).reports.size(), 0);
        // Emptied, as logrotate's copytruncate does.
        log.made[0].content = entry(format, 20).left(40);
        part = readOn(log, reader, 102);
        QVERIFY2(part.gaps.size() == 1 && part.gaps[0].contains(u"begun again"_s),
            qPrintable(part.gaps.join(u' ')));
        log.made[0].content = entry(format, 20);
        QCOMPARE(readOn(log, reader, 103).reports.size(), 1);
        // Another content in the same place, longer than the one before: the size alone does not show it.
        log.made[0].content = noise(format, 1) + entry(format, 30) + noise(format, 20);
        part = readOn(log, reader, 104);
        QVERIFY2(part.gaps.size() == 1 && part.gaps[0].contains(u"written again"_s),
            qPrintable(part.gaps.join(u' ')));
        QCOMPARE(part.reports.size(), 1);
        QCOMPARE(part.reports[0]->participants.first().session.value, 30);
        QVERIFY(readOn(log, reader, 105).gaps.isEmpty());
    }

    void aPartAtATime_data() { formats(); }

    void aPartAtATime()
    {
        QFETCH(SourceFormat, format);
        MadeLog log(format);
        const QByteArray much = noise(format, 40'000); // some megabytes
        log.made << MadeLog::File{u"a"_s, much + entry(format, 10) + much, at(100)};
        log.made << MadeLog::File{u"b"_s, much + entry(format, 20) + much, at(101)};
        PostgresLogReader reader(at(1));
        QList<ReportPtr> reports;
        int polls = 0;
        bool isMore = true;
        for (qint64 now = 110; isMore; ++now, ++polls) {
            const auto part = readOn(log, reader, now);
            QVERIFY(part.bytes <= PostgresLogReader::maxAtOnce + 1000);
            QVERIFY2(part.gaps.isEmpty(), qPrintable(part.gaps.join(u' ')));
            reports << part.reports;
            isMore = part.isMoreToRead;
            QVERIFY(polls < 100);
        }
        QVERIFY(polls > 2);
        QCOMPARE(reports.size(), 2);
    }

    void anErrorLosesNothing()
    {
        constexpr auto format = SourceFormat::PostgresText;
        MadeLog log(format);
        log.made << MadeLog::File{u"a"_s, entry(format, 10), at(100)};
        log.made << MadeLog::File{u"b"_s, entry(format, 20), at(101)};
        PostgresLogReader reader(at(1));
        std::vector<db::BatchItem> items;
        log.ask(items, reader.file(), reader.from());
        log.failures = 1;
        QVERIFY(!reader.readOn(log, at(110), {}, {}));
        QCOMPARE(readOn(log, reader, 111).reports.size(), 2);
    }

    void aLongBacklogIsLeftOut()
    {
        constexpr auto format = SourceFormat::PostgresJson;
        MadeLog log(format);
        QByteArray huge = entry(format, 10);
        huge += QByteArray(PostgresLogReader::maxBehind, '\n');
        log.made << MadeLog::File{u"a"_s, huge, at(100)};
        log.made << MadeLog::File{u"b"_s, entry(format, 20), at(101)};
        PostgresLogReader reader(at(1));
        QList<ReportPtr> reports;
        QStringList gaps;
        bool isMore = true;
        for (qint64 now = 110; isMore; ++now) {
            const auto part = readOn(log, reader, now);
            reports << part.reports;
            gaps << part.gaps;
            isMore = part.isMoreToRead;
        }
        QCOMPARE(reports.size(), 1);
        QVERIFY2(gaps.size() == 1 && gaps[0].contains(u"left out"_s), qPrintable(gaps.join(u' ')));
    }

    void aResetIsNoNegativeNumber()
    {
        DeadlockCounter counter;
        const auto value = [](qint64 key, qint64 total, std::optional<ServerTime> resetAt = {}) {
            return DeadlockCounter::Value{.key = key,
                .name = u"database "_s + QChar(u'`' + static_cast<char16_t>(key)),
                .total = total,
                .resetAt = resetAt};
        };
        counter.take({value(1, 100, at(5)), value(2, 7)});
        QCOMPARE(counter.counted(), 0);
        counter.take({value(1, 103, at(5)), value(2, 7)});
        QCOMPARE(counter.counted(), 3);
        QVERIFY(!counter.isAtLeast());
        // Reset, and one more since then.
        counter.take({value(1, 1, at(50)), value(2, 7)});
        QCOMPARE(counter.counted(), 4);
        QVERIFY(counter.isAtLeast());
        QVERIFY(counter.resets().first().contains(u"database a"_s));
        // A recovery has no time of a reset; a new database counts whole, a dropped one not at all.
        counter.take({value(2, 2), value(3, 1)});
        QCOMPARE(counter.counted(), 7);
        QCOMPARE(counter.resets().size(), 2);
        // Reset and as high as before within a pause: the time of the reset shows it.
        DeadlockCounter other;
        other.take({value(1, 2, at(5))});
        other.take({value(1, 2, at(6))});
        QCOMPARE(other.counted(), 2);
        QVERIFY(other.isAtLeast());
    }

    void filesOfOneLog_data()
    {
        test::addColumns<QString, QString, QString, QString>("pattern", "current", "own", "other");
        test::row("usual", "postgresql-%Y-%m-%d_%H%M%S.log", "postgresql-2026-11-23_102700.csv",
            "postgresql-2026-11-22_000000.csv", "main-2026-11-22_000000.csv");
        test::row("by a number", "pg15-%a.log", "pg15-Mon.log", "pg15-Sun.log", "pg14-Sun.log");
        test::row("without .log", "main.%F", "main.2026-11-23", "main.2026-11-22", "mains.2026-11-22");
        test::row("signs", "a+b(%d)%%.log", "a+b(23)%.json", "a+b(22)%.json", "aab(22)%.json");
        test::row("not known", QString(), "main-2026-11-23_102700.log", "main-2026-11-22_000000.log",
            "other-2026-11-22_000000.log");
        test::row("not known, days", QString(), "main-Mon.log", "main-Tue.log", "main-2.log");
        test::row("changed since", "new-%d.log", "old-23.log", "old-22.log", "other-22.log");
    }

    /// Another server may write into the same folder.
    void filesOfOneLog()
    {
        FETCH(QString, pattern, QString, current, QString, own, QString, other);
        QVERIFY(isOfSameLog(current, current, pattern));
        QVERIFY(isOfSameLog(own, current, pattern));
        QVERIFY(!isOfSameLog(other, current, pattern));
        QList<LogFile> files;
        for (const QString& name : {other, own, current})
            files << LogFile{u"/log/"_s + name, 1, {}};
        QList<LogFile> again = files;
        QCOMPARE(takeOthers(files, {}, pattern), QStringList{other});
        QCOMPARE(files.size(), 2);
        QCOMPARE(takeOthers(again, other, pattern), QStringList()); // it was read so far
    }

    /// They are part of no message that is read.
    void emptyLinesCostLittle()
    {
        const QByteArray deadlock = entry(SourceFormat::PostgresText, 10);
        const qsizetype cut = deadlock.indexOf("\n") + 1;
        QByteArray text =
            deadlock.left(cut) + QByteArray(4 << 20, '\n') + deadlock.mid(cut) + QByteArray(4 << 20, '\n');
        const auto memory = [] {
            struct rusage usage { };
            getrusage(RUSAGE_SELF, &usage);
            return qint64(usage.ru_maxrss) * 1024;
        };
        const QString decoded = QString::fromUtf8(text);
        const qint64 before = memory();
        const auto reports = readPostgresText(decoded, u"log"_s);
        QVERIFY2(memory() - before < (96 << 20), QByteArray::number(memory() - before));
        QVERIFY(reports.size() <= 1);
    }

    void bytesOfAnyKind()
    {
        QCOMPARE(unescaped(uR"(a\\b\000\303\244)"_s), QByteArray("a\\b\0\xc3\xa4", 6));
        QCOMPARE(unescaped(uR"(torn\3)"_s), QByteArray("torn"));
    }

    /// Any session may raise an error that looks like the server's.
    void whatARaiseWroteIsSaid()
    {
        const QString text = QString::fromUtf8(entry(SourceFormat::PostgresText, 10));
        const auto with = [&text](const QString& context) {
            QString changed = text;
            const QString prefix = text.section(u"ERROR"_s, 0, 0);
            changed.replace(prefix + u"STATEMENT"_s,
                prefix + u"CONTEXT:  "_s + context + u'\n' + prefix + u"STATEMENT"_s);
            return readPostgresText(changed, {}).value(0);
        };
        const ReportPtr raised = with(u"PL/pgSQL function inline_code_block line 1 at RAISE"_s);
        QVERIFY(raised && raised->complaints.contains(raisedByStatement()));
        const ReportPtr waited =
            with(u"while updating tuple (0,1) in relation \"t\"\n\tPL/pgSQL function f() line 1 at RAISE"_s);
        QVERIFY(waited && !waited->complaints.contains(raisedByStatement()));
    }

    /// The error's detail has the value that a constraint refuses; any user of an application can have chosen
    /// it.
    void aValueIsNoDeadlock()
    {
        const auto log = [](const QByteArray& before) {
            return QString::fromUtf8(
                "2026-11-22 03:12:07.123 UTC [9] ERROR:  an error\n2026-11-22 03:12:07.123 UTC [9] DETAIL:  "
                + before
                + "1 waits for ShareLock on transaction 7; blocked by process 2.\n"
                  "\tProcess 2 waits for ShareLock on transaction 8; blocked by process 1.\n"
                  "\tProcess 1: UPDATE a\n\tProcess 2: UPDATE b\n");
        };
        QCOMPARE(readPostgresText(log("Process "), {}).size(), 1);
        QCOMPARE(readPostgresText(log("Key (name)=("), {}).size(), 0);
        QCOMPARE(readPostgresText(log("Failing row contains ("), {}).size(), 0);
    }

private:
    static void formats()
    {
        test::addRows<SourceFormat>("format",
            {{"stderr", SourceFormat::PostgresText}, {"csvlog", SourceFormat::PostgresCsv},
                {"jsonlog", SourceFormat::PostgresJson}});
    }
};

LOCKSCOPE_TEST(tst_PostgresLogReader)

} // namespace tst_PostgresLogReader
#include "tst_PostgresLogReader.moc"
