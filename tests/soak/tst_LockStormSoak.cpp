// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Hours: a million grants under kill -9, stops, cuts, stalls and crashes of the server; a hundred thousand
// while plain INSERTs stay open. LOCKSCOPE_SOAK_GRANTS replaces the million, LOCKSCOPE_SOAK_SEED the seed.

#include "tests/support/LockStorm.h"
#include "tests/support/TestProgram.h"

namespace tst_LockStormSoak {

using namespace lockscope;
using namespace lockscope::test;

static qint64 fromEnvironment(const char* name, qint64 otherwise)
{
    return qEnvironmentVariableIsSet(name) ? qEnvironmentVariable(name).toLongLong() : otherwise;
}

class tst_LockStormSoak : public QObject {
    Q_OBJECT

public:
    // By default a test function ends after five minutes.
    tst_LockStormSoak() { qputenv("QTEST_FUNCTION_TIMEOUT", "28800000"); }

private Q_SLOTS:
    void millionGrants()
    {
        run({.grants = fromEnvironment("LOCKSCOPE_SOAK_GRANTS", 1'000'000), .names = 8, .strikes = 2s});
    }

    void fencingWithOpenInserts()
    {
        LockStorm::Order order;
        order.grants = std::min<qint64>(fromEnvironment("LOCKSCOPE_SOAK_GRANTS", 100'000), 100'000);
        order.overlaps = order.grants / 1'000;
        order.strikes.reset();
        run(order);
    }

    void file()
    {
        run({.grants = fromEnvironment("LOCKSCOPE_SOAK_GRANTS", 100'000),
                .ways = {StormWay::Library, StormWay::Library, StormWay::Lockctl, StormWay::PlainSql}},
            Engine::Sqlite);
    }

private:
    static void run(LockStorm::Order order, Engine engine = Engine::Postgres)
    {
        const LockRig rig({engine, locks::LockKind::Table});
        order.seed = unsigned(fromEnvironment("LOCKSCOPE_SOAK_SEED", 1));
        order.patience = 7h;
        LockStorm storm(rig, order);
        const QStringList faults = storm.run();
        qInfo("%s", qPrintable(storm.report()));
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(u'\n')));
    }
};

LOCKSCOPE_TEST_WITH_PARTS(tst_LockStormSoak, playStormPart)

} // namespace tst_LockStormSoak
#include "tst_LockStormSoak.moc"
