// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Four hundred random graphs of many sessions.

#include "tests/support/RandomContention.h"
#include "tests/support/TestProgram.h"

namespace tst_BlockingAgreementSoak {

using namespace lockscope::test;

class tst_BlockingAgreementSoak : public QObject {
    Q_OBJECT

public:
    // By default a test function ends after five minutes.
    tst_BlockingAgreementSoak() { qputenv("QTEST_FUNCTION_TIMEOUT", "28800000"); }

private Q_SLOTS:
    void randomContention()
    {
        int waiters = 0;
        for (unsigned seed = 1; seed <= 400; ++seed) {
            RandomContention contention(TestServer::shared(), {seed, 4 + int(seed % 13), 60});
            const QString difference = contention.run();
            QVERIFY2(
                difference.isEmpty(), qPrintable(QStringLiteral("seed %1, %2").arg(seed).arg(difference)));
            waiters += contention.waiters();
        }
        qInfo("%d waiters compared", waiters);
        QVERIFY(waiters > 10'000);
    }
};

LOCKSCOPE_TEST(tst_BlockingAgreementSoak)

} // namespace tst_BlockingAgreementSoak
#include "tst_BlockingAgreementSoak.moc"
