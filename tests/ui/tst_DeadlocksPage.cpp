// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Deadlocks in the window: read from files, seen by the monitor, drawn, explained in words, exported.

#include "core/watch/ServerWatch.h"
#include "tests/support/TakenSnapshot.h"
#include "tests/ui/DeadlockDesk.h"
#include "tests/ui/WindowTest.h"
#include "ui/shell/window/StatusLine.h"
#include "ui/views/deadlocks/DeadlockWordsView.h"
#include "ui/views/deadlocks/FamiliesView.h"

#include <sys/stat.h>

namespace tst_DeadlocksPage {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

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

/// Three sessions in a ring.
static SnapshotPtr ringOfThree()
{
    return std::make_shared<Snapshot>(waitingFromText(
        u"a: 51 Exclusive, 52 ?Exclusive@990; b: 52 Exclusive, 53 ?Exclusive@991; c: 53 Exclusive, 51 ?Exclusive@992"_s));
}

/// The main window, without a server, as small as it is to be usable.
struct WindowRig : OwnSettings {
    MainWindow window{settings, {}};
    DeadlockBook& book = *window.findChild<DeadlockBook*>();

    WindowRig()
    {
        window.resize(1'024, 700);
        window.show();
    }
    /// Makes the page if nobody has looked at it yet.
    DeadlocksPage& page() const { return pageOf<DeadlocksPage>(window); }
    int rows() const { return page().view().tableModel().rowCount(); }
};

class tst_DeadlocksPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void filesAreReadAndListed()
    {
        DeadlockDesk rig;
        QCOMPARE(rig.page.view().emptyTitle(), u"No deadlock yet"_s);
        QVERIFY(!buttonIn(rig.page, u"Make it happen…"_s)->isEnabled());
        rig.page.openFiles({rig.write(u"a.xdl"_s, twoRowsXml())});
        QTRY_COMPARE(rig.rows(), 1);
        QCOMPARE(rig.cell(0, DeadlocksModel::Sessions), u"51, 52"_s);
        QCOMPARE(rig.cell(0, DeadlocksModel::Victim), u"51"_s);
        VERIFY_CONTAINS(rig.cell(0, DeadlocksModel::Tables), u"orders"_s);
        QVERIFY(buttonIn(rig.page, u"Make it happen…"_s)->isEnabled());
        keepPicture(rig.page, u"deadlocks-page"_s);
    }

    void filesAreDroppedOnTheWindow()
    {
        WindowRig rig;
        QVERIFY(QTest::qWaitForWindowExposed(&rig.window));
        // No server is open: the window stands at its start page until then.
        QVERIFY(!rig.page().isVisible());
        QVERIFY(dropOn(
            rig.window, {rig.write(u"a.xdl"_s, twoRowsXml()), rig.write(u"b.log"_s, twoRowsOf("71"))}));
        QTRY_COMPARE(rig.rows(), 2);
        QVERIFY(rig.page().isVisible());
        QCOMPARE(rig.window.currentPage(), &rig.page());
        // Wherever in the page they are dropped.
        auto* tabs = rig.page().findChild<QTabWidget*>();
        auto* report = rig.page().findChild<QPlainTextEdit*>(u"deadlockReport"_s);
        tabs->setCurrentWidget(report);
        int count = 2;
        for (QWidget* on : {rig.page().view().viewport(), report->viewport()}) {
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
        QCOMPARE(rig.rows(), 0);
        QGuiApplication::clipboard()->setText(QString::fromUtf8(deadlockFile(u"carried/mail.txt"_s)));
        QTest::keyClick(&rig.window, Qt::Key_V, Qt::ControlModifier);
        QTRY_COMPARE(rig.rows(), 1);
        QCOMPARE(rig.window.currentPage(), &rig.page());
        QMimeData text;
        text.setText(QString::fromUtf8(deadlockFile(u"carried/sqlserver-escaped.txt"_s)));
        QVERIFY(dropOn(*rig.page().view().viewport(), text));
        QTRY_COMPARE(rig.rows(), 2);
        text.setText(u"orders"_s);
        QVERIFY(!dropOn(rig.window, text)); // it speaks of no deadlock
        QGuiApplication::clipboard()->clear();
    }

    void dialogOffersAllThatCanBeOpened()
    {
        WindowRig rig;
        QVERIFY(QTest::qWaitForWindowActive(&rig.window));
        QCOMPARE(rig.rows(), 0);
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

    void reportsAreOpenedAndPastedBeforeThePageIsMade()
    {
        for (const bool isPasted : {false, true}) {
            WindowRig rig;
            QVERIFY(QTest::qWaitForWindowActive(&rig.window));
            QVERIFY(!rig.window.findChild<DeadlocksPage*>());
            if (isPasted) {
                QGuiApplication::clipboard()->setText(QString::fromUtf8(deadlockFile(u"carried/mail.txt"_s)));
                QTest::keyClick(&rig.window, Qt::Key_V, Qt::ControlModifier);
            } else {
                QVERIFY(dropOn(rig.window, {rig.write(u"a.xdl"_s, twoRowsXml())}));
            }
            QVERIFY(rig.window.findChild<DeadlocksPage*>());
            QTRY_COMPARE(rig.rows(), 1);
            QVERIFY(rig.page().isVisible());
            QCOMPARE(rig.window.currentPage(), &rig.page());
        }
        QGuiApplication::clipboard()->clear();
    }

    void whatCannotBeReadIsReported()
    {
        DeadlockDesk rig;
        QSignalSpy said(&rig.page, &Page::statusMessage);
        rig.page.openFiles({rig.folder.filePath(u"none.xdl"_s),
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
        DeadlockDesk rig;
        const QString pipe = rig.folder.filePath(u"pipe.xdl"_s);
        QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), S_IRUSR | S_IWUSR), 0);
        rig.page.openFiles({pipe, deadlockFilePath(u"cut-off.xdl"_s),
            deadlockFilePath(u"blocked-process.xml"_s), rig.write(u"a.xdl"_s, twoRowsXml())});
        QTRY_COMPARE(rig.rows(), 1);
        const QString message = rig.page.findChild<NoticeBar*>()->text();
        for (const char* file : {"pipe.xdl", "cut-off.xdl", "blocked-process.xml"})
            VERIFY_CONTAINS(message, QLatin1String(file));
    }

    /// The selection follows new deadlocks while it is at the newest, and stays otherwise.
    void newestIsFirstAndChosen()
    {
        DeadlockDesk rig;
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
        DeadlockDesk rig;
        const db::ServerProfile profile = profileOf(db::ServerUrl(), u"shop"_s);
        watch::ServerWatch watch(profile, sourceOf([] { return std::make_shared<const Snapshot>(); }), {});
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
        const TableView& view = rig.page().view();
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
        for (const auto& report : std::initializer_list<deadlock::ReportPtr>{
                 reportAt(u"03:00:00"_s), deadlock::fromSnapshot(*ringOfThree())}) {
            WindowRig rig;
            rig.book.add({report});
            rig.window.showPage(u"deadlocks"_s);
            QVERIFY(QTest::qWaitForWindowExposed(&rig.window));
            auto* picture = rig.page().findChild<DeadlockPicture*>();
            auto* area = qobject_cast<QScrollArea*>(picture->parentWidget()->parentWidget());
            QVERIFY(area);
            QTRY_VERIFY(picture->height() > 100);
            QCoreApplication::processEvents();
            QCOMPARE(rig.window.size(), QSize(1'024, 700));
            QCOMPARE(area->verticalScrollBar()->maximum(), 0);
            QCOMPARE(area->horizontalScrollBar()->maximum(), 0);
            QVERIFY(rig.page().view().viewport()->height() >= 4 * rig.page().view().rowHeight(0));
        }
    }

    /// Alt and a letter act only where one control on view has it.
    void lettersAreNotGivenTwice()
    {
        DeadlockDesk rig;
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

    void cycleOfAServerThatIsNotOnViewComesWithABadge()
    {
        WindowRig rig;
        const auto badge = [&rig] {
            const auto items =
                rig.window.findChild<QListWidget*>(u"pages"_s)->findItems(u"Deadlocks"_s, Qt::MatchExactly);
            return items.isEmpty() ? u"no page"_s
                                   : items.first()->data(Qt::AccessibleDescriptionRole).toString();
        };
        const auto session = [](const QString& name, const SnapshotPtr& snapshot) {
            return new ServerSession(
                profileOf(db::ServerUrl(), name), sourceOf([snapshot] { return snapshot; }), {});
        };
        rig.window.openSession(session(u"shop"_s, ringOnShop()));
        auto calm = std::make_shared<Snapshot>(snapshotFromText(u"a: 51 Exclusive"_s));
        rig.window.openSession(session(u"calm"_s, calm)); // that one is on view now, and the page is not
        QTRY_COMPARE(rig.book.unseen(), 1);
        QCOMPARE(badge(), u"1 new deadlock"_s);
        QVERIFY(!rig.window.findChild<DeadlocksPage*>()); // nobody has looked at it
        rig.window.showPage(u"deadlocks"_s);
        QTRY_COMPARE(badge(), QString());
        QCOMPARE(rig.rows(), 1);
    }

    void laterOnesAreNotThereAtAnEarlierTime()
    {
        DeadlockDesk rig;
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
        DeadlockDesk rig;
        rig.book.add(twoRowsReports());
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
        DeadlockDesk rig;
        rig.book.add(twoRowsReports());
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
            keepPicture(rig.page, u"deadlock-words-%1"_s.arg(size.width()));
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
        DeadlockDesk rig;
        rig.book.add(twoRowsReports());
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
            const QString path = rig.folder.filePath(name);
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
        const auto again = deadlock::readReportFile(rig.folder.filePath(u"d.xdl"_s));
        QVERIFY(again && again->reports.size() == 1);
        QCOMPARE(again->reports.first()->cycles.size(), 1);
    }

    void familiesAreCountedBeforeAndAfterADate()
    {
        DeadlockDesk rig;
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
        DeadlockDesk rig;
        rig.context.setServer(profileOf(db::ServerUrl(), u"shop"_s), nullptr, nullptr);
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
};

LOCKSCOPE_TEST(tst_DeadlocksPage)

} // namespace tst_DeadlocksPage
#include "tst_DeadlocksPage.moc"
