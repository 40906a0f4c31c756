// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/RecordedPolls.h"
#include "tests/support/TestProgram.h"
#include "tests/ui/Widgets.h"
#include "ui/kit/models/TableModel.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/SaveDialog.h"
#include "ui/views/history/RangePanel.h"

namespace tst_RangePanel {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

constexpr auto at = &SnapshotBuilder::at;

static QString cell(const TableView& table, int row, const QString& column)
{
    const TableModel& model = table.tableModel();
    return model.index(row, model.columnOf(column)).data().toString();
}

class tst_RangePanel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qRegisterMetaType<ServerTime>(); }

    void itTellsWhatHappened()
    {
        RecordedMinute recording;
        Panel it(recording.path(), at(0), at(59));
        const TableView& locks = it.panel->table(u"locks"_s);
        QCOMPARE(locks.model()->rowCount(), 2);
        QCOMPARE(cell(locks, 0, u"lock"_s), u"public.orders"_s);
        QCOMPARE(cell(locks, 0, u"waits.count"_s), u"2"_s);
        QCOMPARE(cell(locks, 0, u"waits.at_least"_s), u"≥ 13 s"_s);
        QCOMPARE(cell(locks, 0, u"waits.p50"_s), u"≥ 5 s"_s);
        QCOMPARE(cell(locks, 0, u"waits.worst.by"_s), u"70 web"_s);
        const TableView& holders = it.panel->table(u"holders"_s);
        QCOMPARE(cell(holders, 0, u"holder"_s), u"51 billing"_s);
        QCOMPARE(cell(holders, 0, u"made_wait"_s), u"≥ 8 s"_s);
        QCOMPARE(it.panel->table(u"programs"_s).model()->rowCount(), 3);
        QCOMPARE(cell(it.panel->table(u"users"_s), 0, u"name"_s), u"shop"_s);
        QCOMPARE(cell(it.panel->table(u"tables"_s), 0, u"name"_s), u"public.orders"_s);
        QCOMPARE(cell(it.panel->table(u"tables"_s), 0, u"waits.at_least"_s), u"≥ 13 s"_s);
        VERIFY_CONTAINS(it.panel->notes(), u"1 s apart"_s);
        QVERIFY(locks.toCsv().contains(u"public.orders"_s));
    }

    void itShowsAndExportsWhatLockctlPrints()
    {
        RecordedMinute recording;
        Panel it(recording.path(), at(0), at(59));
        const report::Report report = record::answerOf(recording.reader(), at(0), at(59))->report;
        int compared = 0;
        for (const report::Section& section : report.sections) {
            if (section.shown == report::Shown::ToPrograms || section.key == u"marks"_s)
                continue;
            const TableView& table = it.panel->table(section.key);
            QCOMPARE(table.model()->rowCount(), int(section.rows.size()));
            for (std::size_t row = 0; row < section.rows.size(); ++row)
                for (std::size_t i = 0; i < section.columns.size(); ++i) {
                    const report::Column& column = section.columns[i];
                    if (column.shown == report::Shown::ToPrograms)
                        continue;
                    QCOMPARE(cell(table, int(row), column.key),
                        shownText(column, section.rows[row].cells[i], report::TimeForm::Spaced));
                    ++compared;
                }
        }
        QVERIFY(compared > 50);
        const auto* give = it.panel->findChild<ReportExport*>();
        QVERIFY(give && give->isEnabled());
        for (const auto form :
            {report::Form::Text, report::Form::Json, report::Form::Markdown, report::Form::Html})
            QCOMPARE(give->exported(form), rendered(report, form));
        const report::Report alone{.title = {}, .sections = {*report.section(u"locks"_s)}};
        QCOMPARE(give->exported(report::Form::Csv), rendered(alone, report::Form::Csv)); // the table on view
    }

    void notesOfThatTimeAreListed()
    {
        RecordedMinute recording;
        using record::Event;
        QVERIFY(recording.writer().add({at(30), Event::Kind::Mark, u"deploy 4.2"_s}, at(59)));
        QVERIFY(recording.writer().add({at(50), Event::Kind::Mark, u"later"_s}, at(59)));
        Panel it(recording.path(), at(0), at(40));
        QTRY_VERIFY(it.panel->notes().contains(u"deploy 4.2"_s));
        VERIFY_LACKS(it.panel->notes(), u"later"_s);
    }

    void theWorstTimeIsShown()
    {
        RecordedMinute recording;
        Panel it(recording.path(), at(0), at(59));
        QSignalSpy timesChosen(it.panel.get(), &RangePanel::timeTravelRequested);
        TableView& locks = it.panel->table(u"locks"_s);
        QCOMPARE(locks.currentViewRow(), 0); // the worst is chosen
        locks.setFocus();
        QTest::keyClick(&locks, Qt::Key_Return);
        QCOMPARE(timesChosen.count(), 1);
        QCOMPARE(timesChosen.back()[0].value<ServerTime>(), at(14));
        QTest::keyClick(&locks, Qt::Key_Down);
        QTest::keyClick(&locks, Qt::Key_Return);
        QCOMPARE(timesChosen.back()[0].value<ServerTime>(), at(31));
    }

    void theHistoryOfARowIsAskedFor()
    {
        RecordedMinute recording;
        Panel it(recording.path(), at(0), at(59));
        std::optional<record::BiographySubject> asked;
        connect(it.panel.get(), &RangePanel::historyRequested, this,
            [&asked](const record::BiographySubject& subject, ServerTime) { asked = subject; });
        for (QPushButton* button : it.panel->findChildren<QPushButton*>()) {
            if (button->text().startsWith(u"History"_s))
                button->click();
        }
        QVERIFY(asked && std::holds_alternative<record::RecordedLock>(*asked));
        QCOMPARE(std::get<record::RecordedLock>(*asked).name, u"public.orders"_s);
    }

    void itComparesWithTheTimeBefore()
    {
        // Ten minutes in which nobody waits, then ten in which somebody does each minute.
        RecordedPolls recording;
        recording.addPolls(0, 1'200, [](SnapshotBuilder& s, int i) {
            s.sessions({{51, "billing"}, {63, "report"}});
            if (i < 600 || i % 60 >= 20)
                return;
            s.holds(51, "public.orders", "AccessExclusiveLock", i % 60);
            s.waits(63, "public.orders", "AccessShareLock", i % 60);
        });
        Panel it(recording.path(), at(600), at(1'199));
        it.panel->findChild<QToolButton*>(u"compareWith"_s)->menu()->actions().front()->trigger();
        QTRY_COMPARE(it.loaded.count(), 2);
        const TableView& rows = it.panel->table(u"changes"_s);
        QVERIFY(rows.isVisible());
        QCOMPARE(cell(rows, 0, u"name"_s), u"All waits"_s);
        QCOMPARE(cell(rows, 1, u"name"_s), u"public.orders"_s);
        QCOMPARE(cell(rows, 1, u"verdict"_s), u"new"_s);
        QCOMPARE(cell(rows, 1, u"per_hour_before"_s), u"0.0"_s);
        QCOMPARE(cell(rows, 1, u"per_hour_after"_s), u"60"_s);
        QCOMPARE(cell(rows, 2, u"name"_s), u"report"_s);
        VERIFY_CONTAINS(it.panel->notes(), u"Rates are by the time that is recorded"_s);
    }

    void itComparesWithAnyTime()
    {
        RecordedMinute recording;
        Panel it(recording.path(), at(0), at(59));
        it.panel->findChild<QToolButton*>(u"compareWith"_s)->menu()->actions().back()->trigger();
        auto* dialog = it.panel->findChild<QDialog*>(u"compareTime"_s);
        QVERIFY(dialog);
        auto* from = dialog->findChild<QDateTimeEdit*>(u"from"_s);
        const auto* to = dialog->findChild<QDateTimeEdit*>(u"to"_s);
        from->setDateTime(from->dateTime().addSecs(-3'600));
        QCOMPARE(from->dateTime().secsTo(to->dateTime()), 59); // as long
        dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->click();
        QTRY_COMPARE(it.loaded.count(), 2);
        // Nothing was recorded then.
        VERIFY_CONTAINS(it.panel->notes(), u"Nothing is recorded of the earlier range"_s);
        QCOMPARE(cell(it.panel->table(u"changes"_s), 0, u"verdict"_s), u"too little to say"_s);
        QCOMPARE(cell(it.panel->table(u"changes"_s), 0, u"per_hour_before"_s), u"–"_s); // not 0: unknown
    }

    void whatWasNotSeenIsSaid()
    {
        RecordedMinute recording;
        Panel it(recording.path(), at(-60), at(59));
        QVERIFY2(
            it.panel->notes().contains(u"Recorded: 59 s of "_s) && it.panel->notes().contains(u"(49 %)"_s),
            qPrintable(it.panel->notes()));
    }

    void anEmptyRangeSaysWhy()
    {
        RecordedMinute recording;
        Panel quiet(recording.path(), at(40), at(50));
        QCOMPARE(quiet.panel->table(u"locks"_s).emptyTitle(), u"Nobody was seen to wait"_s);
        Panel unseen(recording.path(), at(4'000), at(5'000));
        QCOMPARE(unseen.panel->table(u"locks"_s).emptyTitle(), u"Nothing is recorded of this time"_s);
    }

    void aRecordingThatCanNotBeReadIsAnError()
    {
        Panel it(u"/nonexistent/no.lockscope"_s, at(0), at(59));
        QCOMPARE(it.panel->table(u"locks"_s).emptyTitle(), u"The recording could not be read"_s);
        VERIFY_CONTAINS(it.panel->notes(), u"no.lockscope"_s);
    }

    void modelsKeepTheirPromises()
    {
        RecordedMinute recording;
        Panel it(recording.path(), at(0), at(59), false);
        std::vector<std::unique_ptr<QAbstractItemModelTester>> testers;
        std::vector<std::unique_ptr<QSignalSpy>> resets;
        for (const QString& tab : {u"locks"_s, u"holders"_s, u"programs"_s, u"users"_s, u"changes"_s}) {
            QAbstractItemModel* model = it.panel->table(tab).model();
            testers.push_back(std::make_unique<QAbstractItemModelTester>(
                model, QAbstractItemModelTester::FailureReportingMode::QtTest));
            resets.push_back(std::make_unique<QSignalSpy>(model, &QAbstractItemModel::modelReset));
        }
        QTRY_COMPARE(it.loaded.count(), 1);
        it.panel->compareWith(at(-59), at(0));
        QTRY_COMPARE(it.loaded.count(), 2);
        it.panel->compareWith(at(0), at(30));
        QTRY_COMPARE(it.loaded.count(), 3);
        for (const auto& spy : resets)
            QCOMPARE(spy->count(), 0);
    }

    void itCanBeLookedAt_data()
    {
        test::addColumns<bool, QSize>("dark", "size");
        for (const bool dark : {false, true})
            for (const QSize size : {QSize(700, 420), QSize(1'040, 560), QSize(1'500, 800)})
                QTest::addRow("%s %d", dark ? "dark" : "light", size.width()) << dark << size;
    }
    void itCanBeLookedAt()
    {
        FETCH(bool, dark, QSize, size);
        theme::apply(*qApp, dark ? ThemeMode::Dark : ThemeMode::Light);
        RecordedMinute recording;
        Panel it(recording.path(), at(0), at(59));
        it.panel->resize(size);
        test::keepPicture(*it.panel, u"range-%1-%2"_s.arg(dark ? u"dark"_s : u"light"_s).arg(size.width()));
        it.panel->compareWith(at(-3'600), at(-1));
        QTRY_COMPARE(it.loaded.count(), 2);
        test::keepPicture(*it.panel, u"compare-%1-%2"_s.arg(dark ? u"dark"_s : u"light"_s).arg(size.width()));
        // Columns give way; nobody has to scroll sideways to read the rest.
        for (const QString& tab : {u"locks"_s, u"holders"_s, u"programs"_s, u"changes"_s}) {
            TableView& table = it.panel->table(tab);
            it.panel->tabs().setCurrentWidget(&table);
            QTRY_VERIFY2(table.horizontalScrollBar()->maximum() == 0, qPrintable(tab));
            QVERIFY(table.visibleColumns().size() >= 5);
        }
        theme::apply(*qApp, ThemeMode::Light);
    }

private:
    struct Panel {
        Panel(const QString& path, ServerTime from, ServerTime to, bool waits = true)
            : client(path)
            , panel(new RangePanel(client, from, to, nullptr))
            , loaded(panel.get(), &RangePanel::loaded)
        {
            panel->setAttribute(Qt::WA_DeleteOnClose, false);
            panel->show();
            static_cast<void>(QTest::qWaitForWindowActive(panel.get())); // for keys
            if (waits)
                QTRY_COMPARE(loaded.count(), 1);
        }
        record::RecordingClient client;
        std::unique_ptr<RangePanel> panel;
        QSignalSpy loaded;
    };
};

LOCKSCOPE_TEST(tst_RangePanel)

} // namespace tst_RangePanel
#include "tst_RangePanel.moc"
