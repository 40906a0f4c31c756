// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/Incident.h"
#include "core/alert/channels/Channel.h"
#include "core/alert/channels/Transfer.h"
#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <optional>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

using Form = ChannelSettings::Form;

// Longer texts are refused there.
constexpr qsizetype maxSlack = 2'900;
constexpr qsizetype maxTeams = 6'000; // 28 KB in any script
constexpr qsizetype maxPagerDutySummary = 1'000;
constexpr qsizetype maxPagerDutyText = 20'000;
constexpr qsizetype maxAnnotation = 4'000;

/// Alertmanager takes an alert for over that is not sent again within minutes, unless it knows an end. One
/// that is nowhere reported as over, because nobody runs Lockscope any more, ends by itself after that.
constexpr std::chrono::hours maxFiring{7 * 24};
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
        hasEnded ? resolved : now + (isTest ? microseconds(testFires) : microseconds(maxFiring));
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

/// Returns the body of a message in the form of its receiver. `routingKey` is PagerDuty's, and so is that
/// there is one notice only. `now`: this machine's clock.
QByteArray webhookBody(Form form, std::span<const Notice> notices, bool withStatements,
    const QString& routingKey, ServerTime now)
{
    const auto written = [](const auto& json) { return QJsonDocument(json).toJson(QJsonDocument::Compact); };
    switch (form) {
    case Form::Alertmanager:
        return written(alertmanagerBody(notices, withStatements, now));
    case Form::Slack:
        return written(slackBody(noticeText(notices, withStatements)));
    case Form::Teams:
        return written(teamsBody(noticeText(notices, withStatements)));
    case Form::PagerDuty:
        return written(pagerDutyBody(notices.front(), withStatements, routingKey));
    case Form::Own:
        break;
    }
    return written(noticeDocument(notices, withStatements));
}

/// "hooks.example.net", or what is known of an address that is secret.
QString placeOf(const ChannelSettings& settings, const QUrl& url)
{
    return settings.url.isEmpty() && settings.form != Form::PagerDuty ? u"the webhook"_s : url.host();
}

/// A receiver that asks for more has made a mistake, or tries to silence us.
constexpr std::chrono::seconds maxRetryAfter = std::chrono::minutes(30);

/// Statuses by which the receiver says that it is not about this message: wait, or mend the channel.
std::optional<ErrorKind> laterKind(long status)
{
    switch (status) {
    case 408:
    case 425:
    case 429:
        return ErrorKind::Timeout;
    case 401:
    case 403:
    case 404:
    case 407:
    case 410:
        return ErrorKind::Login;
    default:
        break;
    }
    return status < 500 ? std::nullopt : std::optional(ErrorKind::Server);
}

class WebhookChannel final : public Channel {
public:
    WebhookChannel(const ChannelSettings& settings, const ChannelOptions& options)
        : Channel(settings)
        , m_options(options)
    {
    }
    Result<void> send(std::span<const Notice> notices, const std::stop_token& stop) override
    {
        QString secret;
        if (!settings().secret.isEmpty()) {
            LOCKSCOPE_TRY_GET(secret, readSecret(settings().secret));
        }
        const Result<QUrl> url = address(secret);
        if (!url)
            // A secret that is no address can be mended without this message being lost.
            return failure(settings().url.isEmpty() ? ErrorKind::Login : ErrorKind::BadInput,
                url.error().what, url.error().hint);
        const bool isPagerDuty = settings().form == Form::PagerDuty;
        const QByteArray body = webhookBody(settings().form, notices, settings().sendsStatements,
            isPagerDuty ? secret : QString(), ownClock());
        const bool isToken = !isPagerDuty && !settings().url.isEmpty();
        return post(*url, isToken ? secret : QString(), body, messageKey(notices), stop);
    }

    Result<QUrl> address(const QString& secret) const
    {
        const bool isPagerDuty = settings().form == Form::PagerDuty;
        QString text = settings().url;
        if (text.isEmpty())
            text = isPagerDuty ? u"https://events.pagerduty.com/v2/enqueue"_s : secret;
        Result<QUrl> url = checkedAddress(text, {u"https"_s, u"http"_s});
        if (!url)
            return url;
        if (!settings().secret.isEmpty() && url->scheme() != u"https" && !isLoopback(*url))
            return failure(ErrorKind::BadInput, u"A secret is sent to another machine by https only."_s);
        constexpr auto alerts = "/api/v2/alerts"_L1;
        if (settings().form == Form::Alertmanager && !url->path().endsWith(alerts)) {
            QString path = url->path();
            while (path.endsWith(u'/'))
                path.chop(1);
            url->setPath(path + alerts);
        }
        return url;
    }

private:
    Result<void> post(const QUrl& url, const QString& token, const QByteArray& body, const QString& key,
        const std::stop_token& stop)
    {
        Transfer transfer(m_options);
        transfer.setUrl(url, "http,https");
        transfer.set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
        transfer.set(CURLOPT_POSTFIELDS, body.constData());
        transfer.set(CURLOPT_USERAGENT, "Lockscope/" LOCKSCOPE_VERSION);
        transfer.addTo(CURLOPT_HTTPHEADER, "Content-Type: application/json");
        transfer.addTo(CURLOPT_HTTPHEADER, "Expect:"); // no second to wait for a permission
        transfer.addTo(CURLOPT_HTTPHEADER, "Idempotency-Key: " + inOneLine(key).toUtf8());
        if (!token.isEmpty())
            transfer.addTo(CURLOPT_HTTPHEADER, "Authorization: Bearer " + token.toUtf8());
        return judged(transfer.perform(stop), url);
    }

    Result<void> judged(const Transfer::Answer& answer, const QUrl& url)
    {
        const bool mayAsk = answer.status == 429 || answer.status == 503;
        setRetryAfter(mayAsk ? std::clamp(answer.retryAfter, std::chrono::seconds(0), maxRetryAfter)
                             : std::chrono::seconds(0));
        if (answer.wasStopped)
            return failure(ErrorKind::Cancelled, u"The message was not sent: stopped."_s);
        const QString place = placeOf(settings(), url);
        if (answer.status < 200) {
            const bool isLate = answer.code == CURLE_OPERATION_TIMEDOUT;
            Failure failed =
                failure(isLate ? ErrorKind::Timeout : ErrorKind::Connection, u"Can't reach %1."_s.arg(place));
            failed.value().detail = Transfer::reasonOf(answer);
            return failed;
        }
        // Some send back what they got: then a secret may be in it.
        const QString body = settings().secret.isEmpty()
            ? cutTo(inOneLine(QString::fromUtf8(answer.body)).trimmed(), 200)
            : QString();
        // With the status it has answered, however much or wrong the rest is.
        if (answer.status < 300) {
            const QString status = u"%1 answers with status %2"_s.arg(place).arg(answer.status);
            setAnswer(body.isEmpty() ? status + u'.' : u"%1: %2"_s.arg(status, body));
            return {};
        }
        if (answer.status < 400)
            return failure(ErrorKind::Connection,
                u"%1 answers with status %2, a redirect, which is not followed."_s.arg(place).arg(
                    answer.status),
                u"Write the address that it redirects to into the settings of the channel."_s);
        Failure failed = failure(laterKind(answer.status).value_or(ErrorKind::BadInput),
            u"%1 answers with status %2."_s.arg(place).arg(answer.status));
        failed.value().detail = body;
        return failed;
    }

    const ChannelOptions m_options;
};

} // namespace

Result<std::unique_ptr<Channel>> webhookChannel(
    const ChannelSettings& settings, const ChannelOptions& options)
{
    if (settings.secret.isEmpty() && (settings.url.isEmpty() || settings.form == Form::PagerDuty))
        return failure(ErrorKind::BadInput,
            settings.form == Form::PagerDuty
                ? u"PagerDuty needs its routing key as the secret."_s
                : u"A webhook needs an address, or a secret that is the address."_s);
    auto channel = std::make_unique<WebhookChannel>(settings, options);
    if (!settings.url.isEmpty())
        LOCKSCOPE_TRY(channel->address({}));
    return channel;
}

} // namespace lockscope::alert
