// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The short form; tst_LockStormSoak is the long one.

#include "tests/support/LockStorm.h"
#include "tests/support/TestProgram.h"

namespace tst_LockStorm {

using namespace lockscope;
using namespace lockscope::test;

class tst_LockStorm : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void postgres() { run({Engine::Postgres, locks::LockKind::Table}, {.grants = 1'500, .overlaps = 10}); }

    void sqlite()
    {
        run({Engine::Sqlite, locks::LockKind::Table},
            {.grants = 400,
                .ways = {StormWay::Library, StormWay::Library, StormWay::Lockctl, StormWay::PlainSql}});
    }

private:
    static void run(LockVariant variant, const LockStorm::Order& order)
    {
        const LockRig rig(variant);
        LockStorm storm(rig, order);
        const QStringList faults = storm.run();
        qInfo("%s", qPrintable(storm.report()));
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(u'\n')));
    }
};

LOCKSCOPE_TEST_WITH_PARTS(tst_LockStorm, playStormPart)

} // namespace tst_LockStorm
#include "tst_LockStorm.moc"
