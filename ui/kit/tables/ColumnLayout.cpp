// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/tables/ColumnLayout.h"

#include "ui/kit/delegates/CellDelegate.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QAbstractItemView>
#include <QEvent>
#include <QHeaderView>
#include <QMenu>
#include <QProxyStyle>
#include <QScopedValueRollback>
#include <QSettings>
#include <QStyleOption>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int minColumn = 48;

/// Has column titles stand exactly above the texts of their cells.
class HeaderStyle : public QProxyStyle {
public:
    /// The label's place is asked of the base style itself, not of its proxy: so it is moved while it is
    /// drawn.
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
        const QWidget* widget) const override
    {
        const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
        if (element != CE_HeaderLabel || !header) {
            QProxyStyle::drawControl(element, option, painter, widget);
            return;
        }
        const int missing = cellPadding - pixelMetric(PM_HeaderMargin, option, widget);
        QStyleOptionHeader label = *header;
        const bool right = label.textAlignment.testFlag(Qt::AlignRight);
        label.rect.adjust(right ? 0 : missing, 0, right ? -missing : 0, 0);
        QProxyStyle::drawControl(element, &label, painter, widget);
    }
};

/// Shares `left`, which may be negative, among the columns that `takesPart`. Returns what nobody could give.
template <class TakesPart>
int shareOut(const std::vector<ColumnShare>& columns, std::vector<int>& widths, int left, TakesPart takesPart)
{
    std::vector<char> settled(columns.size(), 0);
    int shares = 0;
    for (size_t i = 0; i < columns.size(); ++i) {
        settled[i] = columns[i].stretch == 0 || !takesPart(columns[i]) ? 1 : 0;
        shares += settled[i] ? 0 : columns[i].stretch;
    }
    // Those that reach their least hand what they can't give to the others.
    for (bool again = shares > 0; again && left != 0;) {
        again = false;
        int missing = left;
        int open = shares;
        for (size_t i = 0; i < columns.size(); ++i) {
            if (settled[i])
                continue;
            int part = missing * columns[i].stretch / open;
            missing -= part;
            open -= columns[i].stretch;
            const int least = std::max(columns[i].width / 2, columns[i].least);
            if (widths[i] + part < least) {
                part = least - widths[i];
                settled[i] = 1;
                shares -= columns[i].stretch;
                again = shares > 0;
            }
            widths[i] += part;
            left -= part;
        }
    }
    return left;
}

} // namespace

std::vector<int> fitColumns(const std::vector<ColumnShare>& columns, int space)
{
    std::vector<int> widths;
    widths.reserve(columns.size());
    int left = space;
    for (const ColumnShare& column : columns) {
        widths.push_back(column.width);
        left -= column.width;
    }
    if (std::ranges::none_of(columns, [](const ColumnShare& column) { return column.stretch > 0; })) {
        if (!widths.empty())
            widths.back() += std::max(0, left);
        return widths;
    }
    for (size_t i = 0; i < columns.size(); ++i) {
        const int more = std::clamp(columns[i].whole - widths[i], 0, std::max(0, left));
        widths[i] += more;
        left -= more;
    }
    if (left < 0)
        left = shareOut(columns, widths, left, [](const ColumnShare& column) { return column.whole == 0; });
    shareOut(columns, widths, left, [](const ColumnShare&) { return true; });
    return widths;
}

ColumnLayout::ColumnLayout(QHeaderView& header, const std::vector<ColumnInfo>& columns)
    : QObject(&header)
    , m_header(header)
    , m_columns(columns)
    , m_titles(columns.size(), 0)
    , m_needed(columns.size(), 0)
{
    auto* style = new HeaderStyle;
    style->setParent(&header);
    header.setStyle(style);
    fitHeight();
    header.setSectionsMovable(true);
    header.setFirstSectionMovable(true);
    header.setHighlightSections(false);
    header.setStretchLastSection(false);
    header.setMinimumSectionSize(minColumn);
    header.setResizeContentsPrecision(0); // what is on view
    header.setContextMenuPolicy(Qt::CustomContextMenu);
    connect(&header, &QHeaderView::customContextMenuRequested, this, [this](const QPoint& position) {
        auto* menu = deletedOnClose(new QMenu(&m_header));
        addTo(*menu);
        menu->popup(m_header.mapToGlobal(position));
    });
    connect(&header, &QHeaderView::sectionResized, this, [this](int, int before, int after) {
        if (!m_arranging && before > 0 && after > 0) // neither hidden nor shown
            m_fitted = false;
    });
    connect(&header, &QHeaderView::sectionMoved, this, [this] {
        if (!m_arranging)
            Q_EMIT visibleChanged();
    });
    header.installEventFilter(this);
    m_fitSoon.setSingleShot(true);
    connect(&m_fitSoon, &QTimer::timeout, this, [this] { fitContents(); });
    reset();
}

QList<int> ColumnLayout::visible() const
{
    QList<int> columns = chosenColumns();
    columns.removeIf([this](int column) { return m_header.isSectionHidden(column); });
    return columns;
}

QList<int> ColumnLayout::chosenColumns() const
{
    QList<int> columns;
    for (int visual = 0; visual < count(); ++visual) {
        const int column = m_header.logicalIndex(visual);
        if (!m_header.isSectionHidden(column) || m_gaveWay.contains(column))
            columns << column;
    }
    return columns;
}

QList<int> ColumnLayout::searched() const
{
    QList<int> columns = chosenColumns();
    for (int column = 0; column < count(); ++column)
        if (m_header.isSectionHidden(column) && m_hiddenBySilence.contains(column))
            columns << column;
    return columns;
}

void ColumnLayout::setOffered(int column, bool offered)
{
    if (offered)
        m_notOffered.remove(column);
    else
        m_notOffered.insert(column);
    setShown(column, offered);
}

void ColumnLayout::setShown(int column, bool shown)
{
    if (shown && m_gaveWay.contains(column)) {
        fit(); // it is chosen already: from now on it stays so
        return;
    }
    if (column < 0 || (m_header.isSectionHidden(column) && !m_gaveWay.contains(column)) != shown)
        return;
    m_gaveWay.remove(column);
    m_header.setSectionHidden(column, !shown);
    fitContents();
    fit();
    Q_EMIT visibleChanged();
}

void ColumnLayout::setSilent(int column, Silent why, bool silent)
{
    if (column < 0 || m_chosen.contains(column))
        return;
    const quint8 before = m_silent.value(column);
    const auto bit = static_cast<quint8>(why);
    const auto after = static_cast<quint8>(silent ? before | bit : before & ~bit);
    if (after == before)
        return;
    const bool shown = isShownByUser(column);
    if (after != 0)
        m_silent.insert(column, after);
    else
        m_silent.remove(column);
    if (!shown)
        return;
    if (after != 0)
        m_hiddenBySilence.insert(column);
    else
        m_hiddenBySilence.remove(column);
    setShown(column, after == 0);
}

void ColumnLayout::showAsChosen(int column, bool shown)
{
    const bool silent = m_silent.contains(column);
    m_gaveWay.remove(column);
    if (shown && silent)
        m_hiddenBySilence.insert(column);
    else
        m_hiddenBySilence.remove(column);
    m_header.setSectionHidden(column, !shown || silent);
}

/// True if the user chose to show a column that is hidden by itself.
bool ColumnLayout::isShownByUser(int column) const
{
    return !m_header.isSectionHidden(column) || m_hiddenBySilence.contains(column)
        || m_gaveWay.contains(column);
}

void ColumnLayout::move(int column, int places)
{
    const QList<int> columns = visible();
    const qsizetype to = columns.indexOf(column) + places;
    if (to >= 0 && to < columns.size())
        m_header.moveSection(m_header.visualIndex(column), m_header.visualIndex(columns[to]));
}

int ColumnLayout::scaledWidth(int column) const
{
    return static_cast<int>(info(column).width * std::max(1.0, m_header.fontMetrics().height() / 15.0));
}

void ColumnLayout::reset()
{
    {
        const QScopedValueRollback arranging(m_arranging, true);
        for (int column = 0; column < count(); ++column) {
            m_header.moveSection(m_header.visualIndex(column), column);
            m_header.resizeSection(column, scaledWidth(column));
            showAsChosen(column, !isNotOffered(column) && info(column).shown);
        }
    }
    m_chosen.clear();
    m_needed.assign(m_columns.size(), 0);
    fitContents();
    m_fitted = true;
    fit();
    Q_EMIT visibleChanged();
}

int ColumnLayout::contentWidth(int column) const
{
    const auto* view = qobject_cast<const QAbstractItemView*>(m_header.parentWidget());
    return view ? view->sizeHintForColumn(column) : 0;
}

/// Gives the header some air.
void ColumnLayout::fitHeight()
{
    m_header.setFixedHeight(CellDelegate::rowHeight(m_header.fontMetrics()) + 2);
}

/// Measured once: laying out a text takes longer than all the rest here.
int ColumnLayout::titleWidth(int column) const
{
    int& width = m_titles[static_cast<size_t>(column)];
    if (width == 0)
        width = m_header.sectionSizeHint(column);
    return width;
}

bool ColumnLayout::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        m_titles.assign(m_columns.size(), 0);
    if (event->type() == QEvent::FontChange)
        fitHeight();
    return QObject::eventFilter(watched, event);
}

ColumnShare ColumnLayout::shareOf(int column) const
{
    const ColumnInfo& it = info(column);
    const int requested = scaledWidth(column);
    const int needed = std::max(m_needed[static_cast<size_t>(column)], titleWidth(column));
    if (it.isName)
        return {
            .width = std::clamp(needed, requested, 2 * requested), .stretch = it.stretch, .whole = needed};
    if (it.stretch > 0)
        return {.width = it.age ? std::max(requested, needed) : requested,
            .stretch = it.stretch,
            .least = it.age ? needed : 0};
    // An unusually long text, as the name of a prepared transaction, is cut before it takes the space of
    // others.
    const int maximum = it.age ? needed : 2 * requested;
    return {.width = std::clamp(needed, minColumn, std::max(minColumn, maximum))};
}

int ColumnLayout::neededWidth() const
{
    int width = 0;
    for (const int column : chosenColumns())
        width += shareOf(column).width;
    return width;
}

void ColumnLayout::fitContents(bool agesOnly)
{
    if (!m_fitted)
        return;
    bool wider = false;
    for (const int column : chosenColumns()) {
        const ColumnInfo& it = info(column);
        if (agesOnly ? !it.age : it.stretch > 0 && !it.age && !it.isName)
            continue;
        int& needed = m_needed[static_cast<size_t>(column)];
        const int now = contentWidth(column);
        wider = wider || now > needed;
        needed = std::max(needed, now);
    }
    if (wider)
        fit();
}

void ColumnLayout::fit()
{
    const auto* view = qobject_cast<const QAbstractItemView*>(m_header.parentWidget());
    if (!view)
        return;
    const QScopedValueRollback arranging(m_arranging, true);
    if (!m_fitted)
        return giveWay(0); // a user who sizes columns by hand sees to the space, too
    giveWay(view->isVisible() ? view->viewport()->width() : 0);
    const QList<int> columns = visible();
    std::vector<ColumnShare> shares;
    for (const int column : columns)
        shares.push_back(shareOf(column));
    const std::vector<int> widths = fitColumns(shares, view->viewport()->width());
    for (qsizetype i = 0; i < columns.size(); ++i)
        m_header.resizeSection(columns[i], widths[static_cast<size_t>(i)]);
}

/// `room` 0: not known yet.
void ColumnLayout::giveWay(int space)
{
    const QList<int> columns = chosenColumns();
    int width = 0;
    // Below three quarters of the width that it needs, a text can't be read.
    const auto readable = [this](int column) {
        const ColumnShare share = shareOf(column);
        const int least = std::max(share.least, std::min(share.whole, share.width));
        return share.stretch > 0 ? std::max(share.width * 3 / 4, least) : share.width;
    };
    for (const int column : columns)
        width += readable(column);
    QList<int> byImportance;
    for (const int column : columns)
        if (info(column).yields > 0 && !m_chosen.contains(column))
            byImportance << column;
    std::stable_sort(byImportance.begin(), byImportance.end(),
        [this](int a, int b) { return info(a).yields > info(b).yields; });
    QSet<int> leaving;
    for (const int column : byImportance) {
        if (space == 0 || width <= space)
            break;
        leaving.insert(column);
        width -= readable(column);
    }
    if (leaving == m_gaveWay)
        return;
    m_gaveWay = leaving;
    for (const int column : columns)
        m_header.setSectionHidden(column, leaving.contains(column));
    Q_EMIT visibleChanged();
}

void ColumnLayout::save(QSettings& settings, const QString& group) const
{
    QStringList order;
    settings.beginGroup(group);
    for (int visual = 0; visual < count(); ++visual) {
        const int column = m_header.logicalIndex(visual);
        const QString& id = info(column).id;
        order << id;
        if (isNotOffered(column))
            continue;
        settings.setValue(id + QStringLiteral("/shown"), isShownByUser(column));
        if (!m_header.isSectionHidden(column))
            settings.setValue(id + QStringLiteral("/width"), m_header.sectionSize(column));
    }
    settings.setValue(QStringLiteral("order"), order);
    settings.setValue(QStringLiteral("fitted"), m_fitted);
    settings.endGroup();
}

void ColumnLayout::restore(QSettings& settings, const QString& group)
{
    {
        const QScopedValueRollback arranging(m_arranging, true);
        settings.beginGroup(group);
        m_fitted = settings.value(QStringLiteral("fitted"), true).toBool();
        int visual = 0;
        for (const QString& id : settings.value(QStringLiteral("order")).toStringList()) {
            const int column = columnOf(m_columns, id);
            if (column < 0)
                continue; // of another version
            m_header.moveSection(m_header.visualIndex(column), visual++);
        }
        for (int column = 0; column < count(); ++column) {
            const QString& id = info(column).id;
            if (const int width = settings.value(id + QStringLiteral("/width")).toInt(); width >= minColumn)
                m_header.resizeSection(column, width);
            if (const QVariant shown = settings.value(id + QStringLiteral("/shown"));
                shown.isValid() && !isNotOffered(column))
                showAsChosen(column, shown.toBool());
        }
        settings.endGroup();
    }
    fit();
    Q_EMIT visibleChanged();
}

void ColumnLayout::addTo(QMenu& menu)
{
    if (m_header.isSortIndicatorShown())
        addSorting(menu);
    addMoves(menu, u"Move &left"_s, -1);
    addMoves(menu, u"Move &right"_s, 1);
    menu.addSeparator();
    const qsizetype shown = visible().size();
    for (int column = 0; column < count(); ++column) {
        if (isNotOffered(column))
            continue;
        QAction* action = menu.addAction(info(column).title);
        action->setCheckable(true);
        action->setChecked(!m_header.isSectionHidden(column));
        action->setEnabled(m_header.isSectionHidden(column) || shown > 1);
        if (m_gaveWay.contains(column)) {
            menu.setToolTipsVisible(true);
            action->setToolTip(u"There is no space for it now"_s);
        }
        connect(action, &QAction::toggled, this, [this, column](bool on) {
            m_chosen.insert(column);
            m_silent.remove(column);
            m_hiddenBySilence.remove(column);
            setShown(column, on);
        });
    }
    menu.addSeparator();
    connect(menu.addAction(u"Columns as at first"_s), &QAction::triggered, this, &ColumnLayout::reset);
}

void ColumnLayout::addSorting(QMenu& menu)
{
    QMenu* columns = menu.addMenu(u"&Sort by"_s);
    const int sorted = m_header.sortIndicatorSection();
    for (const int column : visible()) {
        QMenu* orders = columns->addMenu(info(column).title);
        for (const auto& [order, text] : {std::pair(Qt::AscendingOrder, u"&Ascending"_s),
                 std::pair(Qt::DescendingOrder, u"&Descending"_s)}) {
            QAction* action = orders->addAction(text);
            action->setCheckable(true);
            action->setChecked(column == sorted && m_header.sortIndicatorOrder() == order);
            connect(action, &QAction::triggered, this,
                [this, column, order = order] { m_header.setSortIndicator(column, order); });
        }
    }
    columns->addSeparator();
    QAction* none = columns->addAction(u"&Not sorted"_s);
    none->setCheckable(true);
    none->setChecked(sorted < 0);
    connect(none, &QAction::triggered, this, [this] { m_header.setSortIndicator(-1, Qt::AscendingOrder); });
}

void ColumnLayout::addMoves(QMenu& menu, const QString& title, int places)
{
    QMenu* columns = menu.addMenu(title);
    const QList<int> shown = visible();
    const int last = places < 0 ? shown.first() : shown.last();
    for (const int column : shown) {
        QAction* action = columns->addAction(info(column).title);
        action->setEnabled(column != last);
        connect(action, &QAction::triggered, this, [this, column, places] { move(column, places); });
    }
}

} // namespace lockscope::ui
