// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Two processes fight for one lock. An independent witness — a file that can only be created once — says
// whether there were ever two holders.

#include "tests/support/OtherProcess.h"
#include "tests/support/TestProgram.h"

#include <fcntl.h>
#include <unistd.h>

namespace tst_TwoProcesses {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;

constexpr int turnsEach = 500;
enum Exit {
    Fine = 0,
    CannotConnect = 2,
    NotGranted = 3,
    TwoHolders = 4,
    FencingFellBack = 5,
    CannotRelease = 6
};

/// The highest fencing number seen, kept by the lock under test.
class FencingFile {
public:
    explicit FencingFile(const QString& path)
        : m_path(path)
    {
    }
    bool accept(qint64 fencing) const
    {
        QFile file(m_path);
        if (!file.open(QIODevice::ReadWrite))
            return false;
        if (fencing <= file.readAll().toLongLong())
            return false;
        file.resize(0);
        file.seek(0);
        return file.write(QByteArray::number(fencing)) > 0;
    }

private:
    const QString m_path;
};

static Exit takeTurn(const Part& part, db::Connection& connection, LockStrategy& strategy)
{
    const QByteArray witness = (part.arguments[0] + u"/held"_s).toUtf8();
    const bool inTransaction = part.variant.owner == LockOwner::Transaction;
    if (inTransaction && !connection.begin())
        return CannotConnect;
    auto result = strategy.acquire(part.requestFor(u"prize"_s, milliseconds(120'000)));
    if (!result || !isGranted(result->outcome)) {
        std::fprintf(stderr, "%s\n", result ? "not granted" : qPrintable(result.error().toString()));
        return NotGranted;
    }
    const int file = ::open(witness.constData(), O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return TwoHolders;
    ::close(file);
    if (part.variant.isTable()
        && !FencingFile(part.arguments[0] + u"/fencing"_s).accept(result->grant.fencing()))
        return FencingFellBack;
    ::unlink(witness.constData());
    const bool released =
        inTransaction ? connection.commit().has_value() : result->grant.release().has_value();
    return released ? Fine : CannotRelease;
}

static int fight(const Part& part)
{
    const auto connection = db::Server::at(part.url, db::defaultPasswords()).connect();
    if (!connection)
        return CannotConnect;
    const auto strategy = LockStrategy::create(part.variant.kind, **connection);
    if (!strategy)
        return CannotConnect;
    for (int turn = 0; turn < turnsEach; ++turn)
        if (const Exit exit = takeTurn(part, **connection, **strategy); exit != Fine)
            return exit;
    return Fine;
}

class TwoProcesses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void neverBothHold_data() { addVariants(); }
    void neverBothHold()
    {
        const LockRig rig = fetchedRig();
        (void)rig.requestFor(u"prize"_s);
        const QTemporaryDir witness;
        OtherProcess one(u"fighter"_s, rig, {witness.path()});
        OtherProcess two(u"fighter"_s, rig, {witness.path()});
        QCOMPARE(one.wait(), int(Fine));
        QCOMPARE(two.wait(), int(Fine));
        if (rig.variant().isTable()) {
            QVERIFY(readFile(witness.filePath(u"fencing"_s)).toLongLong() >= 2 * turnsEach);
            QCOMPARE(rig.number(u"SELECT count(*) FROM "_s + rig.entryTable()), 0);
        }
    }
};

LOCKSCOPE_TEST_WITH_PARTS(TwoProcesses, playedBy<fight>)

} // namespace tst_TwoProcesses
#include "tst_TwoProcesses.moc"
