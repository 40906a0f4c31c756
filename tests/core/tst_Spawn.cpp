// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/PlainFile.h"
#include "core/base/Spawn.h"
#include "tests/support/TestProgram.h"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sys/wait.h>

namespace tst_Spawn {

using namespace lockscope;

class TestSpawn : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void failuresAreReported()
    {
        QCOMPARE(spawn({.arguments = {"/no/such/program"}}).error(), ENOENT);
        QCOMPARE(spawn({.arguments = {"/"}}).error(), EACCES);
        QCOMPARE(spawn({.arguments = {"/bin/true"}, .descriptors = {-1, 4'000}}).error(), EBADF);
    }
    /// One that is kept has no number that the program's input, output or another one gets.
    void whatIsKeptIsNotReplaced()
    {
        ProgramStart program{.arguments = {"/bin/true"}, .descriptors = {-1, -1, -1, -1}};
        for (const int number : {0, 2, 3}) {
            program.kept = {5'000, number};
            QCOMPARE(spawn(program).error(), EINVAL);
        }
        program.descriptors.clear();
        program.kept = {2};
        QCOMPARE(spawn(program).error(), EINVAL);
        const Descriptor kept(::fcntl(1, F_DUPFD_CLOEXEC, 4));
        program.descriptors = {-1, -1, -1, -1};
        program.kept = {kept.number()};
        const auto process = spawn(program);
        QVERIFY(process.has_value());
        QCOMPARE(waitpid(*process, nullptr, 0), *process);
    }
    void itGetsWhatIsNamedAndNothingElse()
    {
        const QTemporaryDir folder;
        const QString outputPath = folder.filePath(u"output"_s);
        const QString closedPath = folder.filePath(u"closed"_s);
        QFile output(outputPath);
        QFile closed(closedPath);
        QVERIFY(output.open(QIODevice::ReadWrite) && closed.open(QIODevice::ReadWrite));
        QCOMPARE(fcntl(closed.handle(), F_SETFD, 0), 0);
        const Descriptor kept(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
        ProgramStart program{.arguments = {"/bin/sh", "-c",
                                 "echo $A$HOME; ls -l /proc/$$/fd; cut -d' ' -f1,5 /proc/$$/stat;"
                                 " exec grep -E 'Sig(Blk|Ign)' /proc/self/status"},
            .environment = {"A=b", "PATH=/bin:/usr/bin"},
            .descriptors = {-1, output.handle(), output.handle(), output.handle()},
            .kept = {kept.number()},
            .ignoredSignals = {SIGHUP},
            .leadsGroup = true};
        const auto process = spawn(program);
        QVERIFY(process.has_value());
        int status = -1;
        QCOMPARE(waitpid(*process, &status, 0), *process);
        QCOMPARE(status, 0);
        const QString text = QString::fromLocal8Bit(test::readFile(outputPath));
        QVERIFY(text.startsWith(u"b\n"_s));
        VERIFY_CONTAINS(text, u"0 -> /dev/null\n"_s);
        VERIFY_CONTAINS(text, u"1 -> %1\n"_s.arg(outputPath));
        VERIFY_CONTAINS(text, u"%1 -> /dev/zero\n"_s.arg(kept.number()));
        VERIFY_LACKS(text, closedPath);
        VERIFY_CONTAINS(text, u"\n%1 %1\n"_s.arg(*process));
        VERIFY_CONTAINS(text, u"SigBlk:\t0000000000000000\nSigIgn:\t0000000000000001\n"_s);
    }
};

LOCKSCOPE_TEST(TestSpawn)

} // namespace tst_Spawn
#include "tst_Spawn.moc"
