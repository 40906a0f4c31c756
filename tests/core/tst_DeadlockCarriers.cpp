// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Reports of deadlocks as other programs pass them on. tests/support/deadlocks/carried has a file of each
// form, made by hand; its expected.json says what must be read from it.

#include "core/deadlock/ReadReports.h"
#include "tests/support/DeadlockReports.h"
#include "tests/support/TestProgram.h"

#include <sys/stat.h>

namespace tst_DeadlockCarriers {

using namespace lockscope;
using namespace lockscope::deadlock;
using test::ringsOf;

static ReportsRead read(const QByteArray& bytes)
{
    QBuffer buffer;
    buffer.setData(bytes);
    buffer.open(QIODevice::ReadOnly);
    return test::orDie(readFrom(buffer, u"x"_s));
}

static QByteArray carried(const QString& name)
{
    return test::deadlockFile(u"carried/"_s + name);
}

static QStringList shown(const QList<Mention>& mentions)
{
    QStringList all;
    for (const Mention& each : mentions)
        all << u"%1: %2 | %3 | %4"_s.arg(QString::number(each.line), each.text, each.why, each.where);
    return all;
}

static QByteArray gzipped(const QByteArray& text)
{
    QProcess gzip;
    gzip.start(u"gzip"_s, {u"-c"_s});
    gzip.write(text);
    gzip.closeWriteChannel();
    if (!gzip.waitForFinished())
        qFatal("%s", qPrintable(gzip.errorString()));
    return gzip.readAllStandardOutput();
}

class tst_DeadlockCarriers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyFormIsRead_data()
    {
        QTest::addColumn<QJsonObject>("expected");
        const QJsonArray all = QJsonDocument::fromJson(carried(u"expected.json"_s)).array();
        QVERIFY(!all.isEmpty());
        for (const auto& each : all)
            test::row(qPrintable(each[u"file"].toString()), each.toObject());
    }
    void everyFormIsRead()
    {
        QFETCH(const QJsonObject, expected);
        const ReportsRead all = read(carried(expected[u"file"].toString()));
        QStringList rings;
        int blocked = 0;
        for (const ReportPtr& report : all.reports) {
            rings << ringsOf(*report);
            blocked += report->kind == ReportKind::Blocked ? 1 : 0;
        }
        QCOMPARE(rings, expected[u"rings"].toVariant().toStringList());
        QCOMPARE(blocked, expected[u"blocked"].toInt());
        const QJsonArray mentions = expected[u"mentions"].toArray();
        const QByteArray message = shown(all.mentions).join(u'\n').toUtf8();
        if (expected.contains(u"mentions"))
            QVERIFY2(all.mentions.size() >= mentions.size() && (all.mentions.isEmpty() == mentions.isEmpty()),
                message);
        if (expected[u"noOthers"].toBool())
            QVERIFY2(all.mentions.size() == mentions.size(), message);
        for (qsizetype i = 0; i < mentions.size(); ++i) {
            QVERIFY2(all.mentions[i].line == mentions[i][u"line"].toInt(), message);
            QVERIFY2(all.mentions[i].why.contains(mentions[i][u"why"].toString()), message);
            QVERIFY2(all.mentions[i].where.contains(mentions[i][u"where"].toString()), message);
        }
        if (all.reports.isEmpty())
            return;
        const DeadlockReport& report = *all.reports.first();
        const auto check = [&](const QString& member, const QString& value) {
            if (expected.contains(member))
                QCOMPARE(value, expected[member].toString());
        };
        check(u"time"_s, report.time.toString());
        check(u"statement"_s, report.participants.first().statement);
        check(u"other"_s, report.participants.last().statement);
        if (!report.resources.isEmpty())
            check(u"thing"_s, report.resources.first().name);
        if (const QString complaint = expected[u"complaint"].toString(); !complaint.isEmpty())
            VERIFY_CONTAINS(report.complaints.join(u'\n'), complaint);
    }

    void allFilesAreExpected()
    {
        QStringList expected{u"expected.json"_s};
        const QJsonArray all = QJsonDocument::fromJson(carried(u"expected.json"_s)).array();
        for (const auto& each : all)
            expected << each[u"file"].toString();
        QStringList files = QDir(test::deadlockFilePath(u"carried"_s)).entryList(QDir::Files);
        files.sort();
        expected.sort();
        QCOMPARE(files, expected);
    }

    void linesAreThoseOfTheFile()
    {
        for (const QString& name :
            {u"compose.log"_s, u"kubectl.log"_s, u"cloudwatch.csv"_s, u"sqlserver-mail.txt"_s}) {
            const QByteArray once = carried(name);
            const ReportsRead alone = read(once);
            const ReportsRead below = read(QByteArray("a line of something else\n").repeated(7) + once);
            QCOMPARE(below.reports.size(), 1);
            QCOMPARE(below.reports.first()->source.position, alone.reports.first()->source.position + 7);
        }
    }

    void piecesOfALargeFile_data()
    {
        test::addTexts("file",
            {"event.xml", "opposite-order.xdl", "trace-1222.log", "postgres-stderr.log", "postgres.csv",
                "postgres.json", "carried/compose.log", "carried/docker-file.json", "carried/cloudwatch.csv",
                "carried/no-tabs.log"});
    }

    /// A report is read once and whole, wherever a piece of the file ends.
    void piecesOfALargeFile()
    {
        QFETCH(const QString, file);
        const QByteArray once = test::deadlockFile(file);
        QByteArray all;
        constexpr int count = 6'000;
        for (int i = 0; i < count; ++i) {
            QByteArray one = once;
            const QByteArray number = QByteArray::number(100'000 + i);
            one.replace("4711", number)
                .replace("spid=\"52\"", "spid=\"" + number + '"')
                .replace("spid=52", "spid=" + number);
            all += one;
        }
        QVERIFY(all.size() > (2 << 20));
        const ReportsRead found = read(all);
        QSet<qint64> sessions;
        for (const ReportPtr& report : found.reports) {
            QCOMPARE(ringsOf(*report).size(), 1);
            for (const Participant& one : report->participants)
                sessions << one.session.value;
        }
        QCOMPARE(found.reports.size(), count);
        QCOMPARE(sessions.size(), count + 1);
        QCOMPARE(found.mentions.isEmpty(), file != u"postgres.json"_s); // one of its messages names the code
        // The line of the last one is right, too.
        const qint64 lines = once.count('\n');
        QCOMPARE(found.reports.last()->source.position,
            found.reports.first()->source.position + lines * (count - 1));
    }

    void reportsOfALargeFileKeepTheirText()
    {
        const QByteArray once = test::deadlockFile(u"event.xml"_s);
        QByteArray all;
        for (int i = 0; i < 3'000; ++i)
            all += QByteArray(once).replace("spid=\"52\"", "spid=\"" + QByteArray::number(1'000 + i) + '"');
        const ReportsRead found = read(all);
        for (const int at : {0, 1, 1'500, 2'999}) {
            const ReportsRead alone = read(
                QByteArray(once).replace("spid=\"52\"", "spid=\"" + QByteArray::number(1'000 + at) + '"'));
            DeadlockReport report = *found.reports[at];
            report.source.position = alone.reports.first()->source.position;
            QCOMPARE(report.raw.text(), alone.reports.first()->raw.text());
            QVERIFY(report == *alone.reports.first());
        }
    }

    void whatIsMadeToBeSlowIsNot_data()
    {
        QTest::addColumn<QByteArray>("text");
        const QByteArray wait = "Process 1 waits for ShareLock on transaction 5; blocked by process 2.";
        test::row("details without a ring", ("DETAIL: " + wait + '\n').repeated(10'000));
        test::row("waits in one line", "ERROR: deadlock detected DETAIL: " + (wait + ' ').repeated(10'000));
        test::row("messages", QByteArray("ERROR: deadlock detected\n").repeated(40'000));
        test::row("messages and waits", ("ERROR: deadlock detected\n" + wait + '\n').repeated(10'000));
        test::row("open objects", QByteArray("{\"a\":").repeated(100'000) + "\"deadlock detected\"");
        test::row("JSON in JSON",
            "{\"log\":\"" + QByteArray("{\\\"log\\\":\\\"deadlock detected").repeated(20'000));
        test::row("a string without an end", "{\"message\":\"deadlock detected" + QByteArray(3'000'000, 'x'));
        test::row("quotes of CSV", "a,\"b\ndeadlock detected " + QByteArray("\"\",\"").repeated(160'000));
        test::row("writers", [] {
            QByteArray text;
            for (int i = 0; i < 100'000; ++i)
                text += "db-" + QByteArray::number(i) + " | ERROR: deadlock detected\n";
            return text;
        }());
        test::row("marks of mail", QByteArray(2'000'000, '>') + "deadlock detected");
        test::row("tags", "<br>deadlock detected" + QByteArray("<p").repeated(200'000));
        test::row("backslashes", "deadlock detected \\n" + QByteArray(2'000'000, '\\'));
        test::row("pieces of syslog", [] {
            QByteArray text;
            for (int i = 0; i < 50'000; ++i)
                text += "Nov 22 03:12:07 db1 postgres[1]: [3-" + QByteArray::number(i + 1)
                    + "] ShareLock deadlock detected\n";
            return text;
        }());
    }
    void whatIsMadeToBeSlowIsNot()
    {
        QFETCH(const QByteArray, text);
        QElapsedTimer timer;
        timer.start();
        const ReportsRead all = read(text);
        QVERIFY2(timer.elapsed() < 30'000, qPrintable(QString::number(timer.elapsed())));
        QVERIFY(all.mentions.size() <= maxMentions);
    }

    void aPipeIsRefusedAtOnce()
    {
        const QString path = test::freshPath(u"pipe"_s);
        QCOMPARE(mkfifo(qPrintable(path), 0600), 0);
        const auto all = readReportFile(path);
        QVERIFY(!all);
        QVERIFY(all.error().detail.contains(u"pipe"_s));
        QVERIFY(all.error().hint.contains(u"lockctl deadlock -"_s));
    }

    void howMuchOfAFileWasReadIsSaid()
    {
        ReportsRead all = read(carried(u"compose.log"_s));
        QVERIFY(sentencesOf(all).isEmpty());
        all.isCut = true;
        const QString message = sentencesOf(all).join(u'\n');
        QVERIFY2(message.contains(u"only the first 1 were read"_s)
                && message.contains(u"participants and locks"_s),
            qPrintable(message));
    }

    /// Rotated logs are packed, and joined as they are.
    void packedLogsAreRead()
    {
        const QByteArray first = carried(u"compose.log"_s);
        const QByteArray second = carried(u"sqlserver-mail.txt"_s);
        const ReportsRead packed = read(gzipped(first) + gzipped(second));
        const ReportsRead plain = read(first + second);
        QCOMPARE(packed.reports.size(), 2);
        for (int i = 0; i < 2; ++i)
            QVERIFY(*packed.reports[i] == *plain.reports[i]);
    }

    void whatUnpacksTooFarOrIsDamagedIsRefused()
    {
        const auto errorOf = [](QByteArray bytes) {
            QBuffer buffer(&bytes);
            buffer.open(QIODevice::ReadOnly);
            const auto all = readFrom(buffer, u"x"_s);
            return all ? QString() : all.error().what;
        };
        const QByteArray bomb = gzipped(QByteArray(1 << 20, '\n')).repeated(257);
        QVERIFY(bomb.size() < (1 << 20));
        QCOMPARE(errorOf(bomb), u"x is larger than 256 MB when unpacked."_s);
        const QByteArray whole = gzipped(carried(u"compose.log"_s));
        QCOMPARE(errorOf(whole.chopped(20)), u"x is damaged: it can't be unpacked."_s);
        QCOMPARE(errorOf(whole.left(40) + QByteArray(40, 'x')), u"x is damaged: it can't be unpacked."_s);
    }
};

LOCKSCOPE_TEST(tst_DeadlockCarriers)

} // namespace tst_DeadlockCarriers
#include "tst_DeadlockCarriers.moc"
