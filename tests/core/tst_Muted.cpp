// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The file of the potential deadlocks that the user has muted.

#include "core/order/OrderTable.h"
#include "tests/support/TestProgram.h"

#include <sys/stat.h>

#include <barrier>

namespace tst_Muted {

using namespace lockscope;
using namespace lockscope::order;

static bool makePipe(const QString& path)
{
    return mkfifo(QFile::encodeName(path).constData(), 0600) == 0;
}

static bool isRefused(const QString& path)
{
    const auto result = mute(u"12345678"_s, u"a title"_s);
    return !result && result.error().kind == ErrorKind::BadInput && result.error().what.contains(path);
}

class tst_Muted : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<QTemporaryDir>();
        m_variable = std::make_unique<test::Variable>("XDG_CONFIG_HOME", m_home->path());
        QVERIFY(QDir().mkpath(m_home->filePath(u"lockscope"_s)));
    }
    void cleanup() { m_variable.reset(); }

    void eachIsALineOfItsOwn()
    {
        QCOMPARE(mutedIds().value(), QSet<QString>());
        QVERIFY(mute(u"aaaa"_s, u"orders\nand stock"_s) && mute(u"bbbb"_s, {}) && mute(u"aaaa"_s, {}));
        QCOMPARE(test::readFile(mutedFile()), "aaaa orders and stock\nbbbb \n");
        QVERIFY(unmute(u"aaaa"_s) && unmute(u"cccc"_s));
        QCOMPARE(mutedIds().value(), QSet<QString>{u"bbbb"_s});
    }

    /// Opening it would wait for its writer, and a device may never end.
    void whatIsNoPlainFileIsRefused()
    {
        QVERIFY(makePipe(mutedFile()));
        VERIFY_FAILS(ErrorKind::BadInput, mutedIds());
        QVERIFY(isRefused(mutedFile()) && !unmute(u"12345678"_s));
        QVERIFY(QFile::remove(mutedFile()) && QFile::link(u"/dev/zero"_s, mutedFile()));
        QVERIFY(!mutedIds() && isRefused(mutedFile()));
        QVERIFY(QFile::remove(mutedFile()) && QDir().mkpath(mutedFile()));
        QVERIFY(!mutedIds() && isRefused(mutedFile()));
        QVERIFY(QDir().rmdir(mutedFile()));
        QVERIFY(mute(u"aaaa"_s, {}));
        QVERIFY(QFile::remove(mutedFile() + u".lock"_s) && makePipe(mutedFile() + u".lock"_s));
        QVERIFY(isRefused(mutedFile() + u".lock"_s));
        QCOMPARE(mutedIds().value(), QSet<QString>{u"aaaa"_s}); // to read it no lock is needed
    }

    void oneThatIsTooLongStaysAsItIs()
    {
        const QByteArray lines = QByteArray("11111111 a title\n").repeated(100'000);
        QFile file(mutedFile());
        QVERIFY(file.open(QIODevice::ReadWrite) && file.write(lines) == lines.size() && file.flush());
        QVERIFY(!mutedIds() && isRefused(mutedFile()) && !unmute(u"11111111"_s));
        QVERIFY(file.seek(0));
        QCOMPARE(file.readAll().size(), lines.size());
    }

    void whatOthersWriteMeanwhileStays()
    {
        constexpr int writers = 8;
        constexpr int each = 20;
        std::barrier ready(writers);
        {
            std::vector<std::jthread> threads;
            for (int writer = 0; writer < writers; ++writer)
                threads.emplace_back([&ready, writer] {
                    ready.arrive_and_wait();
                    for (int i = 0; i < each; ++i) {
                        static_cast<void>(mute(u"%1-%2"_s.arg(writer).arg(i), u"a title"_s));
                        if (i % 2 == 1)
                            static_cast<void>(unmute(u"%1-%2"_s.arg(writer).arg(i)));
                    }
                });
        }
        QSet<QString> requested;
        for (int writer = 0; writer < writers; ++writer)
            for (int i = 0; i < each; i += 2)
                requested << u"%1-%2"_s.arg(writer).arg(i);
        QCOMPARE(mutedIds().value(), requested);
    }

private:
    std::unique_ptr<QTemporaryDir> m_home;
    std::unique_ptr<test::Variable> m_variable;
};

LOCKSCOPE_TEST(tst_Muted)

} // namespace tst_Muted
#include "tst_Muted.moc"
