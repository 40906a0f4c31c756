// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/history/RecordingWindow.h"

#include "core/base/Sentences.h"
#include "core/record/RecordingReader.h"
#include "core/report/SnapshotTables.h"
#include "ui/kit/tables/ReportTable.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/SaveDialog.h"
#include "ui/views/history/BiographyDialog.h"
#include "ui/views/history/RangePanel.h"
#include "ui/views/page/AppContext.h"
#include "ui/views/page/SessionActs.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QUuid>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using record::FoundText;

namespace {

constexpr QSize searchSize{880, 480};
constexpr qsizetype maxFound = 500;

constexpr QSize differenceSize{1'000, 520};

} // namespace

SearchWindow::SearchWindow(const record::RecordingClient& shown, QWidget* parent)
    : RecordingWindow(shown, u"searchWindow"_s, u"recording.md#search"_s, searchSize, parent)
    , m_text(named("searched", u"Text to search for"_s, new QLineEdit(this)))
    , m_search(pushButton(u"&Search"_s, this))
    , m_view(new ReportTable(u"found"_s, u"Found"_s, record::foundSection(false), this))
    , m_state(yielding(faint(plain(new QLabel(this)))))
    , m_history(pushButton(u"&History…"_s, this))
    , m_first(pushButton(u"Show where &first seen"_s, this))
    , m_last(pushButton(u"Show where &last seen"_s, this))
{
    setTitle(u"Search the recording"_s);
    m_text->setPlaceholderText(u"A part of a statement, table, lock, user, program or note"_s);
    m_text->setClearButtonEnabled(true);
    m_view->setEmptyState(u"Nothing is searched for yet"_s, u"Write a text above and press Enter."_s);
    m_last->setToolTip(u"Shows all pages as they were when it was seen last (Enter in the table)"_s);
    m_first->setToolTip(u"Shows all pages as they were when it was seen first"_s);
    m_history->setToolTip(u"Shows who had this lock, and when"_s);
    QHBoxLayout* top = rowOf({{m_text, 1}, m_search});
    QHBoxLayout* foot = rowOf({{m_state, 1}, m_history, m_first, m_last});
    addAll(*new QVBoxLayout(this), {top, {m_view, 1}, foot});
    connect(m_text, &QLineEdit::returnPressed, this, &SearchWindow::search);
    connect(m_search, &QPushButton::clicked, this, &SearchWindow::search);
    connect(m_view, &TableView::currentRowChanged, this, &SearchWindow::updateButtons);
    connect(
        m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, &SearchWindow::updateButtons);
    connect(m_view, &TableView::detailRequested, this, [this] { goTo(&FoundText::last); });
    connect(m_first, &QPushButton::clicked, this, [this] { goTo(&FoundText::first); });
    connect(m_last, &QPushButton::clicked, this, [this] { goTo(&FoundText::last); });
    connect(m_history, &QPushButton::clicked, this, [this] {
        if (const FoundText* found = current(); found && found->lock)
            Q_EMIT historyRequested(*found->lock, found->last);
    });
    m_text->setFocus();
    updateButtons();
}

void SearchWindow::search()
{
    if (m_text->text().isEmpty())
        return;
    m_state->setText(u"Searching…"_s);
    m_view->setEmptyState(u"Searching…"_s, {});
    m_client.ask(
        this,
        [text = m_text->text()](
            record::RecordingReader& reader) { return record::searchRecording(reader, text, maxFound); },
        [this, generation = ++m_generation](const Result<record::FoundTexts>& found) {
            if (generation == m_generation)
                showFound(found);
        });
}

void SearchWindow::showFound(const Result<record::FoundTexts>& found)
{
    m_found = found ? found->all : QList<FoundText>();
    report::Section section = record::foundSection(false);
    for (const FoundText& each : std::as_const(m_found)) {
        section.rows.push_back(foundRow(each));
        section.rows.back().key = QString::number(section.rows.size() - 1);
    }
    m_view->showRows(section);
    if (found)
        m_view->setEmptyState(u"Nothing in the recording has this text"_s,
            u"Of values in statements only those of the first statement of a form are searched."_s);
    else
        m_view->setEmptyState(u"The recording could not be searched"_s, found.error().toString());
    m_state->setText(!found ? found.error().what
            : found->isCut  ? u"There is more: write more of the text."_s
                            : u"%1 found."_s.arg(m_found.size()));
    m_view->selectRow(m_found.isEmpty() ? -1 : 0);
    if (!m_found.isEmpty())
        m_view->setFocus();
    updateButtons();
}

const FoundText* SearchWindow::current() const
{
    const report::ReportRow* row = m_view->chosenRow();
    return row ? &m_found[row->key.toInt()] : nullptr;
}

void SearchWindow::goTo(ServerTime FoundText::*time)
{
    if (const FoundText* found = current())
        Q_EMIT timeTravelRequested(found->*time);
}

void SearchWindow::updateButtons()
{
    const FoundText* found = current();
    m_first->setEnabled(found);
    m_last->setEnabled(found);
    m_history->setEnabled(found && found->lock);
}

DifferenceWindow::DifferenceWindow(
    const record::RecordingClient& shown, ServerTime first, ServerTime second, QWidget* parent)
    : RecordingWindow(
        shown, u"differenceWindow"_s, u"recording.md#two-snapshots-side-by-side"_s, differenceSize, parent)
    , m_before(std::min(first, second))
    , m_after(std::max(first, second))
    , m_title(demiBold(1.1, plain(new QLabel(this))))
    , m_view(new ReportTable(u"differences"_s, u"What changed"_s, report::differenceSection(), this))
    , m_export(new ReportExport(u"differences"_s, this))
    , m_showBefore(pushButton(u"Show the &first"_s, this))
    , m_showAfter(pushButton(u"Show the &second"_s, this))
{
    setTitle(u"What changed"_s);
    m_title->setText(u"Reading the recording…"_s);
    m_view->setEmptyState(u"Reading the recording…"_s, {});
    QHBoxLayout* foot = rowOf({stretch(1), m_export});
    for (QPushButton* button : {m_showBefore, m_showAfter}) {
        button->setEnabled(false);
        foot->addWidget(button);
    }
    foot->addWidget(closeButton());
    addAll(*new QVBoxLayout(this), {m_title, {m_view, 1}, foot});
    connect(m_export, &ReportExport::statusMessage, m_title, &QLabel::setText);
    connect(m_showBefore, &QPushButton::clicked, this, [this] { Q_EMIT timeTravelRequested(m_before); });
    connect(m_showAfter, &QPushButton::clicked, this, [this] { Q_EMIT timeTravelRequested(m_after); });
    m_view->setFocus();
    m_client.ask(
        this,
        [from = m_before, to = m_after](record::RecordingReader& reader) { return read(reader, from, to); },
        [this](const Result<Pair>& pair) {
            if (pair) {
                showPair(*pair);
            } else {
                m_title->setText(pair.error().what);
                m_view->setEmptyState(u"The recording could not be read"_s, pair.error().toString());
            }
        });
}

Result<DifferenceWindow::Pair> DifferenceWindow::read(
    record::RecordingReader& reader, ServerTime first, ServerTime second)
{
    const auto before = reader.at(first);
    const auto after = reader.at(second);
    if (!before || !after)
        return Failure(before ? after.error() : before.error());
    return Pair{*before, *after, differencesBetween(**before, **after)};
}

void DifferenceWindow::showPair(const Pair& pair)
{
    m_before = pair.before->takenAt;
    m_after = pair.after->takenAt;
    m_title->setText(u"%1, compared with %2: %3"_s.arg(shortDateTimeText(m_before),
        shortDateTimeText(m_after), counted(qint64(pair.differences.size()), u"difference")));
    const auto report =
        std::make_shared<const report::Report>(report::toReport(*pair.before, *pair.after, pair.differences));
    m_view->showRows(report->sections.front());
    m_export->show(report);
    m_view->setEmptyState(
        u"Nothing changed"_s, u"Sessions, locks and waits are the same in both snapshots."_s);
    m_view->chooseFirst();
    m_showBefore->setEnabled(true);
    m_showAfter->setEnabled(true);
    m_showBefore->setToolTip(u"Shows all pages as they were at %1"_s.arg(shortDateTimeText(m_before)));
    m_showAfter->setToolTip(u"Shows all pages as they were at %1"_s.arg(shortDateTimeText(m_after)));
}

ClipDialog::ClipDialog(const record::RecordingClient& shown, ServerTime from, ServerTime to, QWidget* parent)
    : QDialog(parent)
    , m_client(shown.place(), shown.of())
    , m_from(from)
    , m_to(to)
    , m_redacts(new QCheckBox(u"Leave out the &values that stand in statements"_s, this))
    , m_trouble(wrapped(new QLabel(this)))
{
    setWindowTitle(u"Save a clip"_s);
    setChapter(*this, u"recording.md#clips"_s);
    QLabel* text = wrapped(new QLabel(
        u"The recording from %1 to %2 becomes a file of its own. Names of tables, sessions, programs and locks stay in it."_s
            .arg(dateTimeText(from), dateTimeText(to)),
        this));
    m_redacts->setChecked(true);
    theme::setInk(m_trouble, theme::colors().red);
    m_trouble->hide();
    QDialogButtonBox* buttons = cancelButtons(*this);
    m_save = buttons->addButton(u"&Save as…"_s, QDialogButtonBox::ActionRole);
    addAll(*new QVBoxLayout(this), {text, m_redacts, m_trouble, buttons});
    m_save->setDefault(true);
    connect(m_save, &QPushButton::clicked, this, [this] {
        askWhereToSave(*this, windowTitle(), u"Recording (*.lockscope)"_s,
            u"clip-%1.lockscope"_s.arg(m_from.toIsoString().left(19).remove(u':')),
            [this](const QString& path) { saveTo(path); });
    });
}

void ClipDialog::saveTo(const QString& path)
{
    m_save->setEnabled(false);
    m_save->setText(u"Copying…"_s);
    m_trouble->hide();
    m_client.ask(
        this,
        [from = m_from, to = m_to, path, redacts = m_redacts->isChecked()](record::RecordingReader& reader) {
            record::Identity as = reader.identity();
            as.id = QUuid::createUuid().toString(QUuid::WithoutBraces);
            as.redacted = as.redacted || redacts;
            return record::copyRecordings({&reader}, from, to, path, as);
        },
        [this, path](const Result<record::Copied>& copied) {
            m_save->setEnabled(true);
            m_save->setText(u"&Save as…"_s);
            if (!copied) {
                m_trouble->setText(copied.error().toString());
                m_trouble->show();
                return;
            }
            const QStringList saved{
                u"%1 in %2."_s.arg(counted(copied->snapshotCount, u"snapshot is", u"snapshots are"),
                    inOneLine(QDir::toNativeSeparators(path)))};
            Q_EMIT said((saved + copied->missingParts()).join(u' '));
            accept();
        });
}

Histories::Histories(AppContext& context, QWidget& window)
    : QObject(&window)
    , m_context(context)
    , m_window(window)
{
}

const record::RecordingClient* Histories::recording()
{
    if (!m_context.recording())
        Q_EMIT said(reasonAgainstHistories());
    return m_context.recording();
}

void Histories::openHistory(const record::BiographySubject& subject, ServerTime around)
{
    if (const record::RecordingClient* shown = recording())
        follow(new BiographyDialog(*shown, subject, around, &m_window));
}

void Histories::openRange(ServerTime from, ServerTime to, bool compares)
{
    const record::RecordingClient* shown = recording();
    if (!shown)
        return;
    auto* panel = new RangePanel(*shown, from, to, &m_window);
    if (compares)
        panel->compareWith(from - (to - from), from);
    follow(panel);
}

void Histories::openSearch()
{
    if (const record::RecordingClient* shown = recording())
        follow(new SearchWindow(*shown, &m_window));
}

void Histories::openDifferences(ServerTime first, ServerTime second)
{
    if (const record::RecordingClient* shown = recording())
        follow(new DifferenceWindow(*shown, first, second, &m_window));
}

void Histories::saveClip(ServerTime from, ServerTime to)
{
    const record::RecordingClient* shown = recording();
    if (!shown)
        return;
    auto* dialog = deletedOnClose(new ClipDialog(*shown, from, to, &m_window));
    connect(dialog, &ClipDialog::said, this, &Histories::said);
    dialog->open();
}

/// A window asks its own recording, even if another one is on view by then.
void Histories::follow(RecordingWindow* window)
{
    connect(window, &RecordingWindow::historyRequested, this,
        [this, window](const record::BiographySubject& subject, ServerTime around) {
            follow(new BiographyDialog(window->client(), subject, around, &m_window));
        });
    connect(window, &RecordingWindow::timeTravelRequested, this, [this, window](ServerTime at) {
        const record::RecordingClient* shown = m_context.recording();
        if (shown && shown->place() == window->client().place())
            Q_EMIT timeTravelRequested(at);
        else
            Q_EMIT said(u"That time is of another server: show it first."_s);
    });
    window->show();
}

} // namespace lockscope::ui
