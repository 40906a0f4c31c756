// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/BlockingGraph.h"
#include "core/scenario/run/StepRun.h"

#include <algorithm>

// Finds the waits among the sessions that are gone through step by step: the other part of StepRun.

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

WaitInspector::WaitInspector(const RunContext& context)
    : m_context(context)
{
    monitor::ProbeSelection probes;
    probes.statements = false;
    m_source = monitor::makeSnapshotSource(context.server, probes);
}

Result<void> WaitInspector::inspect(const std::stop_token& stop)
{
    LOCKSCOPE_TRY_GET(m_seen, m_source->take(stop));
    return {};
}

std::optional<WaitInspector::Obstacle> WaitInspector::ofSession(SessionId session) const
{
    if (!m_seen || !session.isValid())
        return std::nullopt;
    std::optional<Obstacle> obstacle;
    for (const WaitEdge& edge : m_seen->waits) {
        if (edge.waiter != session)
            continue;
        if (!obstacle) {
            const Resource& resource = m_seen->resources[edge.resource];
            const bool isTransaction = resource.key.kind == ResourceKind::TransactionId;
            obstacle = {{}, isTransaction ? rowAwaitedBy(session) : shown(resource)};
        }
        obstacle->blockers.push_back(edge.blocker);
    }
    if (obstacle) {
        auto& blockers = obstacle->blockers;
        std::ranges::sort(blockers);
        blockers.erase(std::unique(blockers.begin(), blockers.end()), blockers.end());
    }
    return obstacle;
}

/// Only the first in a row's queue waits for a transaction, and holds its place meanwhile.
QString WaitInspector::rowAwaitedBy(SessionId session) const
{
    const LockRequest* const place = QueuePlaces(*m_seen).of(session);
    return place ? shown(m_seen->resourceOf(*place)) : QString();
}

bool WaitInspector::isTaken(const QString& entry) const
{
    return m_seen && std::ranges::any_of(m_seen->entries, [&entry](const LockTableEntry& each) {
        return each.name == entry;
    });
}

bool WaitInspector::isWaitedFor(const QString& entry) const
{
    return m_seen && std::ranges::any_of(m_seen->entryWaiters, [&entry](const LockTableWaiter& each) {
        return each.name == entry;
    });
}

QString WaitInspector::describe(SessionId session) const
{
    const Session* const known = m_seen ? m_seen->session(session) : nullptr;
    const QString program = known && !known->program.isEmpty() ? known->program : u"another program"_s;
    return u"%1, session %2"_s.arg(program).arg(session.value);
}

/// Returns the text without the parts that only keep runs apart.
QString WaitInspector::shown(const Resource& resource) const
{
    QString name = resource.name;
    name.remove(m_context.lockPrefix);
    if (!m_context.schema.isEmpty())
        name.remove(m_context.schema + u'.');
    return name;
}

namespace {

/// A file that can't be read for so long is locked by somebody.
constexpr milliseconds fileIsLocked{60};

/// An engine that shows none locks the whole file, which can't be read meanwhile.
bool showsLocks(const db::Server& server)
{
    return db::Dialect::of(server.engine()).can(db::Capability::LockView);
}

} // namespace

/// Returns whether all that are busy are blocked.
Result<bool> StepRun::inspectWaits(const std::stop_token& stop)
{
    if (auto inspected = m_waits->inspect(stop); !inspected && showsLocks(m_server))
        return Failure(inspected.error());
    bool areAllBlocked = true;
    for (std::size_t i = 0; i < m_views.size(); ++i) {
        if (!m_latest[i].record)
            continue;
        SteppedView& view = m_views[i];
        view.blockers.clear();
        view.otherBlockers.clear();
        view.blockedOn.clear();
        const bool isBlocked = findObstacle(i);
        view.standing = isBlocked ? Standing::Blocked : Standing::Running;
        areAllBlocked = areAllBlocked && isBlocked;
        StepRecord& record = m_record.steps[*m_latest[i].record];
        if (isBlocked && !record.isBlocked) {
            record.isBlocked = true;
            record.blockers = view.blockers;
            record.on = view.blockedOn;
        }
    }
    return areAllBlocked;
}

bool StepRun::findObstacle(std::size_t at)
{
    const auto* const acquire = std::get_if<AcquireStep>(&m_latest[at].step->act);
    if (acquire && acquire->kind == locks::LockKind::Table)
        return findTableObstacle(at);
    return showsLocks(m_server) ? findLockObstacle(at) : findFileObstacle(at);
}

bool StepRun::findLockObstacle(std::size_t at)
{
    const Latest& latest = m_latest[at];
    const auto obstacle = m_waits->ofSession(latest.id);
    if (!obstacle)
        return false;
    SteppedView& view = m_views[at];
    QStringList letters;
    for (const SessionId blocker : obstacle->blockers) {
        if (const int number = sessionBy(blocker)) {
            view.blockers.push_back(number);
            letters << sessionLetter(number);
        } else {
            view.otherBlockers << m_waits->describe(blocker);
        }
    }
    std::ranges::sort(view.blockers);
    // The name that the step itself has for it says more than the server's number.
    if (!latest.lockText.isEmpty())
        view.blockedOn = latest.lockText;
    else if (!obstacle->on.isEmpty())
        view.blockedOn = obstacle->on;
    else
        view.blockedOn = u"the end of the transaction of "_s + (letters + view.otherBlockers).join(u", "_s);
    return true;
}

/// An entry of the lock table says which program has it, but all sessions are of this one: who got it last
/// has it. It is the server that says that it is taken, and that somebody waits.
bool StepRun::findTableObstacle(std::size_t at)
{
    const Latest& latest = m_latest[at];
    if (!m_waits->isTaken(latest.lock) || !m_waits->isWaitedFor(latest.lock))
        return false;
    SteppedView& view = m_views[at];
    if (const int holder = m_tableHolders.value(latest.lock); holder > 0 && holder != view.number)
        view.blockers.push_back(holder);
    for (std::size_t i = 0; i < m_latest.size(); ++i)
        if (m_latest[i].record && m_latest[i].lock == latest.lock && m_latest[i].begun < latest.begun)
            view.blockers.push_back(int(i) + 1);
    std::ranges::sort(view.blockers);
    view.blockedOn = latest.lockText;
    return true;
}

/// No locks are shown: a statement that can't go on while others have a transaction open waits for these.
bool StepRun::findFileObstacle(std::size_t at)
{
    if (Steady::now() - m_latest[at].begun < fileIsLocked)
        return false;
    SteppedView& view = m_views[at];
    for (std::size_t i = 0; i < m_views.size(); ++i)
        if (i != at && !m_latest[i].record && session(i).isInTransaction())
            view.blockers.push_back(int(i) + 1);
    view.blockedOn = u"the database file"_s;
    return !view.blockers.empty();
}

/// Some that are blocked wait for each other.
bool StepRun::hasCycle() const
{
    for (const SteppedView& view : m_views) {
        std::vector<int> ahead = view.blockers;
        std::vector<bool> seen(m_views.size() + 1, false);
        while (view.standing == Standing::Blocked && !ahead.empty()) {
            const int next = ahead.back();
            ahead.pop_back();
            if (next == view.number)
                return true;
            if (seen[std::size_t(next)])
                continue;
            seen[std::size_t(next)] = true;
            const SteppedView& other = m_views[std::size_t(next) - 1];
            if (other.standing == Standing::Blocked)
                ahead.insert(ahead.end(), other.blockers.begin(), other.blockers.end());
        }
    }
    return false;
}

int StepRun::sessionBy(SessionId id) const
{
    for (std::size_t i = 0; i < m_latest.size(); ++i)
        if (m_latest[i].id == id)
            return int(i) + 1;
    return 0;
}

} // namespace lockscope::scenario
