// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/LockHistory.h"
#include "tests/support/TestProgram.h"

namespace tst_LockHistory {

using namespace lockscope::test;
using namespace Qt::StringLiterals;

/// A history of the name "prize", or of those before a colon: "waits 7 #1 1000, granted 9 #1 100-200,
/// prolonged 9 300, reported 9 #1 110-290, gone 9 295, left #1". First comes the session, by the
/// number of its token; "#" is before a fencing number or a waiter's ticket; then come the times, from and
/// to, or until.
static LockHistory historyFrom(const QString& story)
{
    static const QRegularExpression between(u"[ #-]+"_s);
    LockHistory history;
    for (const QString& part : story.split(u", "_s)) {
        QStringList words = part.split(between);
        const QString name = words.front().endsWith(u':') ? words.takeFirst().chopped(1) : u"prize"_s;
        const QString what = words.takeFirst();
        const QString who = words.front();
        const auto number = [&words](qsizetype place) { return words.value(place).toLongLong(); };
        if (what == u"granted")
            history.granted({name, who, number(1), number(0), number(2), number(3)});
        else if (what == u"prolonged")
            history.prolonged(name, who, number(1));
        else if (what == u"gone")
            history.gone(name, who, number(1));
        else if (what == u"waits")
            history.registered({name, number(1), number(0), number(2)});
        else if (what == u"left")
            history.unregistered(name, number(0));
        else if (what == u"reported")
            history.noteGrant({name, who, number(1), number(2), number(3)});
        else
            qFatal("a story has no %s", qPrintable(what));
    }
    return history;
}

/// The checker accepts correct histories and finds each planted fault.
class tst_LockHistory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneAfterTheOtherIsRight()
    {
        LockHistory history = historyFrom(
            u"granted 1 #10 100-200, prolonged 1 300, waits 2 #1 500, gone 1 250, granted 2 #11 251-350, "
            "granted 3 #12 350-450, reported a #10 110-240, reported c #12 360-361, reported b #11 252-350"_s);
        QCOMPARE(history.faults(), QStringList());
        QCOMPARE(history.grants(), 3);
        QCOMPARE(history.grantsOfWaiters(), 1);
        QCOMPARE(history.holds(), 3);
    }

    void faultsAreFound_data()
    {
        addColumns<QString, QString>("story", "fault"); // none: it is right
        row("names have nothing to do with each other",
            "a: granted 1 #10 100-200, b: granted 2 #9 101-200, a: reported 1 #10 100-200, b: reported 2 #9 101-200",
            "");
        row("the dead and the late may be passed", // 7 never comes back, 8 too late
            "waits 7 #1 1000, waits 8 #2 90, waits 9 #3 1000, granted 9 #1 100-200, waits 8 #2 1000, left #1",
            "");
        row("who goes on in a new session may be passed before",
            "waits 7 #1 1000, granted 9 #1 100-200, waits 8 #1 1000, gone 9 150, granted 8 #2 160-200", "");
        row("two holders", "granted 1 #1 100-200, granted 2 #2 199-300", "exclusion");
        row("a prolonged lease counts", "granted 1 #1 100-200, prolonged 1 260, granted 2 #2 250-300",
            "exclusion");
        row("two holders who tell so", "reported a #1 100-200, reported b #2 199-210", "exclusion");
        row("a number that falls back", "granted 1 #5 100-200, gone 1 150, granted 2 #4 160-200", "fencing");
        row("a number that is given twice", "granted 1 #5 100-200, granted 2 #5 200-300", "fencing");
        row("a number that holders saw fall back", "reported a #5 100-110, reported b #4 120-130", "fencing");
        row("who passes a waiter that is granted later",
            "waits 7 #1 1000, granted 9 #1 100-200, gone 9 150, granted 7 #2 160-200",
            "queue: ticket 1 of session 7");
        row("who passes a waiter that asks again",
            "waits 7 #1 1000, waits 8 #2 1000, granted 8 #1 100-200, waits 7 #1 2000",
            "queue: ticket 1 of session 7");
        row("what nobody was granted", "granted 1 #1 100-200, gone 2 150", "nobody was granted");
    }
    void faultsAreFound()
    {
        FETCH(const QString, story, const QString, fault);
        const QStringList faults = historyFrom(story).faults();
        QCOMPARE(faults.size(), fault.isEmpty() ? 0 : 1);
        if (!fault.isEmpty())
            VERIFY_CONTAINS(faults.first(), fault);
    }

    void aLongHoldIsNotForgotten()
    {
        const QStringList faults =
            historyFrom(u"reported a #1 100-1000, reported b #2 200-210, reported c #3 500-510"_s).faults();
        QCOMPARE(faults.size(), 2);
        QVERIFY(faults.last().contains(u"held by c"_s));
    }
};

LOCKSCOPE_TEST(tst_LockHistory)

} // namespace tst_LockHistory
#include "tst_LockHistory.moc"
