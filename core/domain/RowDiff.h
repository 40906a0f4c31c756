// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QHash>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace lockscope {

/// What turns one list of keyed rows into the next. Indices of `removed` and `changed.first` are positions in
/// the *old* list; of `inserted` and `changed.second` in the *new* one. Each list is ascending.
struct RowDiff {
    std::vector<quint32> removed;
    std::vector<std::pair<quint32, quint32>> changed; ///< same key, different value
    std::vector<std::pair<quint32, quint32>> kept; ///< same key, same value
    std::vector<quint32> inserted;

    bool isEmpty() const { return removed.empty() && changed.empty() && inserted.empty(); }
};

/// Compares two lists of rows by key. `keyOf(row)` must be hashable by qHash and unique in each list; of
/// rows with one key the first wins. O(n) expected; no thread contract: pure.
template <class Row, class KeyOf, class Same = std::equal_to<>>
RowDiff diffRows(const std::vector<Row>& before, const std::vector<Row>& after, KeyOf keyOf, Same same = {})
{
    using Key = std::decay_t<decltype(keyOf(before.front()))>;
    RowDiff diff;
    // Most refreshes change little: rows that keep their position need no look-up.
    size_t prefix = 0;
    const size_t common = std::min(before.size(), after.size());
    diff.kept.reserve(common);
    while (prefix < common && keyOf(before[prefix]) == keyOf(after[prefix])) {
        const auto at = static_cast<quint32>(prefix);
        (same(before[prefix], after[prefix]) ? diff.kept : diff.changed).emplace_back(at, at);
        ++prefix;
    }
    QHash<Key, quint32> old;
    old.reserve(static_cast<qsizetype>(before.size() - prefix));
    for (size_t i = prefix; i < before.size(); ++i) {
        const Key key = keyOf(before[i]);
        if (!old.contains(key))
            old.insert(key, static_cast<quint32>(i));
    }
    std::vector<bool> survives(before.size(), false);
    for (size_t i = prefix; i < after.size(); ++i) {
        const auto found = old.constFind(keyOf(after[i]));
        if (found == old.cend() || survives[*found]) {
            diff.inserted.push_back(static_cast<quint32>(i));
            continue;
        }
        survives[*found] = true;
        (same(before[*found], after[i]) ? diff.kept : diff.changed)
            .emplace_back(*found, static_cast<quint32>(i));
    }
    for (size_t i = prefix; i < before.size(); ++i) {
        if (!survives[i])
            diff.removed.push_back(static_cast<quint32>(i));
    }
    std::sort(diff.changed.begin(), diff.changed.end());
    std::sort(diff.kept.begin(), diff.kept.end());
    return diff;
}

} // namespace lockscope
