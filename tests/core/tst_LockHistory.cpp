// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/LockHistory.h"
#include "tests/support/TestProgram.h"

#include <QTest>

namespace tst_LockHistory {

using namespace lockscope::test;
using namespace Qt::StringLiterals;

namespace {

const QString name = u"prize"_s;

/// A grant to the session of the same number as its token.
LockHistory::Entry entry(qint64 who, qint64 fencing, qint64 at, qint64 expiresAt)
{
    return {name, QString::number(who), fencing, who, at, expiresAt};
}

void release(LockHistory& history, qint64 who, qint64 at)
{
    history.gone(name, QString::number(who), at);
}

} // namespace

/// The checker passes what is right and finds each fault that is planted.
class tst_LockHistory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // --- Right --------------------------------------------------------------------------------------

    void oneAfterTheOtherIsRight()
    {
        LockHistory history;
        history.granted(entry(1, 10, 100, 200));
        history.prolonged(name, u"1"_s, 300);
        history.registered({name, 1, 2, 500});
        release(history, 1, 250);
        history.granted(entry(2, 11, 251, 350));
        history.granted(entry(3, 12, 350, 450)); // its lease was over
        history.told({name, u"a"_s, 10, 110, 240});
        history.told({name, u"c"_s, 12, 360, 361});
        history.told({name, u"b"_s, 11, 252, 350});
        QCOMPARE(history.faults(), QStringList());
        QCOMPARE(history.grants(), 3);
        QCOMPARE(history.grantsOfWaiters(), 1);
        QCOMPARE(history.holds(), 3);
    }

    void namesHaveNothingToDoWithEachOther()
    {
        LockHistory history;
        history.granted({u"a"_s, u"1"_s, 10, 1, 100, 200});
        history.granted({u"b"_s, u"2"_s, 9, 2, 101, 200});
        history.told({u"a"_s, u"1"_s, 10, 100, 200});
        history.told({u"b"_s, u"2"_s, 9, 101, 200});
        QCOMPARE(history.faults(), QStringList());
    }

    void theDeadAndTheLateMayBePassed()
    {
        LockHistory history;
        history.registered({name, 1, 7, 1000}); // never comes back
        history.registered({name, 2, 8, 90}); // comes back too late
        history.registered({name, 3, 9, 1000});
        history.granted(entry(9, 1, 100, 200));
        history.registered({name, 2, 8, 1000});
        history.unregistered(name, 1);
        QCOMPARE(history.faults(), QStringList());
    }

    void whoGoesOnInANewSessionMayBePassedBefore()
    {
        LockHistory history;
        history.registered({name, 1, 7, 1000});
        history.granted(entry(9, 1, 100, 200));
        history.registered({name, 1, 8, 1000});
        release(history, 9, 150);
        history.granted(entry(8, 2, 160, 200));
        QCOMPARE(history.faults(), QStringList());
    }

    // --- Wrong --------------------------------------------------------------------------------------

    void twoHoldersAreFound()
    {
        LockHistory history;
        history.granted(entry(1, 1, 100, 200));
        history.granted(entry(2, 2, 199, 300));
        finds(history, u"exclusion"_s);
    }

    void aProlongedLeaseCounts()
    {
        LockHistory history;
        history.granted(entry(1, 1, 100, 200));
        history.prolonged(name, u"1"_s, 260);
        history.granted(entry(2, 2, 250, 300));
        finds(history, u"exclusion"_s);
    }

    void twoHoldersWhoTellSoAreFound()
    {
        LockHistory history;
        history.told({name, u"a"_s, 1, 100, 200});
        history.told({name, u"b"_s, 2, 199, 210});
        finds(history, u"exclusion"_s);
    }

    void aLongHoldIsNotForgotten()
    {
        LockHistory history;
        history.told({name, u"a"_s, 1, 100, 1000});
        history.told({name, u"b"_s, 2, 200, 210});
        history.told({name, u"c"_s, 3, 500, 510});
        const QStringList faults = history.faults();
        QCOMPARE(faults.size(), 2);
        QVERIFY(faults.last().contains(u"held by c"_s));
    }

    void aNumberThatFallsBackIsFound()
    {
        LockHistory history;
        history.granted(entry(1, 5, 100, 200));
        release(history, 1, 150);
        history.granted(entry(2, 4, 160, 200));
        finds(history, u"fencing"_s);
    }

    void aNumberThatIsGivenTwiceIsFound()
    {
        LockHistory history;
        history.granted(entry(1, 5, 100, 200));
        history.granted(entry(2, 5, 200, 300));
        finds(history, u"fencing"_s);
    }

    void aNumberThatHoldersSawFallBackIsFound()
    {
        LockHistory history;
        history.told({name, u"a"_s, 5, 100, 110});
        history.told({name, u"b"_s, 4, 120, 130});
        finds(history, u"fencing"_s);
    }

    void whoPassesAWaiterThatIsGrantedLaterIsFound()
    {
        LockHistory history;
        history.registered({name, 1, 7, 1000});
        history.granted(entry(9, 1, 100, 200));
        release(history, 9, 150);
        history.granted(entry(7, 2, 160, 200));
        finds(history, u"queue: ticket 1 of session 7"_s);
    }

    void whoPassesAWaiterThatAsksAgainIsFound()
    {
        LockHistory history;
        history.registered({name, 1, 7, 1000});
        history.registered({name, 2, 8, 1000});
        history.granted(entry(8, 1, 100, 200));
        history.registered({name, 1, 7, 2000});
        finds(history, u"queue: ticket 1 of session 7"_s);
    }

    void whatNobodyWasGrantedIsFound()
    {
        LockHistory history;
        history.granted(entry(1, 1, 100, 200));
        release(history, 2, 150);
        finds(history, u"nobody was granted"_s);
    }

private:
    static void finds(LockHistory& history, const QString& what)
    {
        const QStringList faults = history.faults();
        QCOMPARE(faults.size(), 1);
        QVERIFY2(faults.first().contains(what), qPrintable(faults.first()));
    }
};

LOCKSCOPE_TEST(tst_LockHistory)

} // namespace tst_LockHistory
#include "tst_LockHistory.moc"
