// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/history/SearchWindow.h"

#include "ui/kit/tables/ReportTable.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using record::FoundText;

namespace {

constexpr QSize searchSize{880, 480};
constexpr qsizetype maxFound = 500;

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
    connect(m_history, &QPushButton::clicked, this, &SearchWindow::openHistory);
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

void SearchWindow::openHistory()
{
    if (const FoundText* found = current(); found && found->lock)
        Q_EMIT historyRequested(*found->lock, found->last);
}

void SearchWindow::updateButtons()
{
    const FoundText* found = current();
    m_first->setEnabled(found);
    m_last->setEnabled(found);
    m_history->setEnabled(found && found->lock);
}

} // namespace lockscope::ui
