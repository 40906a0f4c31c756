// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Deadlocks in the window: read from files, seen by the monitor, drawn, explained in words, exported, made to
// happen.

#include "core/watch/IncidentKeeper.h"
#include "tests/support/DeadlockReports.h"
#include "tests/support/GraphText.h"
#include "tests/support/ScenarioRig.h"
#include "tests/ui/Widgets.h"
#include "tests/ui/WindowTest.h"
#include "ui/shell/window/StatusLine.h"
#include "ui/views/deadlocks/DeadlockBook.h"
#include "ui/views/deadlocks/DeadlockWordsView.h"
#include "ui/views/deadlocks/DeadlocksPage.h"
#include "ui/views/deadlocks/FamiliesView.h"
#include "ui/views/deadlocks/ProofPanel.h"
#include "ui/views/scenarios/ScenarioRunner.h"

#include <sys/stat.h>

namespace tst_DeadlocksPage {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

/// The page in a window of its own.
struct Rig {
    QTemporaryDir home;
    QSettings settings{home.filePath(u"page.ini"_s), QSettings::IniFormat};
    AppContext context{settings};
    DeadlockBook book;
    DeadlocksPage page{context, book};

    Rig()
    {
        page.resize(1'000, 700);
        page.show();
    }
    QString write(const QString& name, const QByteArray& text) const
    {
        return test::makeFile(home.filePath(name), text);
    }
    int rows() const { return page.view().tableModel().rowCount(); }
    QString cell(int row, DeadlocksModel::Column column) const
    {
        const QAbstractItemModel& model = page.view().tableModel();
        return model.data(model.index(row, column)).toString();
    }
    QPushButton* button(const QString& text) const
    {
        for (auto* button : page.findChildren<QPushButton*>())
            if (button->text().remove(u'&') == text)
                return button;
        return nullptr;
    }
};

/// Returns the report of two rows, at that time of 2026-11-22.
static deadlock::ReportPtr reportAt(const QString& time)
{
    auto report = std::make_shared<deadlock::DeadlockReport>(
        *deadlock::readReports(twoRowsXml(), u"made"_s).value().first());
    const QDateTime at = QDateTime::fromString(u"2026-11-22T%1Z"_s.arg(time), Qt::ISODate);
    report->time = {ServerTime{at.toMSecsSinceEpoch() * 1'000}, true, time};
    report->source.eventKey += time;
    return report;
}

/// Returns as many deadlocks of other sessions, later than all others.
static QList<DeadlockList::ReportRows> futureRows(int count)
{
    const DeadlockList::ReportRows model = DeadlockList::rowsOfReports({reportAt(u"23:00:00"_s)}).first();
    QList<DeadlockList::ReportRows> all;
    for (int i = 0; i < count; ++i) {
        auto report = std::make_shared<deadlock::DeadlockReport>(*model.report);
        report->time.at = ServerTime{model.report->time.at->us + (i + 1LL) * 86'400'000'000};
        DeadlockRow row = model.rows.front();
        row.deadlock.report = report;
        row.identity.event = u"future%1"_s.arg(i);
        row.identity.sessions = {1'000 + 2 * i, 1'001 + 2 * i};
        row.identity.time = report->time;
        all << DeadlockList::ReportRows{report, {row}};
    }
    return all;
}

/// Two sessions in a ring, on a server called "shop".
static std::shared_ptr<Snapshot> ringOnShop()
{
    return std::make_shared<Snapshot>(
        waitingFromText(u"a: 51 Exclusive, 52 ?Exclusive@990; b: 52 Exclusive, 51 ?Exclusive@991"_s));
}

/// Drops as the desktop does: its window finds the widget at that place. Returns whether the drop was taken.
static bool dropOn(QWidget& widget, const QMimeData& data)
{
    QWidget* window = widget.window();
    const QPoint place = widget.mapTo(window, widget.rect().center());
    QDragEnterEvent enter(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window->windowHandle(), &enter);
    QDragMoveEvent move(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window->windowHandle(), &move);
    if (!move.isAccepted())
        return false;
    QDropEvent event(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window->windowHandle(), &event);
    return event.isAccepted();
}

static bool dropOn(QWidget& widget, const QStringList& files)
{
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& file : files)
        urls << QUrl::fromLocalFile(file);
    data.setUrls(urls);
    data.setText(files.join(u'\n')); // as file managers do
    return dropOn(widget, data);
}

static QByteArray twoRowsOf(const QByteArray& session)
{
    return twoRowsXml().replace("spid=\"51\"", "spid=\"" + session + '"');
}

/// Three sessions in a ring.
static SnapshotPtr ringOfThree()
{
    return std::make_shared<Snapshot>(waitingFromText(
        u"a: 51 Exclusive, 52 ?Exclusive@990; b: 52 Exclusive, 53 ?Exclusive@991; c: 53 Exclusive, 51 ?Exclusive@992"_s));
}

/// The main window, without a server, as small as it is to be usable.
struct WindowRig {
    QTemporaryDir home;
    QSettings settings{home.filePath(u"w.ini"_s), QSettings::IniFormat};
    MainWindow window{settings, {}};
    DeadlockBook& book = *window.findChild<DeadlockBook*>();
    DeadlocksPage& page = pageOf<DeadlocksPage>(window);

    WindowRig()
    {
        window.resize(1'024, 700);
        window.show();
    }
    int rows() const { return page.view().tableModel().rowCount(); }
    QString write(const QString& name, const QByteArray& text) const
    {
        return test::makeFile(home.filePath(name), text);
    }
};

class tst_DeadlocksPage : public QObject {
    Q_OBJECT

    /// The exported page has what was proved, and nothing of who did so.
    static void checkPageWithProof(Rig& rig)
    {
        auto* button = rig.page.findChild<DeadlockExportButton*>();
        QSignalSpy said(button, &ExportMenu::statusMessage);
        button->exportTo(ExportMenu::Form::Html, rig.home.filePath(u"p.html"_s));
        QTRY_COMPARE(said.size(), 1);
        const QByteArray page = readFile(rig.home.filePath(u"p.html"_s));
        QVERIFY(page.contains("One order for all") && page.contains("orders deadlock")
            && page.contains("cures the reproduced deadlock"));
        QVERIFY(page.contains("&quot;variants&quot;")); // the scenario's text
        QVERIFY(!page.contains("secret-name") && !page.contains("app1"));
        QVERIFY(page.size() < 200'000);
    }

private Q_SLOTS:
    void filesAreReadAndListed()
    {
        Rig rig;
        QCOMPARE(rig.page.view().emptyTitle(), u"No deadlock yet"_s);
        QVERIFY(!rig.button(u"Make it happen…"_s)->isEnabled());
        rig.page.openFiles({rig.write(u"a.xdl"_s, twoRowsXml())});
        QTRY_COMPARE(rig.rows(), 1);
        QCOMPARE(rig.cell(0, DeadlocksModel::Sessions), u"51, 52"_s);
        QCOMPARE(rig.cell(0, DeadlocksModel::Victim), u"51"_s);
        VERIFY_CONTAINS(rig.cell(0, DeadlocksModel::Tables), u"orders"_s);
        QVERIFY(rig.button(u"Make it happen…"_s)->isEnabled());
        keepPicture(rig.page, u"deadlocks-page"_s);
    }

    void filesAreDroppedOnTheWindow()
    {
        WindowRig rig;
        QVERIFY(QTest::qWaitForWindowExposed(&rig.window));
        // No server is open: the window stands at its start page until then.
        QVERIFY(!rig.page.isVisible());
        QVERIFY(dropOn(
            rig.window, {rig.write(u"a.xdl"_s, twoRowsXml()), rig.write(u"b.log"_s, twoRowsOf("71"))}));
        QTRY_COMPARE(rig.rows(), 2);
        QVERIFY(rig.page.isVisible());
        QCOMPARE(rig.window.currentPage(), &rig.page);
        // Wherever in the page they are dropped.
        auto* tabs = rig.page.findChild<QTabWidget*>();
        auto* report = rig.page.findChild<QPlainTextEdit*>(u"deadlockReport"_s);
        tabs->setCurrentWidget(report);
        int count = 2;
        for (QWidget* on : {rig.page.view().viewport(), report->viewport()}) {
            const QByteArray first = QByteArray::number(80 + 2 * count);
            const QByteArray second = QByteArray::number(81 + 2 * count);
            QVERIFY2(dropOn(*on,
                         {rig.write(QString::fromUtf8(first) + u".json"_s, twoRowsOf(first)),
                             rig.write(QString::fromUtf8(second) + u".log.1"_s, twoRowsOf(second))}),
                on->parentWidget()->metaObject()->className());
            count += 2;
            QTRY_COMPARE(rig.rows(), count);
        }
        // Other pages have nothing to show.
        rig.window.showPage(u"overview"_s);
        QVERIFY(!rig.window.currentPage()->isVisible());
    }

    void textsOfTicketsArePastedAndDropped()
    {
        WindowRig rig;
        QVERIFY(QTest::qWaitForWindowActive(&rig.window));
        QGuiApplication::clipboard()->setText(QString::fromUtf8(deadlockFile(u"carried/mail.txt"_s)));
        QTest::keyClick(&rig.window, Qt::Key_V, Qt::ControlModifier);
        QTRY_COMPARE(rig.rows(), 1);
        QCOMPARE(rig.window.currentPage(), &rig.page);
        QMimeData text;
        text.setText(QString::fromUtf8(deadlockFile(u"carried/sqlserver-escaped.txt"_s)));
        QVERIFY(dropOn(*rig.page.view().viewport(), text));
        QTRY_COMPARE(rig.rows(), 2);
        text.setText(u"orders"_s);
        QVERIFY(!dropOn(rig.window, text)); // it speaks of no deadlock
        QGuiApplication::clipboard()->clear();
    }

    void dialogOffersAllThatCanBeOpened()
    {
        WindowRig rig;
        QVERIFY(QTest::qWaitForWindowActive(&rig.window));
        QTest::keyClick(&rig.window, Qt::Key_O, Qt::ControlModifier);
        auto* dialog = rig.window.findChild<QFileDialog*>(u"openRecording"_s);
        QVERIFY(dialog);
        for (const char* ending : {"lockscope", "xdl", "xml", "log", "txt", "csv", "json"})
            QVERIFY2(dialog->nameFilters().first().contains(u"*.%1"_s.arg(QLatin1String(ending))), ending);
        QVERIFY(dialog->nameFilters().first().contains(u"*.log.*"_s)); // older ones
        QCOMPARE(dialog->nameFilters().last(), u"All files (*)"_s);
        QCOMPARE(dialog->selectedNameFilter(), dialog->nameFilters().first());
        // Files of other names work: their content counts.
        const QString other = rig.write(u"from-the-ticket"_s, twoRowsXml());
        // The status line says so at once, and not after another message.
        const auto* message = rig.window.findChild<QLabel*>(u"statusMessage"_s);
        rig.window.findChild<StatusLine*>()->say(u"Paused."_s);
        Q_EMIT dialog->filesSelected({other, rig.write(u"b.xdl"_s, twoRowsOf("71"))});
        QCOMPARE(message->accessibleName(), u"Opening 1 file…"_s);
        dialog->close();
        QTRY_COMPARE(rig.rows(), 2);
        QCOMPARE(message->accessibleName(), u"1 new in the list."_s);
    }

    /// The selection follows new deadlocks while it is at the newest, and stays otherwise.
    void newestIsFirstAndChosen()
    {
        Rig rig;
        const auto chosen = [&rig] { return rig.cell(rig.page.view().currentViewRow(), DeadlocksModel::At); };
        rig.book.add({reportAt(u"03:00:00"_s), reportAt(u"05:00:00"_s), reportAt(u"04:00:00"_s)});
        VERIFY_CONTAINS(rig.cell(0, DeadlocksModel::At), u"05:00"_s);
        QVERIFY(rig.cell(2, DeadlocksModel::At).contains(u"03:00"_s));
        QCOMPARE(rig.page.view().currentViewRow(), 0);
        rig.book.add({reportAt(u"06:00:00"_s)});
        QCOMPARE(rig.page.view().currentViewRow(), 0);
        VERIFY_CONTAINS(chosen(), u"06:00"_s);
        QVERIFY(rig.page.findChild<QPlainTextEdit*>(u"deadlockReport"_s)->isEnabled());
        rig.page.view().selectRow(2);
        rig.book.add({reportAt(u"07:00:00"_s)});
        QCOMPARE(rig.page.view().currentViewRow(), 3);
        VERIFY_CONTAINS(chosen(), u"04:00"_s);
        rig.page.view().selectRow(0);
        rig.book.add({reportAt(u"02:00:00"_s), reportAt(u"08:00:00"_s)});
        VERIFY_CONTAINS(chosen(), u"08:00"_s);
        // In another order the first row is not the newest.
        rig.page.view().sortByColumn(DeadlocksModel::At, Qt::AscendingOrder);
        rig.page.view().selectRow(0);
        rig.book.add({reportAt(u"01:00:00"_s)});
        VERIFY_CONTAINS(chosen(), u"02:00"_s);
    }

    /// A right that is missing comes with its remedy, a poll that failed with its reason.
    void whyNothingIsReadStandsAboveTheList()
    {
        Rig rig;
        db::ServerProfile profile;
        profile.name = u"shop"_s;
        watch::ServerWatch watch(profile,
            [](const monitor::ProbeSelection&) {
                return Result<std::unique_ptr<monitor::SnapshotSource>>(
                    failure(ErrorKind::Unsupported, u"none"_s));
            },
            {});
        rig.context.setServer(profile, &watch, nullptr);
        const auto* line = rig.page.findChild<QLabel*>(u"deadlockSource"_s);
        deadlock::SourcePoll poll;
        poll.limits
            << u"The log can't be read: GRANT EXECUTE ON FUNCTION pg_catalog.pg_ls_logdir() TO ops;"_s;
        const ServerTime now = *reportAt(u"03:12:00"_s)->time.at;
        DeadlockRecords records{
            .since = now, .readFrom = now - ServerSession::deadlocksBefore, .latest = {}, .cost = {}};
        records.latest = Result<deadlock::SourcePoll>(poll);
        rig.book.noteRecords(records, u"shop"_s);
        QVERIFY2(line->isVisible() && line->text().contains(u"GRANT EXECUTE"_s), qPrintable(line->text()));
        QVERIFY(!line->text().contains(u"read from"_s)); // from no source
        records.latest =
            Result<deadlock::SourcePoll>(failure(ErrorKind::Connection, u"The connection was lost."_s));
        rig.book.noteRecords(records, u"shop"_s);
        VERIFY_CONTAINS(line->text(), u"can't be read: The connection was lost"_s);
        poll.limits.clear();
        poll.origin = u"PostgreSQL's log (jsonlog)"_s;
        records.latest = Result<deadlock::SourcePoll>(poll);
        rig.book.noteRecords(records, u"shop"_s);
        VERIFY_CONTAINS(line->text(), u"read from 22 Nov 02:12:00 UTC on"_s);
        rig.context.setServer({}, nullptr, nullptr);
    }

    void whatHappenedHasTheWidth()
    {
        WindowRig rig;
        rig.book.add({reportAt(u"03:00:00"_s), deadlock::fromSnapshot(*ringOfThree())});
        rig.window.showPage(u"deadlocks"_s);
        QVERIFY(QTest::qWaitForWindowExposed(&rig.window));
        const TableView& view = rig.page.view();
        for (const int width : {1'024, 1'280, 1'920}) {
            rig.window.resize(width, 700);
            QTRY_COMPARE(view.window()->width(), width);
            QCoreApplication::processEvents();
            const int given = view.columnWidth(DeadlocksModel::Kind);
            QVERIFY2(given * 5 >= view.viewport()->width() * 2,
                qPrintable(u"%1 of %2"_s.arg(given).arg(view.viewport()->width())));
            int sum = 0;
            for (const int column : view.visibleColumns())
                sum += view.columnWidth(column);
            QVERIFY2(sum <= view.viewport()->width(), "no column is out of sight");
        }
    }

    void pictureFitsIntoASmallWindow()
    {
        for (const auto& report :
            {reportAt(u"03:00:00"_s), deadlock::ReportPtr(deadlock::fromSnapshot(*ringOfThree()))}) {
            WindowRig rig;
            rig.book.add({report});
            rig.window.showPage(u"deadlocks"_s);
            QVERIFY(QTest::qWaitForWindowExposed(&rig.window));
            auto* picture = rig.page.findChild<DeadlockPicture*>();
            auto* area = qobject_cast<QScrollArea*>(picture->parentWidget()->parentWidget());
            QVERIFY(area);
            QTRY_VERIFY(picture->height() > 100);
            QCoreApplication::processEvents();
            QCOMPARE(rig.window.size(), QSize(1'024, 700));
            QCOMPARE(area->verticalScrollBar()->maximum(), 0);
            QCOMPARE(area->horizontalScrollBar()->maximum(), 0);
            QVERIFY(rig.page.view().viewport()->height() >= 4 * rig.page.view().rowHeight(0));
        }
    }

    void sameEventComesOnce()
    {
        Rig rig;
        const auto reports = deadlock::readReports(twoRowsXml(), u"made"_s).value();
        QCOMPARE(rig.book.add(reports), 1);
        QCOMPARE(rig.book.add(reports), 0);
        QCOMPARE(rig.rows(), 1);
    }

    void whatCannotBeReadIsReported()
    {
        Rig rig;
        QSignalSpy said(&rig.page, &Page::statusMessage);
        rig.page.openFiles({rig.home.filePath(u"none.xdl"_s),
            rig.write(u"text.log"_s, "nothing of the kind\n"), rig.write(u"a.xdl"_s, twoRowsXml())});
        QTRY_COMPARE(rig.rows(), 1);
        const auto* notice = rig.page.findChild<NoticeBar*>();
        QVERIFY(notice);
        QVERIFY2(notice->text().contains(u"none.xdl"_s) && notice->text().contains(u"text.log"_s),
            qPrintable(notice->text()));
        QVERIFY(!notice->text().contains(u"a.xdl"_s));
    }

    /// A report that is not complete is not shown as if it had been read.
    void whatIsNotWholeIsReported()
    {
        Rig rig;
        const QString pipe = rig.home.filePath(u"pipe.xdl"_s);
        QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), S_IRUSR | S_IWUSR), 0);
        rig.page.openFiles({pipe, test::deadlockFilePath(u"cut-off.xdl"_s),
            test::deadlockFilePath(u"blocked-process.xml"_s), rig.write(u"a.xdl"_s, twoRowsXml())});
        QTRY_COMPARE(rig.rows(), 1);
        const QString message = rig.page.findChild<NoticeBar*>()->text();
        for (const char* file : {"pipe.xdl", "cut-off.xdl", "blocked-process.xml"})
            VERIFY_CONTAINS(message, QLatin1String(file));
    }

    /// Alt and a letter act only where one control on view has it.
    void lettersAreNotGivenTwice()
    {
        Rig rig;
        rig.page.openFiles({rig.write(u"a.xdl"_s, twoRowsXml())});
        QTRY_COMPARE(rig.rows(), 1);
        auto* tabs = rig.page.findChild<QTabWidget*>();
        for (int tab = 0; tab < tabs->count(); ++tab) {
            tabs->setCurrentIndex(tab);
            QStringList keys;
            for (const QAbstractButton* button : rig.page.findChildren<QAbstractButton*>()) {
                if (button->isVisible() && !button->shortcut().isEmpty())
                    keys << button->shortcut().toString();
            }
            for (int each = 0; each < tabs->count(); ++each)
                keys << QKeySequence::mnemonic(tabs->tabText(each)).toString();
            keys.sort();
            QCOMPARE(keys.removeDuplicates(), 0);
        }
    }

    void formsOfOneEventOfPostgresAreOne()
    {
        const QByteArray text =
            "2026-11-22 03:12:07.123 UTC [4711] ann@shop ERROR:  deadlock detected\n"
            "2026-11-22 03:12:07.123 UTC [4711] ann@shop DETAIL:  Process 4711 waits for ShareLock on transaction 800; blocked by process 4712.\n"
            "\tProcess 4712 waits for ShareLock on transaction 801; blocked by process 4711.\n"
            "\tProcess 4711: UPDATE t SET n = 1\n\tProcess 4712: UPDATE t SET n = 2\n";
        const QByteArray csv =
            "2026-11-22 03:12:07.123 UTC,\"ann\",\"shop\",4711,\"[local]\",6741.1267,3,\"UPDATE\",2026-11-22 03:12:00 UTC,3/7,800,ERROR,40P01,\"deadlock detected\",\"Process 4711 waits for ShareLock on transaction 800; blocked by process 4712.\nProcess 4712 waits for ShareLock on transaction 801; blocked "
            "by process 4711.\nProcess 4711: UPDATE t SET n = 1\nProcess 4712: UPDATE t SET n = 2\",\"See server log for query details.\",,,,,,,\"psql\",\"client backend\",,0\n";
        Rig rig;
        const auto read = [](const QByteArray& log) {
            const auto reports = deadlock::readReports(log, u"log"_s);
            return reports ? *reports : QList<deadlock::ReportPtr>();
        };
        QCOMPARE(rig.book.add(read(text)), 1);
        QCOMPARE(rig.book.add(read(csv)), 0);
        // The same two may meet twice in one second: then each form tells it twice.
        const auto later = [](QByteArray log) { return log.replace("07.123", "07.987"); };
        QCOMPARE(rig.book.add(read(later(csv))), 1);
        QCOMPARE(rig.book.add(read(later(text))), 0);
        QCOMPARE(rig.rows(), 2);
    }

    void cycleOfASnapshotComesByItself()
    {
        Rig rig;
        const auto snapshot = ringOnShop();
        rig.book.noteSnapshot(*snapshot, u"shop"_s);
        QCOMPARE(rig.rows(), 1);
        rig.book.noteSnapshot(*snapshot, u"shop"_s); // it lasts over several polls
        QCOMPARE(rig.rows(), 1);
        QCOMPARE(rig.book.unseen(), 0); // the page is on view
    }

    void cycleOfAServerThatIsNotOnViewComesWithABadge()
    {
        const QTemporaryDir home;
        QSettings settings(home.filePath(u"w.ini"_s), QSettings::IniFormat);
        MainWindow window(settings, {});
        window.show();
        const auto* book = window.findChild<DeadlockBook*>();
        const auto badge = [&window] {
            const auto items =
                window.findChild<QListWidget*>(u"pages"_s)->findItems(u"Deadlocks"_s, Qt::MatchExactly);
            return items.isEmpty() ? u"no page"_s
                                   : items.first()->data(Qt::AccessibleDescriptionRole).toString();
        };
        const auto session = [](const QString& name, const SnapshotPtr& snapshot) {
            db::ServerProfile profile;
            profile.name = name;
            return new ServerSession(
                profile, test::sourceOf([snapshot] { return snapshot; }), ServerSession::Options());
        };
        window.openSession(session(u"shop"_s, ringOnShop()));
        auto calm = std::make_shared<Snapshot>(snapshotFromText(u"a: 51 Exclusive"_s));
        window.openSession(session(u"calm"_s, calm)); // that one is on view now, and the page is not
        QTRY_COMPARE(book->unseen(), 1);
        QCOMPARE(badge(), u"1 new deadlock"_s);
        QVERIFY(!window.findChild<DeadlocksPage*>()); // nobody has looked at it
        window.showPage(u"deadlocks"_s);
        QTRY_COMPARE(badge(), QString());
        QCOMPARE(pageOf<DeadlocksPage>(window).view().tableModel().rowCount(), 1);
    }

    void reportOfTheServerReplacesWhatWasSeen()
    {
        Rig rig;
        const auto snapshot = ringOnShop();
        rig.book.noteSnapshot(*snapshot, u"shop"_s);
        const auto report = reportAt(u"00:00:00"_s);
        auto later = std::make_shared<deadlock::DeadlockReport>(*report);
        later->engine = snapshot->engine;
        later->time.at = snapshot->takenAt + microseconds(1'000'000);
        later->time.isZoneKnown = true;
        // A report of another server is another deadlock.
        auto elsewhere = std::make_shared<deadlock::DeadlockReport>(*later);
        elsewhere->source.eventKey += u"elsewhere"_s;
        QCOMPARE(rig.book.add({elsewhere}, u"calm"_s), 1);
        QCOMPARE(rig.rows(), 2);
        QCOMPARE(rig.book.add({later}, u"shop"_s), 1);
        QCOMPARE(rig.rows(), 2);
        // And the other way round: a poll that comes later shows what was reported.
        Rig other;
        QCOMPARE(other.book.add({later}, u"shop"_s), 1);
        other.book.noteSnapshot(*snapshot, u"shop"_s);
        QCOMPARE(other.rows(), 1);
    }

    void otherRingsOfAPollStay()
    {
        Rig rig;
        const auto both = std::make_shared<Snapshot>(waitingFromText(
            u"a: 51 Exclusive, 52 ?Exclusive@990; b: 52 Exclusive, 51 ?Exclusive@991; c: 61 Exclusive, 62 ?Exclusive@990; d: 62 Exclusive, 61 ?Exclusive@991"_s));
        rig.book.noteSnapshot(*ringOnShop(), u"shop"_s);
        rig.book.noteSnapshot(*both, u"shop"_s); // one of them was seen before
        QCOMPARE(rig.rows(), 2);
        auto result = std::make_shared<deadlock::DeadlockReport>(*reportAt(u"00:00:00"_s));
        result->engine = both->engine;
        result->time = {both->takenAt + microseconds(1'000'000), true, {}};
        QCOMPARE(rig.book.add({result}, u"shop"_s), 1);
        QCOMPARE(rig.rows(), 2); // 51 and 52 by the server, 61 and 62 as they were seen
    }

    /// Whichever came first.
    void theOldestGoWhenTheListIsFull()
    {
        DeadlockList list;
        const QString longText(DeadlockList::maxTextLength / 3, u'x');
        const auto add = [&](const QString& time, const QString& event = {}) {
            const auto report = std::make_shared<deadlock::DeadlockReport>(*reportAt(time));
            if (time.isEmpty())
                report->time = {};
            report->source.eventKey += event;
            report->raw = longText;
            return list.add(DeadlockList::rowsOfReports({report}));
        };
        const auto times = [&list] {
            QStringList all;
            for (const DeadlockRow& row : list.rows())
                all << row.identity.time.sourceText;
            return all;
        };
        for (const QString& time : {u"05:00:00"_s, u"03:00:00"_s, u"04:00:00"_s}) {
            QCOMPARE(add(time).deadlocks, 1);
            QCOMPARE(list.leftOut(), 0);
        }
        QCOMPARE(list.leftOutText(), QString());
        const DeadlockList::Came newest = add(u"06:00:00"_s);
        QCOMPARE(newest.deadlocks, 1);
        QCOMPARE(list.leftOut(), 1);
        QVERIFY(newest.isChange);
        const QStringList left{u"06:00:00"_s, u"05:00:00"_s, u"04:00:00"_s};
        QCOMPARE(times(), left);
        // One that is older than all of them is not new in the list, and counted once, however often it
        // comes.
        for (int i = 0; i < 2; ++i) {
            const DeadlockList::Came older = add(u"02:00:00"_s);
            QCOMPARE(older.deadlocks, 0);
            QCOMPARE(list.leftOut(), 2);
            QCOMPARE(older.isChange, i == 0);
            QCOMPARE(times(), left);
        }
        // One without a time goes first, of equal times the one that came first.
        const DeadlockList::Came untimed = add({});
        QCOMPARE(untimed.deadlocks, 0);
        QCOMPARE(list.leftOut(), 3);
        QCOMPARE(times(), left);
        const DeadlockList::Came equal = add(u"04:00:00"_s, u"again"_s);
        QCOMPARE(equal.deadlocks, 1);
        QCOMPARE(list.leftOut(), 4);
        QCOMPARE(times(), left);
        QVERIFY(list.rows().back().identity.event.contains(u"again"_s));
        // One that is in the list again is not left out.
        list.clear();
        QCOMPARE(list.leftOut(), 0);
        for (const QString& time : {u"05:00:00"_s, u"03:00:00"_s, u"04:00:00"_s, u"06:00:00"_s})
            QCOMPARE(add(time).deadlocks, 1);
        QCOMPARE(list.leftOut(), 1);
        list.add(DeadlockList::rowsOfReports({reportAt(u"03:00:00"_s)}), DeadlockList::Cause::OwnAct);
        QCOMPARE(times(), (QStringList{u"06:00:00"_s, u"05:00:00"_s, u"03:00:00"_s}));
        QCOMPARE(list.leftOut(), 1); // 04:00
    }

    /// The user looks for what was just opened.
    void whatIsOpenedIsInTheListAlthoughItIsFull()
    {
        Rig rig;
        QCOMPARE(rig.book.addRows(futureRows(DeadlockList::maxReports)).deadlocks, DeadlockList::maxReports);
        QCOMPARE(rig.book.list().leftOut(), 0);
        QCOMPARE(rig.rows(), DeadlockList::maxReports);
        QSignalSpy said(&rig.page, &Page::statusMessage);
        rig.page.pasteText(QString::fromUtf8(twoRowsOf("71")));
        QTRY_COMPARE(said.count(), 1);
        const QString full = u"The list is full: 1 deadlock was dropped. Clear makes space."_s;
        QCOMPARE(said.takeFirst().first().toString(), u"1 new in the list. "_s + full);
        QCOMPARE(rig.rows(), DeadlockList::maxReports);
        QVERIFY(rig.book.list().has(*deadlock::readReports(twoRowsOf("71"), u"made"_s).value().first()));
        const auto* report = rig.page.findChild<QPlainTextEdit*>(u"deadlockReport"_s);
        VERIFY_CONTAINS(report->toPlainText(), u"71"_s);
        // It is said when it happens, not each time that something is opened.
        rig.page.pasteText(QString::fromUtf8(twoRowsOf("71")));
        QTRY_COMPARE(said.count(), 1);
        QVERIFY(said.takeFirst().first().toString().endsWith(u"; nothing new."_s));
        // When one comes by itself, the oldest goes, which is said, too.
        QSignalSpy changed(&rig.book, &DeadlockBook::changed);
        QCOMPARE(rig.book.addRows(futureRows(2).mid(1)).deadlocks, 0); // it is known
        QCOMPARE(rig.book.list().leftOut(), 1);
        QCOMPARE(changed.count(), 0);
        rig.book.addRows(futureRows(DeadlockList::maxReports + 1).mid(DeadlockList::maxReports));
        VERIFY_CONTAINS(rig.page.findChild<NoticeBar*>()->text(), u"2 deadlocks were dropped."_s);
        QCOMPARE(changed.count(), 1);
        // Also on a page that was not there then.
        const DeadlocksPage late(rig.context, rig.book);
        for (const DeadlocksPage* page : std::initializer_list<const DeadlocksPage*>{&rig.page, &late})
            VERIFY_CONTAINS(page->countText(), u"list full, 2 dropped"_s);
        // What was opened stays, whatever comes.
        rig.book.add(deadlock::readReports(twoRowsXml(), u"made"_s).value());
        QCOMPARE(rig.book.list().leftOut(), 3);
        QCOMPARE(changed.count(), 2);
        QVERIFY(rig.book.list().has(*deadlock::readReports(twoRowsOf("71"), u"made"_s).value().first()));
    }

    void whatIsLeftOutIsCountedUpToALimit()
    {
        DeadlockList list;
        list.add(futureRows(2 * DeadlockList::maxReports));
        QCOMPARE(list.leftOut(), DeadlockList::maxReports);
        VERIFY_CONTAINS(list.leftOutText(), u": 10,000 deadlocks were dropped"_s);
        // The first one that is not counted changes the sentence, the next does not.
        for (const QString& time : {u"01:00:00"_s, u"00:30:00"_s})
            QCOMPARE(list.add(DeadlockList::rowsOfReports({reportAt(time)})).isChange, time == u"01:00:00");
        QCOMPARE(list.leftOut(), DeadlockList::maxReports);
        VERIFY_CONTAINS(list.leftOutText(), u": at least 10,000 deadlocks were dropped"_s);
        list.clear();
        QCOMPARE(list.atLeast(), QString());
        // A ring that was left out is no longer, once the server's record of it is in the list.
        const auto seen = ringOnShop();
        list.add(futureRows(DeadlockList::maxReports));
        list.add(DeadlockList::rowsOfReports({deadlock::fromSnapshot(*seen)}, u"shop"_s));
        QCOMPARE(list.leftOut(), 1);
        auto result = std::make_shared<deadlock::DeadlockReport>(*reportAt(u"00:00:00"_s));
        result->engine = seen->engine;
        result->time = {seen->takenAt + microseconds(1'000'000), true, {}};
        list.add(DeadlockList::rowsOfReports({result}, u"shop"_s), DeadlockList::Cause::OwnAct);
        QVERIFY(list.has(*result));
        QCOMPARE(list.leftOut(), 1); // the oldest of the others
    }

    /// New ones must find a place, however much was opened.
    void whatIsOpenedFillsHalfOfTheList()
    {
        DeadlockList list;
        const auto times = [&list](const QString& time, DeadlockList::Cause cause,
                               qint64 length = DeadlockList::maxTextLength / 3) {
            const auto report = std::make_shared<deadlock::DeadlockReport>(*reportAt(time));
            report->raw = QString(length, u'x');
            list.add(DeadlockList::rowsOfReports({report}), cause);
            QStringList all;
            for (const DeadlockRow& row : list.rows())
                all << row.identity.time.sourceText.left(2);
            return all.join(u' ');
        };
        using enum DeadlockList::Cause;
        times(u"01:00:00"_s, OwnAct);
        times(u"02:00:00"_s, OwnAct);
        QCOMPARE(times(u"03:00:00"_s, Watching), u"03 02 01"_s);
        QCOMPARE(times(u"04:00:00"_s, Watching), u"04 03 02"_s);
        QCOMPARE(times(u"05:00:00"_s, Watching), u"05 04 02"_s);
        // One that is in the list already is opened all the same.
        list.clear();
        times(u"01:00:00"_s, Watching);
        times(u"01:00:00"_s, OwnAct);
        times(u"02:00:00"_s, Watching);
        QCOMPARE(times(u"03:00:00"_s, Watching), u"03 02 01"_s);
        QCOMPARE(times(u"04:00:00"_s, Watching), u"04 03 01"_s);
        // One that is too long for that half leaves it to the others.
        list.clear();
        times(u"01:00:00"_s, OwnAct, DeadlockList::maxTextLength / 9);
        times(u"02:00:00"_s, OwnAct, DeadlockList::maxTextLength / 3 * 2);
        QCOMPARE(times(u"03:00:00"_s, Watching), u"03 01"_s);
    }

    void reportsAreOpenedAndPastedBeforeThePageIsMade()
    {
        const QTemporaryDir home;
        for (const bool isPasted : {false, true}) {
            QSettings settings(home.filePath(u"w%1.ini"_s.arg(int(isPasted))), QSettings::IniFormat);
            MainWindow window(settings, {});
            window.show();
            QVERIFY(QTest::qWaitForWindowActive(&window));
            QVERIFY(!window.findChild<DeadlocksPage*>());
            if (isPasted) {
                QGuiApplication::clipboard()->setText(QString::fromUtf8(deadlockFile(u"carried/mail.txt"_s)));
                QTest::keyClick(&window, Qt::Key_V, Qt::ControlModifier);
            } else {
                QVERIFY(dropOn(window, {test::makeFile(home.filePath(u"a.xdl"_s), twoRowsXml())}));
            }
            auto* page = window.findChild<DeadlocksPage*>();
            QVERIFY(page);
            QTRY_COMPARE(page->view().tableModel().rowCount(), 1);
            QVERIFY(page->isVisible());
            QCOMPARE(window.currentPage(), page);
        }
        QGuiApplication::clipboard()->clear();
    }

    void laterOnesAreNotThereAtAnEarlierTime()
    {
        Rig rig;
        rig.book.add({reportAt(u"03:00:00"_s), reportAt(u"05:00:00"_s)});
        QCOMPARE(rig.rows(), 2);
        const ServerTime at = *reportAt(u"04:00:00"_s)->time.at;
        rig.context.setPastTime(AppContext::PastTime{at, at, true});
        rig.page.showSnapshot(std::make_shared<Snapshot>());
        QCOMPARE(rig.rows(), 1);
        rig.context.setPastTime({});
        rig.page.showSnapshot(std::make_shared<Snapshot>());
        QCOMPARE(rig.rows(), 2);
    }

    void isDrawnAndDescribedInWords()
    {
        Rig rig;
        rig.book.add(deadlock::readReports(twoRowsXml(), u"made"_s).value());
        auto* picture = rig.page.findChild<DeadlockPicture*>();
        QVERIFY(picture && picture->isVisible());
        const QImage image = picture->grab().toImage();
        QSet<QRgb> colours;
        for (int x = 0; x < image.width(); x += 2)
            for (int y = 0; y < image.height(); y += 2)
                colours.insert(image.pixel(x, y));
        QVERIFY(colours.size() > 10); // boxes, lines and words
        QVERIFY(picture->accessibleDescription().contains(u"51"_s));
        const auto text = [&rig](const char* name) {
            return rig.page.findChild<QPlainTextEdit*>(QLatin1StringView(name))->toPlainText();
        };
        const auto* cure = rig.page.findChild<QLabel*>(u"deadlockCure"_s);
        QVERIFY2(
            cure->isVisible() && cure->text().startsWith(u"This is the cure: "_s), qPrintable(cure->text()));
        auto* words = rig.page.findChild<DeadlockWordsView*>();
        QVERIFY2(words->toPlainText().startsWith(cure->text()), "the words begin with it, too");
        QVERIFY(text("deadlockSessions").contains(u"Session 51, the victim"_s));
        QVERIFY(text("deadlockReport").contains(u"<deadlock>"_s));
    }

    /// The cure first, then what happened as steps; the evidence is folded.
    void wordsAreLaidOut()
    {
        Rig rig;
        rig.book.add(deadlock::readReports(twoRowsXml(), u"made"_s).value());
        auto* words = rig.page.findChild<DeadlockWordsView*>();
        const auto place = [words](const QString& text) { return words->toPlainText().indexOf(text); };
        QCOMPARE(place(u"This is the cure: "_s), 0);
        QVERIFY(place(u"What happened"_s) > 0);
        QVERIFY(place(u"What the report shows"_s) > place(u"What happened"_s));
        QVERIFY(place(u"▸ Evidence"_s) > place(u"What the report shows"_s));
        QCOMPARE(place(u"It rests on"_s), -1);
        int steps = 0;
        for (QTextBlock block = words->document()->begin(); block.isValid(); block = block.next())
            steps += block.textList() && block.textList()->format().style() == QTextListFormat::ListDecimal;
        QVERIFY2(steps >= 4, qPrintable(QString::number(steps))); // two held, two waited, and the end
        // Tab and Enter open it, as a click does.
        rig.page.findChild<QTabWidget*>(u"deadlockView"_s)->setCurrentWidget(words);
        words->setFocus();
        QTest::keyClick(words, Qt::Key_Tab);
        QTest::keyClick(words, Qt::Key_Return);
        QVERIFY(place(u"▾ Evidence"_s) > 0);
        QVERIFY(place(u"It rests on"_s) > place(u"▾ Evidence"_s));
        Q_EMIT words->anchorClicked(QUrl(u"evidence"_s));
        QCOMPARE(place(u"It rests on"_s), -1);
        for (const QSize size : {QSize(1'024, 700), QSize(1'280, 800), QSize(1'920, 1'080)}) {
            rig.page.resize(size);
            test::keepPicture(rig.page, u"deadlock-words-%1"_s.arg(size.width()));
        }
        // Text from others is shown as text, in any form.
        QByteArray hostile = twoRowsXml();
        hostile.replace("UPDATE", "&lt;img src='x'&gt;&lt;h1&gt;UPDATE");
        rig.book.add(deadlock::readReports(hostile, u"other"_s).value());
        words->showEvidence(true);
        QVERIFY(!words->toHtml().contains(u"<img"_s));
    }

    void isGivenAwayInEachForm()
    {
        Rig rig;
        rig.book.add(deadlock::readReports(twoRowsXml(), u"made"_s).value());
        auto* button = rig.page.findChild<DeadlockExportButton*>();
        QVERIFY(button && button->isEnabled());
        using Form = ExportMenu::Form;
        QSignalSpy said(button, &ExportMenu::statusMessage);
        for (const auto& [form, name, begin] :
            {std::tuple{Form::Html, u"d.html"_s, QByteArray("<!DOCTYPE html>")},
                {Form::Svg, u"d.svg"_s, QByteArray("<?xml")}, {Form::Png, u"d.png"_s, QByteArray("\x89PNG")},
                {Form::Xdl, u"d.xdl"_s, QByteArray("<")}, {Form::Json, u"d.json"_s, QByteArray("{")},
                {Form::Text, u"d.txt"_s, QByteArray("1 deadlock")},
                {Form::Markdown, u"d.md"_s, QByteArray("# ")},
                {Form::Csv, u"d.csv"_s, QByteArray("table,")}}) {
            const QString path = rig.home.filePath(name);
            said.clear();
            button->exportTo(form, path);
            QCOMPARE(said.size(), 0); // it is written on another thread
            QTRY_COMPARE(said.size(), 1);
            const QByteArray content = readFile(path);
            QVERIFY2(content.toLower().trimmed().startsWith(begin.toLower()), content.left(60).constData());
            if (form == Form::Html)
                QVERIFY2(!content.contains("app1"), "a page to pass on names no host");
        }
        // An exported report is read again as the same deadlock.
        const auto again = deadlock::readReportFile(rig.home.filePath(u"d.xdl"_s));
        QVERIFY(again && again->reports.size() == 1);
        QCOMPARE(again->reports.first()->cycles.size(), 1);
    }

    void becomesAScenario()
    {
        Rig rig;
        const Variable folder("LOCKSCOPE_SCENARIO_DIR", rig.home.filePath(u"scenarios"_s));
        QSignalSpy opened(&rig.page, &Page::openPage);
        rig.book.add(deadlock::readReports(twoRowsXml(), u"made"_s).value());
        auto* make = rig.page.findChild<QPushButton*>(u"proofScenario"_s);
        QVERIFY(!make->isVisible());
        rig.button(u"Make it happen…"_s)->click();
        QVERIFY(make->isVisible());
        make->click();
        QVERIFY(!make->isEnabled());
        QTRY_COMPARE(opened.size(), 1); // the file is written on another thread
        QVERIFY(make->isEnabled());
        QCOMPARE(opened.first().at(0).toString(), u"scenarios"_s);
        const QString id = opened.first().at(1).toString();
        const auto library = scenario::loadLibrary();
        QVERIFY2(library.faults.empty(),
            qPrintable(library.faults.empty() ? QString() : library.faults.front().toString()));
        const auto made = library.find(id);
        QVERIFY2(made, qPrintable(id));
        QCOMPARE(made->sessions, 2);
        // Made again it stays as it was edited.
        const QString path = rig.home.filePath(u"scenarios/%1.json"_s.arg(id));
        QFile file(path);
        QVERIFY2(file.open(QIODevice::Append) && file.write("\n") == 1, qPrintable(path));
        file.close();
        const qint64 edited = QFileInfo(path).size();
        make->click();
        QTRY_COMPARE(opened.size(), 2);
        QCOMPARE(QFileInfo(path).size(), edited);
        // A user who has gone to another page meanwhile stays there.
        make->click();
        rig.page.hide();
        QTRY_VERIFY(make->isEnabled());
        QCOMPARE(opened.size(), 2);
    }

    void familiesAreCountedBeforeAndAfterADate()
    {
        Rig rig;
        rig.book.add({reportAt(u"01:10:00"_s), reportAt(u"01:20:00"_s), reportAt(u"03:05:00"_s)});
        QVERIFY(QTest::qWaitForWindowActive(&rig.page));
        auto* families = rig.page.findChild<FamiliesView*>();
        rig.page.showFamilies(true);
        QVERIFY(families->isVisible());
        const QAbstractItemModel& model = families->table().tableModel();
        QCOMPARE(model.rowCount(), 1);
        const auto cell = [&](const QString& column) {
            return model.index(0, families->table().tableModel().columnOf(column)).data().toString();
        };
        QCOMPARE(cell(u"count"_s), u"3"_s);
        VERIFY_CONTAINS(cell(u"first"_s), u"01:10"_s);
        QCOMPARE(families->chart().counts(), (QList<int>{2, 0, 1})); // for each hour
        const auto* totals = families->findChild<QLabel*>(u"familyTotals"_s);
        QVERIFY2(totals->isVisible() && totals->text().startsWith(u"By application: shop 3."_s),
            qPrintable(totals->text()));
        QCOMPARE(cell(u"before"_s), QString()); // no date is set
        families->setDate(reportAt(u"03:05:00"_s)->time.at);
        QCOMPARE(cell(u"before"_s), u"2"_s);
        QCOMPARE(cell(u"after"_s), u"1"_s);
        // A key leads to the next bar's beginning, and the mouse to the first one.
        families->chart().setFocus();
        QTest::keyClick(&families->chart(), Qt::Key_Right);
        QCOMPARE(cell(u"after"_s), u"0"_s);
        QTest::mouseClick(&families->chart(), Qt::LeftButton, {}, QPoint(10, families->chart().height() / 2));
        QCOMPARE(cell(u"before"_s), u"0"_s);
        // All of the page is theirs.
        QTRY_VERIFY2(
            families->height() * 5 > rig.page.height() * 4, qPrintable(QString::number(families->height())));
        keepPicture(rig.page, u"deadlocks-families"_s);
        // Enter: those of the family.
        families->table().setFocus();
        QTest::keyClick(&families->table(), Qt::Key_Return);
        QVERIFY(!families->isVisible());
        QCOMPARE(rig.rows(), 3);
        rig.page.setFilter(u"family:=another"_s);
        QCOMPARE(rig.rows(), 0);
    }

    void sessionsAreJumpedToWhereTheyAreOnView()
    {
        Rig rig;
        db::ServerProfile profile;
        profile.name = u"shop"_s;
        rig.context.setServer(profile, nullptr, nullptr);
        const auto snapshot = ringOnShop();
        DeadlockRow row = deadlockRows(deadlock::fromSnapshot(*snapshot)).front();
        const auto jump = [&](const QString& text, const SnapshotPtr& onView) {
            const QList<DeadlockJump> all = jumpsOf(row, rig.context, onView);
            const auto found = std::ranges::find_if(
                all, [&text](const DeadlockJump& each) { return each.text.startsWith(text); });
            return found == all.cend() ? DeadlockJump() : *found;
        };
        QVERIFY2(jump(u"Session 51"_s, snapshot).reasonAgainst.contains(u"file"_s),
            "of which server is not known");
        row.identity.server = u"other"_s;
        QVERIFY(jump(u"Session 51"_s, snapshot).reasonAgainst.contains(u"not on view"_s));
        row.identity.server = u"shop"_s;
        QCOMPARE(jump(u"Session 51"_s, snapshot).reasonAgainst, QString());
        QCOMPARE(std::get<SessionKey>(jump(u"Session 51"_s, snapshot).subject).id, SessionId{51});
        QCOMPARE(jump(u"Lock of session 52"_s, snapshot).reasonAgainst, QString());
        QCOMPARE(
            std::get<LockRequestKey>(jump(u"Lock of session 52"_s, snapshot).subject).session, SessionId{52});
        QCOMPARE(jump(u"Audit of session 51"_s, snapshot).filter, u"target:\"session 51\""_s);
        // Its number has another one by now.
        auto later = std::make_shared<Snapshot>(*snapshot);
        for (lockscope::Session& session : later->sessions)
            session.started = snapshot->takenAt + microseconds(60'000'000);
        later->index();
        QVERIFY(jump(u"Session 51"_s, later).reasonAgainst.contains(u"another one"_s));
        QVERIFY(jump(u"Session 51"_s, std::make_shared<Snapshot>()).reasonAgainst.contains(u"not there"_s));
        QVERIFY(jump(u"The time"_s, snapshot).reasonAgainst.contains(u"not recorded"_s));
    }

    void isProvedAndItsPageHasTheProof()
    {
        const ScenarioRig server;
        Rig rig;
        db::ServerProfile profile = server.server().profile;
        profile.name = u"secret-name"_s;
        watch::ServerWatch watch(profile,
            [](const monitor::ProbeSelection&) {
                return Result<std::unique_ptr<monitor::SnapshotSource>>(
                    failure(ErrorKind::Unsupported, u"none"_s));
            },
            {});
        db::Server where = server.server();
        where.profile = profile;
        admin::ServerAdminClient admin(where);
        rig.context.setServerToAsk(where);
        rig.context.setServer(profile, &watch, &admin);
        rig.page.findChild<RunConsent*>()->allow(profile.url); // the question has tests of its own
        rig.book.add(deadlock::readReports(twoRowsXml(), u"made"_s).value());
        rig.button(u"Make it happen…"_s)->click();
        auto* panel = rig.page.findChild<ProofPanel*>();
        QVERIFY(!panel->section());
        rig.page.findChild<QComboBox*>(u"proofWhere"_s)->setCurrentIndex(1);
        auto* start = rig.page.findChild<QPushButton*>(u"startProof"_s);
        QVERIFY2(start->isEnabled(), qPrintable(start->toolTip()));
        start->click();
        QVERIFY2(rig.page.isRunning(), qPrintable(rig.page.findChild<QLabel*>(u"proofSays"_s)->text()));
        QVERIFY(waitUntil([&] { return !rig.page.isRunning(); }, milliseconds(120'000)));
        const auto* table = rig.page.findChild<QTableWidget*>(u"proofTable"_s);
        QVERIFY2(table->rowCount() > 1, qPrintable(rig.page.findChild<QLabel*>(u"proofSays"_s)->text()));
        QVERIFY(table->item(0, 1)->text().startsWith(u"deadlocks in "_s));
        QCOMPARE(table->item(0, 2)->text(), u"it happens"_s);
        QVERIFY(table->item(1, 1)->text().startsWith(u"0 of "_s));
        QCOMPARE(table->item(1, 2)->text(), u"cures the reproduced deadlock"_s);
        keepPicture(rig.page, u"deadlocks-proof"_s);
        // Its family is marked as cured on the server on view.
        auto* cured = rig.page.findChild<QPushButton*>(u"markCured"_s);
        QVERIFY2(cured->isEnabled(), qPrintable(cured->toolTip()));
        VERIFY_CONTAINS(cured->toolTip(), u"One order for all"_s);
        rig.page.findChild<QTableWidget*>(u"proofTable"_s)->selectRow(2); // that is what was done
        cured->click();
        const auto* says = rig.page.findChild<QLabel*>(u"proofSays"_s);
        QVERIFY2(waitUntil([&] { return says->text().contains(u"is marked as cured on"_s); }),
            qPrintable(says->text()));
        const auto report = deadlock::readReports(twoRowsXml(), u"made"_s).value().first();
        const auto cure = (*watch::IncidentStore::open())
                              ->cureOf(watch::causeServer(profile.url),
                                  deadlock::familyOf(deadlock::deadlocksOf(report).first()));
        QVERIFY(cure && *cure);
        QCOMPARE((*cure)->cure, u"Lock the parent first"_s);
        // It is kept while another one is on view: the newer one, which comes first.
        rig.book.add({reportAt(u"03:00:00"_s)});
        QCOMPARE(table->rowCount(), 0);
        rig.page.view().selectRow(1);
        QVERIFY(table->rowCount() > 1);

        checkPageWithProof(rig);
        QCOMPARE(server.remains(), QString());
        rig.context.setServer({}, nullptr, nullptr);
    }

    void proofIsStopped()
    {
        const ScenarioRig server;
        ProofRunner runner;
        const auto report = deadlock::readReports(twoRowsXml(), u"made"_s).value().first();
        const auto made = orDie(scenario::deadlockScenario(deadlock::deadlocksOf(report).first()));
        QSignalSpy ended(&runner, &ProofRunner::ended);
        QSignalSpy progressed(&runner, &ProofRunner::progressed);
        runner.start(server.server(), made.scenario);
        QVERIFY(waitUntil([&] { return !progressed.isEmpty(); }));
        runner.stop();
        QVERIFY(runner.isStopping());
        QVERIFY(waitUntil([&] { return !ended.isEmpty(); }));
        QVERIFY(!runner.isRunning());
        QCOMPARE(server.remains(), QString());
        // At once, too: before its thread has begun.
        runner.start(server.server(), made.scenario);
        runner.stop();
        QVERIFY(waitUntil([&] { return ended.size() == 2; }));
        QCOMPARE(server.remains(), QString());
    }
};

LOCKSCOPE_TEST(tst_DeadlocksPage)

} // namespace tst_DeadlocksPage
#include "tst_DeadlocksPage.moc"
