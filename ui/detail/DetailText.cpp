// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/detail/DetailText.h"

#include "core/domain/Diagnosis.h"
#include "core/domain/Duration.h"
#include "core/domain/LockTableQueue.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <algorithm>

namespace lockscope::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("Detail", text);
}

constexpr int mostLines = 12;

using Line = DetailText::Line;
using Section = DetailText::Section;

Age ageSince(const Snapshot& snapshot, ServerTime moment)
{
    return {
        std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(snapshot.takenAt - moment)), true};
}

QString dayTime(ServerTime moment)
{
    if (!moment.isValid())
        return tr("unknown");
    return moment.toIsoString().left(19).replace(QLatin1Char('T'), QLatin1Char(' ')) + QStringLiteral(" UTC");
}

QString sessionName(const Snapshot& snapshot, SessionId id)
{
    if (!id.isValid())
        return tr("prepared transaction");
    const Session* session = snapshot.session(id);
    QString name = QString::number(id.value);
    if (session && !session->program.isEmpty())
        name += QLatin1Char(' ') + session->program;
    return name;
}

SessionKey keyOf(const Snapshot& snapshot, SessionId id)
{
    const Session* session = snapshot.session(id);
    return session ? session->key() : SessionKey{};
}

QString partyName(const LockParty& party)
{
    QStringList parts;
    if (!party.owner.isEmpty())
        parts << party.owner;
    if (!party.program.isEmpty())
        parts << party.program;
    QString name = parts.join(QStringLiteral(", "));
    if (!party.host.isEmpty())
        name += tr(" on ") + party.host;
    return name.isEmpty() ? tr("unknown") : name;
}

void add(Section& section, const QString& label, const QString& value, SessionKey link = {})
{
    if (!value.isEmpty())
        section.lines.append({label, value, link});
}

void addIfAny(DetailText& text, Section section)
{
    if (section.lines.isEmpty())
        return;
    if (section.lines.size() > mostLines) {
        const qsizetype more = section.lines.size() - mostLines;
        section.lines.resize(mostLines);
        section.lines.append({QString(), tr("and %1 more").arg(more), {}});
    }
    text.sections.append(std::move(section));
}

QString requestText(const Snapshot& snapshot, const LockRequest& request)
{
    return QStringLiteral("%1 · %2").arg(request.mode.title(), snapshot.resourceOf(request).name);
}

Section requestsOf(const Snapshot& snapshot, SessionId session, bool waiting)
{
    Section section{waiting ? tr("Waits for") : tr("Holds"), {}};
    for (const LockRequest& request : snapshot.requests) {
        if (request.session == session && request.isWaiting() == waiting) {
            const auto age = snapshot.ageOf(request);
            section.lines.append(
                {age ? age->toString() : QStringLiteral("–"), requestText(snapshot, request), {}});
        }
    }
    return section;
}

Section peopleSection(
    const Snapshot& snapshot, const QString& heading, const std::vector<SessionId>& sessions)
{
    Section section{heading, {}};
    for (const SessionId id : sessions) {
        const Session* session = snapshot.session(id);
        section.lines.append({sessionName(snapshot, id),
            session ? sessionStateName(session->state) : QString(), keyOf(snapshot, id)});
    }
    return section;
}

void addSessionFacts(DetailText& text, const Snapshot& snapshot, const Session& session)
{
    Section facts{tr("Session"), {}};
    add(facts, tr("User"), session.user);
    add(facts, tr("Database"), session.database);
    add(facts, tr("Program"), session.program);
    add(facts, tr("From"), session.host);
    if (session.address != session.host)
        add(facts, tr("Address"), session.address);
    if (session.transactionStarted)
        add(facts, tr("Transaction"), ageSince(snapshot, *session.transactionStarted).toString());
    if (session.stateSince)
        add(facts, tr("In this state"), ageSince(snapshot, *session.stateSince).toString());
    add(facts, tr("Wait event"), session.waitEvent);
    add(facts, tr("Waits at"), session.waitResource);
    add(facts, tr("Logged in"), dayTime(session.loggedIn()));
    addIfAny(text, facts);
}

QString pages(std::optional<qint64> count)
{
    return count ? QLocale(QLocale::English).toString(*count) : QString();
}

/// "now 12, before 3,400": of the statement that runs, and of those that have ended since the log-in.
QString nowAndBefore(const QString& now, const QString& before)
{
    QStringList parts;
    if (!now.isEmpty())
        parts << tr("now %1").arg(now);
    if (!before.isEmpty())
        parts << (now.isEmpty() ? tr("%1 since log-in") : tr("before %1")).arg(before);
    return parts.join(QStringLiteral(", "));
}

void addWork(DetailText& text, const Session& session)
{
    const SessionWork& now = session.workOfStatement;
    const SessionWork& before = session.workSinceLogin;
    const auto length = [](std::optional<milliseconds> time) {
        return time ? durationText(*time) : QString();
    };
    const auto bytes = [](std::optional<qint64> count) {
        return count && *count > 0 ? byteCountText(*count) : QString();
    };
    Section work{tr("Work"), {}};
    add(work, tr("Isolation"), session.isolation);
    if (session.openTransactions && *session.openTransactions > 0)
        add(work, tr("Open transactions"), QString::number(*session.openTransactions));
    if (session.transactionId)
        add(work, tr("Transaction id"), QString::number(*session.transactionId));
    if (session.snapshotAge)
        add(work, tr("Snapshot"), tr("%1 transactions old").arg(pages(session.snapshotAge)));
    add(work, tr("CPU"), nowAndBefore(length(now.cpu), length(before.cpu)));
    add(work, tr("Pages read"), nowAndBefore(pages(now.logicalReads), pages(before.logicalReads)));
    add(work, tr("From disk"), nowAndBefore(pages(now.reads), pages(before.reads)));
    add(work, tr("Pages written"), nowAndBefore(pages(now.writes), pages(before.writes)));
    add(work, tr("Memory grant"), bytes(session.memoryGrant));
    add(work, tr("Log used"), bytes(session.logUsed));
    addIfAny(text, work);
}

/// What the client sent, where it is not the statement itself.
void addInputBuffer(DetailText& text, const Session& session)
{
    constexpr qsizetype most = 2'000;
    const QString sent = session.inputBuffer.trimmed();
    if (sent.isEmpty() || sent == session.statement.trimmed())
        return;
    Section section{tr("Sent last"), {}};
    add(section, QString(), sent.size() > most ? sent.left(most) + QChar(0x2026) : sent);
    addIfAny(text, section);
}

QString whyNoPlan(const Session& session)
{
    return session.state == SessionState::Active || session.state == SessionState::RollingBack
        ? QString()
        : tr("Session %1 runs nothing at present.").arg(session.id.value);
}

void addBothSides(DetailText& text, const Snapshot& snapshot, const BlockingGraph& graph, SessionId id)
{
    addIfAny(text, requestsOf(snapshot, id, true));
    addIfAny(text, peopleSection(snapshot, tr("Blocked by"), graph.blockersOf(id)));
    addIfAny(text, peopleSection(snapshot, tr("Blocks"), graph.waitersOf(id)));
    addIfAny(text, requestsOf(snapshot, id, false));
}

AgeLevel levelOf(const Diagnosis& diagnosis, int victims, const LockThresholds& thresholds)
{
    if (diagnosis.kind == Diagnosis::Kind::DeadlockCycle)
        return AgeLevel::Red;
    const bool waits = diagnosis.kind == Diagnosis::Kind::Waiting;
    if (victims > 0 || waits)
        return std::max(victims > 0 ? AgeLevel::Amber : AgeLevel::Normal,
            (waits ? thresholds.wait : thresholds.hold).levelOf(diagnosis.lasting));
    return AgeLevel::Normal;
}

DetailText gone(const QString& what)
{
    DetailText text;
    text.title = what;
    text.state = tr("Not there any more: it ended or was released before the latest poll.");
    return text;
}

DetailText sessionDetail(
    const Snapshot& snapshot, const BlockingGraph& graph, SessionKey key, const LockThresholds& thresholds)
{
    const Session* session = snapshot.session(key.id);
    if (key.id.isValid() && (!session || session->started != key.started))
        return gone(tr("Session %1").arg(key.id.value));
    const Diagnosis diagnosis = diagnose(snapshot, graph, key.id);
    const int victims = graph.victimsOf(key.id);
    DetailText text;
    text.title = key.id.isValid() ? tr("Session %1").arg(key.id.value) : tr("Prepared transaction");
    if (session && !session->unitOfWork.isEmpty())
        text.title = tr("Orphaned transaction");
    text.state = diagnosis.summary;
    text.remedy = diagnosis.remedy;
    text.level = levelOf(diagnosis, victims, thresholds);
    if (victims > 0)
        text.subtitle = victims == 1 ? tr("blocks 1 session") : tr("blocks %1 sessions").arg(victims);
    addBothSides(text, snapshot, graph, key.id);
    if (!session)
        return text;
    text.statement = session->statement;
    if (!session->statementVisible)
        text.statementNote = tr("Hidden from our role.");
    else if (session->statement.isEmpty())
        text.statementNote = tr("No statement yet.");
    addInputBuffer(text, *session);
    addSessionFacts(text, snapshot, *session);
    addWork(text, *session);
    if (!session->system && session->unitOfWork.isEmpty()) {
        text.planOf = session->key();
        text.noPlan = whyNoPlan(*session);
    }
    if (!session->own && !session->system) {
        // On SQL Server only the client itself can cancel what it runs.
        if (session->state == SessionState::Active && snapshot.engine != Engine::SqlServer)
            text.buttons.append({tr("Cancel statement…"), CancelStatementAction{*session}});
        text.buttons.append(
            {session->unitOfWork.isEmpty() ? tr("End session %1…").arg(key.id.value) : tr("End transaction…"),
                EndSessionAction{*session}});
    }
    return text;
}

DetailText requestDetail(const Snapshot& snapshot, const BlockingGraph& graph, const LockRequestKey& key,
    const LockThresholds& thresholds)
{
    const auto found = std::find_if(snapshot.requests.begin(), snapshot.requests.end(),
        [&](const LockRequest& request) { return snapshot.keyOf(request) == key; });
    if (found == snapshot.requests.end())
        return gone(tr("Lock of session %1").arg(key.session.value));
    DetailText text = sessionDetail(snapshot, graph, {key.session, key.sessionStarted}, thresholds);
    const auto age = snapshot.ageOf(*found);
    Section lock{found->isWaiting() ? tr("This request") : tr("This lock"), {}};
    const Resource& resource = snapshot.resourceOf(*found);
    add(lock, tr("Resource"), resource.name);
    add(lock, tr("Kind"), resourceKindName(resource.key.kind));
    add(lock, tr("Mode"), QStringLiteral("%1 (%2)").arg(found->mode.title(), found->mode.name()));
    add(lock, QString(), found->mode.meaning());
    add(lock, found->isWaiting() ? tr("Waiting") : tr("Held"), age ? age->toString() : QString());
    text.sections.prepend(lock);

    Section others{tr("Others on this resource"), {}};
    for (const LockRequest& request : snapshot.requests) {
        if (&request != &*found && request.resource == found->resource) {
            others.lines.append({sessionName(snapshot, request.session),
                (request.isWaiting() ? tr("waits for ") : tr("holds ")) + request.mode.title().toLower(),
                keyOf(snapshot, request.session)});
        }
    }
    if (!others.lines.isEmpty())
        text.sections.insert(1, others);
    if (text.title.isEmpty() || !snapshot.session(key.session))
        text.title = tr("Session %1").arg(key.session.value);
    return text;
}

DetailText entryDetail(const Snapshot& snapshot, const LockTableKey& key)
{
    const LockTableEntry* const found = entryOf(snapshot, key);
    Section waiters{tr("Waiters, in their order"), {}};
    for (const LockTableWaiter& waiter : snapshot.entryWaiters) {
        if (waiter.table == key.table && waiter.name == key.name) {
            waiters.lines.append({ageSince(snapshot, waiter.registeredAt).toString(),
                partyName(waiter.party)
                    + (waiter.isExpired(snapshot.takenAt) ? tr(" (gave no sign since its time-out)")
                                                          : QString()),
                keyOf(snapshot, waiter.party.session)});
        }
    }
    if (!found) {
        DetailText text = gone(tr("Lock “%1”").arg(key.name));
        addIfAny(text, waiters);
        return text;
    }
    const bool stale = found->isStale(snapshot.takenAt);
    DetailText text;
    text.title = tr("Lock “%1”").arg(found->name);
    text.subtitle = found->table;
    text.level = stale ? AgeLevel::Red : AgeLevel::Normal;
    const QString age = durationInWords(ageSince(snapshot, found->acquiredAt).value);
    text.state = stale ? tr("stale: held by %1 for %2, past its lease").arg(partyName(found->party), age)
                       : tr("held by %1 for %2").arg(partyName(found->party), age);
    text.remedy = stale
        ? tr("Its holder has probably gone. The next one who wants it takes it over by itself; release it if "
             "nobody comes, or if you know that the holder is gone.")
        : tr("Its holder releases it, or its lease ends. Release it by hand only if you know that the holder "
             "is "
             "gone: two could believe that they own it.");
    Section holder{tr("Holder"), {}};
    add(holder, tr("Owner"), found->party.owner);
    add(holder, tr("Program"), found->party.program);
    add(holder, tr("Host"), found->party.host);
    if (found->party.processId != 0)
        add(holder, tr("Process"), QString::number(found->party.processId));
    if (found->party.session.isValid()) {
        const Session* session = snapshot.session(found->party.session);
        add(holder, tr("Session"),
            QString::number(found->party.session.value) + (session ? QString() : tr(" (gone)")),
            keyOf(snapshot, found->party.session));
    }
    addIfAny(text, holder);
    Section lease{tr("Lease"), {}};
    add(lease, tr("Acquired"), dayTime(found->acquiredAt));
    if (found->expiresAt) {
        add(lease, stale ? tr("Ended") : tr("Ends"), dayTime(*found->expiresAt));
        const auto left = std::chrono::duration_cast<milliseconds>(*found->expiresAt - snapshot.takenAt);
        add(lease, stale ? tr("Over for") : tr("Left"), formatDuration(stale ? -left : left));
    } else {
        add(lease, tr("Ends"), tr("never by itself"));
    }
    if (found->fencing != 0)
        add(lease, tr("Fencing number"), QString::number(found->fencing));
    add(lease, tr("Owner token"), found->token);
    addIfAny(text, lease);
    addIfAny(text, waiters);
    if (found->isBad()) {
        text.level = AgeLevel::Red;
        text.state = tr("a bad row: %1").arg(found->badRow);
        text.remedy = tr("No program of ours writes such a row. Put it right in the table, or release it.");
    }
    text.buttons.append({tr("Release…"), ReleaseEntryAction{*found}});
    return text;
}

DetailText auditDetail(const admin::AuditRecord& record)
{
    DetailText text;
    text.title = record.act.left(1).toUpper() + record.act.mid(1);
    text.subtitle = tr("audit record %1").arg(record.id);
    text.state = record.target;
    Section facts{tr("Who and why"), {}};
    add(facts, tr("When"), dayTime(record.at));
    add(facts, tr("Who"), record.who);
    add(facts, tr("From"), record.from);
    add(facts, tr("Reason"), record.reason);
    add(facts, tr("Outcome"), record.outcome);
    addIfAny(text, facts);
    text.statement = record.before;
    return text;
}

} // namespace

QString DetailText::toPlainText() const
{
    QStringList lines{title};
    for (const QString& line : {subtitle, state, remedy}) {
        if (!line.isEmpty())
            lines << line;
    }
    for (const Section& section : sections) {
        lines << QString() << section.heading;
        for (const Line& line : section.lines)
            lines << QStringLiteral("  %1\t%2").arg(line.label, line.value);
    }
    if (!statement.isEmpty())
        lines << QString() << statement;
    return lines.join(QLatin1Char('\n'));
}

DetailText detailOf(const DetailSubject& subject, const Snapshot& snapshot, const BlockingGraph& graph,
    const LockThresholds& thresholds)
{
    if (const auto* session = std::get_if<SessionKey>(&subject))
        return sessionDetail(snapshot, graph, *session, thresholds);
    if (const auto* request = std::get_if<LockRequestKey>(&subject))
        return requestDetail(snapshot, graph, *request, thresholds);
    if (const auto* entry = std::get_if<LockTableKey>(&subject))
        return entryDetail(snapshot, *entry);
    if (const auto* record = std::get_if<admin::AuditRecord>(&subject))
        return auditDetail(*record);
    return {};
}

} // namespace lockscope::ui
