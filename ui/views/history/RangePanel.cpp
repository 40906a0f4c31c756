// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/history/RangePanel.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/domain/SnapshotNames.h"
#include "ui/kit/tables/ReportTable.h"
#include "ui/kit/widgets/SaveDialog.h"
#include "ui/kit/widgets/ToolTipText.h"

#include <QDateTimeEdit>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr QSize rangeSize{1'040, 560};
constexpr qsizetype maxNotes = 5;
const QString comparisonTab = u"changes"_s;

QString rangeTitle(ServerTime from, ServerTime to)
{
    return u"%1 to %2 (%3)"_s.arg(
        dateTimeText(from), dateTimeText(to), durationInWords(std::chrono::round<milliseconds>(to - from)));
}

} // namespace

RangePanel::RangePanel(const record::RecordingClient& client, ServerTime from, ServerTime to, QWidget* parent)
    : RecordingWindow(client, u"rangePanel"_s, u"recording.md#what-happened-in-a-range"_s, rangeSize, parent)
    , m_from(std::min(from, to))
    , m_to(std::max(from, to))
    , m_title(demiBold(1.2, plain(new QLabel(rangeTitle(m_from, m_to), this))))
    , m_notice(new NoticeBar(NoticeBar::Shape::Card, this))
    , m_notes(named("rangeNotes", faint(wrapped(new QLabel(this)))))
    , m_tabs(new QTabWidget(this))
    , m_words(yielding(faint(plain(new QLabel(this)))))
    , m_compare(named("compareWith", new QToolButton(this)))
    , m_goToTime(pushButton(u"Go to this time"_s, this))
    , m_history(pushButton(u"History…"_s, this))
    , m_export(new ReportExport(u"range"_s, this))
{
    setTitle(u"What happened from %1 to %2"_s.arg(dateTimeText(m_from), dateTimeText(m_to)));

    addTabs();
    m_compare->setText(u"Compare with"_s);
    m_compare->setPopupMode(QToolButton::InstantPopup);
    m_compare->setToolTip(u"Waits in an hour and their lengths, beside those of another time"_s);
    auto* menu = new QMenu(m_compare);
    fillCompareMenu(*menu);
    m_compare->setMenu(menu);
    m_goToTime->setToolTip(u"Shows all pages as they were at the worst time of the row (Enter)"_s);
    m_history->setToolTip(u"Shows who had this lock, and when; of a program or user, what the session did"_s);

    QHBoxLayout* top = rowOf({{m_title, 1}, m_compare, m_export});
    QHBoxLayout* foot = rowOf({{m_words, 1}, m_history, m_goToTime, closeButton()});
    addAll(*new QVBoxLayout(this), {top, m_notice, m_notes, {m_tabs, 1}, foot});
    connect(m_goToTime, &QPushButton::clicked, this, &RangePanel::goToTime);
    connect(m_history, &QPushButton::clicked, this, &RangePanel::openHistory);
    connect(m_export, &ReportExport::statusMessage, m_words, &QLabel::setText);
    connect(m_tabs, &QTabWidget::currentChanged, this, &RangePanel::updateButtons);
    m_all.front()->setFocus();
    updateButtons();
    read();
}

RangePanel::~RangePanel() = default;

void RangePanel::addTabs()
{
    const QString nobody = u"Nobody was seen to wait"_s;
    const QString why = u"Waits that came and went between two polls were not seen."_s;
    const report::Report tables = record::toReport(record::RangeReport());
    const auto add = [&](const QString& id, const QString& title, const QString& empty) {
        addTab(*tables.section(id), title, empty, why);
    };
    add(u"locks"_s, u"Locks"_s, nobody);
    add(u"holders"_s, u"Blockers"_s, u"Nobody was seen to hold up others"_s);
    add(u"programs"_s, u"Programs"_s, u"No lock was seen"_s);
    add(u"users"_s, u"Users"_s, u"No lock was seen"_s);
    add(u"statements"_s, u"Statements"_s, nobody);
    add(u"tables"_s, u"Tables"_s, nobody);
    addTab(*record::toReport(record::RangeComparison()).section(comparisonTab), u"Comparison"_s,
        u"Nothing is compared yet"_s, u"“Compare with” above chooses another time, before a release, say."_s);
}

void RangePanel::addTab(
    const report::Section& section, const QString& title, const QString& emptyTitle, const QString& emptyHint)
{
    const QString& id = section.key;
    auto* view = new ReportTable(id, title, section, m_tabs);
    if (id == comparisonTab)
        view->setEmptyState(emptyTitle, emptyHint);
    else
        view->setEmptyState(u"Reading the recording…"_s, {});
    connect(this, &RangePanel::loaded, view, [this, view, emptyTitle, emptyHint] {
        if (!m_isRecorded)
            view->setEmptyState(u"Nothing is recorded of this time"_s,
                u"Drag over another part of the time bar, where it is not crossed."_s);
        else if (m_report)
            view->setEmptyState(emptyTitle, emptyHint);
    });
    connect(view, &TableView::currentRowChanged, this, &RangePanel::updateButtons);
    connect(view->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RangePanel::updateButtons);
    connect(view, &TableView::detailRequested, this, &RangePanel::goToTime);
    connect(view, &TableView::exportRequested, this, &RangePanel::writeRows);
    connect(view, &TableView::statusMessage, m_words, &QLabel::setText);
    view->setRowMenu([this, view](QMenu& menu) { fillRowMenu(menu, *view); });
    m_all.append(view);
    m_tabs->addTab(view, title);
}

void RangePanel::fillCompareMenu(QMenu& menu)
{
    const microseconds length = m_to - m_from;
    const auto add = [&](const QString& text, microseconds earlier) {
        menu.addAction(text, this, [this, earlier] { compareWith(m_from - earlier, m_to - earlier); });
    };
    add(u"The time right before it, as long"_s, length);
    add(u"The day before, at the same time"_s, std::chrono::hours(24));
    add(u"The week before, at the same time"_s, std::chrono::hours(7 * 24));
    menu.addSeparator();
    menu.addAction(u"Another time…"_s, this, &RangePanel::askForTime);
}

void RangePanel::askForTime()
{
    auto* dialog = deletedOnClose(named("compareTime", new QDialog(this)));
    dialog->setWindowTitle(u"Compare with another time"_s);
    explain(*dialog, u"recording.md#what-happened-in-a-range"_s);
    const auto edit = [dialog](ServerTime at, const QString& name) {
        auto* field = new QDateTimeEdit(at.toDateTime(), dialog);
        field->setDisplayFormat(u"yyyy-MM-dd HH:mm:ss 'UTC'"_s);
        field->setTimeSpec(Qt::UTC);
        field->setCalendarPopup(true);
        field->setObjectName(name);
        return field;
    };
    const microseconds length = m_to - m_from;
    QDateTimeEdit* from = edit(m_from - length, u"from"_s);
    QDateTimeEdit* to = edit(m_from, u"to"_s);
    QDialogButtonBox* buttons = cancelButtons(*dialog, QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    auto* form = new QFormLayout(dialog);
    form->addRow(u"From"_s, from);
    form->addRow(u"To"_s, to);
    form->addRow(buttons);
    // As long as this one, until its end is chosen.
    connect(from, &QDateTimeEdit::dateTimeChanged, to, [to, length](const QDateTime& time) {
        to->setDateTime(time.addMSecs(std::chrono::duration_cast<milliseconds>(length).count()));
    });
    connect(buttons, &QDialogButtonBox::accepted, dialog, [this, dialog, from, to] {
        compareWith(ServerTime::fromDateTime(from->dateTime()), ServerTime::fromDateTime(to->dateTime()));
        dialog->accept();
    });
    dialog->open();
}

void RangePanel::read()
{
    m_client.ask(
        this,
        [from = m_from, to = m_to](
            record::RecordingReader& reader) { return record::answerOf(reader, from, to); },
        [this](const Result<record::RangeAnswer>& answer) {
            if (answer)
                showAnswer(*answer);
            else
                showFailure(answer.error());
        });
}

/// Returns the notes of that time, in a sentence.
QString RangePanel::noteText() const
{
    const report::Section* marks = m_report->section(u"marks"_s);
    if (!marks || marks->rows.empty())
        return {};
    QStringList texts;
    for (const report::ReportRow& row : marks->rows) {
        if (texts.size() == maxNotes)
            break;
        texts << u"%1 %2"_s.arg(shownText(marks->columns[0], row.cells[0], report::TimeForm::Spaced),
            shownText(marks->columns[1], row.cells[1]));
    }
    if (const auto more = qsizetype(marks->rows.size()) - texts.size(); more > 0)
        texts << u"and %1 more"_s.arg(more);
    return u"Notes: %1."_s.arg(texts.join(u"; "_s));
}

void RangePanel::showAnswer(const record::RangeAnswer& answer)
{
    m_report = std::make_shared<const report::Report>(answer.report);
    m_isRecorded = answer.range.coverage.polls > 0;
    const QStringList& notes = m_report->notes;
    const bool hasGaps = !answer.range.coverage.gaps.isEmpty();
    if (hasGaps)
        m_rangeNotice = BarNotice{.level = AgeLevel::Amber, .text = notes.value(0)};
    m_notes->setText(sentences({notes.mid(hasGaps ? 1 : 0).join(u' '), noteText()}));
    m_notes->setVisible(!m_notes->text().isEmpty());
    for (ReportTable* const each : std::as_const(m_all))
        if (const report::Section* section = m_report->section(each->objectName()))
            each->showRows(*section);
    m_all[0]->chooseFirst();
    updateButtons();
    Q_EMIT loaded();
}

void RangePanel::compareWith(ServerTime from, ServerTime to)
{
    m_words->setText(u"Reading %1…"_s.arg(rangeTitle(std::min(from, to), std::max(from, to))));
    m_client.ask(
        this,
        [from = std::min(from, to), to = std::max(from, to), ours = std::pair(m_from, m_to)](
            record::RecordingReader& reader) -> Result<record::RangeComparison> {
            const auto other = record::rangeReport(reader, from, to);
            const auto own = record::rangeReport(reader, ours.first, ours.second);
            if (!other || !own)
                return Failure(other ? own.error() : other.error());
            return other->from <= own->from ? record::compared(*other, *own) : record::compared(*own, *other);
        },
        [this, question = ++m_asked](const Result<record::RangeComparison>& comparison) {
            if (question != m_asked)
                return;
            m_words->clear();
            if (comparison)
                showComparison(*comparison);
            else
                showFailure(comparison.error());
        });
}

void RangePanel::showComparison(const record::RangeComparison& comparison)
{
    ReportTable& table = *m_all.back();
    m_comparison = std::make_shared<const report::Report>(record::toReport(comparison));
    table.showRows(*m_comparison->section(comparisonTab));
    const QStringList& notes = m_comparison->notes;
    table.setAccessibleDescription(notes.join(u' '));
    const int place = static_cast<int>(m_all.size()) - 1;
    m_tabs->setTabToolTip(place, toolTipText(notes.join(u'\n')));
    m_tabs->setCurrentIndex(place);
    m_comparisonNotice =
        BarNotice{.level = comparison.tooLittle.isEmpty() ? AgeLevel::Normal : AgeLevel::Amber,
            .text = u"%1, compared with %2"_s.arg(rangeTitle(comparison.after.from, comparison.after.to),
                rangeTitle(comparison.before.from, comparison.before.to)),
            .detail = notes.join(u' ')};
    updateButtons();
    Q_EMIT loaded();
}

void RangePanel::showFailure(const Error& error)
{
    (m_report ? m_comparisonNotice : m_rangeNotice) = BarNotice::of(error);
    m_tabs->setCurrentIndex(m_report ? static_cast<int>(m_all.size()) - 1 : 0);
    updateButtons();
    if (!m_report) {
        for (ReportTable* const each : std::as_const(m_all))
            each->setEmptyState(u"The recording could not be read"_s, error.what);
    }
    Q_EMIT loaded();
}

TableView& RangePanel::table(const QString& tab) const
{
    return **std::ranges::find(m_all, tab, &QObject::objectName);
}

QString RangePanel::notes() const
{
    return (m_notice->text() + u' ' + m_notes->text()).simplified();
}

ReportTable& RangePanel::current() const
{
    return *m_all[m_tabs->currentIndex()];
}

void RangePanel::goToTime()
{
    const report::ReportRow* row = current().chosenRow();
    if (row && row->rowTime)
        Q_EMIT timeTravelRequested(*row->rowTime);
}

void RangePanel::openHistory()
{
    const report::ReportRow* row = current().chosenRow();
    const auto subject = row ? record::subjectOf(*row) : std::nullopt;
    if (subject)
        Q_EMIT historyRequested(*subject, row->rowTime.value_or(m_to));
}

void RangePanel::fillRowMenu(QMenu& menu, const ReportTable& table)
{
    const report::ReportRow* row = table.chosenRow();
    if (!row)
        return;
    if (row->rowTime)
        menu.addAction(u"Go to %1"_s.arg(dateTimeText(*row->rowTime)), this, &RangePanel::goToTime);
    if (const auto subject = record::subjectOf(*row))
        menu.addAction(std::holds_alternative<record::RecordedLock>(*subject) ? u"History of this lock…"_s
                                                                              : u"History of this session…"_s,
            this, &RangePanel::openHistory);
}

void RangePanel::writeRows()
{
    const ReportTable& table = current();
    askWhereToSave(*this, u"Export rows"_s, u"CSV (*.csv)"_s, table.objectName() + u".csv"_s,
        [this, &table](const QString& path) {
            writeLater(*this, path, table.toCsv().toUtf8(),
                u"%1 written to %2."_s.arg(counted(table.rows().rowCount(), u"row"), inOneLine(path)),
                [this](const QString& text) { m_words->setText(text); });
        });
}

void RangePanel::updateButtons()
{
    if (m_all.isEmpty())
        return;
    const report::ReportRow* row = current().chosenRow();
    m_goToTime->setEnabled(row && row->rowTime);
    m_history->setEnabled(row && record::subjectOf(*row));
    const QString tab = current().objectName();
    m_export->show(tab == comparisonTab ? m_comparison : m_report, tab);
    m_notice->say((tab == comparisonTab ? m_comparisonNotice : m_rangeNotice).value_or(BarNotice{}));
}

} // namespace lockscope::ui
