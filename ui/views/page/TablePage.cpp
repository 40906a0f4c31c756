// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/page/TablePage.h"

#include "core/base/Sentences.h"
#include "ui/kit/models/TableModel.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/SessionActs.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QSplitter>
#include <QTimer>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using namespace std::chrono_literals;

namespace {

constexpr int spacing = 8;
constexpr int margin = 12;
constexpr int readableFilter = 20; ///< characters of it that are seen at least
/// The number of rows up to which a filter is applied at each key; beyond, when the typing pauses.
constexpr int instantFilterRows = 20'000;

} // namespace

void TablePage::setUp(TableModel* model)
{
    m_model = model;
    model->setParent(this);
    m_view = new TableView(*model, this);
    m_view->setAccessibleName(title());
    m_filter = new FilterBox(*m_view, this);
    m_filterDelay = new QTimer(this);
    m_filterDelay->setSingleShot(true);
    m_filterDelay->setInterval(150ms);
    m_notice = new NoticeBar(NoticeBar::Shape::Card, this);

    m_controls = withSpacing(new QHBoxLayout, spacing);
    m_acts = withSpacing(new QHBoxLayout, spacing);
    m_acts->addStretch(1);
    QHBoxLayout* search = withSpacing(rowOf({{m_filter, 1}, m_controls, stretch()}), spacing);
    m_head = withSpacing(new QBoxLayout(QBoxLayout::LeftToRight), spacing);
    addAll(*m_head, {{search, 2}, {m_acts, 1}});
    auto* all = withMargins(new QVBoxLayout(this), {margin, margin, margin, margin}, spacing);
    addAll(*all, {m_head, {m_view, 1}});
    all->addWidget(m_notice); // below: it pushes no rows away
    m_notice->setDismissable(true);
    setFocusProxy(m_view);

    connect(m_filterDelay, &QTimer::timeout, this, &TablePage::applyFilter);
    connect(m_filter, &QLineEdit::textChanged, this, [this] {
        if (m_model->counts().total <= instantFilterRows)
            applyFilter();
        else
            m_filterDelay->start();
    });
    connect(m_model, &TableModel::countsChanged, this, &Page::countTextChanged);
    connect(m_model, &TableModel::countsChanged, this, &TablePage::updateEmptyState);
    m_filter->keepIn(context().settings(), QStringLiteral("pages/%1/filters").arg(id()));
    connect(m_filter, &FilterBox::said, this, &Page::statusMessage);
    connectView();
    connect(&context(), &AppContext::tick, this, [this] {
        if (isVisible())
            m_view->repaintAges();
    });
    for (const auto signal : {&AppContext::serverChanged, &AppContext::pastTimeChanged})
        connect(&context(), signal, this, [this] { updateActs(); });
    m_view->restoreLayout(context().settings(), layoutGroup());
    m_model->setFilterColumns(m_view->searchedColumns());
    updateEmptyState();
}

void TablePage::connectView()
{
    connect(m_view, &TableView::currentRowChanged, this, &TablePage::emitSelection);
    connect(
        m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, &TablePage::emitSelection);
    addKey(*m_view, u"Table"_s, u"Select nothing"_s, {Qt::Key_Escape}, [this] { selectNothing(); });
    connect(m_view, &TableView::detailRequested, this, &Page::detailRequested);
    connect(m_view, &TableView::deleteRequested, this, [this] { deleteKeyPressed(); });
    connect(m_view, &TableView::statusMessage, this, &Page::statusMessage);
    connect(m_view, &TableView::filterRequested, this,
        [this](const QString& column, const QString& value, bool excluded) {
            m_filter->setText(RowFilter::with(m_filter->text(), column, value, excluded));
        });
    connect(m_view, &TableView::emptyActionTriggered, this, [this] { emptyActionPressed(); });
    connect(m_view, &TableView::exportRequested, this, &TablePage::exportCsv);
    connect(m_view, &TableView::visibleColumnsChanged, this,
        [this] { m_model->setFilterColumns(m_view->searchedColumns()); });
    const auto histories = [this] {
        const int row = m_view->currentViewRow();
        return row < 0 ? HistorySubjects() : historiesOf(subjectAt(row), m_snapshot.get());
    };
    m_view->setRowMenu([this, histories](QMenu& menu) {
        fillRowMenu(menu);
        addHistories(menu, *this, histories());
    });
    addHistoryKeys(*m_view, *this, histories);
}

/// Beside the filter there is not always space for all buttons: none of them is cut.
bool TablePage::event(QEvent* event)
{
    if (m_head && (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)) {
        const int needed = readableFilter * fontMetrics().averageCharWidth() + m_controls->sizeHint().width()
            + m_acts->sizeHint().width() + 2 * (spacing + margin);
        m_head->setDirection(needed <= width() ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    }
    return Page::event(event);
}

QString TablePage::layoutGroup() const
{
    return QStringLiteral("pages/%1/table").arg(id());
}

QString TablePage::splitterKey() const
{
    return QStringLiteral("pages/%1/splitter").arg(id());
}

void TablePage::divideView(QWidget* rows, QWidget* below)
{
    m_splitter = new QSplitter(Qt::Vertical, this);
    delete layout()->replaceWidget(m_view, m_splitter);
    static_cast<QBoxLayout*>(layout())->setStretchFactor(m_splitter, 1);
    divide(*m_splitter, {{rows, 2}, {below, 3}});
    m_splitter->restoreState(context().settings().value(splitterKey()).toByteArray());
}

void TablePage::addControl(QWidget* control)
{
    m_controls->addWidget(control);
}

void TablePage::keepChoice(QCheckBox& box, const QString& name, bool otherwise)
{
    const QString key = choiceKey(id(), name);
    box.setChecked(context().settings().value(key, otherwise).toBool());
    connect(&box, &QCheckBox::toggled, this,
        [this, key](bool isChecked) { context().settings().setValue(key, isChecked); });
}

QString TablePage::choiceKey(const QString& pageId, const QString& name)
{
    return QStringLiteral("pages/%1/%2").arg(pageId, name);
}

QPushButton* TablePage::addActButton(const QString& text, const QString& what)
{
    auto* button = pushButton(text, this);
    button->setProperty("usualTip", what);
    setReason(button, {});
    m_acts->addWidget(button);
    return button;
}

void TablePage::showSnapshot(const SnapshotPtr& snapshot)
{
    m_snapshot = snapshot;
    showRows(snapshot);
    updateChapter();
    updateEmptyState();
    updateActs();
}

void TablePage::showHealth(monitor::Health health, const std::optional<Error>& error, milliseconds)
{
    m_health = health;
    m_error = error;
    m_view->setFaded(isDataOld(health) && m_snapshot);
    updateEmptyState();
}

void TablePage::selectNothing()
{
    m_view->clearSelection();
}

void TablePage::focusFilter()
{
    m_filter->focus();
}

void TablePage::setFilter(const QString& filter)
{
    m_filter->setText(filter);
}

void TablePage::applyFilter()
{
    const RowFilter filter = RowFilter::parse(
        m_filter->text(), [this](const QString& prefix) { return m_model->columnNamed(prefix); });
    m_model->setFilter(filter);
    const QString unknown = unknownColumnText(filter, m_model->columns());
    if (unknown != m_unknownColumn) {
        m_unknownColumn = unknown;
        if (!unknown.isEmpty())
            Q_EMIT statusMessage(unknown);
    }
    updateEmptyState();
}

bool TablePage::canExportCsv() const
{
    return m_model->rowCount() > 0;
}

Page::Csv TablePage::csv() const
{
    return {m_view->toCsv(), m_model->rowCount()};
}

void TablePage::saveLayout()
{
    m_view->saveLayout(context().settings(), layoutGroup());
    if (m_splitter)
        context().settings().setValue(splitterKey(), m_splitter->saveState());
}

QString TablePage::noiseText(int rows) const
{
    return u"%1 internal hidden"_s.arg(rows);
}

QString TablePage::countText() const
{
    const TableModel::Counts counts = m_model->counts();
    QString text = counts.total == 1 ? u"%1 of 1 row"_s.arg(counts.shown)
                                     : u"%1 of %2 rows"_s.arg(counts.shown).arg(counts.total);
    if (counts.noise > 0)
        text += QStringLiteral(" · ") + noiseText(counts.noise);
    if (counts.filtered > 0)
        text += QStringLiteral(" · ") + u"%1 filtered out"_s.arg(counts.filtered);
    return text;
}

void TablePage::updateEmptyState()
{
    const TableModel::Counts counts = m_model->counts();
    QString action;
    if (counts.filtered > 0) {
        m_view->setEmptyState(u"No row matches the filter"_s,
            QStringList{m_unknownColumn,
                u"%1 filtered out. Press Esc in the filter box to see all again."_s.arg(
                    counted(counts.filtered, u"row is", u"rows are"))}
                .join(QLatin1Char('\n'))
                .trimmed());
    } else if (m_snapshot || !needsServer()) {
        const EmptyText text = emptyText();
        m_view->setEmptyState(text.title, text.hint);
        action = text.action;
    } else if (!context().hasServer()) {
        m_view->setEmptyState(u"No server is shown"_s, u"Choose one in the server list, or add one there."_s);
    } else if (m_error) {
        m_view->setEmptyState(
            m_error->what, sentences({m_error->detail, m_error->hint, u"It is tried again by itself."_s}));
    } else if (m_health == monitor::Health::Silent) {
        m_view->setEmptyState(
            u"The server does not answer"_s, u"The window goes on asking; nothing is known yet."_s);
    } else {
        m_view->setEmptyState(u"Connecting…"_s, u"Rows appear with the first reading of the server."_s);
    }
    m_view->setEmptyAction(action, action.isEmpty() ? QString() : reasonAgainstEmptyAction());
}

void TablePage::emitSelection()
{
    const int row = m_view->chosenViewRow();
    Q_EMIT selectionDetail(row < 0 ? DetailSubject() : subjectAt(row));
    updateChapter();
    updateActs();
}

void TablePage::hideUntilSomebodyWaits(const SnapshotPtr& snapshot, const QStringList& columns)
{
    const bool waits = snapshot && std::ranges::any_of(snapshot->requests, [](const LockRequest& request) {
        return request.isWaiting();
    });
    hideUntil(waits, snapshot, columns);
}

void TablePage::hideUntil(bool isThere, const SnapshotPtr& snapshot, const QStringList& columns)
{
    if (snapshot && !isThere)
        return;
    for (const QString& column : columns)
        m_view->setColumnEmpty(column, !isThere);
}

void TablePage::updateChapter()
{
    const int row = m_view->chosenViewRow();
    setChapter(*m_view, row < 0 ? QString() : chapterAt(row));
}

} // namespace lockscope::ui
