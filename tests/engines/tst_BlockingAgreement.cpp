// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The short form; tst_BlockingAgreementSoak is the long one.

#include "tests/support/RandomContention.h"
#include "tests/support/TestProgram.h"

#include <QTest>

namespace tst_BlockingAgreement {

using namespace lockscope::test;

/// The waits that we work out from pg_locks alone are those that the server itself names.
class tst_BlockingAgreement : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void randomContention_data()
    {
        QTest::addColumn<unsigned>("seed");
        for (unsigned seed = 1; seed <= 25; ++seed)
            QTest::addRow("seed %u", seed) << seed;
    }

    void randomContention()
    {
        QFETCH(const unsigned, seed);
        RandomContention contention(TestServer::shared(), {seed});
        QCOMPARE(contention.run(), QString());
        QVERIFY(contention.waiters() > 0);
    }
};

LOCKSCOPE_TEST(tst_BlockingAgreement)

} // namespace tst_BlockingAgreement
#include "tst_BlockingAgreement.moc"
