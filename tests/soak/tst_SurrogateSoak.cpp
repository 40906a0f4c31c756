// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Locked tables and keys for long, while clean-ups remove their rows and tables and sessions are ended.
// LOCKSCOPE_SOAK_GRANTS replaces the hundred thousand turns of each.

#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/support/Turns.h"

namespace tst_SurrogateSoak {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;

class tst_SurrogateSoak : public QObject {
    Q_OBJECT

public:
    // By default a test function ends after five minutes.
    tst_SurrogateSoak() { qputenv("QTEST_FUNCTION_TIMEOUT", "28800000"); }

private Q_SLOTS:
    void turns_data()
    {
        addColumns<LockKind, QString, bool>("kind", "cleanUp", "endsSessions");
        const QString keys = u"DELETE FROM lockscope.surrogate_key"_s;
        const QString tables =
            u"DO $$ BEGIN DROP TABLE lockscope.\"surrogate:n\"; PERFORM lockscope.add_surrogate_table('n'); END $$"_s;
        for (const bool endsSessions : {false, true}) {
            const char* more = endsSessions ? ", sessions ended" : "";
            QTest::addRow("keys, clean-ups%s", more) << LockKind::LockedKey << keys << endsSessions;
            QTest::addRow("tables, clean-ups%s", more) << LockKind::LockedTable << tables << endsSessions;
        }
    }
    void turns()
    {
        QFETCH(LockKind, kind);
        QFETCH(QString, cleanUp);
        QFETCH(bool, endsSessions);
        const LockRig rig({Engine::Postgres, kind, LockOwner::Transaction});
        std::ignore = rig.requestFor(u"n"_s);
        makeCountedWork(rig);
        Crowd crowd;
        std::atomic<int> counted = 0;
        constexpr int programs = 8;
        const qint64 requested = qEnvironmentVariableIsSet("LOCKSCOPE_SOAK_GRANTS")
            ? qEnvironmentVariable("LOCKSCOPE_SOAK_GRANTS").toLongLong()
            : 100'000;
        for (int i = 0; i < programs; ++i)
            crowd.join(rig, requested / programs + 1, countingTurns(rig, counted));
        const auto administrator = rig.connect();
        int acts = 0;
        for (; !crowd.isOver(); ++acts) {
            // A new session takes its time: not so often that there are none.
            const bool endsOne = endsSessions && acts % 10 == 0;
            std::ignore = runSql(*administrator, endsOne ? endSomeSession : cleanUp);
            std::this_thread::sleep_for(10ms);
        }
        crowd.finish();
        qInfo(
            "%lld turns, %lld ended by others; overlaps: %lld of those that were kept, %lld with those that were ended; acts of the administrator %d",
            qlonglong(crowd.turns()), qlonglong(crowd.lost()), qlonglong(crowd.overlaps()),
            qlonglong(crowd.overlaps(true)), acts);
        QCOMPARE(crowd.overlaps(), 0);
        const qint64 done = rig.number(u"SELECT done FROM public.work"_s);
        QVERIFY(done >= counted && done <= counted + crowd.lost());
    }
};

LOCKSCOPE_TEST(tst_SurrogateSoak)

} // namespace tst_SurrogateSoak
#include "tst_SurrogateSoak.moc"
