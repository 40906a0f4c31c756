// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/PlainFile.h"
#include "tests/support/TestProgram.h"

#include <cerrno>
#include <unistd.h>

namespace tst_PlainFile {

using namespace lockscope;
using Links = PlainFile::Links;
using Others = PlainFile::Others;

static QString refusal(const QString& path, Others allowed, Links links = Links::Refuse)
{
    const auto reason = PlainFile(path, links).reasonAgainst(allowed);
    return reason ? reason->what : QString();
}

class tst_PlainFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    /// Another file in the same place changes nothing for one that is open.
    void readsWhatItOpened()
    {
        const QString path = made(u"rules"_s, "judged");
        const PlainFile file(path, Links::Refuse);
        QVERIFY(QFile::rename(made(u"other"_s, "swapped", 0666), path + u".new"_s));
        QVERIFY(QFile::remove(path) && QFile::rename(path + u".new"_s, path));
        QVERIFY(!file.reasonAgainst(Others::Nothing));
        QCOMPARE(file.read(100).value_or("none"), "judged"_qba);
        QCOMPARE(PlainFile(path).read(4).value_or("none"), "swap"_qba);
    }

    void refusesWhatIsNoPlainFile()
    {
        const QString path = made(u"real"_s, "text");
        const QString link = m_folder->filePath(u"link"_s);
        const QString pipe = m_folder->filePath(u"pipe"_s);
        QVERIFY(QFile::link(path, link));
        QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        QCOMPARE(refusal(link, Others::Anything), u"it is a link"_s);
        QCOMPARE(refusal(link, Others::Anything, Links::Follow), QString());
        for (const QString& place : {pipe, m_folder->path()}) {
            QCOMPARE(refusal(place, Others::Anything), u"it is no plain file"_s);
            QCOMPARE(readTextFile(place).error().what, u"%1 is no plain file."_s.arg(place));
            QCOMPARE(readTrustedFile(place).error().what, u"%1 is no plain file."_s.arg(place));
        }
        const QString none = m_folder->filePath(u"none"_s);
        QCOMPARE(readTextFile(none).error().what, u"Can't read %1: %2"_s.arg(none, qt_error_string(ENOENT)));
        const QString large = made(u"large"_s, QByteArray(1'024 * 1'024 + 1, 'x'));
        QCOMPARE(readTextFile(large).error().what, u"%1 is larger than a megabyte."_s.arg(large));
        QCOMPARE(readTextFile(link).value_or("none"), "text"_qba);
    }

    void refusesWhatOthersMayDo_data()
    {
        test::addColumns<int, Others, QString>("mode", "allowed", "why");
        const QString change = u"others may change it"_s;
        const QString read = u"others may read it"_s;
        test::row("anything", 0666, Others::Anything, QString());
        test::row("all may read", 0644, Others::Read, QString());
        test::row("all may write", 0646, Others::Read, change);
        test::row("private", 0600, Others::Nothing, QString());
        test::row("all may read what is private", 0604, Others::Nothing, read);
        test::row("the group may read what is private", 0640, Others::Nothing, read);
        test::row(
            "the group of a key", 0640, Others::ReadByRootsGroup, (::geteuid() == 0 ? QString() : read));
        test::row("all may read a key", 0644, Others::ReadByRootsGroup, read);
    }
    void refusesWhatOthersMayDo()
    {
        FETCH(const int, mode, const Others, allowed);
        const QString path = made(u"file"_s, "text", mode_t(mode));
        QTEST(refusal(path, allowed), "why");
        if (::geteuid() != 0 || allowed == Others::Anything)
            return;
        QCOMPARE(::chown(QFile::encodeName(path).constData(), 65'534, 65'534), 0);
        QCOMPARE(refusal(path, allowed), u"it belongs to another account"_s);
    }

    void trustsNoFileThatOthersCouldChange()
    {
        const QString path = made(u"rules"_s, "text");
        QCOMPARE(readTrustedFile(path).value_or("none"), "text"_qba);
        const QString link = m_folder->filePath(u"link"_s);
        QVERIFY(QFile::link(path, link));
        QCOMPARE(readTrustedFile(link).value_or("none"), "text"_qba);
        QCOMPARE(readTrustedFile(made(u"open"_s, "text", 0606)).error().what,
            u"%1 is not used: another account may write to that file."_s.arg(m_folder->filePath(u"open"_s)));
        QCOMPARE(::chmod(QFile::encodeName(m_folder->path()).constData(), 0707), 0);
        const auto refused = readTrustedFile(path);
        VERIFY_FAILS(ErrorKind::Permission, refused);
        VERIFY_CONTAINS(refused.error().what, u"could put a file in its place");
    }

    /// A stranger who can write to the folder of a link changes its target all the time: only the good file
    /// is read.
    void trustsNoFileThatIsSwappedMeanwhile()
    {
        QVERIFY(QDir(m_folder->path()).mkdir(u"open"_s));
        const QString open = m_folder->filePath(u"open"_s);
        QCOMPARE(::chmod(QFile::encodeName(open).constData(), 0777), 0);
        const QByteArray good = QFile::encodeName(made(u"good"_s, "good"));
        const QByteArray evil = QFile::encodeName(made(u"open/evil"_s, "evil"));
        const QString path = open + u"/rules"_s;
        const QByteArray name = QFile::encodeName(path);
        std::jthread other([&](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                for (const QByteArray& target : {good, evil}) {
                    ::unlink(name.constData());
                    static_cast<void>(::symlink(target.constData(), name.constData()));
                }
            }
        });
        int wrong = 0;
        for (int i = 0; i < 2'000; ++i)
            wrong += readTrustedFile(path).value_or("good") == "good" ? 0 : 1;
        other.request_stop();
        other.join();
        QCOMPARE(wrong, 0);
    }

private:
    QString made(const QString& name, const QByteArray& content, mode_t mode = 0600) const
    {
        const QString path = m_folder->filePath(name);
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()
            || ::fchmod(file.handle(), mode) != 0)
            qFatal("%s can't be made", qPrintable(path));
        return path;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

LOCKSCOPE_TEST(tst_PlainFile)

} // namespace tst_PlainFile
#include "tst_PlainFile.moc"
