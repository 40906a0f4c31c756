// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The messages of `lockctl` about a recording that it reads, and about one that it can't read.

#include "tests/support/Lockctl.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

namespace tst_LockctlPast {

using namespace lockscope;
using namespace lockscope::test;

class tst_LockctlPast : public test::LockctlTest {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_url = m_server->freshDatabase(); }

    /// The output says which time is shown, and that the one that was asked for is not recorded.
    void aPastTimeSaysWhichItIs()
    {
        const QString path = freshPath(u"r.lockscope"_s);
        const auto recorded = ctl()("record --for 300ms --interval 100ms --out %1", path);
        VERIFY_CODE(0, recorded);
        const record::Span span = (*record::RecordingReader::open(path))->span().value();
        for (const QString& command : {u"list"_s, u"tree"_s}) {
            const auto last = ctl()("%1 --recording %2", command, path);
            QVERIFY2(last.code == 0 && last.err.isEmpty(), last.allOutput());
            QVERIFY2(last.out.section(u'\n', 0, 0).endsWith(u" at %1:"_s.arg(span.last.toIsoString())),
                last.allOutput());
            const auto later = ctl()("%1 --recording %2 --at 9999-01-01T00:00:00Z", command, path);
            QVERIFY2(later.code == 0 && later.isOneLineOfError(), later.allOutput());
            QVERIFY2(later.err.contains(u"Nothing is recorded after"_s), later.allOutput());
            QVERIFY2(later.out.contains(span.last.toIsoString()), later.allOutput());
            const auto json = ctl()("%1 --recording %2 --json", command, path);
            QVERIFY2(!json.json().isEmpty(), json.allOutput());
        }
    }

    void whatCantBeMeantIsRefused_data()
    {
        test::addColumns<QStringList, int, QString>("command", "code", "why");
        const QStringList server = Lockctl::words("--server postgresql://ann@nowhere.invalid/shop");
        row("a recording and a server", Lockctl::words("tree --recording FILE") + server, 2, "both named");
        row("a range of both", Lockctl::words("range --recording FILE") + server, 2, "both named");
        row("watching a recording", Lockctl::words("order --recording FILE --for 10s"), 2, "--for");
        row("nothing", Lockctl::words("list --recording %1", QString()), 2, "named");
        row("what is not there", Lockctl::words("list --recording FOLDER/none.lockscope"), 1, "not there");
        row("another file", Lockctl::words("list --recording FOLDER/text"), 2, "is no recording");
        QTest::newRow("several into one file")
            << Lockctl::words("record postgresql://a/b postgresql://a/c --out FOLDER/none") << 2
            << u"no folder"_s;
    }
    void whatCantBeMeantIsRefused()
    {
        FETCH(QStringList, command, int, code, QString, why);
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"r.lockscope"_s);
        VERIFY_CODE(0, ctl()("record --for 100ms --out %1", path));
        test::makeFile(folder.filePath(u"text"_s), QByteArray(4'096, 'x'));
        for (QString& word : command)
            word.replace(u"FILE"_s, path).replace(u"FOLDER"_s, folder.path());
        const auto answer = ctl()(command);
        QVERIFY2(
            answer.code == code && answer.out.isEmpty() && answer.isOneLineOfError(), answer.allOutput());
        QVERIFY2(answer.err.contains(why), answer.allOutput());
    }

    /// "There is none" is not said of a file that can't be read.
    void aListOfUnreadableOnesIsNotEmpty()
    {
        const auto answer = ctl()("recordings list /no/such.lockscope");
        QVERIFY2(answer.code == 1 && answer.out.isEmpty() && answer.isOneLineOfError(), answer.allOutput());
    }

    /// A copy lacks the last third: opening it names the command that rebuilds the readable part.
    void whoMeetsDamageIsToldHowToRebuildIt()
    {
        const QString path = freshPath(u"r.lockscope"_s);
        {
            auto writer = test::writeRecording(path);
            test::RandomSnapshots random(8);
            for (int i = 0; i < 300; ++i) {
                const SnapshotPtr snapshot = test::toRecord(random.next());
                QVERIFY(writer->append(snapshot, snapshot->takenAt));
            }
        }
        QVERIFY(QFile::resize(path, QFile(path).size() * 2 / 3));
        for (const QStringList& command : {Lockctl::words("list --recording %1", path),
                 Lockctl::words("tree --recording %1", path), Lockctl::words("range --recording %1", path),
                 Lockctl::words("history held --recording %1", path),
                 Lockctl::words("recordings list %1", path), Lockctl::words("recordings verify %1", path)}) {
            const auto refused = ctl()(command);
            QVERIFY2(refused.code != 0 && refused.isOneLineOfError(), refused.allOutput());
            QVERIFY2(refused.err.contains(u"damaged"_s)
                    && refused.err.contains(u"sqlite3 '%1' .recover | sqlite3 rebuilt.lockscope"_s.arg(path)),
                refused.allOutput());
        }
        const auto listed = ctl()("recordings list %1 --json", path);
        QVERIFY2(listed.code == 1 && listed.jsonArray()[0][u"damaged"].toBool(), listed.allOutput());
    }

    /// A size limits the size only, and the loss is named before.
    void moreThanHalfIsAskedFor()
    {
        const QString path = freshPath(u"r.lockscope"_s);
        {
            auto writer = test::writeRecording(path);
            const ServerTime lastYear = ownClock() - std::chrono::hours(24 * 365);
            for (int i = 0; i < 200; ++i) {
                Snapshot snapshot = *test::SnapshotBuilder(i).take();
                snapshot.takenAt = lastYear + std::chrono::seconds(i);
                QVERIFY(writer->append(test::toRecord(snapshot), snapshot.takenAt));
            }
        }
        const auto frames = [&path] { return test::readRecording(path)->span()->frames; };
        const QStringList bySize = Lockctl::words("recordings prune %1 --keep 500M", path);
        VERIFY_CODE(0, ctl()(bySize));
        QCOMPARE(frames(), 200);
        const QStringList byAge = Lockctl::words("recordings prune %1 --keep 7d", path);
        const auto refused = ctl()(byAge);
        QVERIFY2(refused.code == 1 && refused.isOneLineOfError(), refused.allOutput());
        QVERIFY2(refused.err.contains(u" of 200 snapshots would go, those from "_s)
                && refused.err.contains(u"--yes"_s),
            refused.allOutput());
        QCOMPARE(frames(), 200);
        VERIFY_CODE(0, ctl()(byAge + QStringList{u"--yes"_s}));
        QVERIFY(frames() < 100);
        VERIFY_CODE(0, ctl()("recordings verify %1", path));
    }

    void whatOthersMayReadIsWarnedOf()
    {
        const QString path = freshPath(u"r.lockscope"_s);
        QVERIFY(test::writeRecording(path)->append(
            test::SnapshotBuilder().take(), test::SnapshotBuilder::start()));
        const auto closed = ctl()("recordings list %1", path);
        QVERIFY2(closed.code == 0 && closed.err.isEmpty(), closed.allOutput());
        QVERIFY(QFile(path).setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup));
        const auto open = ctl()("recordings list %1", path);
        QVERIFY2(open.code == 0 && open.err.contains(u"chmod go= '%1'"_s.arg(path)), open.allOutput());
    }

    void oneDamagedFileConcernsNoOtherServer()
    {
        const QTemporaryDir folder;
        QStringList servers;
        for (const QString& name : {u"a"_s, u"b"_s}) {
            servers << u"sqlite://"_s + folder.filePath(name + u".db"_s);
            test::makeFile(folder.filePath(name + u".db"_s));
            VERIFY_CODE(0, ctl()("install --server %1", servers.back()));
        }
        const QString out = folder.filePath(u"out/"_s);
        const QStringList record = QStringList{u"record"_s} + servers
            + Lockctl::words("--out %1 --for 500ms --interval 100ms --json", out);
        const auto first = ctl()(record);
        QVERIFY2(first.code == 0 && first.err.isEmpty(), first.allOutput());
        const QJsonArray files = first.json()[u"recordings"].toArray();
        QCOMPARE(files.size(), 2);
        const QString path = files[0].toObject()[u"file"].toString();
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(4'096));
        file.write(QByteArray(20 * 4'096, 'x')); // from the second page on
        file.close();
        const auto second = ctl()(record);
        VERIFY_CODE(0, second);
        QVERIFY2(second.err.contains(u"was damaged: it is "_s) && second.err.contains(u".recover"_s),
            second.allOutput());
        for (const auto each : second.json()[u"recordings"].toArray())
            QVERIFY2(each.toObject()[u"snapshots"].toInteger() > 0, second.allOutput());
        VERIFY_CODE(0, ctl()("recordings verify %1", path));
    }
};

LOCKSCOPE_TEST(tst_LockctlPast)

} // namespace tst_LockctlPast
#include "tst_LockctlPast.moc"
