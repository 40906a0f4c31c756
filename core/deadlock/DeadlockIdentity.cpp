// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/DeadlockIdentity.h"

#include "core/base/EnumTable.h"
#include "core/base/Sentences.h"

#include <QJsonArray>
#include <QRegularExpression>

#include <algorithm>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

/// Returns by how much `one` is later; a time without a zone may be of any zone. Empty: unknown.
std::optional<microseconds> laterBy(const ReportTime& one, const ReportTime& other)
{
    if (!one.at || !other.at)
        return std::nullopt;
    microseconds later = *one.at - *other.at;
    if (!one.isZoneKnown || !other.isZoneKnown) {
        constexpr microseconds quarter{900'000'000}; // of an hour: by that zones differ
        later %= quarter;
        if (later > quarter / 2)
            later -= quarter;
        else if (later < -quarter / 2)
            later += quarter;
    }
    return later;
}

bool areOthers(const std::set<QString>& transactions, const std::set<QString>& others)
{
    return !transactions.empty() && !others.empty()
        && std::ranges::none_of(
            transactions, [&others](const QString& each) { return others.contains(each); });
}

/// Names the place in which the same record may stand twice, word for word.
SourceFormat placeOf(SourceFormat form)
{
    return form == SourceFormat::EventXml ? SourceFormat::DeadlockXml : form;
}

QString sessionsKey(const DeadlockIdentity& identity)
{
    // What can only be the same as itself is alone.
    if (identity.sessions.empty() || identity.kind == ReportKind::Blocked)
        return identity.event;
    return textOfEach(identity.sessions, [](qint64 session) { return QString::number(session); }).join(u' ');
}

} // namespace

QString DeadlockIdentity::key() const
{
    if (!isSeen())
        return event;
    QStringList parts;
    bool isKnown = true;
    for (const auto& [session, at] : started) {
        parts << u"%1@%2"_s.arg(session).arg(at.value_or(ServerTime()).us);
        isKnown = isKnown && at;
    }
    for (const QString& transaction : transactions)
        parts << transaction;
    if (!isKnown && time.at)
        parts << QString::number(time.at->us);
    return parts.join(u',');
}

QJsonObject DeadlockIdentity::toJson() const
{
    QJsonArray ring;
    QJsonArray begun; // as the sessions lie
    for (const qint64 session : sessions) {
        ring.append(session);
        const auto known = started.find(session);
        begun.append(known != started.end() && known->second ? QJsonValue(known->second->us) : QJsonValue());
    }
    QJsonArray numbers;
    for (const QString& transaction : transactions)
        numbers.append(transaction);
    QJsonObject json{{u"form"_s, sourceFormatName(form)}, {u"event"_s, event}, {u"sessions"_s, ring},
        {u"transactions"_s, numbers}};
    if (isSeen())
        json.insert(u"started_us"_s, begun);
    return json;
}

std::optional<DeadlockIdentity> DeadlockIdentity::fromJson(const QJsonValue& json, ServerTime at)
{
    DeadlockIdentity identity;
    identity.time.at = at;
    identity.event = json["event"_L1].toString();
    identity.form = enumeratorNamed(json["form"_L1].toString(), sourceFormatName).value_or(identity.form);
    if (identity.form == SourceFormat::Snapshot)
        identity.kind = ReportKind::Live;
    const QJsonArray begun = json["started_us"_L1].toArray();
    const QJsonArray ring = json["sessions"_L1].toArray();
    for (qsizetype i = 0; i < ring.size(); ++i) {
        identity.sessions.insert(ring[i].toInteger());
        if (identity.isSeen())
            identity.started[ring[i].toInteger()] =
                begun[i].isDouble() ? std::optional(ServerTime{begun[i].toInteger()}) : std::nullopt;
    }
    for (const auto& transaction : json["transactions"_L1].toArray())
        identity.transactions.insert(transaction.toString());
    return identity.sessions.empty() ? std::nullopt : std::optional(identity);
}

DeadlockIdentity identityOf(const Deadlock& deadlock)
{
    static const QRegularExpression number(u"\\d+"_s);
    const DeadlockReport& report = *deadlock.report;
    DeadlockIdentity identity{.engine = report.engine,
        .kind = report.kind,
        .form = report.source.format,
        .event = u"%1/%2"_s.arg(report.source.eventKey).arg(deadlock.index),
        .time = report.time};
    bool areNamed = true;
    for (const Link& link : deadlock.links()) {
        const Participant& waiter = deadlock.participant(link.waiter);
        areNamed = areNamed && waiter.session.isValid();
        identity.sessions.insert(waiter.session.value);
        if (identity.isSeen())
            identity.started.emplace(waiter.session.value, waiter.transactionStarted.at);
        const LockedThing& thing = deadlock.resource(link.resource);
        if (report.engine == Engine::Postgres && thing.kind == ResourceKind::TransactionId)
            if (const auto match = number.match(thing.name); match.hasMatch())
                identity.transactions.insert(match.captured());
    }
    if (!areNamed)
        identity.sessions.clear();
    return identity;
}

bool isSameDeadlock(const DeadlockIdentity& one, const DeadlockIdentity& other)
{
    const bool isOneEvent = !one.event.isEmpty() && one.event == other.event;
    if (one.engine != other.engine || one.kind == ReportKind::Blocked || other.kind == ReportKind::Blocked)
        return isOneEvent && one.engine == other.engine && one.kind == other.kind;
    if (isOneEvent && one.isSeen() == other.isSeen())
        return true;
    const bool isSeen = one.isSeen() || other.isSeen();
    // Of a ring that was seen only its sessions are known, and other servers have the same numbers.
    const bool isOneServer = one.server == other.server;
    if (!isOneServer && (isSeen || !(one.server.isEmpty() || other.server.isEmpty())))
        return false;
    if (one.sessions.empty() || one.sessions != other.sessions
        || areOthers(one.transactions, other.transactions))
        return false;
    const auto later = laterBy(one.time, other.time);
    if (!later)
        return false;
    if (one.isSeen() && other.isSeen())
        return std::chrono::abs(*later) <= maxStanding && one.started == other.started;
    if (!isSeen)
        return placeOf(one.form) != placeOf(other.form) && std::chrono::abs(*later) <= recordIsEarly;
    const microseconds ofRecord = one.isSeen() ? -*later : *later; // behind what was seen
    return ofRecord >= -recordIsEarly && ofRecord <= maxStanding;
}

KnownDeadlocks::Came KnownDeadlocks::add(const DeadlockIdentity& identity)
{
    QList<Witnesses>& all = m_bySessions[sessionsKey(identity)];
    m_events.insert(identity.event.section(u'/', 0, 0));
    const auto isOfForm = [&](const DeadlockIdentity& each) {
        return each.isSeen() == identity.isSeen() && placeOf(each.form) == placeOf(identity.form);
    };
    const auto agrees = [&](const DeadlockIdentity& each) { return isSameDeadlock(each, identity); };
    // Two records of one form are two deadlocks, whatever other forms say.
    const auto has = [&](const Witnesses& witnesses) {
        const auto own = std::ranges::find_if(witnesses, isOfForm);
        return own != witnesses.end() ? agrees(*own) : std::ranges::any_of(witnesses, agrees);
    };
    const auto hasEvent = [&](const Witnesses& witnesses) {
        return std::ranges::any_of(
            witnesses, [&](const auto& each) { return each.event == identity.event && agrees(each); });
    };
    auto found = std::ranges::find_if(all, hasEvent);
    if (found == all.end())
        found = std::ranges::find_if(all, has);
    if (found == all.end()) {
        all << Witnesses{identity};
        ++m_count;
        m_recordedCount += identity.isSeen() ? 0 : 1;
        return Came::New;
    }
    const bool wasOnlySeen = std::ranges::all_of(*found, &DeadlockIdentity::isSeen);
    if (const auto own = std::ranges::find_if(*found, isOfForm); own == found->end())
        *found << identity;
    else if (identity.isSeen())
        *own = identity; // a ring that stands for long was seen last then
    if (identity.isSeen() || !wasOnlySeen)
        return Came::Again;
    ++m_recordedCount;
    return Came::Recorded;
}

bool KnownDeadlocks::isNew(const ReportPtr& report)
{
    const QList<Deadlock> deadlocks = deadlocksOf(report);
    bool isNew = deadlocks.isEmpty() && !has(*report);
    m_events.insert(report->source.eventKey);
    for (const Deadlock& each : deadlocks)
        isNew |= add(identityOf(each)) != Came::Again;
    return isNew;
}

void KnownDeadlocks::forget(const DeadlockIdentity& identity)
{
    m_events.remove(identity.event.section(u'/', 0, 0));
    const auto all = m_bySessions.find(sessionsKey(identity));
    if (all == m_bySessions.end())
        return;
    all->removeIf([&](const Witnesses& each) {
        const bool isIt = std::ranges::any_of(
            each, [&](const DeadlockIdentity& one) { return isSameDeadlock(one, identity); });
        m_count -= isIt ? 1 : 0;
        m_recordedCount -= isIt && !std::ranges::all_of(each, &DeadlockIdentity::isSeen) ? 1 : 0;
        return isIt;
    });
    if (all->isEmpty())
        m_bySessions.erase(all);
}

} // namespace lockscope::deadlock
