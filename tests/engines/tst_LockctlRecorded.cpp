// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// `lockctl` finds things in a recording: times as they are written, notes, two snapshots side by side.

#include "core/record/LockBiography.h"
#include "core/record/RangeReport.h"
#include "core/record/StoredEvents.h"
#include "core/report/Writer.h"
#include "tests/support/Lockctl.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

namespace tst_LockctlRecorded {

using namespace lockscope;
using namespace lockscope::test;

constexpr int day = 86'400;

class tst_LockctlRecorded : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Snapshots of two days, around 03:12:07; 63 waits for 51 in the last one.
    void initTestCase()
    {
        m_path = freshPath(u"shop.lockscope"_s);
        auto writer = test::writeRecording(m_path);
        for (const int second : {-day - 10, -day, -10, 0, 600}) {
            SnapshotBuilder s(second);
            s.session(51, "billing").idleInTransaction(300).running("UPDATE orders");
            s.holds(51, "public.orders", "RowExclusiveLock", 300);
            if (second == 600) {
                s.session(63, "till").running("SELECT 1");
                s.waits(63, "public.orders", "AccessExclusiveLock", 41);
            }
            const SnapshotPtr snapshot = s.take();
            QVERIFY(writer->append(snapshot, snapshot->takenAt));
        }
    }

    void aTimeIsUnderstoodAsItIsWritten_data()
    {
        QTest::addColumn<QString>("written");
        QTest::addColumn<QString>("shown"); // the last snapshot until then
        row("a minute", "03:12", "2026-11-21T03:11:57");
        row("a second, all of it", "03:12:07", "2026-11-21T03:12:07");
        row("one that was yesterday only", "03:30", "2026-11-20T03:12:07");
        row("yesterday", "yesterday 03:12:10", "2026-11-20T03:12:07");
        row("yesterday, a minute", "yesterday 03:12", "2026-11-20T03:11:57");
        row("so long before the last one", "-10m", "2026-11-21T03:12:07");
        row("the same without a sign", "10m", "2026-11-21T03:12:07");
        row("as it is printed", "2026-11-21T03:12:07.000000Z", "2026-11-21T03:12:07");
        row("as tables print it", "2026-11-21T03:12:07Z", "2026-11-21T03:12:07");
        row("in another zone", "2026-11-21 04:12:07+01", "2026-11-21T03:12:07");
    }
    void aTimeIsUnderstoodAsItIsWritten()
    {
        FETCH(QString, written, QString, shown);
        for (const QString& command : {u"list"_s, u"tree"_s}) {
            const QString line = firstLineOf({command, u"--recording"_s, m_path, u"--at"_s, written});
            VERIFY_STARTS(line, u"shop@db1 at %1."_s.arg(shown));
        }
    }

    void theTimeIsNoPartOfATable()
    {
        for (const QString& command : {u"list"_s, u"tree"_s}) {
            const auto print = [&](const QString& form) {
                return ctl()({command, u"--recording"_s, m_path, u"--format"_s, form}).out;
            };
            QVERIFY(!print(u"csv"_s).section(u'\n', 0, 0).contains(u"shop@db1"_s));
            VERIFY_STARTS(print(u"html"_s), u"<!DOCTYPE html>"_s);
            VERIFY_CONTAINS(print(u"html"_s), u"shop@db1"_s);
        }
    }

    void eachPrintedTimeGivesItsSnapshot()
    {
        const auto range = ctl()("history public.orders --recording %1 --json", m_path);
        VERIFY_CODE(0, range);
        const QJsonArray lines = range.jsonArray();
        QVERIFY2(!lines.isEmpty(), range.allOutput());
        for (const auto line : lines) {
            const QString printed = line[u"seen_until"].toString();
            const QString head = firstLineOf({u"list"_s, u"--recording"_s, m_path, u"--at"_s, printed});
            QCOMPARE(head, u"shop@db1 at %1:"_s.arg(printed));
        }
    }

    void aNoteIsListedWithItsRange()
    {
        const auto noted = ctl()("recordings note %1 --recording %2 --at 03:12:07", u"deploy 4.2"_s, m_path);
        QVERIFY2(noted.code == 0 && noted.err.isEmpty(), noted.allOutput());
        QVERIFY2(noted.out.startsWith(u"Noted at 2026-11-21T03:12:07."_s), noted.allOutput());
        const auto text = ctl()("range --recording %1 --from 1h", m_path);
        QVERIFY2(
            text.out.contains(u"\nNotes:\n"_s) && text.out.contains(u"2026-11-21T03:12:07Z  deploy 4.2"_s),
            text.allOutput());
        const auto json = ctl()("range --recording %1 --from 1h --json", m_path);
        QCOMPARE(json.json()[u"marks"][0][u"text"].toString(), u"deploy 4.2"_s);
        const auto elsewhere = ctl()("range --recording %1 --to 2h", m_path);
        QVERIFY2(!elsewhere.out.contains(u"Notes:"_s), elsewhere.allOutput());
    }

    /// CI does it in this way.
    void aNoteComesByStandardInput()
    {
        const auto process = ctl().start("recordings note - --recording %1 --json", m_path);
        process->write("deploy 4.3\n");
        const auto noted = Lockctl::finish(*process);
        VERIFY_CODE(0, noted);
        QCOMPARE(noted.json()[u"text"].toString(), u"deploy 4.3"_s);
        QVERIFY(noted.json()[u"recorded"].toBool());
    }

    void aNoteOfNoTimeIsRefused()
    {
        for (const QString& time : {u"25:99"_s, u"9999-01-01T00:00:00Z"_s, u"2001-01-01T00:00:00Z"_s}) {
            const auto refused = ctl()("recordings note x --recording %1 --at %2", m_path, time);
            QVERIFY2(refused.code == 2 && refused.out.isEmpty() && refused.isOneLineOfError(),
                refused.allOutput());
        }
        Lockctl withoutServer = ctl();
        withoutServer.unset(u"LOCKSCOPE_SERVER"_s);
        const auto nowhere = withoutServer("recordings note x");
        QVERIFY2(nowhere.code == 2 && nowhere.err.contains(u"No recording is named"_s), nowhere.allOutput());
        const auto history =
            ctl()("recordings note x --recording postgresql://ann@nowhere.invalid/history#shop");
        QVERIFY2(history.code == 2 && history.err.contains(u"takes no notes"_s), history.allOutput());
    }

    void whatHasATextIsFound()
    {
        const auto text = ctl()("recordings search UPDATE %1", m_path);
        QVERIFY2(text.code == 0 && text.err.isEmpty(), text.allOutput());
        QVERIFY2(text.out.contains(u"statement  UPDATE orders  2026-11-20T03:11:57Z  2026-11-21T03:22:07Z"_s),
            text.allOutput());
        const auto json = ctl()("recordings search till %1 --json", m_path);
        VERIFY_CODE(0, json);
        QCOMPARE(json.jsonArray().size(), 1);
        QCOMPARE(json.jsonArray()[0][u"what"].toString(), u"program"_s);
        QCOMPARE(json.jsonArray()[0][u"text"].toString(), u"till"_s);
        QCOMPARE(json.jsonArray()[0][u"first"].toString(), u"2026-11-21T03:22:07.000000Z"_s);
        const auto none = ctl()("recordings search customers %1", m_path);
        QVERIFY2(none.code == 1 && none.out.isEmpty() && none.isOneLineOfError(), none.allOutput());
    }

    void twoSnapshotsStandSideBySide()
    {
        const QStringList compare =
            Lockctl::words("compare --recording %1 --at 03:12:07 --with 03:22:07", m_path);
        const auto text = ctl()(compare);
        VERIFY_CODE(0, text);
        QVERIFY2(
            text.out.startsWith(u"shop@db1: 2026-11-21T03:12:07Z, compared with 2026-11-21T03:22:07Z\n"_s),
            text.allOutput());
        const auto json = ctl()(compare + QStringList{u"--json"_s});
        const QJsonArray differences = json.json()[u"differences"].toArray();
        QCOMPARE(differences[0][u"what"].toString(), u"wait"_s);
        QCOMPARE(differences[0][u"change"].toString(), u"new"_s);
        QCOMPARE(differences[0][u"who"].toString(), u"63 till"_s);
        QCOMPARE(differences[0][u"lock"].toString(), u"public.orders"_s);
        QCOMPARE(differences[0][u"before"].toString(), QString());
        QVERIFY(differences[0][u"after"].toString().startsWith(u"waits "_s));
        // The order of the names does not matter.
        const auto swapped = ctl()("compare --recording %1 --with 03:12:07 --at 03:22:07", m_path);
        QCOMPARE(swapped.out, text.out);
    }

    void withOneTimeTheLastSnapshotIsTheOther()
    {
        const auto same = ctl()("compare --recording %1 --at 03:22:07", m_path);
        QVERIFY2(same.code == 0 && same.out.endsWith(u"Sessions, locks and waits are the same.\n"_s),
            same.allOutput());
        const auto none = ctl()("compare --recording %1 --with 03:22:07", m_path);
        QVERIFY2(none.code == 2 && none.err.contains(u"--at is missing"_s), none.allOutput());
    }

    void eachFormIsTheSameReport_data()
    {
        QTest::addColumn<report::Form>("form");
        const QStringList names = report::formNames.toString().split(u'|');
        for (qsizetype i = 0; i < names.size(); ++i)
            QTest::newRow(qPrintable(names[i])) << static_cast<report::Form>(i);
    }
    /// The window exports what lockctl prints.
    void eachFormIsTheSameReport()
    {
        QFETCH(const report::Form, form);
        const auto reader = test::readRecording(m_path);
        const record::Span span = *reader->span();
        const QString name = QString::fromLatin1(QTest::currentDataTag());
        const auto range = ctl()("range --recording %1 --format %2", m_path, name);
        VERIFY_CODE(0, range);
        QCOMPARE(range.out,
            rendered(record::answerOf(*reader, span.first, span.last)->report, form, {.maxRows = 10}));
        const auto session = record::theSession(*reader, SessionId{63}, span.last);
        QVERIFY(session);
        const auto history = ctl()("history --session 63 --recording %1 --format %2", m_path, name);
        VERIFY_CODE(0, history);
        report::Report output = toReport(*record::biography(*reader, *session, span.first, span.last));
        record::tallyOf(*reader->events(span.first, span.last)).addTo(output);
        QCOMPARE(history.out, rendered(output, form));
    }

    void oneTableAloneIsPrinted()
    {
        const QStringList range = Lockctl::words("range --recording %1 --format csv --table", m_path);
        const auto programs = ctl()(range + QStringList{u"programs"_s});
        QVERIFY2(programs.code == 0 && programs.out.startsWith(u"name,waits.count,waits.at_least_ms,"_s),
            programs.allOutput());
        const auto none = ctl()(range + QStringList{u"sessions"_s});
        QVERIFY2(none.code == 2 && none.isOneLineOfError(), none.allOutput());
    }

    /// 51 has run for 90 s: that is long by the default, and not for a user who said 2 min.
    void aStatementIsLongByTheSettingOfTheWindow()
    {
        const QTemporaryDir home;
        const QString path = home.filePath(u"running.lockscope"_s);
        SnapshotBuilder s;
        s.session(51, "billing").running("UPDATE orders");
        s.session(63, "till");
        s.holds(51, "public.orders", "RowExclusiveLock", 90);
        s.waits(63, "public.orders", "AccessExclusiveLock", 41);
        Snapshot snapshot = *s.take();
        snapshot.sessions.front().statementStarted = snapshot.takenAt - std::chrono::seconds(90);
        QVERIFY(
            test::writeRecording(path)->append(std::make_shared<const Snapshot>(snapshot), snapshot.takenAt));
        Lockctl lockctl = ctl();
        lockctl.set(u"XDG_CONFIG_HOME"_s, home.path());
        const auto advice = [&] {
            return lockctl("tree --recording %1 --json", path).json()[u"heads"][0][u"advice"].toString();
        };
        const auto heads = [&] { return lockctl("tree --heads --recording %1", path).out; };
        VERIFY_CONTAINS(advice(), u"cancel the statement"_s);
        VERIFY_CONTAINS(heads(), u"end-session 51 --cancel"_s);
        {
            QSettings settings(home.filePath(u"lockscope/lockscope.conf"_s), QSettings::IniFormat);
            LockThresholds thresholds;
            thresholds.hold.amber = std::chrono::minutes(2);
            saveThresholds(settings, thresholds);
        }
        VERIFY_CONTAINS(advice(), u"it is doing its work"_s);
        VERIFY_LACKS(heads(), u"end-session"_s);
    }

private:
    Lockctl ctl() const { return Lockctl({}); }
    QString firstLineOf(const QStringList& arguments) const
    {
        const auto answer = ctl()(arguments);
        return answer.code == 0 ? answer.out.section(u'\n', 0, 0) : QString::fromUtf8(answer.allOutput());
    }

    QString m_path;
};

LOCKSCOPE_TEST(tst_LockctlRecorded)

} // namespace tst_LockctlRecorded
#include "tst_LockctlRecorded.moc"
