// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// What `lockctl` says of a recording that it looks at, and of one that it can't look at.

#include "core/record/RecordingReader.h"
#include "tests/support/Lockctl.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace lockscope;
using namespace Qt::StringLiterals;
using test::Lockctl;
using test::TestServer;

class tst_LockctlMoments : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_url = m_server->freshDatabase(); }
    void aMomentSaysWhichItIs();
    void whatCantBeMeantIsRefused_data();
    void whatCantBeMeantIsRefused();
    void aListOfUnreadableOnesIsNotEmpty();
    void whatIsWholeOfADamagedOneIsRecovered();

private:
    Lockctl ctl() const { return Lockctl(m_url.toString(), m_server->password()); }

    TestServer* m_server = &TestServer::shared();
    db::ServerUrl m_url;
};

/// Which moment is shown is said, and that nobody looked at the one that was asked for.
void tst_LockctlMoments::aMomentSaysWhichItIs()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(u"r.lockscope"_s);
    const auto recorded =
        ctl()({u"record"_s, u"--for"_s, u"300ms"_s, u"--interval"_s, u"100ms"_s, u"--out"_s, path});
    QVERIFY2(recorded.code == 0, recorded.told());
    const record::Span span = (*record::RecordingReader::open(path))->span().value();
    for (const QString& command : {u"list"_s, u"tree"_s}) {
        const auto last = ctl()({command, u"--recording"_s, path});
        QVERIFY2(last.code == 0 && last.err.isEmpty(), last.told());
        QVERIFY2(
            last.out.section(u'\n', 0, 0).endsWith(u" at %1:"_s.arg(span.last.toIsoString())), last.told());
        const auto later = ctl()({command, u"--recording"_s, path, u"--at"_s, u"9999-01-01T00:00:00Z"_s});
        QVERIFY2(later.code == 0 && later.isOneLineOfError(), later.told());
        QVERIFY2(later.err.contains(u"Nobody looked"_s), later.told());
        QVERIFY2(later.out.contains(span.last.toIsoString()), later.told());
        const auto json = ctl()({command, u"--recording"_s, path, u"--json"_s});
        QVERIFY2(!json.json().isEmpty(), json.told());
    }
}

void tst_LockctlMoments::whatCantBeMeantIsRefused_data()
{
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("why");
    const QStringList server{u"--server"_s, u"postgresql://ann@nowhere.invalid/shop"_s};
    QTest::newRow("a recording and a server")
        << QStringList{u"tree"_s, u"--recording"_s, u"FILE"_s} + server << 2 << u"both named"_s;
    QTest::newRow("a range of both") << QStringList{u"range"_s, u"--recording"_s, u"FILE"_s} + server << 2
                                     << u"both named"_s;
    QTest::newRow("watching a recording")
        << QStringList{u"order"_s, u"--recording"_s, u"FILE"_s, u"--for"_s, u"10s"_s} << 2 << u"--for"_s;
    QTest::newRow("nothing") << QStringList{u"list"_s, u"--recording"_s, QString()} << 2 << u"named"_s;
    QTest::newRow("what is not there")
        << QStringList{u"list"_s, u"--recording"_s, u"FOLDER/none.lockscope"_s} << 1 << u"not there"_s;
    QTest::newRow("another file") << QStringList{u"list"_s, u"--recording"_s, u"FOLDER/text"_s} << 2
                                  << u"is no recording"_s;
    QTest::newRow("several into one file") << QStringList{u"record"_s, u"postgresql://a/b"_s,
        u"postgresql://a/c"_s, u"--out"_s, u"FOLDER/none"_s}
                                           << 2 << u"no folder"_s;
}

void tst_LockctlMoments::whatCantBeMeantIsRefused()
{
    QFETCH(QStringList, command);
    QFETCH(int, code);
    QFETCH(QString, why);
    const QTemporaryDir folder;
    const QString path = folder.filePath(u"r.lockscope"_s);
    const auto recorded = ctl()({u"record"_s, u"--for"_s, u"100ms"_s, u"--out"_s, path});
    QVERIFY2(recorded.code == 0, recorded.told());
    QFile text(folder.filePath(u"text"_s));
    QVERIFY(text.open(QIODevice::WriteOnly));
    text.write(QByteArray(4'096, 'x'));
    text.close();
    for (QString& word : command)
        word.replace(u"FILE"_s, path).replace(u"FOLDER"_s, folder.path());
    const auto answer = ctl()(command);
    QVERIFY2(answer.code == code && answer.out.isEmpty() && answer.isOneLineOfError(), answer.told());
    QVERIFY2(answer.err.contains(why), answer.told());
}

/// "There is none" is not said of one that can't be read.
void tst_LockctlMoments::aListOfUnreadableOnesIsNotEmpty()
{
    const auto answer = ctl()({u"recordings"_s, u"list"_s, u"/no/such.lockscope"_s});
    QVERIFY2(answer.code == 1 && answer.out.isEmpty() && answer.isOneLineOfError(), answer.told());
}

/// A copy that lacks the last third: who opens it is told the command that makes a new one of the rest.
void tst_LockctlMoments::whatIsWholeOfADamagedOneIsRecovered()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(u"r.lockscope"_s);
    const QString out = folder.filePath(u"new.lockscope"_s);
    {
        auto writer = test::writeRecording(path);
        QVERIFY(writer);
        test::RandomSnapshots random(8);
        for (int i = 0; i < 300; ++i) {
            const SnapshotPtr snapshot = test::toRecord(random.next());
            QVERIFY(writer->append(snapshot, snapshot->takenAt));
        }
    }
    const record::Span span = (*record::RecordingReader::open(path))->span().value();
    QVERIFY(QFile::resize(path, QFile(path).size() * 2 / 3));
    for (const QStringList& command : {QStringList{u"list"_s, u"--recording"_s, path},
             QStringList{u"tree"_s, u"--recording"_s, path}, QStringList{u"range"_s, u"--recording"_s, path},
             QStringList{u"history"_s, u"held"_s, u"--recording"_s, path},
             QStringList{u"recordings"_s, u"verify"_s, path}}) {
        const auto refused = ctl()(command);
        QVERIFY2(refused.code != 0 && refused.isOneLineOfError(), refused.told());
        QVERIFY2(refused.err.contains(u"damaged"_s)
                && refused.err.contains(u"lockctl recordings recover %1 --out"_s.arg(path)),
            refused.told());
    }
    const QStringList recover{u"recordings"_s, u"recover"_s, path, u"--out"_s, out};
    const auto recovered = ctl()(recover);
    QVERIFY2(recovered.code == 1, recovered.told());
    QVERIFY2(recovered.out.contains(u" moments of "_s), recovered.told());
    QVERIFY2(recovered.err.contains(u"to %1 nothing could be read"_s.arg(span.last.toIsoString())),
        recovered.told());
    const auto verified = ctl()({u"recordings"_s, u"verify"_s, out, u"--json"_s});
    QVERIFY2(verified.code == 0, verified.told());
    const qint64 whole = verified.jsonArray()[0][u"whole"].toInteger();
    QVERIFY2(whole >= 60 && whole < 300, verified.told());
    const auto again = ctl()(recover);
    QVERIFY2(again.code == 2 && again.err.contains(u"already"_s), again.told());
    QVERIFY(QFile::remove(out));
    const auto json = ctl()(recover + QStringList{u"--json"_s});
    QCOMPARE(json.code, 1);
    QCOMPARE(json.json()[u"moments"].toInteger(), whole);
    QCOMPARE(json.json()[u"unread"].toArray().last()[u"to"].toString(), span.last.toIsoString());
    const auto nowhere = ctl()({u"recordings"_s, u"recover"_s, path});
    QVERIFY2(nowhere.code == 2 && nowhere.err.contains(u"--out"_s), nowhere.told());
}

LOCKSCOPE_TEST(tst_LockctlMoments)
#include "tst_LockctlMoments.moc"
