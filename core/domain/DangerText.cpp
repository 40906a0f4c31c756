// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/DangerText.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/domain/Aftermath.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/Engine.h"
#include "core/domain/FrameworkText.h"
#include "core/domain/HolderLife.h"
#include "core/domain/Snapshot.h"
#include "core/domain/SnapshotNames.h"

#include <QSet>
#include <QUuid>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

LockTableQueue queueOf(const LockTableEntry& entry, const Snapshot* snapshot, ServerTime now)
{
    return snapshot ? lockscope::queueOf(*snapshot, {entry.table, entry.name}, now)
                    : std::vector<const LockTableWaiter*>();
}

QString nextHolder(const LockTableEntry& entry, const Snapshot* snapshot, ServerTime now)
{
    const auto queue = queueOf(entry, snapshot, now);
    if (queue.empty())
        return u"Nobody waits for it: it will be free."_s;
    const QString next = partyProcessName(queue.front()->party);
    return queue.size() == 1
        ? u"%1 waits for it and gets it next."_s.arg(next)
        : u"%1 gets it next; %2 more stay in the queue."_s.arg(next, QString::number(queue.size() - 1));
}

QString heldText(const Session& session, const Snapshot* snapshot, int& count)
{
    QStringList names;
    QSet<QString> seen;
    count = 0;
    if (!snapshot)
        return {};
    for (const LockRequest& request : snapshot->requests) {
        const Resource& resource = snapshot->resourceOf(request);
        if (request.session != session.id || request.isWaiting() || isInternalKind(resource.key.kind)
            || isPlaceInQueue(*snapshot, request))
            continue;
        ++count;
        if (const QString title = resourceTitle(resource); !seen.contains(title)) {
            seen.insert(title);
            names << title;
        }
    }
    return nameList(names, 5);
}

QList<DangerText::Fact> sessionFacts(const Session& session, ServerTime now)
{
    QList<DangerText::Fact> facts{
        {u"Session"_s, u"%1, logged in %2"_s.arg(session.id.value).arg(dateTimeText(session.loggedIn()))},
        {u"User"_s, session.user},
        {u"Program"_s,
            session.host.isEmpty() ? session.program : u"%1 on %2"_s.arg(session.program, session.host)},
        {u"State"_s, sessionStateName(session.state)},
    };
    if (session.transactionStarted)
        facts << DangerText::Fact{
            u"Transaction"_s, u"open for %1"_s.arg(ageText(session.transactionStarted, now))};
    if (session.statementVisible && !session.statement.isEmpty())
        facts << DangerText::Fact{u"Statement"_s, session.statement};
    facts.removeIf([](const DangerText::Fact& fact) { return fact.value.isEmpty(); });
    return facts;
}

/// Describes the end of its transaction, on this engine.
QString rollbackText(const Session& session, const Snapshot* snapshot, ServerTime now)
{
    if (!session.transactionStarted)
        return u"No open transaction is seen."_s;
    const QString text =
        u"Its transaction of %1 is rolled back"_s.arg(ageText(session.transactionStarted, now));
    if (!snapshot)
        return text + u'.';
    if (!rollbackTakesTime[snapshot->engine])
        return text + u" at once: what it has changed is void, and its locks are free."_s;
    const QString size =
        session.logUsed ? u" (%1 of log so far)"_s.arg(byteCountText(*session.logUsed)) : QString();
    return text
        + u" change by change%1. That can take as long as the work did; its locks are held until then."_s.arg(
            size);
}

/// Adds the warnings of the lock's file, once for each of several.
void warn(DangerText& text, const FrameworkMatch& match)
{
    const FrameworkLock* lock = match.lockDefinition;
    if (!lock)
        return;
    const QString warning = u"%1: %2"_s.arg(match.badge(), lock->danger);
    if (!text.warning.contains(lock->danger))
        text.warning = text.warning.isEmpty() ? warning : text.warning + u'\n' + warning;
    if (!text.vendorCommand.isEmpty())
        return;
    text.vendorName = match.frameworkName;
    text.vendorCommand = lock->vendorCommand;
    text.vendorNote = lock->vendorNote;
}

/// Locks of frameworks that end with the session: what they are, and what their files warn of.
void addFrameworks(DangerText& text, const Session& session, const Snapshot& snapshot)
{
    QStringList titles;
    QSet<QString> seen;
    for (const LockRequest& request : snapshot.requests) {
        const FrameworkMatchPtr& match = snapshot.resourceOf(request).framework;
        if (!match || request.isWaiting() || request.session != session.id)
            continue;
        if (const QString title = frameworkLockTitle(*match); !seen.contains(title)) {
            seen.insert(title);
            titles << title;
        }
        warn(text, *match);
    }
    if (!titles.isEmpty())
        text.facts << DangerText::Fact{u"It holds"_s, nameList(titles, 5)};
}

/// Warns if the session itself waits: its end frees only those behind it, and not what holds it up.
void warnOfVictim(DangerText& text, const Session& session, const Snapshot* snapshot)
{
    if (!snapshot || snapshot->blocking().blockersOf(session.id).empty()
        || snapshot->blocking().inCycle(session.id))
        return;
    const SessionId head = snapshot->blocking().headOf(session.id);
    if (!head.isValid())
        return;
    text.warning = u"Session %1 is itself blocked, by %2. %3 Look at %2 first."_s.arg(
        QString::number(session.id.value), sessionTitle(*snapshot, head),
        snapshot->blocking().victimsOf(session.id) == 0
            ? u"Nobody waits for it: this frees no other session."_s
            : u"This frees only those that wait for it, and not what it waits for."_s);
}

/// Adds what is concluded of the holder, what that rests on, and what would overturn it.
void addEvidence(DangerText& text, const HolderLife& life)
{
    for (const auto& [label, value] : verdictLines(life))
        text.facts << DangerText::Fact{label, value};
    text.facts.removeIf([](const DangerText::Fact& fact) { return fact.value.isEmpty(); });
}

DangerText describeFreeing(const LockTableEntry& entry, const Snapshot* snapshot, ServerTime now)
{
    DangerText text;
    text.title = u"Release %1"_s.arg(frameworkLockTitle(entry));
    text.button = u"Release"_s;
    const QString stored = storedSince(entry);
    const QString who = entry.holderText.isEmpty() ? whoHolds(entry) : entry.holderText;
    text.facts = {
        {u"Lock"_s, u"%1 in %2"_s.arg(entry.name, entry.table)},
        {u"Held by"_s, who.isEmpty() ? u"unknown"_s : who},
    };
    addEvidence(text, entry.holderLife);
    if (entry.heartbeat)
        text.facts << DangerText::Fact{u"Last sign of life"_s,
            u"%1 ago (%2)"_s.arg(ageText(entry.heartbeat, now), dateTimeText(*entry.heartbeat))};
    if (entry.acquiredAt.isValid())
        text.facts << DangerText::Fact{
            u"Since"_s, u"%1 (%2)"_s.arg(ageText(entry.acquiredAt, now), dateTimeText(entry.acquiredAt))};
    else if (!stored.isEmpty())
        text.facts << DangerText::Fact{u"Since"_s, u"%1, by its program's clock"_s.arg(stored)};
    if (entry.expiresAt)
        text.facts << DangerText::Fact{u"Expires"_s, dateTimeText(*entry.expiresAt)};
    const FrameworkLock* lock = entry.framework->lockDefinition;
    if (lock)
        text.consequences << changeText(lock->row);
    text.consequences << (queueOf(entry, snapshot, now).empty()
            ? u"A program that waits for it tries again by itself and then gets it; the server does not see which one."_s
            : nextHolder(entry, snapshot, now));
    if (const QString risk = riskOfFreeing(entry.holderLife); !risk.isEmpty())
        text.consequences << risk;
    text.consequences << u"Only this very row is changed; if it is not as shown any more, nothing happens."_s;
    warn(text, *entry.framework);
    return text;
}

} // namespace

DangerText describeRelease(const LockTableEntry& entry, const Snapshot* snapshot, ServerTime now)
{
    if (entry.framework && !entry.framework->isAttached())
        return describeFreeing(entry, snapshot, now);
    DangerText text;
    text.title = u"Release “%1”"_s.arg(entry.name);
    text.button = u"Release"_s;
    text.facts = {
        {u"Lock"_s, u"%1 in %2"_s.arg(entry.name, entry.table)},
        {u"Held by"_s, partyProcessName(entry.party)},
        {u"Since"_s, u"%1 (%2)"_s.arg(ageText(entry.acquiredAt, now), dateTimeText(entry.acquiredAt))},
    };
    addEvidence(text, entry.holderLife);
    if (!entry.token.isEmpty())
        text.facts << DangerText::Fact{u"Token"_s, entry.token};
    if (entry.expiresAt) {
        const QString lease = entry.isStale(now)
            ? u"expired %1 ago"_s.arg(ageText(entry.expiresAt, now))
            : u"%1 left"_s.arg(formatDuration(ageOf(now, *entry.expiresAt)));
        text.facts << DangerText::Fact{u"Lease"_s, lease};
    }
    text.consequences << nextHolder(entry, snapshot, now);
    if (const QString risk = riskOfReleasing(entry.holderLife); !risk.isEmpty())
        text.consequences << risk;
    text.consequences
        << u"Only this very row is released; if it has changed hands meanwhile, nothing happens."_s;
    return text;
}

DangerText describePurge(const QList<LockTableEntry>& stale, const Snapshot* snapshot, ServerTime now)
{
    constexpr qsizetype listed = 8;
    DangerText text;
    text.title = stale.size() == 1 ? u"Purge one stale lock"_s : u"Purge %1 stale locks"_s.arg(stale.size());
    text.button = u"Purge"_s;
    qsizetype awaited = 0;
    for (const LockTableEntry& entry : stale) {
        if (text.facts.size() < listed)
            text.facts << DangerText::Fact{frameworkLockTitle(entry),
                sentences({u"%1, expired %2 ago"_s.arg(
                               entry.framework ? whoHolds(entry) : partyProcessName(entry.party),
                               ageText(entry.expiresAt, now)),
                    snapshot ? verdictInBrief(lifeIn(*snapshot, entry)) : QString()})};
        awaited += queueOf(entry, snapshot, now).empty() ? 0 : 1;
        if (entry.framework && !entry.framework->isAttached())
            warn(text, *entry.framework);
    }
    if (stale.size() > listed)
        text.facts << DangerText::Fact{u"and"_s, u"%1 more"_s.arg(stale.size() - listed)};
    text.consequences << (stale.size() == 1 ? u"One lock is freed."_s
                                            : u"%1 locks are freed."_s.arg(stale.size()));
    if (awaited > 0)
        text.consequences << u"Waited for: %1 of them; the first in each queue gets it."_s.arg(awaited);
    text.consequences
        << u"That a lease has expired does not prove that its holder has ended: one that still works then works beside the next holder."_s
        << u"A lock that its holder renews meanwhile is left alone."_s;
    return text;
}

DangerText describeCancel(const Session& session, const Snapshot* snapshot, ServerTime now)
{
    DangerText text;
    text.title = u"Cancel the statement of session %1"_s.arg(session.id.value);
    text.button = u"Cancel statement"_s;
    text.refusal = u"Keep it running"_s; // "Cancel" beside it would be either of the two
    text.facts = sessionFacts(session, now);
    warnOfVictim(text, session, snapshot);
    if (session.state != SessionState::Active) {
        text.consequences
            << u"No statement runs now: this will change nothing. To free its locks, end the session."_s;
        return text;
    }
    text.consequences
        << u"The statement fails in its program; the session lives on."_s
        << u"Its transaction is aborted with it: what it has changed is void, and its locks are free at once. It keeps only those from before a savepoint, if the program uses one, and advisory locks of the session."_s;
    if (snapshot)
        text.consequences << aftermathInWords(*snapshot, session.id);
    return text;
}

DangerText describeCancels(const QList<Session>& sessions, const Snapshot* snapshot, ServerTime now)
{
    constexpr qsizetype listed = 8;
    constexpr qsizetype longest = 120;
    DangerText text;
    text.title = u"Cancel the statements of %1 sessions"_s.arg(sessions.size());
    text.button = u"Cancel %1 statements"_s.arg(sessions.size());
    text.refusal = u"Keep them running"_s;
    std::vector<SessionId> ids;
    for (const Session& session : sessions) {
        ids.push_back(session.id);
        if (text.facts.size() == listed)
            continue;
        const QString open = session.transactionStarted
            ? u"transaction of %1: "_s.arg(ageText(session.transactionStarted, now))
            : QString();
        text.facts << DangerText::Fact{u"%1 %2"_s.arg(QString::number(session.id.value), session.program),
            open + (session.statementVisible ? session.statement.simplified().left(longest) : u"hidden"_s)};
    }
    if (sessions.size() > listed)
        text.facts << DangerText::Fact{u"and"_s, u"%1 more"_s.arg(sessions.size() - listed)};
    text.consequences
        << u"Each statement fails in its program; the sessions live on."_s
        << u"Their transactions are aborted: what they have changed is void, and their locks are free at once."_s;
    if (snapshot)
        text.consequences << aftermathInWords(*snapshot, ids);
    text.consequences
        << u"Each is compared and recorded by itself. A session that runs another statement by then is left alone."_s;
    return text;
}

DangerText describeEnd(const Session& session, const Snapshot* snapshot, ServerTime now)
{
    DangerText text;
    if (!session.unitOfWork.isEmpty()) {
        text.title = u"End an orphaned distributed transaction"_s;
        text.button = u"End transaction"_s;
        text.facts = {{u"Unit of work"_s, session.unitOfWork}};
        text.afterwards = snapshot ? whoGoesOn(*snapshot, session.id) : QStringList();
        const QStringList forecast = snapshot ? aftermathInWords(*snapshot, session.id) : QStringList();
        text.consequences
            << u"It is rolled back and its locks are freed."_s << forecast
            << u"Its coordinator is not asked: the other servers that took part may have committed."_s;
        return text;
    }
    text.title = u"End session %1"_s.arg(session.id.value);
    text.button = u"End session"_s;
    text.facts = sessionFacts(session, now);
    warnOfVictim(text, session, snapshot);
    if (snapshot)
        addFrameworks(text, session, *snapshot);
    text.consequences << rollbackText(session, snapshot, now);
    int count = 0;
    const QString names = heldText(session, snapshot, count);
    if (count > 0)
        text.consequences << (count == 1 ? u"One lock is freed: %1."_s.arg(names)
                                         : u"%1 locks are freed: %2."_s.arg(count).arg(names));
    text.afterwards = snapshot ? whoGoesOn(*snapshot, session.id) : QStringList();
    const QStringList forecast = snapshot ? aftermathInWords(*snapshot, session.id) : QStringList();
    text.consequences << forecast;
    if (const auto other = snapshot ? otherActThanEnding(*snapshot, session.id) : std::nullopt)
        text.consequences << other->toString();
    text.consequences
        << u"Its program loses the connection. If the session has ended by itself meanwhile, nothing happens to the one that got its number."_s;
    text.consequences.removeAll(QString());
    return text;
}

QString reasonAgainstEnding(Engine engine, const Session& session)
{
    static constexpr PerEngine<const char16_t*> reasons{
        .postgres = u"A prepared transaction has no session: COMMIT PREPARED or ROLLBACK PREPARED ends it.",
        .sqlServer = u"It has no session to end, and its unit of work is not known.",
        .sqlite = u"It has no session to end."};
    if (session.own)
        return u"Session %1 is this monitor's own."_s.arg(session.id.value);
    if (session.system)
        return u"Session %1 belongs to the server itself."_s.arg(session.id.value);
    return session.id.value < 0 && QUuid(session.unitOfWork).isNull() ? QString::fromUtf16(reasons[engine])
                                                                      : QString();
}

} // namespace lockscope
