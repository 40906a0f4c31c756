// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/detail/DetailText.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/db/Dialect.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/Diagnosis.h"
#include "core/domain/HolderLife.h"
#include "core/domain/SnapshotNames.h"

#include <QLocale>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int maxLines = 12;
const QString ofForeignClock = QStringLiteral(", by its program's clock");

using Line = DetailText::Line;
using Section = DetailText::Section;

SessionKey keyOf(const Snapshot& snapshot, SessionId id)
{
    const Session* session = snapshot.session(id);
    return session ? session->key() : SessionKey{};
}

void cutShort(Section& section)
{
    if (section.lines.size() <= maxLines)
        return;
    const qsizetype more = section.lines.size() - maxLines;
    section.lines.resize(maxLines);
    section.lines.append({QString(), u"and %1 more"_s.arg(more), {}});
}

void addIfAny(DetailText& text, Section section)
{
    if (section.lines.isEmpty())
        return;
    cutShort(section);
    text.sections.append(std::move(section));
}

QString requestText(const Snapshot& snapshot, const LockRequest& request)
{
    return QStringLiteral("%1 · %2").arg(request.mode.title(), resourceTitle(snapshot.resourceOf(request)));
}

Section requestsOf(const Snapshot& snapshot, SessionId session, bool waiting)
{
    Section section{waiting ? u"Waits for"_s : u"Holds"_s, {}};
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
        section.lines.append({sessionTitle(snapshot, id),
            session ? sessionStateName(session->state) : QString(), keyOf(snapshot, id)});
    }
    return section;
}

void addSessionFacts(DetailText& text, const Snapshot& snapshot, const Session& session)
{
    Section facts{u"Session"_s, {}};
    facts.add(u"User"_s, session.user);
    facts.add(u"Database"_s, session.database);
    facts.add(u"Program"_s, session.program);
    facts.add(u"From"_s, session.host);
    if (session.address != session.host)
        facts.add(u"Address"_s, session.address);
    if (session.transactionStarted)
        facts.add(u"Transaction"_s, formatDuration(ageOf(*session.transactionStarted, snapshot.takenAt)));
    if (session.state == SessionState::Active && session.statementStarted)
        facts.add(u"Statement"_s, formatDuration(ageOf(*session.statementStarted, snapshot.takenAt)));
    if (session.state == SessionState::Active && session.percentDone) {
        QString progress = u"%1 % done"_s.arg(static_cast<int>(*session.percentDone));
        if (session.timeLeft && session.timeLeft->count() > 0)
            progress += u", about %1 left"_s.arg(durationInWords(*session.timeLeft));
        facts.add(u"Progress"_s, progress);
    }
    if (session.stateSince)
        facts.add(u"In this state"_s, formatDuration(ageOf(*session.stateSince, snapshot.takenAt)));
    facts.add(u"Wait event"_s, session.waitEvent);
    facts.add(u"Waits at"_s, session.waitResource);
    facts.add(u"Logged in"_s, dateTimeText(session.loggedIn()));
    addIfAny(text, facts);
}

QString pages(std::optional<qint64> count)
{
    return count ? QLocale(QLocale::English).toString(*count) : QString();
}

/// Returns "now 12, before 3,400": of the statement that runs, and of those that have ended since the login.
QString nowAndBefore(const QString& now, const QString& before)
{
    QStringList parts;
    if (!now.isEmpty())
        parts << u"now %1"_s.arg(now);
    if (!before.isEmpty())
        parts << (now.isEmpty() ? u"%1 since login"_s : u"before %1"_s).arg(before);
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
    Section work{u"Work"_s, {}};
    work.add(u"Isolation"_s, session.isolation);
    if (session.openTransactions && *session.openTransactions > 0)
        work.add(u"Open transactions"_s, QString::number(*session.openTransactions));
    if (session.transactionId)
        work.add(u"Transaction id"_s, QString::number(*session.transactionId));
    if (session.snapshotAge)
        work.add(u"Snapshot"_s, u"%1 transactions old"_s.arg(pages(session.snapshotAge)));
    work.add(u"CPU"_s, nowAndBefore(length(now.cpu), length(before.cpu)));
    work.add(u"Pages read"_s, nowAndBefore(pages(now.logicalReads), pages(before.logicalReads)));
    work.add(u"From disk"_s, nowAndBefore(pages(now.reads), pages(before.reads)));
    work.add(u"Pages written"_s, nowAndBefore(pages(now.writes), pages(before.writes)));
    work.add(u"Memory grant"_s, bytes(session.memoryGrant));
    work.add(u"Log used"_s, bytes(session.logUsed));
    addIfAny(text, work);
}

/// Adds the client's text, where it is not the statement itself.
void addInputBuffer(DetailText& text, const Session& session)
{
    constexpr qsizetype maximum = 2'000;
    const QString sent = session.inputBuffer.trimmed();
    if (sent.isEmpty() || sent == session.statement.trimmed())
        return;
    Section section{u"Sent last"_s, {}};
    section.add(QString(), sent.size() > maximum ? sent.left(maximum) + QChar(0x2026) : sent);
    addIfAny(text, section);
}

QString whyNoPlan(const Session& session)
{
    return session.state == SessionState::Active || session.state == SessionState::RollingBack
        ? QString()
        : u"Session %1 runs nothing at present."_s.arg(session.id.value);
}

void addBothSides(DetailText& text, const Snapshot& snapshot, SessionId id)
{
    addIfAny(text, requestsOf(snapshot, id, true));
    addIfAny(text, peopleSection(snapshot, u"Blocked by"_s, snapshot.blocking().blockersOf(id)));
    addIfAny(text, peopleSection(snapshot, u"Blocks"_s, snapshot.blocking().waitersOf(id)));
    addIfAny(text, requestsOf(snapshot, id, false));
}

QString whyNoStatement(const Session& session)
{
    return !session.statementVisible  ? u"Hidden from our role."_s
        : session.statement.isEmpty() ? u"No statement yet."_s
                                      : QString();
}

void addOtherStatement(DetailText& text, const Snapshot& snapshot, SessionId id)
{
    const BlockingGraph& graph = snapshot.blocking();
    const std::vector<SessionId> blockers = graph.blockersOf(id);
    const std::vector<SessionId> waiters = graph.waitersOf(id);
    if (blockers.empty() && waiters.empty())
        return;
    const SessionId head = graph.headOf(id);
    const SessionId other = blockers.empty() ? waiters.front()
        : head.isValid() && head != id       ? head
                                             : blockers.front();
    const Session* session = snapshot.session(other);
    if (!session)
        return;
    text.otherHeading =
        (blockers.empty() ? u"Statement of %1, which waits longest"_s : u"Statement of %1, which blocks it"_s)
            .arg(sessionName(snapshot, other));
    const QString note = whyNoStatement(*session);
    text.otherStatement = note.isEmpty() ? session->statement : note;
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
    text.isGone = true;
    text.state = u"Not there any more: it ended or was released before the latest poll."_s;
    return text;
}

DetailText sessionDetail(const Snapshot& snapshot, SessionKey key, const LockThresholds& thresholds)
{
    const Session* session = snapshot.session(key.id);
    if (key.id.isValid() && (!session || session->started != key.started))
        return gone(u"Session %1"_s.arg(key.id.value));
    const Diagnosis diagnosis = diagnose(snapshot, key.id, thresholds.hold.amber);
    const int victims = snapshot.blocking().victimsOf(key.id);
    DetailText text;
    text.title = isPrepared(snapshot, key.id) ? u"Prepared transaction "_s + preparedLiteral(snapshot, key.id)
                                              : u"Session %1"_s.arg(key.id.value);
    if (session && !session->unitOfWork.isEmpty())
        text.title = u"Orphaned transaction"_s;
    text.state = diagnosis.summary;
    text.remedy = diagnosis.remedy;
    text.level = levelOf(diagnosis, victims, thresholds);
    if (victims > 0)
        text.subtitle = u"blocks "_s + counted(victims, u"session");
    addBothSides(text, snapshot, key.id);
    addOtherStatement(text, snapshot, key.id);
    addFramework(text, snapshot, frameworkRoleOf(snapshot, key.id));
    if (!session)
        return text;
    text.statement = session->statement;
    text.statementNote = whyNoStatement(*session);
    addInputBuffer(text, *session);
    addSessionFacts(text, snapshot, *session);
    addWork(text, *session);
    if (!session->system && session->unitOfWork.isEmpty() && !isPrepared(snapshot, key.id)) {
        text.planOf = session->key();
        text.noPlan = whyNoPlan(*session);
    }
    if (!session->own && !session->system && !isPrepared(snapshot, key.id)) {
        const bool canCancel = db::Dialect::of(snapshot.engine).can(db::Capability::CancelStatement);
        if (session->state == SessionState::Active && canCancel)
            text.buttons.append({u"Cancel statement…"_s, CancelStatementAction{*session}});
        text.buttons.append(
            {session->unitOfWork.isEmpty() ? u"End session %1…"_s.arg(key.id.value) : u"End transaction…"_s,
                EndSessionAction{*session}});
    }
    return text;
}

DetailText requestDetail(
    const Snapshot& snapshot, const LockRequestKey& key, const LockThresholds& thresholds)
{
    const auto found = std::find_if(snapshot.requests.begin(), snapshot.requests.end(),
        [&](const LockRequest& request) { return snapshot.keyOf(request) == key; });
    if (found == snapshot.requests.end())
        return gone(u"Lock of session %1"_s.arg(key.session.value));
    DetailText text = sessionDetail(snapshot, {key.session, key.sessionStarted}, thresholds);
    // This lock is described, not another one that the session has.
    if (text.framework)
        text.sections.removeFirst();
    text.framework = nullptr;
    text.vendorCommand = text.vendorNote = text.helpPage = QString();
    const auto age = snapshot.ageOf(*found);
    Section lock{found->isWaiting() ? u"This request"_s : u"This lock"_s, {}};
    const Resource& resource = snapshot.resourceOf(*found);
    lock.add(u"Resource"_s, resource.name);
    lock.add(u"Kind"_s, resourceKindName(resource.key.kind));
    lock.add(u"Mode"_s, QStringLiteral("%1 (%2)").arg(found->mode.title(), found->mode.name()));
    lock.add(QString(), found->mode.meaning());
    lock.add(found->isWaiting() ? u"Waiting"_s : u"Held"_s, age ? age->toString() : QString());
    text.sections.prepend(lock);
    const qsizetype before = text.sections.size();
    addFramework(text, snapshot, FrameworkRole{&*found, resource.framework, false});
    const qsizetype place = text.sections.size() - before + 1;

    Section others{u"Others on this resource"_s, {}};
    for (const LockRequest& request : snapshot.requests) {
        if (&request != &*found && request.resource == found->resource) {
            others.lines.append({sessionTitle(snapshot, request.session),
                (request.isWaiting() ? u"waits for "_s : u"holds "_s) + request.mode.title().toLower(),
                keyOf(snapshot, request.session)});
        }
    }
    cutShort(others);
    if (!others.lines.isEmpty())
        text.sections.insert(place, others);
    if (text.title.isEmpty() || !snapshot.session(key.session))
        text.title = u"Session %1"_s.arg(key.session.value);
    return text;
}

Section waitersSection(const Snapshot& snapshot, const LockTableKey& key)
{
    Section waiters{u"Waiters, in their order"_s, {}};
    for (const LockTableWaiter& waiter : snapshot.entryWaiters) {
        if (waiter.table == key.table && waiter.name == key.name) {
            const auto waits = knownAge(waiter.registeredAt, snapshot.takenAt);
            waiters.lines.append({waits ? formatDuration(waits->value) : noValue,
                partyName(waiter.party)
                    + (waiter.isExpired(snapshot.takenAt) ? u" (gave no sign since its time-out)"_s
                                                          : QString()),
                keyOf(snapshot, waiter.party.session)});
        }
    }
    return waiters;
}

bool isOfFramework(const LockTableEntry& entry)
{
    return entry.framework && !entry.framework->isAttached();
}

Section holderSection(const Snapshot& snapshot, const LockTableEntry& entry)
{
    Section holder{u"Holder"_s, {}};
    holder.add(u"Owner"_s, entry.party.owner);
    holder.add(u"Program"_s, entry.party.program);
    holder.add(u"Host"_s, entry.party.host);
    if (entry.party.processId != 0)
        holder.add(u"Process"_s, QString::number(entry.party.processId));
    if (entry.party.session.isValid()) {
        const Session* session = snapshot.session(entry.party.session);
        holder.add(u"Session"_s,
            QString::number(entry.party.session.value) + (session ? QString() : u" (not seen)"_s),
            keyOf(snapshot, entry.party.session));
    }
    if (!isOfFramework(entry) && !entry.holderLife.evidence.isEmpty()) {
        for (const auto& [label, value] : verdictLines(entry.holderLife))
            holder.add(label, value);
    }
    return holder;
}

Section leaseSection(const Snapshot& snapshot, const LockTableEntry& entry)
{
    Section lease{u"Lease"_s, {}};
    const bool stale = entry.isStale(snapshot.takenAt);
    const QString storedStart = storedSince(entry);
    lease.add(
        u"Acquired"_s, storedStart.isEmpty() ? dateTimeText(entry.acquiredAt) : storedStart + ofForeignClock);
    if (entry.expiresAt) {
        lease.add(stale ? u"Ended"_s : u"Ends"_s, dateTimeText(*entry.expiresAt));
        const auto left = std::chrono::duration_cast<milliseconds>(*entry.expiresAt - snapshot.takenAt);
        lease.add(stale ? u"Over for"_s : u"Left"_s, formatDuration(stale ? -left : left));
    } else if (const QString storedEnd = storedExpiry(entry); !storedEnd.isEmpty()) {
        lease.add(u"Ends"_s, storedEnd + ofForeignClock);
    } else if (!isOfFramework(entry)) {
        lease.add(u"Ends"_s, u"never by itself"_s);
    }
    if (entry.fencing != 0)
        lease.add(u"Fencing number"_s, QString::number(entry.fencing));
    lease.add(u"Owner token"_s, entry.token);
    return lease;
}

DetailText entryDetail(const Snapshot& snapshot, const LockTableKey& key)
{
    const LockTableEntry* const found = entryOf(snapshot, key);
    const Section waiters = waitersSection(snapshot, key);
    if (!found) {
        DetailText text = gone(u"Lock “%1”"_s.arg(key.name));
        addIfAny(text, waiters);
        return text;
    }
    const bool stale = found->isStale(snapshot.takenAt);
    DetailText text;
    text.title = u"Lock “%1”"_s.arg(found->name);
    text.subtitle = found->table;
    text.level = stale ? AgeLevel::Amber : AgeLevel::Normal;
    const QString since = !found->acquiredAt.isValid()
        ? (storedSince(*found).isEmpty() ? QString() : u" since %1"_s.arg(storedSince(*found)))
        : u" for %1"_s.arg(durationInWords(ageOf(found->acquiredAt, snapshot.takenAt)));
    const QString holderName = isOfFramework(*found) ? whoHolds(*found) : partyName(found->party);
    const QString held = holderName.isEmpty() ? u"held"_s : u"held by "_s + holderName;
    text.state = stale ? u"stale: %1%2, expired"_s.arg(held, since) : held + since;
    text.remedy = stale
        ? u"The next request takes it over. That does not prove that its holder has ended: check there before you release it by hand."_s
        : u"Its holder releases it, or its lease ends. Release it by hand only if you know that the holder has ended: two could believe that they own it."_s;
    if (isOfFramework(*found))
        addState(text, *found);
    for (const Section& section : {holderSection(snapshot, *found), leaseSection(snapshot, *found), waiters})
        addIfAny(text, section);
    if (found->isBad()) {
        text.level = AgeLevel::Red;
        text.state = u"a bad row: %1"_s.arg(found->badRow);
        text.remedy = u"No program of ours writes such a row. Put it right in the table, or release it."_s;
    }
    addFramework(text, snapshot, *found);
    if (reasonAgainstFreeing(*found).isEmpty())
        text.buttons.append({u"Release…"_s, ReleaseEntryAction{*found}});
    return text;
}

DetailText auditDetail(const admin::AuditRecord& record)
{
    DetailText text;
    text.title = record.act.left(1).toUpper() + record.act.mid(1);
    text.subtitle = u"audit record %1"_s.arg(record.id);
    text.state = record.target;
    Section facts{u"Who and why"_s, {}};
    facts.add(u"When"_s, dateTimeText(record.at));
    facts.add(u"Who"_s, record.who);
    facts.add(u"From"_s, record.from);
    facts.add(u"Reason"_s, record.reason);
    facts.add(u"Outcome"_s, record.outcome);
    addIfAny(text, facts);
    text.statement = record.before;
    return text;
}

/// The server cuts the text at track_activity_query_size, which is a multiple of 1,024 as a rule, less the
/// end mark; in the middle of a character up to three bytes earlier.
bool mayBeCut(const QString& statement)
{
    const qsizetype size = statement.toUtf8().size();
    return size % 1'024 >= 1'020;
}

/// The text of somebody else is pasted into a terminal: psql runs a program at "\!", and a terminal obeys
/// what steers it. The server shows also what it refused, so the statement may never have been one.
bool maySteer(const QString& statement)
{
    return std::any_of(statement.cbegin(), statement.cend(), [](QChar c) {
        const bool isSpace = c == u'\n' || c == u'\r' || c == u'\t';
        return c == u'\\' || (c.category() == QChar::Other_Control && !isSpace);
    });
}

/// Makes the texts of others in it visible, whichever of the functions above put them there.
DetailText asShown(DetailText text)
{
    for (QString* line : {&text.title, &text.subtitle, &text.state, &text.remedy, &text.statementNote,
             &text.noPlan, &text.otherHeading})
        *line = inOneLine(*line);
    text.statement = inLines(text.statement);
    text.otherStatement = inLines(text.otherStatement);
    for (Section& section : text.sections) {
        for (DetailText::Line& line : section.lines) {
            line.label = inOneLine(line.label);
            line.value = inOneLine(line.value);
        }
    }
    return text;
}

DetailText rawDetailOf(
    const DetailSubject& subject, const Snapshot& snapshot, const LockThresholds& thresholds)
{
    if (const auto* session = std::get_if<SessionKey>(&subject))
        return sessionDetail(snapshot, *session, thresholds);
    if (const auto* request = std::get_if<LockRequestKey>(&subject))
        return requestDetail(snapshot, *request, thresholds);
    if (const auto* entry = std::get_if<LockTableKey>(&subject))
        return entryDetail(snapshot, *entry);
    if (const auto* record = std::get_if<admin::AuditRecord>(&subject))
        return auditDetail(*record);
    return {};
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
    if (!otherStatement.isEmpty())
        lines << QString() << otherHeading << otherStatement;
    return lines.join(QLatin1Char('\n'));
}

DetailText detailOf(const DetailSubject& subject, const Snapshot& snapshot, const LockThresholds& thresholds)
{
    return asShown(rawDetailOf(subject, snapshot, thresholds));
}

ExplainByHand explainByHand(const Session& session)
{
    static const QRegularExpression plannable( // behind comments
        u"^(?:\\s|/\\*.*?\\*/|--[^\\n]*\\n)*(SELECT|INSERT|UPDATE|DELETE|MERGE|WITH|VALUES|TABLE)\\b"_s,
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::DotMatchesEverythingOption);
    if (!session.statementVisible)
        return {{}, u"The statement is hidden from our role."_s};
    QString statement = session.statement.trimmed();
    while (statement.endsWith(u';'))
        statement = statement.chopped(1).trimmed();
    if (!plannable.match(statement).hasMatch())
        return {{}, u"EXPLAIN takes queries and changes of rows only."_s};
    if (statement.contains(u';'))
        return {{},
            u"There is a semicolon in it: EXPLAIN would be for its first part, and the rest would run."_s};
    if (maySteer(statement))
        return {{},
            u"There is a backslash or a control character in it: pasted into psql or a terminal, it could run something else."_s};
    if (mayBeCut(session.statement))
        return {{}, u"The server shows only its beginning (track_activity_query_size)."_s};
    static const QRegularExpression parameter(u"\\$[0-9]"_s);
    const QString generic = parameter.match(statement).hasMatch() ? u"GENERIC_PLAN, "_s : QString();
    QString text = u"-- In database %1, as a role with no more rights than %2, with its search_path.\n"_s.arg(
        QString(session.database).simplified(), QString(session.user).simplified());
    if (!generic.isEmpty())
        text += u"-- GENERIC_PLAN, for the values that are not known, needs PostgreSQL 16.\n"_s;
    // The semicolon on a line of its own: the statement may end with a comment.
    return {
        text + u"BEGIN READ ONLY;\nEXPLAIN (%1VERBOSE)\n%2\n;\nROLLBACK;\n"_s.arg(generic, statement), {}};
}

} // namespace lockscope::ui
