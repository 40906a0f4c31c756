// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QHash>

#include <algorithm>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace lockscope {

/// The changes from one list of keyed rows to the next. Indices of `removed` and `changed.first` are
/// positions in the *old* list; of `inserted` and `changed.second` in the *new* one. Each list is ascending.
struct RowDiff {
    std::vector<quint32> removed;
    std::vector<std::pair<quint32, quint32>> changed; ///< same key, different value
    std::vector<std::pair<quint32, quint32>> kept; ///< same key, same value
    std::vector<quint32> inserted;

    bool isEmpty() const { return removed.empty() && changed.empty() && inserted.empty(); }
};

/// Finds each row's partner in the other list; see diffRows.
template <class Row, class KeyOf> class RowPartners {
public:
    RowPartners(const std::vector<Row>& before, KeyOf keyOf)
        : m_before(before)
        , m_keyOf(keyOf)
        , m_taken(before.size(), false)
    {
    }

    /// The partner if it comes next, or soon after; else −1. Rows are asked for in their new order.
    qint64 nearby(const Row& row)
    {
        const auto& key = m_keyOf(row);
        // Once rows are looked up by hash, looking around costs more than it saves.
        const size_t end = std::min(m_before.size(), m_next + 1 + (m_loose ? 0 : window));
        for (size_t at = m_next; at < end; ++at)
            if (!m_taken[at] && m_keyOf(m_before[at]) == key)
                return take(at);
        return -1;
    }

    /// The partner wherever it is, or −1.
    qint64 anywhere(const Row& row)
    {
        if (!m_loose)
            index();
        const auto found = m_loose->constFind(m_keyOf(row));
        return found == m_loose->cend() || m_taken[*found] ? -1 : take(*found);
    }

    bool isTaken(size_t at) const { return m_taken[at]; }

private:
    using Key = std::decay_t<std::invoke_result_t<KeyOf, const Row&>>;
    static constexpr size_t window = 8;

    qint64 take(size_t at)
    {
        m_taken[at] = true;
        m_next = at + 1;
        return static_cast<qint64>(at);
    }

    void index()
    {
        m_loose.emplace();
        for (size_t i = m_before.size(); i-- > 0;) { // the first of equal ones stays
            if (!m_taken[i])
                m_loose->insert(m_keyOf(m_before[i]), static_cast<quint32>(i));
        }
    }

    const std::vector<Row>& m_before;
    KeyOf m_keyOf;
    std::vector<bool> m_taken;
    size_t m_next = 0; // in m_before
    std::optional<QHash<Key, quint32>> m_loose; // those without a partner when it was made
};

/// Compares two lists of rows by key. `keyOf(row)` must be hashable by qHash and unique in each list; of
/// rows with one key the first wins. O(n) expected, and hardly any hashing where a refresh changed little: a
/// row's partner then comes next, or soon after. No thread contract: pure.
template <class Row, class KeyOf, class Same = std::equal_to<>>
RowDiff diffRows(const std::vector<Row>& before, const std::vector<Row>& after, KeyOf keyOf, Same same = {})
{
    constexpr size_t patience = 64; // after so many in a row without a partner nearby, all are hashed
    RowDiff diff;
    diff.kept.reserve(std::min(before.size(), after.size()));
    RowPartners<Row, KeyOf> partners(before, keyOf);
    const auto note = [&](qint64 was, quint32 is) {
        if (was < 0) {
            diff.inserted.push_back(is);
            return;
        }
        const auto from = static_cast<quint32>(was);
        (same(before[from], after[is]) ? diff.kept : diff.changed).emplace_back(from, is);
    };
    std::vector<quint32> later;
    size_t misses = 0;
    for (quint32 i = 0; i < after.size(); ++i) {
        if (const qint64 was = partners.nearby(after[i]); was >= 0) {
            note(was, i);
            misses = misses < patience ? 0 : misses;
        } else if (misses < patience) {
            later.push_back(i);
            ++misses;
        } else {
            note(partners.anywhere(after[i]), i);
        }
    }
    for (const quint32 i : later)
        note(partners.anywhere(after[i]), i);
    for (quint32 i = 0; i < before.size(); ++i)
        if (!partners.isTaken(i))
            diff.removed.push_back(i);
    for (auto* pairs : {&diff.changed, &diff.kept})
        if (!std::ranges::is_sorted(*pairs))
            std::ranges::sort(*pairs);
    std::ranges::sort(diff.inserted);
    return diff;
}

} // namespace lockscope
