// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/DeadlockJumps.h"

#include "core/domain/SnapshotNames.h"
#include "ui/views/page/AppContext.h"

#include <QSet>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

class Finder {
public:
    Finder(const DeadlockRow& row, const AppContext& context, const SnapshotPtr& snapshot)
        : m_row(row)
        , m_context(context)
        , m_snapshot(snapshot)
    {
        if (row.identity.server.isEmpty())
            m_reason = u"It comes from a file, which does not name its server."_s;
        else if (row.identity.server != context.profile().display())
            m_reason = u"It is of “%1”, which is not on view."_s.arg(row.identity.server);
    }

    QList<DeadlockJump> find() const
    {
        QList<DeadlockJump> jumps;
        QList<deadlock::Link> links;
        QSet<int> waiters; // once each, however many it waits for
        for (const deadlock::Link& link : m_row.deadlock.links()) {
            if (!waiters.contains(link.waiter))
                links << link;
            waiters.insert(link.waiter);
        }
        for (const deadlock::Link& link : links)
            jumps << session(link);
        for (const deadlock::Link& link : links)
            jumps << lock(link);
        for (const deadlock::Link& link : links)
            jumps << audit(link);
        jumps << jumpTime();
        return jumps;
    }

private:
    const deadlock::Participant& waiter(const deadlock::Link& link) const
    {
        return m_row.deadlock.participant(link.waiter);
    }

    /// Null, with the reason: it is not the one of the deadlock, or none is there.
    const Session* sessionOf(const deadlock::Link& link, QString& reason) const
    {
        const deadlock::Participant& one = waiter(link);
        reason = m_reason;
        if (!reason.isEmpty())
            return nullptr;
        const Session* const found = m_snapshot ? m_snapshot->session(one.session) : nullptr;
        const auto& at = m_row.deadlock.report->time.at;
        if (!found) {
            reason = u"Session %1 is not there %2."_s.arg(
                one.label(), m_context.pastTime() ? u"at the time on view"_s : u"any more"_s);
        } else if (!at || !m_row.deadlock.report->time.isZoneKnown) {
            reason = u"The report does not say when it was: session %1 may be another one by now."_s.arg(
                one.label());
        } else if (found->started.isValid() && found->loggedIn() > *at) {
            reason = u"Session %1 is another one: it began at %2, later than the deadlock."_s.arg(
                one.label(), dateTimeText(found->loggedIn()));
        }
        return reason.isEmpty() ? found : nullptr;
    }

    DeadlockJump session(const deadlock::Link& link) const
    {
        DeadlockJump jump{.text = u"Session %1"_s.arg(waiter(link).label()), .page = u"sessions"_s};
        if (const Session* const found = sessionOf(link, jump.reasonAgainst))
            jump.subject = found->key();
        return jump;
    }

    DeadlockJump lock(const deadlock::Link& link) const
    {
        const deadlock::LockedThing& thing = m_row.deadlock.resource(link.resource);
        DeadlockJump jump{
            .text = u"Lock of session %1: %2"_s.arg(waiter(link).label(), thing.name), .page = u"locks"_s};
        const Session* const found = sessionOf(link, jump.reasonAgainst);
        if (!found)
            return jump;
        const auto isIt = [&](const LockRequest& request) {
            const Resource& resource = m_snapshot->resourceOf(request);
            return request.session == found->id && request.mode.name() == link.awaited
                && resource.key.kind == thing.kind
                && (resource.name == thing.name || resource.name == thing.table);
        };
        const auto request = std::find_if(m_snapshot->requests.begin(), m_snapshot->requests.end(), isIt);
        if (request == m_snapshot->requests.end())
            jump.reasonAgainst = u"Session %1 neither has this lock nor waits for it %2."_s.arg(
                waiter(link).label(), m_context.pastTime() ? u"at the time on view"_s : u"now"_s);
        else
            jump.subject = m_snapshot->keyOf(*request);
        return jump;
    }

    DeadlockJump audit(const deadlock::Link& link) const
    {
        const deadlock::Participant& one = waiter(link);
        return {.text = u"Audit of session %1"_s.arg(one.label()),
            .reasonAgainst = !m_reason.isEmpty() ? m_reason
                : !one.session.isValid()         ? u"The report does not show its number."_s
                                                 : QString(),
            .page = u"audit"_s,
            .filter = u"target:\"session %1\""_s.arg(one.session.value)};
    }

    DeadlockJump jumpTime() const
    {
        DeadlockJump jump{.text = u"The time in the recording"_s, .reasonAgainst = m_reason};
        const deadlock::ReportTime& time = m_row.deadlock.report->time;
        if (jump.reasonAgainst.isEmpty() && (!time.at || !time.isZoneKnown))
            jump.reasonAgainst = u"The report does not say when it was."_s;
        if (jump.reasonAgainst.isEmpty() && !m_context.recording())
            jump.reasonAgainst = u"This server is not recorded."_s;
        if (jump.reasonAgainst.isEmpty())
            jump.jumpTime = time.at;
        return jump;
    }

    const DeadlockRow& m_row;
    const AppContext& m_context;
    const SnapshotPtr& m_snapshot;
    QString m_reason; ///< against all of them
};

} // namespace

QList<DeadlockJump> jumpsOf(const DeadlockRow& row, const AppContext& context, const SnapshotPtr& snapshot)
{
    return Finder(row, context, snapshot).find();
}

} // namespace lockscope::ui
