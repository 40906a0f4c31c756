// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/Incident.h"

#include "core/base/Duration.h"
#include "core/base/EnumTable.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QJsonArray>

#include <algorithm>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

QJsonValue timeJson(ServerTime time)
{
    return time.isValid() ? QJsonValue(time.toIsoString()) : QJsonValue();
}

ServerTime timeOf(const QJsonValue& json)
{
    return ServerTime::fromIsoString(json.toString());
}

QJsonValue lengthJson(milliseconds length)
{
    return qint64(length.count());
}

milliseconds lengthOf(const QJsonValue& json)
{
    return milliseconds(qint64(json.toDouble()));
}

Severity severityOf(const QJsonValue& json)
{
    return json.toString() == u"critical" ? Severity::Critical : Severity::Warning;
}

QJsonObject causeJson(const Cause& cause)
{
    return {{u"kind"_s, cause.kind}, {u"server"_s, cause.server}, {u"database"_s, cause.database},
        {u"user"_s, cause.user}, {u"program"_s, cause.program}, {u"host"_s, cause.host},
        {u"resource"_s, cause.resource}};
}

Cause causeOf(const QJsonObject& json)
{
    const auto text = [&json](const QString& key) { return json.value(key).toString(); };
    return {.kind = text(u"kind"_s),
        .server = text(u"server"_s),
        .database = text(u"database"_s),
        .user = text(u"user"_s),
        .program = text(u"program"_s),
        .host = text(u"host"_s),
        .resource = text(u"resource"_s)};
}

QJsonObject headJson(const IncidentHead& head, bool withStatements)
{
    QJsonObject json{{u"session"_s, head.session.value}, {u"started"_s, timeJson(head.started)},
        {u"transaction"_s, timeJson(head.transaction)}, {u"title"_s, head.title}, {u"doing"_s, head.doing},
        {u"remedy"_s, head.remedy}, {u"elsewhere"_s, head.elsewhere}};
    if (withStatements)
        json.insert(u"statement"_s, head.statement);
    return json;
}

IncidentHead headOf(const QJsonObject& json)
{
    const auto text = [&json](const QString& key) { return json.value(key).toString(); };
    return {.session = SessionId{json.value(u"session"_s).toInteger()},
        .started = timeOf(json.value(u"started"_s)),
        .transaction = timeOf(json.value(u"transaction"_s)),
        .title = text(u"title"_s),
        .doing = text(u"doing"_s),
        .statement = text(u"statement"_s),
        .remedy = text(u"remedy"_s),
        .elsewhere = text(u"elsewhere"_s)};
}

QJsonObject symptomJson(const Symptom& symptom)
{
    return {{u"rule"_s, symptom.rule}, {u"severity"_s, severityName(symptom.severity)},
        {u"firing"_s, symptom.isFiring}, {u"value"_s, symptom.value}, {u"exact"_s, symptom.isExact},
        {u"since"_s, timeJson(symptom.since)}, {u"text"_s, symptom.text}};
}

Symptom symptomOf(const QJsonObject& json)
{
    return {.rule = json.value(u"rule"_s).toString(),
        .severity = severityOf(json.value(u"severity"_s)),
        .isFiring = json.value(u"firing"_s).toBool(),
        .value = json.value(u"value"_s).toDouble(),
        .isExact = json.value(u"exact"_s).toBool(true),
        .since = timeOf(json.value(u"since"_s)),
        .text = json.value(u"text"_s).toString()};
}

bool isOfFamily(const Incident& incident)
{
    return incident.cause.kind == QStringView(conditionInfo(Condition::NewDeadlockFamily).key);
}

} // namespace

QString Cause::fingerprint() const
{
    // Each part with its length: no two causes are one text.
    QByteArray parts;
    for (const QString& part : {kind, server, database, user, program, host, resource}) {
        const QByteArray text = part.toUtf8();
        parts += QByteArray::number(text.size()) + ':' + text;
    }
    return QString::fromLatin1(QCryptographicHash::hash(parts, QCryptographicHash::Sha256).toHex().left(16));
}

bool Cause::isSameHead(const Cause& other) const
{
    Cause same = other;
    same.resource = resource;
    return *this == same;
}

QString resourceOf(QStringList servers)
{
    servers.sort();
    return servers.join(u", "_s);
}

QStringList serversIn(const QString& resource)
{
    return resource.split(u", "_s);
}

bool covers(const Scope& scope, const Cause& cause, const QStringList& locks)
{
    const auto isNamed = [&scope](const QString& lock) { return matchesAny(scope.locks, lock); };
    return matchesAny(scope.servers, cause.server) && matchesAny(scope.databases, cause.database)
        && (scope.locks.isEmpty() || std::ranges::any_of(locks, isNamed))
        && matchesAny(scope.programs, cause.program) && matchesAny(scope.users, cause.user);
}

QStringList Incident::rules() const
{
    return textOfEach(symptoms, &Symptom::rule);
}

milliseconds Incident::lasted() const
{
    return ageOf(since, end());
}

QJsonObject toJson(const Incident& incident, bool withStatements)
{
    QJsonArray symptoms;
    for (const Symptom& symptom : incident.symptoms)
        symptoms.append(symptomJson(symptom));
    return {{u"fingerprint"_s, incident.cause.fingerprint()}, {u"cause"_s, causeJson(incident.cause)},
        {u"state"_s, incident.isFiring() ? u"firing"_s : u"resolved"_s},
        {u"severity"_s, severityName(incident.severity)}, {u"worst_severity"_s, severityName(incident.worst)},
        {u"since"_s, timeJson(incident.since)}, {u"fired"_s, timeJson(incident.fired)},
        {u"seen"_s, timeJson(incident.seen)}, {u"resolved"_s, timeJson(incident.resolved)},
        {u"worst_at"_s, timeJson(incident.worstAt)}, {u"waiting"_s, incident.waiting},
        {u"worst_waiting"_s, incident.worstWaiting}, {u"longest_wait_ms"_s, lengthJson(incident.longestWait)},
        {u"waited_ms"_s, lengthJson(incident.waited)}, {u"title"_s, incident.title},
        {u"reason"_s, incident.reason}, {u"chain"_s, QJsonArray::fromStringList(incident.chain)},
        {u"head"_s, headJson(incident.head, withStatements)}, {u"symptoms"_s, symptoms},
        {u"cleared_by"_s, incident.clearedBy}, {u"muted_by"_s, incident.mutedBy},
        {u"reported"_s, incident.isReported},
        {u"notified_channels"_s, QJsonArray::fromStringList(incident.notifiedChannels)},
        {u"acknowledged_by"_s, incident.acknowledgedBy}, {u"acknowledged_why"_s, incident.acknowledgedWhy}};
}

Result<Incident> incidentFromJson(const QJsonObject& json)
{
    const auto text = [&json](const QString& key) { return json.value(key).toString(); };
    Incident incident;
    incident.cause = causeOf(json.value(u"cause"_s).toObject());
    incident.fired = timeOf(json.value(u"fired"_s));
    if (incident.cause.kind.isEmpty() || !incident.fired.isValid())
        return failure(ErrorKind::BadInput, u"This is no incident of Lockscope's."_s);
    incident.state = text(u"state"_s) == u"firing" ? Incident::State::Firing : Incident::State::Resolved;
    incident.severity = severityOf(json.value(u"severity"_s));
    incident.worst = severityOf(json.value(u"worst_severity"_s));
    incident.since = timeOf(json.value(u"since"_s));
    incident.seen = timeOf(json.value(u"seen"_s));
    incident.resolved = timeOf(json.value(u"resolved"_s));
    incident.worstAt = timeOf(json.value(u"worst_at"_s));
    incident.waiting = json.value(u"waiting"_s).toInt();
    incident.worstWaiting = json.value(u"worst_waiting"_s).toInt();
    incident.longestWait = lengthOf(json.value(u"longest_wait_ms"_s));
    incident.waited = lengthOf(json.value(u"waited_ms"_s));
    incident.title = text(u"title"_s);
    incident.reason = text(u"reason"_s);
    for (const auto& line : json.value(u"chain"_s).toArray())
        incident.chain << line.toString();
    incident.head = headOf(json.value(u"head"_s).toObject());
    for (const auto& symptom : json.value(u"symptoms"_s).toArray())
        incident.symptoms << symptomOf(symptom.toObject());
    incident.clearedBy = text(u"cleared_by"_s);
    incident.mutedBy = text(u"muted_by"_s);
    incident.isReported = json.value(u"reported"_s).toBool();
    for (const auto& channel : json.value(u"notified_channels"_s).toArray())
        incident.notifiedChannels << channel.toString();
    incident.acknowledgedBy = text(u"acknowledged_by"_s);
    incident.acknowledgedWhy = text(u"acknowledged_why"_s);
    return incident;
}

QStringList linesOf(const Incident& incident, bool withStatements)
{
    QStringList lines{incident.title};
    if (!incident.isFiring())
        lines << u"It is over after %1. %2"_s.arg(durationInWords(incident.lasted()), incident.clearedBy);
    lines << u"Since: %1"_s.arg(dateTimeText(incident.since));
    if (incident.worstWaiting > 0)
        lines << u"Blocked: %1 at worst, the longest for %2; together they waited at least %3."_s.arg(
            valueText(Condition::BlockedSessions, incident.worstWaiting),
            durationInWords(incident.longestWait), durationInWords(incident.waited));
    if (!incident.reason.isEmpty())
        lines << u"Why: "_s + incident.reason;
    if (!incident.head.doing.isEmpty())
        lines << u"Head blocker: %1, %2"_s.arg(incident.head.title, asSentence(incident.head.doing));
    if (withStatements && !incident.head.statement.isEmpty())
        lines << u"Its statement: "_s + incident.head.statement.simplified();
    if (!incident.head.elsewhere.isEmpty())
        lines << u"On another server: "_s + incident.head.elsewhere;
    if (incident.isFiring() && !incident.head.remedy.isEmpty())
        lines << u"What resolves it: "_s + incident.head.remedy;
    return lines;
}

QString inspectCommand(const Incident& incident, const QString& server)
{
    if (server.isEmpty())
        return {};
    const ServerTime at = incident.worstAt.isValid() ? incident.worstAt : incident.fired;
    return u"lockctl tree --server %1 --at %2"_s.arg(shellWord(server), at.toIsoString());
}

QList<Mute> mutesFor(const Incident& incident)
{
    const Cause& cause = incident.cause;
    QList<Mute> mutes;
    const auto add = [&mutes](Mute::Of of, const QString& value, const QString& shown) {
        Mute mute;
        mute.of = of;
        mute.value = value;
        mute.shown = shown;
        mutes << mute;
    };
    add(Mute::Of::Fingerprint, cause.fingerprint(), incident.title);
    if (isOfFamily(incident) && !cause.resource.isEmpty())
        add(Mute::Of::Family, cause.resource, cause.resource);
    for (const QString& rule : incident.rules())
        add(Mute::Of::Rule, rule, rule);
    if (!cause.program.isEmpty())
        add(Mute::Of::Program, cause.program, cause.program);
    add(Mute::Of::Server, cause.server, cause.server);
    return mutes;
}

QString muteOfName(Mute::Of of)
{
    static constexpr EnumTable<Mute::Of> names({u"fingerprint", u"family", u"rule", u"server", u"program"});
    return names[of].toString();
}

bool isAbout(const Mute& mute, const Incident& incident)
{
    switch (mute.of) {
    case Mute::Of::Fingerprint:
        return mute.value == incident.cause.fingerprint();
    case Mute::Of::Family:
        return mute.value == incident.cause.resource && isOfFamily(incident);
    case Mute::Of::Rule:
        return incident.rules().contains(mute.value);
    case Mute::Of::Server:
        return mute.value.compare(incident.cause.server, Qt::CaseInsensitive) == 0;
    case Mute::Of::Program:
        return !mute.value.isEmpty() && mute.value == incident.cause.program;
    }
    return false;
}

const Mute* muteOf(const QList<Mute>& mutes, const Incident& incident)
{
    const Mute* ofRule = nullptr;
    QStringList heard = incident.rules();
    for (const Mute& mute : mutes) {
        if (mute.ended.isValid() || !isAbout(mute, incident) || !voidedBy(mute, incident).isEmpty())
            continue;
        if (mute.of != Mute::Of::Rule)
            return &mute;
        heard.removeAll(mute.value);
        ofRule = &mute;
    }
    return heard.isEmpty() ? ofRule : nullptr;
}

QString voidedBy(const Mute& mute, const Incident& incident)
{
    if (mute.maxWaiting && incident.waiting > *mute.maxWaiting)
        return u"%1 sessions waited, and the mute was for at most %2"_s.arg(incident.waiting)
            .arg(*mute.maxWaiting);
    if (mute.maxWait && incident.longestWait > *mute.maxWait)
        return u"a session waited for %1, and the mute was for at most %2"_s.arg(
            durationInWords(incident.longestWait), durationInWords(*mute.maxWait));
    return {};
}

QString endText(const Mute& mute)
{
    switch (mute.end) {
    case Mute::End::At:
        return u"until "_s + mute.until.toDateTime().toLocalTime().toString(u"ddd d MMM HH:mm"_s);
    case Mute::End::WhenCleared:
        return u"until it is cleared"_s;
    case Mute::End::Never:
        return u"for ever"_s;
    }
    return {};
}

} // namespace lockscope::alert
