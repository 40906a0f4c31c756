// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/DangerText.h"

#include "core/domain/BlockingGraph.h"
#include "core/domain/LockTableQueue.h"
#include "ui/models/SnapshotNames.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace lockscope::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("DangerText", text);
}

QString partyText(const LockParty& party)
{
    QStringList parts;
    parts << (party.owner.isEmpty() ? tr("unknown") : party.owner);
    if (!party.program.isEmpty())
        parts << party.program;
    if (!party.host.isEmpty())
        parts << tr("on %1").arg(party.host);
    if (party.processId > 0)
        parts << tr("(process %1)").arg(party.processId);
    return parts.join(QLatin1Char(' '));
}

std::vector<const LockTableWaiter*> queueOf(
    const LockTableEntry& entry, const Snapshot* snapshot, ServerTime now)
{
    return snapshot ? lockscope::queueOf(*snapshot, {entry.table, entry.name}, now)
                    : std::vector<const LockTableWaiter*>();
}

QString nextHolder(const LockTableEntry& entry, const Snapshot* snapshot, ServerTime now)
{
    const auto queue = queueOf(entry, snapshot, now);
    if (queue.empty())
        return tr("Nobody waits for it: it will be free.");
    const QString next = partyText(queue.front()->party);
    return queue.size() == 1
        ? tr("%1 waits for it and gets it next.").arg(next)
        : tr("%1 gets it next; %2 more stay in the queue.").arg(next).arg(queue.size() - 1);
}

QString heldText(const Session& session, const Snapshot* snapshot, int& count)
{
    QStringList names;
    count = 0;
    if (!snapshot)
        return {};
    for (const LockRequest& request : snapshot->requests) {
        const Resource& resource = snapshot->resourceOf(request);
        if (request.session != session.id || request.isWaiting() || isInternalKind(resource.key.kind))
            continue;
        ++count;
        if (!names.contains(resource.name))
            names << resource.name;
    }
    return nameList(names, 5);
}

QList<DangerText::Fact> sessionFacts(const Session& session, ServerTime now)
{
    QList<DangerText::Fact> facts{
        {tr("Session"), tr("%1, logged in %2").arg(session.id.value).arg(momentText(session.loggedIn()))},
        {tr("User"), session.user},
        {tr("Program"),
            session.host.isEmpty() ? session.program : tr("%1 on %2").arg(session.program, session.host)},
        {tr("State"), sessionStateName(session.state)},
    };
    if (session.transactionStarted)
        facts << DangerText::Fact{
            tr("Transaction"), tr("open for %1").arg(ageText(session.transactionStarted, now))};
    if (session.statementVisible && !session.statement.isEmpty())
        facts << DangerText::Fact{tr("Statement"), session.statement};
    facts.removeIf([](const DangerText::Fact& fact) { return fact.value.isEmpty(); });
    return facts;
}

QString victimsText(const Session& session, const Snapshot* snapshot)
{
    if (!snapshot)
        return {};
    const BlockingGraph graph(*snapshot);
    const int victims = graph.victimsOf(session.id);
    if (victims == 0)
        return tr("Nobody waits for it.");
    const QString direct = sessionList(graph.waitersOf(session.id));
    return victims == 1
        ? tr("Session %1 waits for it and can go on.").arg(direct)
        : tr("%1 sessions wait for it, directly or behind others; first of all %2.").arg(victims).arg(direct);
}

/// What `pattern` captures in `script`, each once, in its order.
QStringList namesIn(const QString& script, const QString& pattern)
{
    const QRegularExpression expression(
        pattern, QRegularExpression::MultilineOption | QRegularExpression::CaseInsensitiveOption);
    QStringList names;
    for (auto found = expression.globalMatch(script); found.hasNext();) {
        const QString name = found.next().captured(1);
        if (!names.contains(name))
            names << name;
    }
    return names;
}

/// The objects of one kind ("TABLE") that a script creates.
QStringList createdBy(const QString& script, const QString& kind)
{
    return namesIn(script,
        QStringLiteral(R"(^\s*(?:EXEC(?:UTE)?\s*\(N?')?CREATE\s+(?:OR\s+REPLACE\s+)?%1\s+)"
                       R"((?:IF\s+NOT\s+EXISTS\s+)?([\w.\[\]"]+))")
            .arg(kind));
}

} // namespace

DangerText describeRelease(const LockTableEntry& entry, const Snapshot* snapshot, ServerTime now)
{
    DangerText text;
    text.title = tr("Release “%1”").arg(entry.name);
    text.button = tr("Release");
    text.facts = {
        {tr("Lock"), tr("%1 in %2").arg(entry.name, entry.table)},
        {tr("Held by"), partyText(entry.party)},
        {tr("Since"), tr("%1 (%2)").arg(ageText(entry.acquiredAt, now), momentText(entry.acquiredAt))},
    };
    if (!entry.token.isEmpty())
        text.facts << DangerText::Fact{tr("Token"), entry.token};
    if (entry.expiresAt) {
        const QString lease = entry.isStale(now)
            ? tr("over since %1").arg(ageText(entry.expiresAt, now))
            : tr("%1 left").arg(formatDuration(ageOf(now, *entry.expiresAt)));
        text.facts << DangerText::Fact{tr("Lease"), lease};
    }
    text.consequences << nextHolder(entry, snapshot, now);
    if (!entry.isStale(now))
        text.consequences << tr(
            "Its holder is not asked and may still be working: two may then work at once. "
            "Only a resource that checks fencing tokens is safe from that.");
    text.consequences << tr(
        "Only this very row is released; if it has changed hands meanwhile, nothing happens.");
    return text;
}

DangerText describePurge(const QList<LockTableEntry>& stale, const Snapshot* snapshot, ServerTime now)
{
    constexpr qsizetype listed = 8;
    DangerText text;
    text.title =
        stale.size() == 1 ? tr("Purge one stale lock") : tr("Purge %1 stale locks").arg(stale.size());
    text.button = tr("Purge");
    qsizetype awaited = 0;
    for (const LockTableEntry& entry : stale) {
        if (text.facts.size() < listed)
            text.facts << DangerText::Fact{entry.name,
                tr("%1, stale for %2").arg(partyText(entry.party), ageText(entry.expiresAt, now))};
        awaited += queueOf(entry, snapshot, now).empty() ? 0 : 1;
    }
    if (stale.size() > listed)
        text.facts << DangerText::Fact{tr("and"), tr("%1 more").arg(stale.size() - listed)};
    text.consequences << (stale.size() == 1 ? tr("One lock is freed.")
                                            : tr("%1 locks are freed.").arg(stale.size()));
    if (awaited > 0)
        text.consequences << tr("Waited for: %1 of them; the first in each queue gets it.").arg(awaited);
    text.consequences << tr("A lock that its holder renews meanwhile is left alone.");
    return text;
}

DangerText describeCancel(const Session& session, const Snapshot* snapshot, ServerTime now)
{
    DangerText text;
    text.title = tr("Cancel the statement of session %1").arg(session.id.value);
    text.button = tr("Cancel statement");
    text.facts = sessionFacts(session, now);
    if (session.state != SessionState::Active)
        text.consequences << tr(
            "No statement runs now: this will change nothing. To free its locks, end the session.");
    else
        text.consequences << tr(
            "The statement fails in its program. The session lives on and keeps the locks of its "
            "transaction until the program rolls back.");
    text.consequences << victimsText(session, snapshot);
    text.consequences.removeAll(QString());
    return text;
}

DangerText describeEnd(const Session& session, const Snapshot* snapshot, ServerTime now)
{
    DangerText text;
    if (!session.unitOfWork.isEmpty()) {
        text.title = tr("End an orphaned distributed transaction");
        text.button = tr("End transaction");
        text.facts = {{tr("Unit of work"), session.unitOfWork}};
        text.consequences = {tr("It is rolled back and its locks are freed."), victimsText(session, snapshot),
            tr("Its coordinator is not asked: the other servers that took part may have committed.")};
        text.consequences.removeAll(QString());
        return text;
    }
    text.title = tr("End session %1").arg(session.id.value);
    text.button = tr("End session");
    text.facts = sessionFacts(session, now);
    text.consequences << (session.transactionStarted
            ? tr("Its transaction of %1 is rolled back; the more it changed, the longer that takes.")
                  .arg(ageText(session.transactionStarted, now))
            : tr("It has no open transaction: nothing must be rolled back."));
    int count = 0;
    const QString names = heldText(session, snapshot, count);
    if (count > 0)
        text.consequences << (count == 1 ? tr("One lock is freed: %1.").arg(names)
                                         : tr("%1 locks are freed: %2.").arg(count).arg(names));
    text.consequences << victimsText(session, snapshot);
    text.consequences << tr(
        "Its program loses the connection. If the session has ended by itself meanwhile, nothing "
        "happens to the one that got its number.");
    text.consequences.removeAll(QString());
    return text;
}

DangerText describeInstall(const QString& script, const QString& where, const QString& user)
{
    DangerText text;
    text.title = tr("Install Lockscope's schema");
    text.button = tr("Install");
    text.reasoned = false;
    text.script = script;
    text.facts << DangerText::Fact{tr("Where"), where};
    if (!user.isEmpty())
        text.facts << DangerText::Fact{tr("As"), user};
    const std::pair<QString, const char*> kinds[]{{tr("Schema"), "SCHEMA"}, {tr("Tables"), "TABLE"},
        {tr("Sequences"), "SEQUENCE"}, {tr("Views"), "VIEW"}, {tr("Functions"), "FUNCTION"},
        {tr("Procedures"), "PROCEDURE"}};
    for (const auto& [name, kind] : kinds) {
        const QStringList created = createdBy(script, QLatin1String(kind));
        if (!created.isEmpty())
            text.facts << DangerText::Fact{name, created.join(QStringLiteral(", "))};
    }
    // Made in a loop on some engines, hence known by their names.
    const QStringList roles = namesIn(script, QStringLiteral(R"(\b(lockscope_(?:reader|operator|admin))\b)"));
    if (!roles.isEmpty())
        text.facts << DangerText::Fact{tr("Roles"), roles.join(QStringLiteral(", "))};
    text.consequences << tr("Programs can take locks by name here, and whoever waits is seen.")
                      << tr("What operators do from now on is recorded in the audit.")
                      << tr("Nothing else in the database is touched. Running it again changes nothing.");
    return text;
}

} // namespace lockscope::ui
