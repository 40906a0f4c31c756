// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/HolderLife.h"

#include "core/base/Duration.h"

#include <QDateTime>

#include <algorithm>
#include <vector>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

using State = HolderLife::State;

/// What stands in a row is others' text, and the pattern perhaps a user's: together they must not take long.
constexpr qsizetype longestHolder = 1'000;

bool isNumericAddress(const QString& text)
{
    static const QRegularExpression v4(u"^[0-9]{1,3}(\\.[0-9]{1,3}){3}$"_s);
    return text.contains(u':') || v4.match(text).hasMatch();
}

/// "::ffff:10.0.0.5" and "10.0.0.5" are the same machine, "fe80::1%eth0" is "fe80::1".
QString plainAddress(const QString& address)
{
    QString plain = address.trimmed().toLower().section(u'%', 0, 0);
    if (plain.startsWith(u"::ffff:"_s) && plain.contains(u'.'))
        plain.remove(0, 7);
    return plain;
}

/// Each machine calls itself so.
bool isLoopback(const QString& address)
{
    const QString plain = plainAddress(address);
    return plain.startsWith(u"127."_s) || plain == u"::1"_s || plain == u"0.0.0.0"_s || plain == u"::"_s;
}

/// "build-7" is "build-7.example.org"; of two with domains both count.
bool isSameHost(const QString& one, const QString& other)
{
    if (one.isEmpty() || other.isEmpty())
        return false;
    if (one.compare(other, Qt::CaseInsensitive) == 0)
        return true;
    if (isNumericAddress(one) || isNumericAddress(other) || (one.contains(u'.') && other.contains(u'.')))
        return false;
    return one.section(u'.', 0, 0).compare(other.section(u'.', 0, 0), Qt::CaseInsensitive) == 0;
}

QString counted(qsizetype sessions)
{
    return sessions == 1 ? u"1 session"_s : u"%1 sessions"_s.arg(sessions);
}

QString inWords(microseconds age)
{
    return durationInWords(std::max(milliseconds(0), std::chrono::floor<milliseconds>(age)));
}

/// Where the holder runs, as far as sessions can be found by it.
struct Place {
    explicit Place(const HolderParts& holder)
        : host(holder.host)
        , address(isLoopback(holder.address) ? QString() : plainAddress(holder.address))
    {
        if (isNumericAddress(host)) {
            if (address.isEmpty() && !isLoopback(host))
                address = plainAddress(host);
            host.clear();
        }
        if (host.compare(u"localhost"_s, Qt::CaseInsensitive) == 0)
            host.clear();
    }
    bool isKnown() const { return !host.isEmpty() || !address.isEmpty(); }
    QString name() const { return host.isEmpty() ? address : host; }
    bool has(const Session& session) const
    {
        if (!address.isEmpty()
            && (plainAddress(session.address) == address || plainAddress(session.host) == address))
            return true;
        return isSameHost(host, session.host);
    }

    QString host;
    QString address;
};

HolderLife bySessions(
    const HolderSigns& signs, const Place& place, std::span<const Session> sessions, SessionsSeen seen)
{
    const HolderParts& holder = signs.holder;
    std::vector<const Session*> others;
    std::vector<const Session*> there;
    for (const Session& session : sessions) {
        if (session.own || session.system || session.id.value <= 0)
            continue;
        others.push_back(&session);
        if (place.has(session))
            there.push_back(&session);
    }
    const QString where = place.name();
    if (!there.empty()) {
        const auto isIt = [&](const Session* session) { return session->clientProcess == holder.processId; };
        const auto tellsProcess = [](const Session* session) { return session->clientProcess.has_value(); };
        const auto ofProcess = std::count_if(there.begin(), there.end(), isIt);
        if (holder.processId != 0 && ofProcess > 0)
            return {State::Alive,
                u"%1 of process %2 on %3"_s.arg(counted(ofProcess)).arg(holder.processId).arg(where)};
        // Not each driver tells the truth about its process.
        if (holder.processId != 0 && std::all_of(there.begin(), there.end(), tellsProcess))
            return {State::Unknown,
                u"%1 from %2, none of process %3 as far as their drivers tell it"_s
                    .arg(counted(static_cast<qsizetype>(there.size())), where)
                    .arg(holder.processId)};
        return {State::Alive, u"%1 from %2"_s.arg(counted(static_cast<qsizetype>(there.size())), where)};
    }
    if (seen == SessionsSeen::None)
        return {State::Unknown, u"the sessions of this server can't be seen"_s};
    if (seen == SessionsSeen::Some)
        return {State::Unknown, u"no session from %1 among those that may be seen here"_s.arg(where)};
    if (std::any_of(
            others.begin(), others.end(), [](const Session* session) { return session->host == u"local"; }))
        return {State::Unknown,
            u"no session from %1, but some that came by the server's local socket"_s.arg(where)};
    // A machine has several addresses, and programs write down another than the one that they connect from.
    const bool isByAddress = std::any_of(others.begin(), others.end(),
        [](const Session* session) { return session->host.isEmpty() || isNumericAddress(session->host); });
    if (isByAddress)
        return {State::Unknown,
            u"no session from %1 that can be told; others are known by their address only"_s.arg(where)};
    if (!signs.keepsSession)
        return {State::Unknown, u"no session from %1, but it may hold the lock without one"_s.arg(where)};
    return {State::Gone,
        u"no session from %1 (behind a pooler, or between two connections, it would not be seen)"_s.arg(
            where)};
}

} // namespace

HolderPattern::HolderPattern(const QString& pattern)
    : m_whole(u"(*LIMIT_MATCH=50000)"_s + QRegularExpression::anchoredPattern(pattern))
    , m_isUsable(!pattern.isEmpty() && m_whole.isValid())
{
}

HolderParts HolderPattern::partsOf(const QString& told) const
{
    HolderParts parts;
    if (!m_isUsable || told.isEmpty() || told.size() > longestHolder)
        return parts;
    const auto match = m_whole.match(told);
    if (!match.hasMatch())
        return parts;
    const QStringList names = m_whole.namedCaptureGroups();
    const auto group = [&](const QString& name) {
        return names.contains(name) ? match.captured(name).trimmed() : QString();
    };
    parts.host = group(u"host"_s);
    parts.address = group(u"address"_s);
    parts.owner = group(u"owner"_s);
    parts.program = group(u"program"_s);
    parts.processId = group(u"pid"_s).toLongLong();
    if (const QString since = group(u"since"_s); !since.isEmpty()) {
        const QDateTime time = QDateTime::fromString(since, Qt::ISODateWithMs);
        // Without a zone it is some client's local time.
        if (time.isValid() && time.timeSpec() != Qt::LocalTime)
            parts.since = ServerTime{time.toMSecsSinceEpoch() * 1'000};
    }
    return parts;
}

HolderLife holderLife(
    const HolderSigns& signs, std::span<const Session> sessions, SessionsSeen seen, ServerTime now)
{
    if (!signs.processTable.isEmpty() && signs.process.isNull())
        return {State::Gone, u"no process of %1 has it any more"_s.arg(signs.processTable)};
    if (!signs.processTable.isEmpty() && !signs.isListed)
        return {
            State::Gone, u"its process %1 is not in %2 any more"_s.arg(signs.process, signs.processTable)};
    QString heard;
    if (signs.heartbeat) {
        const microseconds silence = now - *signs.heartbeat;
        heard = u"last sign of life %1 ago"_s.arg(inWords(silence));
        if (signs.deadAfter && silence < -*signs.deadAfter)
            return {State::Unknown,
                u"its last sign of life is %1 ahead of the server's clock"_s.arg(inWords(-silence))};
        if (signs.deadAfter) {
            const bool isDead = silence > *signs.deadAfter;
            return {isDead ? State::Gone : State::Alive,
                heard
                    + (isDead ? u"; it counts as dead after %1"_s.arg(durationInWords(*signs.deadAfter))
                              : QString())};
        }
    }
    HolderLife life;
    const Place place(signs.holder);
    if (place.isKnown())
        life = bySessions(signs, place, sessions, seen);
    else if (signs.namesHolder && signs.told.isEmpty())
        life.reason = u"the row names no holder"_s;
    else if (signs.namesHolder || !signs.processTable.isEmpty())
        life.reason = u"what the row tells of its holder names no machine"_s;
    else
        life.reason = u"the table does not tell who holds it"_s;
    if (life.state != State::Alive && signs.expires && *signs.expires <= now)
        life.reason += u"; its time ended %1 ago"_s.arg(inWords(now - *signs.expires));
    if (!heard.isEmpty())
        life.reason = heard + u"; "_s + life.reason;
    return life;
}

} // namespace lockscope
