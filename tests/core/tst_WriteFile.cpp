// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/PlainFile.h"
#include "tests/support/TestProgram.h"

#include <sys/stat.h>
#include <unistd.h>

namespace tst_WriteFile {

using namespace lockscope;

static void setMode(const QString& folder, mode_t mode)
{
    QCOMPARE(::chmod(QFile::encodeName(folder).constData(), mode), 0);
}

class tst_WriteFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void replacesWhatIsThere()
    {
        const QString path = test::freshPath(u"plan.txt"_s);
        QVERIFY(writeFile(path, "one"));
        QVERIFY(writeFile(path, "two"));
        QCOMPARE(test::contentOf(path), QByteArray("two"));
    }

    void followsNoLink()
    {
        const QTemporaryDir folder;
        const QString kept = folder.filePath(u"kept"_s);
        const QString link = folder.filePath(u"link"_s);
        QVERIFY(writeFile(kept, "mine"));
        QVERIFY(QFile::link(kept, link));
        const auto written = writeFile(link, "evil");
        VERIFY_FAILS(ErrorKind::BadInput, written);
        VERIFY_CONTAINS(written.error().what, u"it is a link");
        QCOMPARE(test::contentOf(kept), QByteArray("mine"));
        const QString dangling = folder.filePath(u"dangling"_s);
        QVERIFY(QFile::link(folder.filePath(u"nowhere"_s), dangling));
        QVERIFY(!writeFile(dangling, "evil"));
        QVERIFY(!QFileInfo::exists(folder.filePath(u"nowhere"_s)));
    }

    void refusesAFolderOfOthers()
    {
        const QTemporaryDir folder;
        const QString open = folder.filePath(u"open"_s);
        QVERIFY(QDir().mkpath(open + u"/below"_s));
        setMode(open, 0777);
        for (const QString& path : {open + u"/a"_s, open + u"/below/a"_s}) {
            const auto written = writeFile(path, "x");
            QVERIFY(!written);
            VERIFY_CONTAINS(written.error().what, u"others may write to the folder");
            QVERIFY(!QFileInfo::exists(path));
        }
        // A link to it leads there, too.
        const QString link = folder.filePath(u"way"_s);
        QVERIFY(QFile::link(open, link));
        QVERIFY(!writeFile(link + u"/a"_s, "x"));
        // In a sticky one nobody can take our file away.
        setMode(open, 01777);
        QVERIFY(writeFile(open + u"/a"_s, "x"));
        setMode(open, 0700);
        if (::geteuid() != 0)
            return;
        QCOMPARE(::chown(QFile::encodeName(open).constData(), 65'534, 65'534), 0);
        QVERIFY(!writeFile(open + u"/b"_s, "x"));
    }

    void refusesWhatIsNoFile()
    {
        const QTemporaryDir folder;
        const QString pipe = folder.filePath(u"pipe"_s);
        QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        QVERIFY(!writeFile(pipe, "x"));
        QVERIFY(!writeFile(folder.path(), "x"));
        QVERIFY(!writeFile(folder.filePath(u"no/such/folder"_s), "x"));
    }

    /// In a folder that everybody may write to, a stranger makes and removes a link all the time.
    void followsNoLinkThatComesMeanwhile()
    {
        const QTemporaryDir folder;
        const QString open = folder.filePath(u"open"_s);
        QVERIFY(QDir().mkpath(open));
        setMode(open, 01777);
        const QByteArray kept = QFile::encodeName(folder.filePath(u"kept"_s));
        QVERIFY(writeFile(QFile::decodeName(kept), "mine"));
        const QString path = open + u"/plan.txt"_s;
        const QByteArray name = QFile::encodeName(path);
        std::jthread other([&](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                static_cast<void>(::symlink(kept.constData(), name.constData()));
                ::unlink(name.constData());
            }
        });
        int written = 0;
        for (int i = 0; i < 2'000; ++i)
            written += writeFile(path, "evil") ? 1 : 0;
        other.request_stop();
        other.join();
        QVERIFY(written > 0);
        QCOMPARE(test::contentOf(QFile::decodeName(kept)), QByteArray("mine"));
        const QStringList left = QDir(open).entryList(QDir::Files | QDir::Hidden | QDir::System);
        QVERIFY2(left.size() <= 1, qPrintable(left.join(u' ')));
    }

    void keepsTheRightsOfTheFile()
    {
        const QString path = test::freshPath(u"plan.txt"_s);
        QVERIFY(writeFile(path, "one"));
        QCOMPARE(::chmod(QFile::encodeName(path).constData(), 0640), 0);
        QVERIFY(writeFile(path, "two"));
        struct stat after { };
        QCOMPARE(::stat(QFile::encodeName(path).constData(), &after), 0);
        QCOMPARE(after.st_mode & 0777, mode_t(0640));
    }
};

LOCKSCOPE_TEST(tst_WriteFile)

} // namespace tst_WriteFile
#include "tst_WriteFile.moc"
