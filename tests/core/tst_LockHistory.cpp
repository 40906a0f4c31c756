// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/DataRows.h"
#include "tests/support/LockHistory.h"
#include "tests/support/TestProgram.h"

#include <QTest>

#include <functional>

namespace tst_LockHistory {

using namespace lockscope::test;
using namespace Qt::StringLiterals;

namespace {

using Story = std::function<void(LockHistory&)>;
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

    void faultsAreFound_data()
    {
        addColumns<Story, QString>("story", "fault"); // none: it is right
        row("names have nothing to do with each other", Story([](LockHistory& history) {
            history.granted({u"a"_s, u"1"_s, 10, 1, 100, 200});
            history.granted({u"b"_s, u"2"_s, 9, 2, 101, 200});
            history.told({u"a"_s, u"1"_s, 10, 100, 200});
            history.told({u"b"_s, u"2"_s, 9, 101, 200});
        }),
            QString());
        row("the dead and the late may be passed", Story([](LockHistory& history) {
            history.registered({name, 1, 7, 1000}); // never comes back
            history.registered({name, 2, 8, 90}); // comes back too late
            history.registered({name, 3, 9, 1000});
            history.granted(entry(9, 1, 100, 200));
            history.registered({name, 2, 8, 1000});
            history.unregistered(name, 1);
        }),
            QString());
        row("who goes on in a new session may be passed before", Story([](LockHistory& history) {
            history.registered({name, 1, 7, 1000});
            history.granted(entry(9, 1, 100, 200));
            history.registered({name, 1, 8, 1000});
            release(history, 9, 150);
            history.granted(entry(8, 2, 160, 200));
        }),
            QString());
        row("two holders", Story([](LockHistory& history) {
            history.granted(entry(1, 1, 100, 200));
            history.granted(entry(2, 2, 199, 300));
        }),
            "exclusion");
        row("a prolonged lease counts", Story([](LockHistory& history) {
            history.granted(entry(1, 1, 100, 200));
            history.prolonged(name, u"1"_s, 260);
            history.granted(entry(2, 2, 250, 300));
        }),
            "exclusion");
        row("two holders who tell so", Story([](LockHistory& history) {
            history.told({name, u"a"_s, 1, 100, 200});
            history.told({name, u"b"_s, 2, 199, 210});
        }),
            "exclusion");
        row("a number that falls back", Story([](LockHistory& history) {
            history.granted(entry(1, 5, 100, 200));
            release(history, 1, 150);
            history.granted(entry(2, 4, 160, 200));
        }),
            "fencing");
        row("a number that is given twice", Story([](LockHistory& history) {
            history.granted(entry(1, 5, 100, 200));
            history.granted(entry(2, 5, 200, 300));
        }),
            "fencing");
        row("a number that holders saw fall back", Story([](LockHistory& history) {
            history.told({name, u"a"_s, 5, 100, 110});
            history.told({name, u"b"_s, 4, 120, 130});
        }),
            "fencing");
        row("who passes a waiter that is granted later", Story([](LockHistory& history) {
            history.registered({name, 1, 7, 1000});
            history.granted(entry(9, 1, 100, 200));
            release(history, 9, 150);
            history.granted(entry(7, 2, 160, 200));
        }),
            "queue: ticket 1 of session 7");
        row("who passes a waiter that asks again", Story([](LockHistory& history) {
            history.registered({name, 1, 7, 1000});
            history.registered({name, 2, 8, 1000});
            history.granted(entry(8, 1, 100, 200));
            history.registered({name, 1, 7, 2000});
        }),
            "queue: ticket 1 of session 7");
        row("what nobody was granted", Story([](LockHistory& history) {
            history.granted(entry(1, 1, 100, 200));
            release(history, 2, 150);
        }),
            "nobody was granted");
    }
    void faultsAreFound()
    {
        QFETCH(const Story, story);
        QFETCH(const QString, fault);
        LockHistory history;
        story(history);
        const QStringList faults = history.faults();
        QCOMPARE(faults.size(), fault.isEmpty() ? 0 : 1);
        if (!fault.isEmpty())
            VERIFY_CONTAINS(faults.first(), fault);
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
};

LOCKSCOPE_TEST(tst_LockHistory)

} // namespace tst_LockHistory
#include "tst_LockHistory.moc"
