// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/HolderLife.h"

#include "core/base/Duration.h"
#include "core/base/EnumTable.h"

#include <algorithm>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

using Verdict = HolderLife::Verdict;
using Place = HolderPlace::Match;
using Sessions = std::vector<const Session*>;

/// A sign of life proves that its holder worked then; for so long it is taken for now.
constexpr std::chrono::seconds freshFor{15};
/// A sign of life that is further ahead was written by a clock that goes wrong.
constexpr std::chrono::seconds maxAhead{5};
constexpr int intervalsMissed = 3;

QString inWords(microseconds age)
{
    return durationInWords(std::max(milliseconds(0), std::chrono::floor<milliseconds>(age)));
}

QString inSeconds(milliseconds interval)
{
    constexpr milliseconds few{10'000};
    return interval < few ? u"%1 s"_s.arg(double(interval.count()) / 1'000, 0, 'g', 2)
                          : durationInWords(interval);
}

/// "Session 51 (app, PostgreSQL JDBC Driver)", "3 sessions, the first of them 51 (app, psql),"
QString named(const Sessions& sessions, const QString& from)
{
    const Session& first = *sessions.front();
    QStringList who{first.user, first.program};
    who.removeAll(QString());
    const QString text = who.isEmpty() ? QString() : u" (%1)"_s.arg(who.join(u", "_s));
    const QString of = from.isEmpty() ? QString() : u" from "_s + from;
    return sessions.size() == 1
        ? u"Session %1%2%3"_s.arg(QString::number(first.id.value), text, of)
        : u"%1 sessions%2, the first of them %3%4,"_s.arg(
            QString::number(sessions.size()), of, QString::number(first.id.value), text);
}

QString named(const Session& session)
{
    return named({&session}, session.host == u"local" ? QString() : session.host);
}

bool isOfProgram(const Session& session, const EndedHolder& ended)
{
    return session.user == ended.user && session.program == ended.program;
}

class Judge {
public:
    Judge(const HolderSigns& signs, std::span<const Session> sessions, SessionsSeen seen, ServerTime now)
        : m_signs(signs)
        , m_seen(seen)
        , m_now(now)
        , m_place(signs.holder)
    {
        if (m_seen != SessionsSeen::OfCopy)
            sort(sessions);
    }

    HolderJudgement judge() const;

private:
    enum class Began : quint8 { Before, After, Unknown };

    void sort(std::span<const Session> sessions);
    Began beganOf(const Session& session, bool isByMachine) const;
    bool isOneProgram() const;
    Sessions leftOf(const EndedHolder& ended) const;
    bool isFollowed(const EndedHolder& ended, const Sessions& left) const;

    HolderLife verdict() const;
    HolderLife bySession(const Sessions& sessions, const QString& tie) const;
    HolderLife byKey() const;
    std::optional<HolderLife> byEnd() const;
    void addEnd(HolderLife& life, const EndedHolder& ended) const;
    HolderLife bySilence() const;
    void addSessions(QStringList& evidence) const;
    void addSilence(QStringList& evidence) const;
    void addProcess(QStringList& evidence) const;
    void addRest(QStringList& evidence) const;
    QString reasonWithoutSessions() const;
    bool isSilent() const;

    const HolderSigns& m_signs;
    const SessionsSeen m_seen;
    const ServerTime m_now;
    const HolderPlace m_place;

    Sessions m_all; ///< of others than us
    Sessions m_named; ///< by the row: the server's session itself
    Sessions m_ofProcess; ///< of the machine and the process that the row names
    Sessions m_ofMachine; ///< of the machine; their processes are not known
    Sessions m_maybe; ///< of machine or process, and perhaps begun since: by a program started again
    Sessions m_since; ///< of machine or process, and begun since
    Sessions m_otherProcesses; ///< of the machine
    Sessions m_unclear; ///< perhaps of the machine
    bool m_isBySocket = false;
    bool m_isByAddress = false;
};

/// A session that only its machine ties to the row may be another program's that began between the taking of
/// the lock and the last sign of life.
Judge::Began Judge::beganOf(const Session& session, bool isByMachine) const
{
    const ServerTime began = session.loggedIn();
    if (!began.isValid())
        return Began::Unknown;
    const bool hasSign = m_signs.heartbeat && *m_signs.heartbeat <= m_now + maxAhead;
    const bool isBeforeSign = hasSign && began < *m_signs.heartbeat;
    if ((m_signs.taken && began < m_signs.taken->earliest) || (isBeforeSign && !isByMachine))
        return Began::Before;
    const bool isAfterTaking = m_signs.taken && began > m_signs.taken->latest;
    const bool isAfterSign = !m_signs.taken && hasSign && !isBeforeSign;
    return isAfterTaking || isAfterSign ? Began::After : Began::Unknown;
}

void Judge::sort(std::span<const Session> sessions)
{
    for (const Session& session : sessions) {
        if (session.own || session.system || session.id.value <= 0)
            continue;
        m_all.push_back(&session);
        const bool isNamed = m_signs.holder.session.isValid() && session.id == m_signs.holder.session;
        const Place place = m_place.isKnown() ? m_place.compare(session) : Place::Other;
        const bool namesProcess = m_signs.holder.processId != 0 && session.clientProcess.has_value();
        const bool isProcess = namesProcess && session.clientProcess == m_signs.holder.processId;
        m_isBySocket = m_isBySocket || session.host == u"local";
        if (isNamed || (place == Place::Same && (isProcess || !namesProcess))) {
            const Began began = beganOf(session, !isNamed && !isProcess);
            Sessions& known = isNamed ? m_named : isProcess ? m_ofProcess : m_ofMachine;
            (began == Began::Before ? known : began == Began::After ? m_since : m_maybe).push_back(&session);
        } else if (place == Place::Same) {
            m_otherProcesses.push_back(&session);
        } else if (place == Place::Unclear) {
            m_unclear.push_back(&session);
            m_isByAddress = m_isByAddress || session.host != u"local";
        }
    }
}

HolderLife Judge::bySession(const Sessions& sessions, const QString& tie) const
{
    const bool isBeforeLock = m_signs.taken && sessions.front()->loggedIn() < m_signs.taken->earliest;
    HolderLife life{Verdict::Works,
        {named(sessions, m_place.name()) + u" began before "_s
            + (isBeforeLock ? u"the lock was taken."_s : u"its last sign of life."_s)},
        u"Its end, at work and with no other session of its program after it, would overturn this."_s};
    life.evidence << tie;
    if (isSilent()) {
        addSilence(life.evidence);
        life.evidence << u"A session that is there counts for more than silence."_s;
    }
    return life;
}

HolderLife Judge::byKey() const
{
    const auto isIt = [this](const Session* session) { return session->id == *m_signs.keyHolder; };
    const auto session = std::ranges::find_if(m_all, isIt);
    const QString name =
        session == m_all.end() ? u"Session %1"_s.arg(m_signs.keyHolder->value) : named(**session);
    HolderLife life{Verdict::Works, {name + u" has the advisory key that goes with this row."_s},
        u"The end of that session would overturn this."_s};
    if (isSilent()) {
        addSilence(life.evidence);
        life.evidence << u"A session that is there counts for more than silence."_s;
    }
    return life;
}

/// False with sessions of several programs from the holder's machine: any of them may have the lock.
bool Judge::isOneProgram() const
{
    const Session& first = *m_ofMachine.front();
    const auto isSame = [&first](const Session* session) {
        return session->user == first.user && session->program == first.program;
    };
    return std::ranges::all_of(m_ofMachine, isSame) && std::ranges::all_of(m_maybe, isSame)
        && std::ranges::all_of(m_since, isSame);
}

/// Returns the sessions that may be of the program whose session ended.
Sessions Judge::leftOf(const EndedHolder& ended) const
{
    Sessions left;
    const auto isIts = [&ended](const Session* session) { return isOfProgram(*session, ended); };
    for (const Sessions* all : {&m_named, &m_ofProcess, &m_ofMachine})
        left.insert(left.end(), all->begin(), all->end());
    // Another program of the same machine may be the one that was seen, and the holder behind a pooler.
    for (const Sessions* perhaps : {&m_maybe, &m_since, &m_unclear})
        std::ranges::copy_if(*perhaps, std::back_inserter(left),
            [&](const Session* session) { return ended.isByMachine || isIts(session); });
    // Its pooler's next session may come from elsewhere.
    if (ended.isByMachine || !m_place.isKnown())
        std::ranges::copy_if(m_all, std::back_inserter(left), isIts);
    return left;
}

bool Judge::isFollowed(const EndedHolder& ended, const Sessions& left) const
{
    return std::ranges::any_of(left, [&](const Session* session) {
        const bool isFromThere = m_place.isKnown() && m_place.compare(*session) == Place::Same;
        return session->user == ended.user && (session->program == ended.program || isFromThere)
            && !(session->loggedIn().isValid() && session->loggedIn() <= ended.lastSeen);
    });
}

/// Adds what the end of its session proves, if nothing of its program is left.
void Judge::addEnd(HolderLife& life, const EndedHolder& ended) const
{
    if (!ended.wasAtWork) {
        life.evidence << u"A pooler ends idle sessions, too: that proves nothing."_s;
        return;
    }
    if (ended.isFollowed) {
        life.evidence << u"A session that may be of its program began later: it may work on."_s;
        return;
    }
    if (!m_signs.keepsSession)
        return;
    const microseconds missed = m_now - ended.missedSince;
    if (missed < endIsProofAfter) {
        life.evidence
            << u"Behind a pooler the next one may be about to begin: only %1 without one would prove that it is gone."_s
                   .arg(inWords(endIsProofAfter));
        return;
    }
    life.verdict = Verdict::Gone;
    life.evidence
        << u"No other session of that program was seen for %1, and it needs one as long as it holds the lock."_s
               .arg(inWords(missed));
    life.overturnedBy = u"A session of that program%1 would overturn this."_s.arg(
        m_place.isKnown() ? u" from "_s + m_place.name() : QString());
}

std::optional<HolderLife> Judge::byEnd() const
{
    if (m_signs.ended.empty())
        return std::nullopt;
    const EndedHolder& ended = m_signs.ended.front();
    QStringList who{ended.user, ended.program};
    who.removeAll(QString());
    HolderLife life;
    const QString from = m_place.isKnown() ? u" from "_s + m_place.name() : QString();
    life.evidence << u"Session %1 (%2)%3 held it, %4 when last seen, %5 ago, and has ended since."_s.arg(
        QString::number(ended.id.value), who.join(u", "_s), from,
        ended.wasAtWork ? u"was at work"_s : u"was idle"_s, inWords(m_now - ended.lastSeen));
    if (m_seen == SessionsSeen::All && leftOf(ended).empty())
        addEnd(life, ended);
    else
        addSessions(life.evidence);
    if (life.verdict == Verdict::Gone)
        return life;
    addSilence(life.evidence);
    addRest(life.evidence);
    return life;
}

bool Judge::isSilent() const
{
    const auto limit = m_signs.silence.value();
    return m_signs.heartbeat && limit && m_now - *m_signs.heartbeat > *limit;
}

void Judge::addSilence(QStringList& evidence) const
{
    if (!m_signs.heartbeat)
        return;
    const microseconds silence = m_now - *m_signs.heartbeat;
    const SilenceLimit& limit = m_signs.silence;
    if (silence < -maxAhead) {
        evidence << u"Its last sign of life is %1 ahead of the server's clock: one of the two goes wrong."_s
                        .arg(inWords(-silence));
        return;
    }
    evidence << (isSilent() ? u"No sign of life for %1."_s : u"Its last sign of life is %1 old."_s)
                    .arg(inWords(silence));
    if (limit.configured)
        evidence << u"Its limit is %1, as set for this server."_s.arg(inWords(*limit.configured));
    else if (limit.givenInterval)
        evidence << u"Its interval is %1, as set for this server."_s.arg(inSeconds(*limit.givenInterval));
    else if (limit.byDefault)
        evidence << u"Its default limit is %1; its program may use another."_s.arg(inWords(*limit.byDefault));
    if (limit.seenInterval && !limit.configured)
        evidence << u"It was renewed every %1, as seen here."_s.arg(inSeconds(*limit.seenInterval));
}

void Judge::addProcess(QStringList& evidence) const
{
    if (m_signs.processTable.isEmpty() || m_signs.isListed)
        return;
    evidence << (m_signs.process.isNull()
            ? u"No process in %1 has it any more."_s.arg(m_signs.processTable)
            : u"Its process %1 is not in %2 any more."_s.arg(m_signs.process, m_signs.processTable));
    evidence << (m_signs.areOthersListed
            ? u"It has ended, or others struck it off because it was silent; then it may still work."_s
            : u"No other one is seen there either: the list may have been emptied, as by a restart."_s);
}

void Judge::addSessions(QStringList& evidence) const
{
    const QString where = m_place.name();
    if (!m_ofMachine.empty())
        evidence << named(m_ofMachine, where)
                + u" began before that: it may be the holder's, or another program's."_s;
    if (!m_since.empty())
        evidence << named(m_since, where)
                + u" began since the lock was taken: of the holder, or of its program started again."_s;
    if (!m_maybe.empty())
        evidence << named(m_maybe, where) + u" may have begun before or after the lock was taken."_s;
    if (!m_otherProcesses.empty())
        evidence << named(m_otherProcesses, where)
                + u" is of another process than %1."_s.arg(m_signs.holder.processId);
    const bool isAnyThere =
        !m_ofMachine.empty() || !m_since.empty() || !m_maybe.empty() || !m_otherProcesses.empty();
    if (!isAnyThere)
        evidence << reasonWithoutSessions();
}

QString Judge::reasonWithoutSessions() const
{
    const QString where = m_place.name();
    if (m_seen == SessionsSeen::OfCopy)
        return u"This database is a copy: its holder's sessions are at the original."_s;
    if (!m_place.isKnown()) {
        if (m_signs.namesHolder && m_signs.holderText.isEmpty())
            return u"The row names no holder."_s;
        return m_signs.namesHolder || !m_signs.processTable.isEmpty()
            ? u"The row's holder names no machine."_s
            : u"The table does not say who holds it."_s;
    }
    if (m_seen == SessionsSeen::None)
        return u"The sessions of this server can't be seen."_s;
    if (m_seen == SessionsSeen::Some)
        return u"No session from %1 is among those that may be seen here."_s.arg(where);
    if (m_isByAddress)
        return u"No session from %1 is visible, but some show only an address, so it may still run."_s.arg(
            where);
    if (m_isBySocket)
        return u"No session from %1 is seen, but some came by the server's local socket."_s.arg(where);
    return m_signs.keepsSession
        ? u"No session from %1 is seen: behind a pooler, or between two connections, it would not be."_s.arg(
            where)
        : u"No session from %1 is seen, but it may hold the lock without one."_s.arg(where);
}

void Judge::addRest(QStringList& evidence) const
{
    if (m_signs.expires && *m_signs.expires <= m_now)
        evidence << u"Its time ended %1 ago."_s.arg(inWords(m_now - *m_signs.expires));
    if (m_signs.lockAtMostFor)
        evidence << u"Its locks last %1, as set for this server."_s.arg(inWords(*m_signs.lockAtMostFor));
    evidence << m_signs.readings;
}

/// Neither a session nor its end is evidence.
HolderLife Judge::bySilence() const
{
    HolderLife life;
    const auto limit = m_signs.silence.value();
    const microseconds silence = m_signs.heartbeat ? m_now - *m_signs.heartbeat : microseconds(0);
    const bool isFresh = m_signs.heartbeat && silence >= -maxAhead && silence <= freshFor;
    addSilence(life.evidence);
    if (isFresh && !isSilent()) {
        life.verdict = Verdict::Works;
        life.overturnedBy = limit
            ? u"No further sign of life for %1 would overturn this."_s.arg(inWords(*limit))
            : u"No further sign of life would overturn this."_s;
        return life;
    }
    addProcess(life.evidence);
    if (!m_signs.keys.empty())
        life.evidence << u"No session is seen to have the advisory key that would go with this row."_s;
    addSessions(life.evidence);
    addRest(life.evidence);
    const bool isStruckOff = !m_signs.processTable.isEmpty() && !m_signs.isListed && m_signs.areOthersListed;
    const auto isBeforeSign = [this](const Session* session) {
        return m_signs.heartbeat && session->loggedIn() < *m_signs.heartbeat;
    };
    const bool isPerhapsSeen =
        !m_ofMachine.empty() || !m_maybe.empty() || std::ranges::any_of(m_since, isBeforeSign);
    if ((isSilent() || isStruckOff) && !isPerhapsSeen && m_seen != SessionsSeen::OfCopy) {
        life.verdict = Verdict::Silent;
        life.overturnedBy =
            u"A sign of life, or a longer interval in its program's settings, would overturn this."_s;
        return life;
    }
    life.overturnedBy = m_place.isKnown() && m_seen == SessionsSeen::All
        ? u"A session of its program that is seen from the time before the lock on would show more."_s
        : QString();
    return life;
}

HolderLife Judge::verdict() const
{
    if (m_signs.dependsOnZone) {
        HolderLife life{Verdict::Unknown, m_signs.readings,
            u"If it is renewed, or its zone is set for this server, it is known which of them is right."_s};
        return life;
    }
    if (m_signs.keyHolder)
        return byKey();
    if (!m_named.empty())
        return bySession(m_named, u"The row names that session."_s);
    if (!m_ofProcess.empty())
        return bySession(m_ofProcess,
            u"It is of process %1 on %2, which the row names."_s.arg(m_signs.holder.processId)
                .arg(m_place.name()));
    // The session that was at work has ended, and the others may be of a program without the lock.
    const bool hasLostOne =
        !m_signs.ended.empty() && m_signs.ended.front().wasAtWork && m_signs.ended.front().isByMachine;
    if (!m_ofMachine.empty() && m_signs.keepsSession && isOneProgram() && !hasLostOne)
        return bySession(m_ofMachine,
            u"It comes from the machine that the row names, and the holder needs a session as long as it holds the lock."_s);
    if (auto life = byEnd())
        return *life;
    return bySilence();
}

HolderJudgement Judge::judge() const
{
    HolderJudgement judgement{.life = verdict(), .isByMachine = m_named.empty() && m_ofProcess.empty()};
    if (!m_signs.ended.empty()) {
        const EndedHolder& ended = m_signs.ended.front();
        const Sessions left = leftOf(ended);
        judgement.isAnyLeft = !left.empty();
        judgement.isFollowed = isFollowed(ended, left);
    }
    if (judgement.life.verdict == Verdict::Works)
        judgement.tied = !m_named.empty() ? m_named
            : !m_ofProcess.empty()        ? m_ofProcess
            : m_signs.keepsSession        ? m_ofMachine
                                          : Sessions();
    return judgement;
}

} // namespace

std::optional<milliseconds> SilenceLimit::value() const
{
    if (configured)
        return configured;
    if (givenInterval)
        return intervalsMissed * *givenInterval;
    if (byDefault && seenInterval)
        return std::max(*byDefault, intervalsMissed * *seenInterval);
    return byDefault;
}

HolderJudgement judgeHolder(
    const HolderSigns& signs, std::span<const Session> sessions, SessionsSeen seen, ServerTime now)
{
    return Judge(signs, sessions, seen, now).judge();
}

HolderLife lifeOfSession(SessionId id, const Session* session)
{
    if (id.value <= 0)
        return {Verdict::Unknown, {u"The lock belongs to no session that is there."_s}, {}};
    const QString name = session ? named(*session) : u"Session %1"_s.arg(id.value);
    return {Verdict::Works,
        {name + u" is there, and the lock belongs to it: the server frees it with that session."_s},
        u"Behind a pooler that session may outlive its program."_s};
}

QString verdictName(HolderLife::Verdict verdict)
{
    static constexpr EnumTable<HolderLife::Verdict> names({u"unknown", u"works", u"gone", u"silent"});
    return names[verdict].toString();
}

QList<std::pair<QString, QString>> verdictLines(const HolderLife& life)
{
    QList<std::pair<QString, QString>> lines{
        {u"Its program"_s, verdictName(life.verdict)}, {u"Evidence"_s, life.evidence.join(u' ')}};
    if (!life.overturnedBy.isEmpty())
        lines.emplace_back(u"Against it"_s, life.overturnedBy);
    return lines;
}

QString verdictText(const HolderLife& life)
{
    const QString name = verdictName(life.verdict);
    QStringList said = life.evidence;
    if (!life.overturnedBy.isEmpty())
        said << life.overturnedBy;
    return said.isEmpty() ? name : name + u": "_s + said.join(u' ');
}

QString verdictInBrief(const HolderLife& life)
{
    if (life.evidence.isEmpty())
        return {};
    const QString& whole = life.evidence.front();
    qsizetype end = whole.size();
    for (const QStringView more : {u": ", u" and took "})
        if (const qsizetype at = whole.indexOf(more); at > 0)
            end = std::min(end, at);
    return end == whole.size() ? whole : whole.left(end) + u'.';
}

QString riskOfFreeing(const HolderLife& life)
{
    switch (life.verdict) {
    case Verdict::Gone:
        return {};
    case Verdict::Works:
        return u"Its holder works, and is not asked: if the lock is freed, its job runs twice."_s;
    case Verdict::Silent:
        return u"Its holder is only silent: if it still works, its job runs twice."_s;
    case Verdict::Unknown:
        break;
    }
    return u"It is unknown whether its holder works: if it still does, its job runs twice."_s;
}

} // namespace lockscope
