// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SnapshotDiff.h"

namespace lockscope {

namespace {

// Resources are numbered again in every snapshot. Giving equal ones equal numbers first lets a hundred
// thousand requests be compared by numbers instead of by names.
struct ResourceNumbers {
    std::vector<quint32> before;
    std::vector<quint32> after;
    std::vector<bool> sameText; ///< by position in `after`: shown alike in both
};

ResourceNumbers unify(const std::vector<Resource>& before, const std::vector<Resource>& after)
{
    ResourceNumbers numbers;
    numbers.before.resize(before.size());
    numbers.after.resize(after.size());
    numbers.sameText.resize(after.size(), true);
    size_t prefix = 0;
    while (prefix < before.size() && prefix < after.size() && before[prefix].key == after[prefix].key) {
        numbers.before[prefix] = numbers.after[prefix] = static_cast<quint32>(prefix);
        numbers.sameText[prefix] = before[prefix] == after[prefix];
        ++prefix;
    }
    QHash<ResourceKey, quint32> known;
    for (size_t i = prefix; i < before.size(); ++i) {
        numbers.before[i] = static_cast<quint32>(i);
        known.insert(before[i].key, static_cast<quint32>(i));
    }
    auto next = static_cast<quint32>(before.size());
    for (size_t i = prefix; i < after.size(); ++i) {
        const auto found = known.constFind(after[i].key);
        numbers.after[i] = found == known.cend() ? next++ : *found;
        numbers.sameText[i] = found == known.cend() || before[*found] == after[i];
    }
    return numbers;
}

struct RequestRowKey {
    SessionId session;
    ServerTime sessionStarted;
    quint32 resource;
    quint32 ordinal;
    LockMode mode;
    LockOwner owner;

    bool operator==(const RequestRowKey&) const = default;
    friend size_t qHash(const RequestRowKey& key, size_t seed) noexcept
    {
        return qHashMulti(seed, key.session.value, key.sessionStarted.us, key.resource, key.ordinal,
            key.mode.strength(), static_cast<quint8>(key.owner));
    }
};

std::vector<RequestRow> rowsOf(
    const Snapshot& snapshot, const std::vector<quint32>& numbers, const std::vector<bool>* sameText)
{
    std::vector<RequestRow> rows;
    rows.reserve(snapshot.requests.size());
    for (const LockRequest& request : snapshot.requests)
        rows.push_back({&request, numbers[request.resource], !sameText || (*sameText)[request.resource]});
    return rows;
}

RowDiff diffRequests(const Snapshot& before, const Snapshot& after)
{
    const ResourceNumbers numbers = unify(before.resources, after.resources);
    return diffRequests(
        rowsOf(before, numbers.before, nullptr), rowsOf(after, numbers.after, &numbers.sameText));
}

/// Treats what only one of the two snapshots was to show as neither come nor gone.
void forgetFrameworkRows(
    RowDiff& diff, const std::vector<LockTableEntry>& before, const std::vector<LockTableEntry>& after)
{
    const auto isOptional = [](const LockTableEntry& entry) {
        return entry.framework && !entry.framework->isAttached();
    };
    std::erase_if(diff.removed, [&](quint32 at) { return isOptional(before[at]); });
    std::erase_if(diff.inserted, [&](quint32 at) { return isOptional(after[at]); });
}

} // namespace

RowDiff diffRequests(const std::vector<RequestRow>& before, const std::vector<RequestRow>& after)
{
    const auto keyOf = [](const RequestRow& row) {
        const LockRequest& r = *row.request;
        return RequestRowKey{.session = r.session,
            .sessionStarted = r.sessionStarted,
            .resource = row.resource,
            .ordinal = r.ordinal,
            .mode = r.mode,
            .owner = r.owner};
    };
    const auto same = [](const RequestRow& old, const RequestRow& now) {
        const LockRequest& a = *old.request;
        const LockRequest& b = *now.request;
        return now.sameText && a.state == b.state && a.count == b.count && a.since == b.since
            && a.sinceExact == b.sinceExact;
    };
    return diffRows(before, after, keyOf, same);
}

bool SnapshotDiff::isEmpty() const
{
    return requests.isEmpty() && sessions.isEmpty() && entries.isEmpty() && entryWaiters.isEmpty();
}

SnapshotDiff diffSnapshots(const Snapshot& before, const Snapshot& after)
{
    SnapshotDiff diff;
    // Of locks that were not read nobody knows what became.
    if (before.locksRead && after.locksRead)
        diff.requests = diffRequests(before, after);
    diff.sessions = diffRows(before.sessions, after.sessions, [](const Session& s) { return s.key(); });
    diff.entries = diffRows(before.entries, after.entries, [](const LockTableEntry& e) {
        return LockTableKey{e.table, e.name};
    });
    if (!before.frameworkRows || !after.frameworkRows)
        forgetFrameworkRows(diff.entries, before.entries, after.entries);
    diff.entryWaiters = diffRows(before.entryWaiters, after.entryWaiters,
        [](const LockTableWaiter& w) { return std::pair(w.table, w.ticket); });
    return diff;
}

} // namespace lockscope
