// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The detail of a session beyond the snapshot: its earlier states, and what can be asked for.

#include "tests/support/TestProgram.h"
#include "tests/ui/Desk.h"
#include "ui/views/detail/DetailPane.h"

namespace tst_DetailPane {

using namespace lockscope;
using namespace lockscope::ui;
using test::SnapshotBuilder;

static SnapshotPtr runs(const char* statement, int later)
{
    SnapshotBuilder s(later);
    s.session(63, "web").running(statement);
    return s.take();
}

static Session with(const QString& statement)
{
    Session session;
    session.id = {63};
    session.state = SessionState::Active;
    session.user = u"shop"_s;
    session.database = u"shop"_s;
    session.statement = statement;
    return session;
}

class tst_DetailPane : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itTellsWhatTheSessionDidBefore()
    {
        test::Desk desk;
        DetailPane pane(desk.context);
        pane.resize(400, 800);
        pane.show();
        const std::initializer_list<const char*> statements{
            "BEGIN", "BEGIN", "UPDATE orders SET <b>", "COMMIT"};
        int later = 0;
        SnapshotPtr last;
        for (const char* statement : statements) {
            last = runs(statement, later);
            later += 10;
            pane.noteSnapshot(*last);
        }
        pane.setSubject(last->sessions.front().key());
        pane.showSnapshot(last);
        const QString message = pane.findChild<SectionsText*>(u"detailSections"_s)->text();
        VERIFY_CONTAINS(message, u"BEFORE, AS POLLS SAW IT"_s);
        // Newest first, each once, with the time of the poll that saw it last; what others wrote is plain
        // text.
        QVERIFY(message.indexOf(u"UPDATE orders SET &lt;b&gt;"_s) < message.indexOf(u"BEGIN"_s));
        QCOMPARE(message.count(u"BEGIN"_s), 1);
        QVERIFY(message.contains(u"03:12:27"_s) && message.contains(u"03:12:17"_s));
        QVERIFY(!message.contains(u"COMMIT"_s)); // the present one stands above
        pane.showSnapshot(nullptr);
        pane.setSubject(last->sessions.front().key());
        pane.showSnapshot(last);
        QVERIFY(!pane.findChild<SectionsText*>(u"detailSections"_s)->text().contains(u"BEFORE"_s));
    }

    /// "It ended" is said only where that is known.
    void atAnEarlierTimeItMayNotHaveBegun()
    {
        test::Desk desk;
        DetailPane pane(desk.context);
        pane.setSubject(runs("BEGIN", 10)->sessions.front().key());
        const SnapshotPtr without = SnapshotBuilder(0).take();
        pane.showSnapshot(without);
        const auto* state = pane.findChild<QLabel*>(u"detailState"_s);
        VERIFY_STARTS(state->text(), u"Not there any more"_s);
        desk.context.setPastTime(AppContext::PastTime{without->takenAt, without->takenAt, false});
        pane.showSnapshot(without);
        QCOMPARE(state->text(), u"Not there at %1."_s.arg(clockText(without->takenAt)));
    }

    void whoLeftIsForgotten()
    {
        StatementTrail trail;
        trail.note(*runs("BEGIN", 0));
        const SnapshotPtr second = runs("COMMIT", 2);
        trail.note(*second);
        const SessionKey key = second->sessions.front().key();
        QCOMPARE(trail.before(key).size(), 1);
        trail.note(*SnapshotBuilder(4).take());
        trail.note(*runs("SELECT 1", 6));
        QVERIFY(trail.before(key).isEmpty());
    }

    void onlySoManyStepsAreKept()
    {
        StatementTrail trail;
        SnapshotPtr last;
        for (int i = 0; i < 40; ++i) {
            last = runs(qPrintable(u"SELECT %1"_s.arg(i)), i);
            trail.note(*last);
        }
        const auto steps = trail.before(last->sessions.front().key());
        QCOMPARE(steps.size(), 5);
        QCOMPARE(steps.first().statement, u"SELECT 38"_s);
        QCOMPARE(steps.last().statement, u"SELECT 34"_s);
    }

    void longNamesAreBrokenAndNotCut()
    {
        test::Desk desk;
        DetailPane pane(desk.context);
        pane.resize(pane.minimumWidth(), 800);
        pane.show();
        SnapshotBuilder s;
        s.session(51, "billing");
        s.holds(
            51, "a_schema_of_many_words.databasechangeloglock_of_the_first_tenant", "RowExclusiveLock", 300);
        const SnapshotPtr snapshot = s.take();
        pane.setSubject(snapshot->sessions.front().key());
        pane.showSnapshot(snapshot);
        const auto* sections = pane.findChild<SectionsText*>(u"detailSections"_s);
        QVERIFY(sections->toPlainText().contains(u"databasechangeloglock_of_the_first_tenant"_s));
        QTRY_VERIFY(sections->viewport()->width() > 0);
        QTRY_COMPARE(sections->height(), static_cast<int>(std::ceil(sections->document()->size().height())));
        QVERIFY2(sections->document()->size().width() <= sections->viewport()->width(),
            qPrintable(QString::number(sections->document()->size().width())));
        // The selected text is the shown text, without characters between its letters.
        QVERIFY(!sections->toPlainText().contains(QChar(0x200b)));
    }

    void aPlanIsCopiedOnlyOfWhatCanBePlanned_data()
    {
        test::addColumns<QString, bool>("statement", "possible");
        const auto row = [](const char* statement, bool possible) {
            test::row(statement, statement, possible);
        };
        row("SELECT 1", true);
        row("  update orders set paid = true where id = 1;  ", true);
        row("WITH x AS (SELECT 1) SELECT * FROM x", true);
        row("/* of the shop */ -- and more\nSELECT 1", true);
        row("/* SELECT */ VACUUM orders", false);
        row("VACUUM orders", false);
        row("BEGIN", false);
        row("", false);
        row("SELECT 1; DROP TABLE orders", false); // the second would run
        row("SELECT 1; COMMIT;", false); // and end the read-only transaction
        row("selection", false);
        row("SELECT 1 -- the last line", true);
        row("SELECT 1 \\! touch here", false); // psql would run it, though the server had refused it
        row("SELECT '\x1b[201~'", false); // ends what a terminal takes for pasted
    }
    void aPlanIsCopiedOnlyOfWhatCanBePlanned()
    {
        FETCH(const QString, statement, const bool, possible);
        const ExplainByHand explain = explainByHand(with(statement));
        QCOMPARE(!explain.text.isEmpty(), possible);
        QCOMPARE(explain.reasonAgainst.isEmpty(), possible);
        if (possible) {
            VERIFY_CONTAINS(explain.text, u"BEGIN READ ONLY;\nEXPLAIN (VERBOSE)\n"_s);
            QVERIFY(explain.text.endsWith(u"\n;\nROLLBACK;\n"_s) && !explain.text.contains(u";;"_s));
        }
    }

    void whatIsCutOrHiddenIsNotPlanned()
    {
        const QString whole = u"SELECT '"_s + QString(1'000, u'x') + u"'"_s;
        QVERIFY(!explainByHand(with(whole)).text.isEmpty());
        QVERIFY(
            explainByHand(with(u"SELECT '"_s + QString(1'015, u'x'))).reasonAgainst.contains(u"beginning"_s));
        Session hidden = with(u"SELECT 1"_s);
        hidden.statementVisible = false;
        QVERIFY(explainByHand(hidden).text.isEmpty());
    }

    void parametersNeedAGenericPlan()
    {
        QVERIFY(explainByHand(with(u"SELECT * FROM o WHERE id = $1"_s)).text.contains(u"GENERIC_PLAN"_s));
        QVERIFY(!explainByHand(with(u"SELECT '$' || x FROM o"_s)).text.contains(u"GENERIC_PLAN"_s));
    }

    void progressIsOfferedForLongCommands()
    {
        test::Desk desk;
        DetailPane pane(desk.context);
        pane.show();
        const auto offers = [&](const char* statement) {
            const SnapshotPtr snapshot = runs(statement, 0);
            pane.setSubject(snapshot->sessions.front().key());
            pane.showSnapshot(snapshot);
            return pane.findChild<QPushButton*>(u"askProgress"_s)->isVisible();
        };
        QVERIFY(offers("VACUUM (VERBOSE) orders"));
        QVERIFY(offers("create unique index on orders (id)"));
        QVERIFY(offers("COPY orders FROM stdin"));
        QVERIFY(!offers("SELECT * FROM copy"));
        QVERIFY(!offers("UPDATE orders SET id = 1"));
        offers("REINDEX TABLE orders");
        QSignalSpy asked(&pane, &DetailPane::progressRequested);
        pane.findChild<QPushButton*>(u"askProgress"_s)->click();
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.first().first().value<Session>().id.value, 63);
    }

    void progressOfTheServerIsShown()
    {
        SnapshotBuilder s;
        s.session(63, "backup").running("BACKUP DATABASE shop TO DISK = 'x'");
        s.made().sessions.front().percentDone = 41.7;
        s.made().sessions.front().timeLeft = milliseconds(90'000);
        const SnapshotPtr snapshot = s.take();
        const DetailText text = detailOf(snapshot->sessions.front().key(), *snapshot, {});
        VERIFY_CONTAINS(text.toPlainText(), u"41 % done, about 1 min 30 s left"_s);
    }

    void bothSidesStatementsStandSideBySide()
    {
        test::Desk desk;
        DetailPane pane(desk.context);
        SnapshotBuilder s;
        s.session(51, "billing").idleInTransaction(400).running("UPDATE orders SET paid = true");
        s.session(63, "web").running("ALTER TABLE orders ADD note text");
        s.session(70, "web").running("SELECT 70 FROM orders");
        s.holds(51, "public.orders", "RowExclusiveLock", 400);
        s.waits(63, "public.orders", "AccessExclusiveLock", 60);
        s.waits(70, "public.orders", "AccessShareLock", 30);
        const SnapshotPtr snapshot = s.take();
        const auto* own = pane.findChild<QPlainTextEdit*>(u"detailStatement"_s);
        const auto* other = pane.findChild<QPlainTextEdit*>(u"otherStatement"_s);
        const auto subject = [&](int id) {
            pane.setSubject(snapshot->session({id})->key());
            pane.showSnapshot(snapshot);
            return detailOf(snapshot->session({id})->key(), *snapshot, {});
        };
        pane.resize(700, 600);
        pane.show();
        QCOMPARE(subject(70).otherHeading, u"Statement of 51, which blocks it"_s); // the head of its chain
        QCOMPARE(own->toPlainText(), u"SELECT 70 FROM orders"_s);
        QCOMPARE(other->toPlainText(), u"UPDATE orders SET paid = true"_s);
        QVERIFY(other->isVisible());
        const auto left = [&pane](const QWidget* box) { return box->mapTo(&pane, QPoint()); };
        QTRY_VERIFY(left(own).y() == left(other).y() && left(own).x() + own->width() <= left(other).x());
        pane.resize(300, 900); // too narrow for both
        QTRY_VERIFY(left(own).x() == left(other).x() && left(own).y() + own->height() <= left(other).y());
        QCOMPARE(subject(51).otherHeading, u"Statement of 63, which waits longest"_s);
        QVERIFY(subject(51).toPlainText().endsWith(u"ALTER TABLE orders ADD note text"_s));
        SnapshotBuilder alone;
        alone.session(51, "billing").running("SELECT 1");
        pane.showSnapshot(alone.take());
        QVERIFY(!other->isVisible());
    }
};

LOCKSCOPE_TEST(tst_DetailPane)

} // namespace tst_DetailPane
#include "tst_DetailPane.moc"
