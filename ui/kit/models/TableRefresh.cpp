// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Brings the view of a TableModel from one snapshot to the next: by few signals, and never by a reset.

#include "ui/kit/models/TableModel.h"

#include <numeric>

namespace lockscope::ui {

namespace {

/// Above this many runs, one layout change and one range are cheaper than a signal for each run.
constexpr size_t maxRuns = 32;

struct Run {
    int first;
    int last;
};

/// The runs of positions 0 … size−1 for which `pick` holds, ascending.
template <class Pick> std::vector<Run> runsOf(int size, Pick pick)
{
    std::vector<Run> runs;
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
        std::vector<char> wanted(storeSize(), 1);
        for (const quint32 row : diff.removed)
            wanted[row] = 0;
        removeAbsent(wanted);
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
    std::vector<char> wanted(storeSize(), 0);
    for (const quint32 row : next)
        wanted[row] = 1;
    removeAbsent(wanted);
    insertMissing(next);
}

void TableModel::removeAbsent(const std::vector<char>& wanted)
{
    const auto absent = [&](int i) { return !wanted[m_view[static_cast<size_t>(i)]]; };
    auto runs = runsOf(rowCount(), absent);
    if (runs.size() > maxRuns) {
        Order next = m_view;
        const auto tail =
            std::stable_partition(next.begin(), next.end(), [&](quint32 row) { return wanted[row] != 0; });
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
    for (const Run& run : runs) {
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
    for (const auto& [was, is] : diff.changed) {
        if (m_where[is] >= 0)
            rows.push_back(m_where[is]);
    }
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
