// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SnapshotComparison.h"

#include "core/base/EnumTable.h"
#include "core/domain/SnapshotDiff.h"
#include "core/domain/SnapshotNames.h"

#include <algorithm>
#include <tuple>

namespace lockscope {

using namespace Qt::StringLiterals;
using What = SnapshotDifference::What;
using Change = SnapshotDifference::Change;

namespace {

QString withAge(const QString& text, const std::optional<Age>& age)
{
    return age ? text + u' ' + age->toString() : text;
}

QString requestText(const Snapshot& snapshot, const LockRequest& request)
{
    return withAge(request.isWaiting() ? u"waits"_s : u"holds"_s, snapshot.ageOf(request));
}

QString sessionText(const Snapshot& snapshot, const Session& session)
{
    QString text = sessionStateName(session.state);
    if (session.transactionStarted)
        text +=
            u", "_s + withAge(u"in transaction"_s, knownAge(*session.transactionStarted, snapshot.takenAt));
    return session.statement.isEmpty() ? text : text + u": "_s + session.statement.simplified();
}

QString entryText(const Snapshot& snapshot, const LockTableEntry& entry)
{
    return withAge(u"holds"_s, knownAge(entry.acquiredAt, snapshot.takenAt));
}

class SnapshotComparer {
public:
    SnapshotComparer(const Snapshot& before, const Snapshot& after)
        : m_before(before)
        , m_after(after)
        , m_diff(diffSnapshots(before, after))
    {
    }

    std::vector<SnapshotDifference> all()
    {
        addRequests();
        addEntries();
        addTickets();
        addSessions();
        std::ranges::stable_sort(m_all, [](const SnapshotDifference& a, const SnapshotDifference& b) {
            return std::tie(a.what, a.change) < std::tie(b.what, b.change);
        });
        return std::move(m_all);
    }

private:
    static bool isOwn(const Snapshot& snapshot, SessionId id)
    {
        const Session* session = snapshot.session(id);
        return session && session->own;
    }

    void add(const LockRequest* was, const LockRequest* is)
    {
        const Snapshot& snapshot = is ? m_after : m_before;
        const LockRequest& request = is ? *is : *was;
        const Resource& resource = snapshot.resourceOf(request);
        if (resource.internal || isOwn(snapshot, request.session))
            return;
        const bool isWait = (was && was->isWaiting()) || (is && is->isWaiting());
        m_all.push_back({.what = isWait ? What::Wait : What::Lock,
            .change = !was ? Change::New
                : !is      ? Change::Gone
                           : Change::Changed,
            .who = sessionTitle(snapshot, request.session),
            .lock = resource.name,
            .mode = request.mode.name(),
            .before = was ? requestText(m_before, *was) : QString(),
            .after = is ? requestText(m_after, *is) : QString()});
    }

    void addRequests()
    {
        for (const quint32 at : m_diff.requests.inserted)
            add(nullptr, &m_after.requests[at]);
        for (const quint32 at : m_diff.requests.removed)
            add(&m_before.requests[at], nullptr);
        for (const auto& [from, to] : m_diff.requests.changed) {
            const LockRequest& was = m_before.requests[from];
            const LockRequest& is = m_after.requests[to];
            if (was.isWaiting() != is.isWaiting())
                add(&was, &is);
        }
    }

    void add(const LockTableEntry* was, const LockTableEntry* is)
    {
        const LockTableEntry& entry = is ? *is : *was;
        m_all.push_back({.what = What::Lock,
            .change = is ? Change::New : Change::Gone,
            .who = entry.party.owner,
            .lock = entry.name,
            .before = was ? entryText(m_before, *was) : QString(),
            .after = is ? entryText(m_after, *is) : QString()});
    }

    void addEntries()
    {
        for (const quint32 at : m_diff.entries.inserted)
            add(nullptr, &m_after.entries[at]);
        for (const quint32 at : m_diff.entries.removed)
            add(&m_before.entries[at], nullptr);
        for (const auto& [from, to] : m_diff.entries.changed) {
            const LockTableEntry& was = m_before.entries[from];
            const LockTableEntry& is = m_after.entries[to];
            if (was.acquiredAt == is.acquiredAt && was.token == is.token)
                continue; // a lease that was renewed
            add(&was, nullptr);
            add(nullptr, &is);
        }
    }

    void addTickets()
    {
        const auto add = [this](const Snapshot& snapshot, const LockTableWaiter& waiter, bool isNew) {
            const QString text = withAge(u"waits"_s, knownAge(waiter.registeredAt, snapshot.takenAt));
            m_all.push_back({.what = What::Wait,
                .change = isNew ? Change::New : Change::Gone,
                .who = waiter.party.owner,
                .lock = waiter.name,
                .before = isNew ? QString() : text,
                .after = isNew ? text : QString()});
        };
        for (const quint32 at : m_diff.entryWaiters.inserted)
            add(m_after, m_after.entryWaiters[at], true);
        for (const quint32 at : m_diff.entryWaiters.removed)
            add(m_before, m_before.entryWaiters[at], false);
    }

    void add(const Session* was, const Session* is)
    {
        const Session& session = is ? *is : *was;
        if (session.own)
            return;
        m_all.push_back({.what = What::Session,
            .change = !was ? Change::New
                : !is      ? Change::Gone
                           : Change::Changed,
            .who = sessionTitle(is ? m_after : m_before, session.id),
            .before = was ? sessionText(m_before, *was) : QString(),
            .after = is ? sessionText(m_after, *is) : QString()});
    }

    void addSessions()
    {
        for (const quint32 at : m_diff.sessions.inserted)
            add(nullptr, &m_after.sessions[at]);
        for (const quint32 at : m_diff.sessions.removed)
            add(&m_before.sessions[at], nullptr);
        for (const auto& [from, to] : m_diff.sessions.changed) {
            const Session& was = m_before.sessions[from];
            const Session& is = m_after.sessions[to];
            if (was.state != is.state || was.statement != is.statement
                || was.transactionStarted != is.transactionStarted)
                add(&was, &is);
        }
    }

    const Snapshot& m_before;
    const Snapshot& m_after;
    const SnapshotDiff m_diff;
    std::vector<SnapshotDifference> m_all;
};

} // namespace

QString whatName(What what)
{
    static constexpr EnumTable<What> names({u"wait", u"lock", u"session"});
    return names[what].toString();
}

QString changeName(Change change)
{
    static constexpr EnumTable<Change> names({u"new", u"gone", u"changed"});
    return names[change].toString();
}

std::vector<SnapshotDifference> differencesBetween(const Snapshot& before, const Snapshot& after)
{
    return SnapshotComparer(before, after).all();
}

} // namespace lockscope
