// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Snapshot.h"

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace lockscope::ui {

enum class LockGrouping : quint8 { None, Resource, Session, Mode, Framework };

/// The sessions that stand before or behind some requests, all in one piece of memory.
class SessionLists {
public:
    using Pair = std::pair<quint32, SessionId>; ///< request, a session of its list

    SessionLists() = default;
    /// Lists in the order of the pairs; what comes twice is in a list once.
    SessionLists(size_t requests, const std::vector<Pair>& pairs);
    /// Empty if it has none.
    std::span<const SessionId> of(quint32 request) const
    {
        return m_first.empty() ? std::span<const SessionId>()
                               : std::span(m_sessions).subspan(m_first[request], m_count[request]);
    }

private:
    std::vector<quint32> m_first; // by request; empty: nobody has a list
    std::vector<quint32> m_count;
    std::vector<SessionId> m_sessions;
};

/// A snapshot with what the rows of the Locks page need beside it; immutable once shown.
struct LockView {
    static constexpr quint32 unseen = ~quint32(0);

    struct Group {
        QString id;
        QString title;
        quint32 sample = 0; ///< one of its requests: the group's resource, session or mode is that one's
        int holders = 0;
        int waiters = 0;
        std::optional<ServerTime> waitingSince; ///< of the longest wait
        bool waitExact = true;
        bool operator==(const Group& other) const;
    };

    SnapshotPtr snapshot;
    LockGrouping grouping = LockGrouping::None;
    std::vector<quint32> sessionOf; ///< by request: index into snapshot->sessions, or unseen
    std::vector<char> sessionSame; ///< by session: not different from the view before
    std::vector<char> contended; ///< by resource: somebody waits for it
    SessionLists blockers; ///< by waiting request
    SessionLists victims; ///< by request that is held or ahead in the queue
    std::vector<Group> groups;
    std::vector<quint32> groupOf; ///< by request
    std::vector<quint32> order; ///< requests as they are shown unless a column sorts them

    /// Returns null without a snapshot. `former`: the view shown before, for what is the same.
    static std::shared_ptr<const LockView> make(
        const SnapshotPtr& snapshot, LockGrouping grouping, const LockView* former);

    const Session* session(quint32 request) const;
    const LockRequest& request(quint32 index) const { return snapshot->requests[index]; }
    const Resource& resource(quint32 index) const { return snapshot->resourceOf(request(index)); }
};

struct LockRow {
    const LockView* view = nullptr;
    quint32 index = 0; ///< of the request, or of the group
    bool head = false;
};

/// Refers to a row instead of copying its texts: hashing 100,000 of them is what a refresh costs.
struct LockRowKey {
    LockRow row;
    bool operator==(const LockRowKey& other) const;
};
size_t qHash(const LockRowKey& key, size_t seed = 0) noexcept;

/// Heads of groups first, in their order, then the requests. None of no view.
std::vector<LockRow> makeRows(const LockView* view);

} // namespace lockscope::ui
