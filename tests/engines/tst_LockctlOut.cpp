// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Each command that writes a file where --out says: not through a link, and not where others could put
// another file in its place.

#include "tests/support/Lockctl.h"
#include "tests/support/TestProgram.h"

#include <sys/stat.h>

namespace tst_LockctlOut {

using namespace lockscope;
using namespace lockscope::test;

/// {recording}: one that is there.
const QStringList commands{u"record --for 1s --interval 100ms"_s, u"recordings export {recording}"_s,
    u"recordings merge {recording}"_s};

static void setMode(const QString& path, mode_t mode)
{
    QCOMPARE(::chmod(QFile::encodeName(path).constData(), mode), 0);
}

class LockctlOut : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_lockctl = std::make_unique<Lockctl>(
            TestServer::shared().freshDatabase().toString(), TestServer::shared().password());
        for (const QString& folder : {u"XDG_CONFIG_HOME"_s, u"XDG_STATE_HOME"_s, u"XDG_DATA_HOME"_s})
            m_lockctl->set(folder, m_folder.path());
        m_recording = m_folder.filePath(u"recording"_s);
        VERIFY_CODE(0, (*m_lockctl)(line(commands.front(), m_recording)));
    }

    void writesWhereOnlyWeMay_data() { addCommands(); }
    void writesWhereOnlyWeMay()
    {
        QFETCH(QString, command);
        const QTemporaryDir folder;
        VERIFY_CODE(0, (*m_lockctl)(line(command, folder.filePath(u"a"_s))));
        QVERIFY(!contentOf(folder.filePath(u"a"_s)).isEmpty());
    }

    void isRefusedElsewhere_data() { addCommands(); }
    void isRefusedElsewhere()
    {
        QFETCH(QString, command);
        const QTemporaryDir folder;
        const QString kept = folder.filePath(u"kept"_s);
        makeFile(kept, "mine");
        const QString open = folder.filePath(u"open"_s);
        QVERIFY(QDir().mkpath(open));
        setMode(open, 0777);
        QVERIFY(QFile::link(folder.filePath(u"nowhere"_s), folder.filePath(u"dangling"_s)));
        QVERIFY(QFile::link(open, folder.filePath(u"way"_s)));
        QVERIFY(QFile::link(kept, folder.filePath(u"link"_s)));
        for (const QString& place : {open + u"/a"_s, folder.filePath(u"way/a"_s),
                 folder.filePath(u"dangling"_s), folder.filePath(u"link"_s)})
            isRefused(command, place);
        QVERIFY(!QFile::exists(folder.filePath(u"nowhere"_s)));
        QVERIFY(QDir(open).isEmpty());
        QCOMPARE(contentOf(kept), QByteArray("mine"));
        setMode(open, 0700);
    }

    /// The folder was our own when the recording was begun.
    void isNotGoneOnWithInAFolderOfOthers()
    {
        const QString open = freshPath(u"open"_s);
        QVERIFY(QDir().mkpath(open));
        const QString place = open + u"/a"_s;
        VERIFY_CODE(0, (*m_lockctl)(line(commands.front(), place)));
        setMode(open, 0777);
        isRefused(commands.front(), place);
        setMode(open, 0700);
    }

private:
    static void addCommands()
    {
        QTest::addColumn<QString>("command");
        for (const QString& command : commands)
            QTest::newRow(qPrintable(command)) << command;
    }
    QStringList line(const QString& command, const QString& place) const
    {
        return QString(command).replace(u"{recording}"_s, m_recording).split(u' ')
            + QStringList{u"--out"_s, place};
    }
    void isRefused(const QString& command, const QString& place) const
    {
        const auto answer = (*m_lockctl)(line(command, place));
        QVERIFY2(answer.code != 0, qPrintable(command + u" wrote "_s + place));
        QVERIFY2(answer.isOneLineOfError(), answer.allOutput());
    }

    const QTemporaryDir m_folder;
    std::unique_ptr<Lockctl> m_lockctl;
    QString m_recording;
};

LOCKSCOPE_TEST(LockctlOut)

} // namespace tst_LockctlOut
#include "tst_LockctlOut.moc"
