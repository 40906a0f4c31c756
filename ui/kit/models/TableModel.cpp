// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/models/TableModel.h"

#include "core/base/ShownText.h"
#include "core/domain/SnapshotNames.h"

#include <numeric>

namespace lockscope::ui {

SortKey textKey(const QString& text)
{
    return text.isEmpty() || text == noValue ? SortKey() : SortKey(text);
}

SortKey ageKey(const std::optional<ServerTime>& since)
{
    return since ? SortKey(-since->us) : SortKey();
}

report::Value ageValue(const std::optional<ServerTime>& since, ServerTime now, bool exact)
{
    return since ? report::Value(microseconds(ageOf(*since, now)), exact) : report::Value();
}

report::Value textValue(const QString& text)
{
    return text.isEmpty() || text == noValue ? report::Value() : report::Value(text);
}

namespace {

/// <0, 0, >0. Text ignores case unless that is all that differs.
int compareKeys(const SortKey& a, const SortKey& b)
{
    if (const auto* text = std::get_if<QString>(&a)) {
        const auto& other = std::get<QString>(b);
        const int order = text->compare(other, Qt::CaseInsensitive);
        return order != 0 ? order : text->compare(other);
    }
    const auto left = std::get<qint64>(a);
    const auto right = std::get<qint64>(b);
    return left < right ? -1 : left > right ? 1 : 0;
}

bool hasValue(const SortKey& key)
{
    return key.index() != 0;
}

/// Strict order of (key, store row): a total one, so that every path to it gives the same result.
bool keyBefore(const SortKey& a, quint32 rowA, const SortKey& b, quint32 rowB, Qt::SortOrder order)
{
    if (hasValue(a) != hasValue(b))
        return hasValue(a);
    if (hasValue(a)) {
        // A column may mix types only by mistake; keep the order total even so.
        const int result = a.index() == b.index() ? compareKeys(a, b) : a.index() < b.index() ? -1 : 1;
        if (result != 0)
            return (result < 0) == (order == Qt::AscendingOrder);
    }
    return rowA < rowB;
}

/// Makes a cell's text visible, of each role that is shown, here, so that no model can forget it.
QVariant asShown(const QVariant& value, int role)
{
    const bool isForPeople = role == Qt::ToolTipRole || role == Qt::StatusTipRole || role == Qt::WhatsThisRole
        || role == Qt::AccessibleTextRole || role == Qt::AccessibleDescriptionRole;
    return isForPeople && value.userType() == QMetaType::QString ? QVariant(inLines(value.toString()))
                                                                 : value;
}

QVariant toVariant(const SortKey& key)
{
    if (const auto* number = std::get_if<qint64>(&key))
        return *number;
    if (const auto* text = std::get_if<QString>(&key))
        return *text;
    return {};
}

/// Above this many runs, one layout change and one range are cheaper than a signal for each run.
constexpr size_t maxRuns = 32;

struct RowRun {
    int first;
    int last;
};

/// The runs of positions 0 … size−1 for which `pick` holds, ascending.
template <class Pick> std::vector<RowRun> runsOf(int size, Pick pick)
{
    std::vector<RowRun> runs;
    for (int i = 0; i < size; ++i) {
        if (!pick(i))
            continue;
        if (!runs.empty() && runs.back().last == i - 1)
            runs.back().last = i;
        else
            runs.push_back({i, i});
    }
    return runs;
}

} // namespace

TableModel::TableModel(std::vector<ColumnInfo> columns, QObject* parent)
    : QAbstractTableModel(parent)
    , m_columns(std::move(columns))
{
    for (int i = 0; i < static_cast<int>(m_columns.size()); ++i)
        if (m_columns[static_cast<size_t>(i)].shown)
            m_filterColumns << i;
}

int TableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_view.size());
}

int TableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const quint32 row = storeRow(index.row());
    const ColumnInfo& column = m_columns[static_cast<size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole:
        return inOneLine(text(row, index.column()));
    case Qt::TextAlignmentRole:
        return QVariant::fromValue<Qt::Alignment>(
            (column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case SortRole:
        return toVariant(sortKey(row, index.column()));
    case DepthRole:
        return isHierarchical() && parentOf(row) != noParent ? 1 : 0;
    case ExpandedRole: {
        if (!isHierarchical() || parentOf(row) != noParent)
            return {};
        const bool hasChildren = row < m_hasChildren.size() && m_hasChildren[row];
        return hasChildren ? QVariant(!m_collapsed.contains(nodeId(row))) : QVariant();
    }
    default:
        return asShown(cell(row, index.column(), role), role);
    }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    return headerOf(m_columns[static_cast<size_t>(section)], role);
}

void TableModel::sort(int column, Qt::SortOrder order)
{
    if (column >= columnCount() || (column == m_sortColumn && order == m_sortOrder))
        return;
    m_sortColumn = column;
    m_sortOrder = order;
    retarget(fullOrder());
}

void TableModel::setFilter(const RowFilter& filter)
{
    if (m_filter == filter)
        return;
    m_filter = filter;
    refilter();
}

void TableModel::setFilterColumns(const QList<int>& visible)
{
    if (m_filterColumns == visible)
        return;
    m_filterColumns = visible;
    if (!m_filter.isEmpty())
        refilter();
}

void TableModel::setNoiseHidden(bool hidden)
{
    if (m_noiseHidden == hidden)
        return;
    m_noiseHidden = hidden;
    refilter();
}

void TableModel::refilter()
{
    judgeAll();
    retarget(fullOrder());
    count();
}

void TableModel::setExpanded(int viewRow, bool expanded)
{
    const quint32 row = storeRow(viewRow);
    if (!isHierarchical() || parentOf(row) != noParent)
        return;
    const QString node = nodeId(row);
    if (expanded ? !m_collapsed.remove(node) : m_collapsed.contains(node))
        return;
    if (!expanded) {
        if (!data(index(viewRow, 0), ExpandedRole).isValid())
            return; // nothing below it
        m_collapsed.insert(node);
    }
    retarget(fullOrder());
    Q_EMIT dataChanged(index(viewRow, 0), index(viewRow, columnCount() - 1), {ExpandedRole});
}

void TableModel::setAllExpanded(bool expanded)
{
    if (!isHierarchical())
        return;
    m_collapsed.clear();
    if (!expanded) {
        for (quint32 row = 0; row < storeSize(); ++row) {
            if (const quint32 parent = parentOf(row); parent != noParent)
                m_collapsed.insert(nodeId(parent));
        }
    }
    retarget(fullOrder());
    repaintAll();
}

void TableModel::repaintAll()
{
    if (!m_view.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

// --- which rows are shown ---------------------------------------------------------------------------

TableModel::Verdict TableModel::judge(quint32 row) const
{
    Verdict verdict;
    verdict.noise = isNoise(row);
    verdict.matches =
        matches(m_filter, m_columns, m_filterColumns, [this, row](int column) { return text(row, column); });
    return verdict;
}

/// `state:stale` must find what became stale without any change of its row.
bool TableModel::filterDependsOnTime() const
{
    return std::any_of(m_filter.terms().begin(), m_filter.terms().end(), [this](const RowFilter::Term& term) {
        const int column = columnOf(term.column);
        return column >= 0 && m_columns[static_cast<size_t>(column)].age;
    });
}

void TableModel::judgeAll()
{
    m_verdicts.resize(storeSize());
    for (quint32 row = 0; row < storeSize(); ++row)
        m_verdicts[row] = judge(row);
}

bool TableModel::isShown(quint32 row) const
{
    const Verdict verdict = m_verdicts[row];
    return verdict.matches && !(m_noiseHidden && verdict.noise);
}

void TableModel::count()
{
    Counts counts;
    for (quint32 row = 0; row < storeSize(); ++row) {
        if (!isCounted(row))
            continue;
        ++counts.total;
        const Verdict verdict = m_verdicts[row];
        if (m_noiseHidden && verdict.noise)
            ++counts.noise;
        else if (verdict.matches)
            ++counts.shown;
        else
            ++counts.filtered;
    }
    if (counts == m_counts)
        return;
    m_counts = counts;
    Q_EMIT countsChanged();
}

// --- in which order ---------------------------------------------------------------------------------

bool TableModel::before(quint32 a, quint32 b) const
{
    return m_sortColumn < 0
        ? a < b
        : keyBefore(sortKey(a, m_sortColumn), a, sortKey(b, m_sortColumn), b, m_sortOrder);
}

TableModel::Order TableModel::sortedFully(Order rows) const
{
    if (m_sortColumn < 0)
        return rows;
    // Each key is made once: it may cost a string.
    std::vector<std::pair<SortKey, quint32>> keyed;
    keyed.reserve(rows.size());
    for (const quint32 row : rows)
        keyed.emplace_back(sortKey(row, m_sortColumn), row);
    std::sort(keyed.begin(), keyed.end(), [this](const auto& a, const auto& b) {
        return keyBefore(a.first, a.second, b.first, b.second, m_sortOrder);
    });
    std::transform(keyed.begin(), keyed.end(), rows.begin(), [](const auto& k) { return k.second; });
    return rows;
}

TableModel::Order TableModel::flatOrder() const
{
    Order rows;
    rows.reserve(storeSize());
    for (quint32 row = 0; row < storeSize(); ++row)
        if (isShown(row))
            rows.push_back(row);
    return sortedFully(std::move(rows));
}

/// A parent is shown for the sake of a child that matches, and a matching parent brings all its children.
/// Parents are sorted; children keep the order of the store, which is the queue.
TableModel::Order TableModel::treeOrder()
{
    std::vector<Order> children(storeSize());
    std::vector<char> isKept(storeSize(), 0);
    for (quint32 row = 0; row < storeSize(); ++row) {
        const quint32 parent = parentOf(row);
        if (parent == noParent) {
            if (isShown(row))
                isKept[row] = 1;
        } else if (isShown(row)
            || (m_verdicts[parent].matches && !(m_noiseHidden && m_verdicts[row].noise))) {
            children[parent].push_back(row);
            if (isShown(row))
                isKept[parent] = 1;
        }
    }
    Order parents;
    m_hasChildren.assign(storeSize(), 0);
    for (quint32 row = 0; row < storeSize(); ++row) {
        m_hasChildren[row] = static_cast<char>(!children[row].empty());
        // Heads of groups stand for their children: without any they say nothing.
        if (isKept[row] && parentOf(row) == noParent && (isCounted(row) || !children[row].empty()))
            parents.push_back(row);
    }
    Order rows;
    rows.reserve(storeSize());
    for (const quint32 parent : sortedFully(std::move(parents))) {
        rows.push_back(parent);
        if (!m_collapsed.contains(nodeId(parent)))
            rows.insert(rows.end(), children[parent].begin(), children[parent].end());
    }
    return rows;
}

std::vector<quint32> TableModel::rowsToResort(
    const RowDiff& diff, const std::vector<SortKey>& formerKeys) const
{
    std::vector<std::pair<quint32, quint32>> survivors;
    survivors.reserve(diff.kept.size() + diff.changed.size());
    std::merge(diff.kept.begin(), diff.kept.end(), diff.changed.begin(), diff.changed.end(),
        std::back_inserter(survivors));
    std::vector<quint32> resort;
    // Rows with equal keys stand in store order: one that overtook others in the store is sorted in again.
    quint32 latest = 0;
    for (const auto& [was, is] : survivors) {
        if (is < latest)
            resort.push_back(is);
        latest = std::max(latest, is);
    }
    for (size_t i = 0; i < diff.changed.size() && m_sortColumn >= 0; ++i) {
        const quint32 row = diff.changed[i].second;
        if (sortKey(row, m_sortColumn) != formerKeys[i])
            resort.push_back(row);
    }
    return resort;
}

/// The former order without `resort`, with those and the rows that are new merged in.
TableModel::Order TableModel::refreshedOrder(const RowDiff& diff, const std::vector<quint32>& resort) const
{
    std::vector<char> loose(storeSize(), 0);
    for (const quint32 row : resort)
        loose[row] = 1;
    for (const quint32 row : diff.inserted)
        loose[row] = 1;
    // A changed row may pass the filter now that it did not pass before.
    for (const auto& [was, is] : diff.changed)
        if (m_where[is] < 0)
            loose[is] = 1;

    Order arriving;
    for (quint32 row = 0; row < storeSize(); ++row)
        if (loose[row] && isShown(row))
            arriving.push_back(row);
    if (arriving.size() > m_view.size() / 8 + 64)
        return flatOrder();
    arriving = sortedFully(std::move(arriving));

    Order staying;
    staying.reserve(storeSize());
    for (const quint32 row : m_view)
        if (!loose[row] && isShown(row))
            staying.push_back(row);
    // Binary search for each arrival: comparing keys is expensive, copying row numbers is not.
    Order next;
    next.reserve(staying.size() + arriving.size());
    auto from = staying.begin();
    for (const quint32 row : arriving) {
        const auto to =
            std::upper_bound(from, staying.end(), row, [this](quint32 a, quint32 b) { return before(a, b); });
        next.insert(next.end(), from, to);
        next.push_back(row);
        from = to;
    }
    next.insert(next.end(), from, staying.end());
    return next;
}

void TableModel::applyDiff(const RowDiff& diff, quint32 newSize, const std::function<void()>& swap)
{
    Q_EMIT refreshAboutToStart();
    std::vector<SortKey> formerKeys;
    if (m_sortColumn >= 0) {
        formerKeys.reserve(diff.changed.size());
        for (const auto& [was, is] : diff.changed)
            formerKeys.push_back(sortKey(was, m_sortColumn));
    }
    if (!diff.removed.empty()) {
        std::vector<char> isKept(storeSize(), 1);
        for (const quint32 row : diff.removed)
            isKept[row] = 0;
        removeAbsent(isKept);
    }

    std::vector<quint32> becomes(storeSize(), noParent);
    std::vector<Verdict> verdicts(newSize);
    for (const auto& [was, is] : diff.kept) {
        becomes[was] = is;
        verdicts[is] = m_verdicts[was];
    }
    for (const auto& [was, is] : diff.changed)
        becomes[was] = is;
    swap();
    for (quint32& row : m_view)
        row = becomes[row];
    renumber();
    m_verdicts = std::move(verdicts);
    for (const auto& [was, is] : diff.changed)
        m_verdicts[is] = judge(is);
    for (const quint32 row : diff.inserted)
        m_verdicts[row] = judge(row);

    if (filterDependsOnTime())
        judgeAll();
    retarget(isHierarchical() || filterDependsOnTime()
            ? fullOrder()
            : refreshedOrder(diff, rowsToResort(diff, formerKeys)));
    emitChanged(diff);
    count();
    Q_EMIT refreshed();
}

void TableModel::retarget(const Order& next)
{
    if (next == m_view)
        return;
    std::vector<char> isKept(storeSize(), 0);
    for (const quint32 row : next)
        isKept[row] = 1;
    removeAbsent(isKept);
    insertMissing(next);
}

void TableModel::removeAbsent(const std::vector<char>& isKept)
{
    const auto absent = [&](int i) { return !isKept[m_view[static_cast<size_t>(i)]]; };
    auto runs = runsOf(rowCount(), absent);
    if (runs.size() > maxRuns) {
        Order next = m_view;
        const auto tail =
            std::stable_partition(next.begin(), next.end(), [&](quint32 row) { return isKept[row] != 0; });
        runs = {{static_cast<int>(tail - next.begin()), static_cast<int>(next.size()) - 1}};
        permute(std::move(next));
    }
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
        beginRemoveRows({}, run->first, run->last);
        m_view.erase(m_view.begin() + run->first, m_view.begin() + run->last + 1);
        endRemoveRows();
    }
    renumber();
}

/// Every row of the view is in `next`.
void TableModel::insertMissing(const Order& next)
{
    const auto missing = [&](int i) { return m_where[next[static_cast<size_t>(i)]] < 0; };
    const auto runs = runsOf(static_cast<int>(next.size()), missing);
    if (runs.size() > maxRuns) {
        Order grown = m_view;
        std::copy_if(next.begin(), next.end(), std::back_inserter(grown),
            [&](quint32 row) { return m_where[row] < 0; });
        beginInsertRows({}, rowCount(), static_cast<int>(grown.size()) - 1);
        m_view = std::move(grown);
        renumber();
        endInsertRows();
        permute(next);
        return;
    }
    Order staying;
    staying.reserve(m_view.size());
    std::copy_if(next.begin(), next.end(), std::back_inserter(staying),
        [&](quint32 row) { return m_where[row] >= 0; });
    permute(std::move(staying));
    for (const RowRun& run : runs) {
        beginInsertRows({}, run.first, run.last);
        m_view.insert(m_view.begin() + run.first, next.begin() + run.first, next.begin() + run.last + 1);
        endInsertRows();
    }
    renumber();
}

/// Same rows, other order: one layout change, the persistent indexes follow.
void TableModel::permute(Order next)
{
    if (next == m_view)
        return;
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const QModelIndexList from = persistentIndexList();
    const Order former = std::exchange(m_view, std::move(next));
    renumber();
    QModelIndexList to;
    to.reserve(from.size());
    for (const QModelIndex& index : from)
        to << createIndex(viewRow(former[static_cast<size_t>(index.row())]), index.column());
    changePersistentIndexList(from, to);
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

void TableModel::renumber()
{
    m_where.assign(storeSize(), -1);
    for (size_t i = 0; i < m_view.size(); ++i)
        m_where[m_view[i]] = static_cast<qint32>(i);
}

void TableModel::emitChanged(const RowDiff& diff)
{
    std::vector<int> rows;
    rows.reserve(diff.changed.size());
    for (const auto& [was, is] : diff.changed)
        if (m_where[is] >= 0)
            rows.push_back(m_where[is]);
    if (rows.empty())
        return;
    std::sort(rows.begin(), rows.end());
    const auto tell = [this](int first, int last) {
        Q_EMIT dataChanged(index(first, 0), index(last, columnCount() - 1));
    };
    const auto breaks = std::inner_product(rows.begin() + 1, rows.end(), rows.begin(), size_t(0),
        std::plus<>(), [](int later, int earlier) { return size_t(later != earlier + 1); });
    if (breaks >= maxRuns) {
        tell(rows.front(), rows.back());
        return;
    }
    int first = rows.front();
    for (size_t i = 1; i <= rows.size(); ++i) {
        if (i < rows.size() && rows[i] == rows[i - 1] + 1)
            continue;
        tell(first, rows[i - 1]);
        if (i < rows.size())
            first = rows[i];
    }
}

} // namespace lockscope::ui
