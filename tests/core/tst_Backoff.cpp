// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Backoff.h"
#include "tests/support/TestProgram.h"

namespace tst_Backoff {

using namespace lockscope;
using lockscope::Backoff;

class tst_Backoff : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void doublesUpToTheLongest()
    {
        Backoff backoff(milliseconds(100), milliseconds(1000));
        for (const qint64 plain : {100, 200, 400, 800, 1000, 1000, 1000}) {
            const qint64 wait = backoff.next().count();
            QVERIFY2(wait >= plain * 8 / 10 && wait <= plain * 12 / 10, qPrintable(QString::number(wait)));
        }
        QCOMPARE(backoff.attempts(), 7);
    }

    void startsAgainAfterReset()
    {
        Backoff backoff(milliseconds(100), milliseconds(1000));
        for (int i = 0; i < 10; ++i)
            backoff.next();
        backoff.reset();
        QCOMPARE(backoff.attempts(), 0);
        QVERIFY(backoff.next() <= milliseconds(120));
    }

    void neverOverflows()
    {
        Backoff backoff;
        for (int i = 0; i < 10'000; ++i) {
            const milliseconds wait = backoff.next();
            QVERIFY(wait > milliseconds(0) && wait <= milliseconds(36'000));
        }
    }

    void manyClientsDoNotArriveAtOnce()
    {
        std::set<milliseconds> waits;
        for (int i = 0; i < 100; ++i)
            waits.insert(Backoff(milliseconds(10'000)).next());
        QVERIFY(waits.size() > 50);
    }
};

LOCKSCOPE_TEST(tst_Backoff)

} // namespace tst_Backoff
#include "tst_Backoff.moc"
