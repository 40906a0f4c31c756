// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/channels/WebhookBody.h"

#include "core/alert/channels/NoticeText.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

// Longer texts are refused there.
constexpr qsizetype maxSlack = 2'900;
constexpr qsizetype maxTeams = 6'000; // 28 KB in any script
constexpr qsizetype maxPagerDutySummary = 1'000;
constexpr qsizetype maxPagerDutyText = 20'000;
constexpr qsizetype maxAnnotation = 4'000;

/// Alertmanager takes an alert for over that is not sent again within minutes, unless it knows an end. One
/// that is nowhere reported as over, because nobody runs Lockscope any more, ends by itself after that.
constexpr std::chrono::hours longestFiring{7 * 24};
constexpr std::chrono::minutes testFires{1};

bool isOver(const Notice& notice)
{
    return notice.kind == Notice::Kind::Resolved;
}

/// Labels are an alert's identity there: nothing that changes as long as it fires may be among them.
QJsonObject labelsOf(const Incident& incident, Severity severity)
{
    const Cause& cause = incident.cause;
    QJsonObject labels{{u"alertname"_s, u"Lockscope"_s}, {u"severity"_s, severityName(severity)},
        {u"incident"_s, QString::number(incident.id)}};
    const std::pair<QString, QString> known[] = {{u"kind"_s, cause.kind}, {u"instance"_s, cause.server},
        {u"database"_s, cause.database}, {u"user"_s, cause.user}, {u"program"_s, cause.program},
        {u"fingerprint"_s, cause.fingerprint()}};
    for (const auto& [name, value] : known) {
        if (!value.isEmpty())
            labels.insert(name, value);
    }
    return labels;
}

QJsonObject alertOf(
    const Notice& notice, Severity severity, bool hasEnded, bool withStatements, ServerTime now)
{
    const Incident& incident = notice.incident;
    const NoticeText text = noticeText({&notice, 1}, withStatements);
    // The server's clock may be ahead of the receiver's, and an end must not be before the start.
    const ServerTime resolved = incident.resolved.isValid() ? std::min(incident.resolved, now) : now;
    const bool isTest = notice.kind == Notice::Kind::Test;
    const ServerTime ends =
        hasEnded ? resolved : now + (isTest ? microseconds(testFires) : microseconds(longestFiring));
    const ServerTime starts =
        incident.since.isValid() ? std::min({incident.since, ends, now}) : std::min(now, ends);
    return {{u"labels"_s, labelsOf(incident, severity)},
        {u"annotations"_s,
            QJsonObject{{u"summary"_s, cutTo(text.subject, maxAnnotation)},
                {u"description"_s, NoticeText{{}, text.lines}.toString(maxAnnotation).trimmed()}}},
        {u"startsAt"_s, starts.toIsoString()}, {u"endsAt"_s, ends.toIsoString()}};
}

/// Each severity is an alert of its own, so that rules there can route by it: one that got worse ends the
/// milder one. To end one that never fired does nothing there.
QJsonArray alertmanagerBody(std::span<const Notice> notices, bool withStatements, ServerTime now)
{
    QJsonArray alerts;
    for (const Notice& each : notices) {
        const Severity severity = each.incident.severity;
        const bool wasCritical = each.incident.worst == Severity::Critical || severity == Severity::Critical;
        if (isOver(each)) {
            alerts << alertOf(each, Severity::Warning, true, withStatements, now);
            if (wasCritical)
                alerts << alertOf(each, Severity::Critical, true, withStatements, now);
            continue;
        }
        if (each.kind == Notice::Kind::Escalated && severity == Severity::Critical)
            alerts << alertOf(each, Severity::Warning, true, withStatements, now);
        alerts << alertOf(each, severity, false, withStatements, now);
    }
    return alerts;
}

QJsonObject slackBody(const NoticeText& text)
{
    const QString all = text.toString(maxSlack);
    // Outside of blocks '<' and '&' are markup: "<!channel>" calls everybody.
    QString fallback = cutTo(text.subject, maxSlack);
    fallback.replace(u'&', u"&amp;"_s).replace(u'<', u"&lt;"_s).replace(u'>', u"&gt;"_s);
    const QJsonObject plain{{u"type"_s, u"plain_text"_s}, {u"text"_s, all}, {u"emoji"_s, false}};
    return {{u"text"_s, fallback},
        {u"blocks"_s, QJsonArray{QJsonObject{{u"type"_s, u"section"_s}, {u"text"_s, plain}}}}};
}

/// Runs of text: in a TextBlock they would be Markdown, with links of anybody's choice.
QJsonObject teamsBody(const NoticeText& text)
{
    const auto paragraph = [](const QString& line, bool isBold) {
        QJsonObject run{{u"type"_s, u"TextRun"_s}, {u"text"_s, line}};
        if (isBold)
            run.insert(u"weight"_s, u"Bolder"_s);
        return QJsonObject{{u"type"_s, u"RichTextBlock"_s}, {u"inlines"_s, QJsonArray{run}}};
    };
    QJsonArray body{paragraph(cutTo(text.subject, maxTeams), true)};
    for (const QString& line : NoticeText{{}, text.lines}.toString(maxTeams).split(u'\n', Qt::SkipEmptyParts))
        body << paragraph(line, false);
    const QJsonObject card{{u"$schema"_s, u"http://adaptivecards.io/schemas/adaptive-card.json"_s},
        {u"type"_s, u"AdaptiveCard"_s}, {u"version"_s, u"1.4"_s}, {u"body"_s, body}};
    return {{u"type"_s, u"message"_s},
        {u"attachments"_s,
            QJsonArray{QJsonObject{{u"contentType"_s, u"application/vnd.microsoft.card.adaptive"_s},
                {u"contentUrl"_s, QJsonValue::Null}, {u"content"_s, card}}}}};
}

QString severityThere(const Notice& notice)
{
    return notice.kind == Notice::Kind::Test ? u"info"_s : severityName(notice.incident.severity);
}

QJsonObject pagerDutyBody(const Notice& notice, bool withStatements, const QString& routingKey)
{
    const Incident& incident = notice.incident;
    const NoticeText text = noticeText({&notice, 1}, withStatements);
    const QString key = notice.kind == Notice::Kind::Test
        ? notice.key
        : u"%1/%2"_s.arg(incident.cause.fingerprint()).arg(incident.id);
    QJsonObject body{{u"routing_key"_s, routingKey},
        {u"event_action"_s, isOver(notice) ? u"resolve"_s : u"trigger"_s}, {u"dedup_key"_s, key.left(255)}};
    if (isOver(notice))
        return body;
    QJsonObject payload{{u"summary"_s, cutTo(text.subject, maxPagerDutySummary)},
        {u"source"_s, incident.cause.server.isEmpty() ? u"lockscope"_s : incident.cause.server},
        {u"severity"_s, severityThere(notice)}, {u"class"_s, incident.cause.kind},
        {u"custom_details"_s,
            QJsonObject{{u"text"_s, NoticeText{{}, text.lines}.toString(maxPagerDutyText).trimmed()}}}};
    if (incident.since.isValid())
        payload.insert(u"timestamp"_s, incident.since.toIsoString());
    if (!incident.cause.database.isEmpty())
        payload.insert(u"component"_s, incident.cause.database);
    body.insert(u"payload"_s, payload);
    body.insert(u"client"_s, u"Lockscope"_s);
    return body;
}

} // namespace

QByteArray webhookBody(ChannelSettings::Form form, std::span<const Notice> notices, bool withStatements,
    const QString& routingKey, ServerTime now)
{
    const auto written = [](const auto& json) { return QJsonDocument(json).toJson(QJsonDocument::Compact); };
    switch (form) {
    case ChannelSettings::Form::Alertmanager:
        return written(alertmanagerBody(notices, withStatements, now));
    case ChannelSettings::Form::Slack:
        return written(slackBody(noticeText(notices, withStatements)));
    case ChannelSettings::Form::Teams:
        return written(teamsBody(noticeText(notices, withStatements)));
    case ChannelSettings::Form::PagerDuty:
        return written(pagerDutyBody(notices.front(), withStatements, routingKey));
    case ChannelSettings::Form::Own:
        break;
    }
    return written(noticeDocument(notices, withStatements));
}

} // namespace lockscope::alert
