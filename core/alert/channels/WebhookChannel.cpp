// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/channels/Channel.h"
#include "core/alert/channels/NoticeText.h"
#include "core/alert/channels/Secret.h"
#include "core/alert/channels/Transfer.h"
#include "core/alert/channels/WebhookBody.h"
#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"

#include <algorithm>
#include <optional>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

using Form = ChannelSettings::Form;

/// "hooks.example.net", or what is known of an address that is secret.
QString placeOf(const ChannelSettings& settings, const QUrl& url)
{
    return settings.url.isEmpty() && settings.form != Form::PagerDuty ? u"the webhook"_s : url.host();
}

/// A receiver that asks for more has made a mistake, or wants to silence us.
constexpr std::chrono::seconds longestRetryAfter = std::chrono::minutes(30);

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
    Result<void> send(std::span<const Notice> notices, const std::stop_token& stop) override;
    Result<QUrl> address(const QString& secret) const;

private:
    Result<void> post(const QUrl& url, const QString& token, const QByteArray& body, const QString& key,
        const std::stop_token& stop);
    Result<void> judged(const Transfer::Answer& answer, const QUrl& url);

    const ChannelOptions m_options;
};

Result<QUrl> WebhookChannel::address(const QString& secret) const
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

Result<void> WebhookChannel::send(std::span<const Notice> notices, const std::stop_token& stop)
{
    QString secret;
    if (!settings().secret.isEmpty()) {
        Result<QString> read = readSecret(settings().secret);
        if (!read)
            return Failure(read.error());
        secret = *read;
    }
    const Result<QUrl> url = address(secret);
    if (!url)
        // A secret that is no address can be mended without this message being lost.
        return failure(settings().url.isEmpty() ? ErrorKind::Login : ErrorKind::BadInput, url.error().what,
            url.error().hint);
    const bool isPagerDuty = settings().form == Form::PagerDuty;
    const QByteArray body = webhookBody(
        settings().form, notices, settings().sendsStatements, isPagerDuty ? secret : QString(), ownClock());
    const bool isToken = !isPagerDuty && !settings().url.isEmpty();
    return post(*url, isToken ? secret : QString(), body, messageKey(notices), stop);
}

Result<void> WebhookChannel::post(const QUrl& url, const QString& token, const QByteArray& body,
    const QString& key, const std::stop_token& stop)
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

Result<void> WebhookChannel::judged(const Transfer::Answer& answer, const QUrl& url)
{
    const bool mayAsk = answer.status == 429 || answer.status == 503;
    setRetryAfter(mayAsk ? std::clamp(answer.retryAfter, std::chrono::seconds(0), longestRetryAfter)
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
            u"%1 answers with status %2, a redirect, which is not followed."_s.arg(place).arg(answer.status),
            u"Write the address that it redirects to into the settings of the channel."_s);
    Failure failed = failure(laterKind(answer.status).value_or(ErrorKind::BadInput),
        u"%1 answers with status %2."_s.arg(place).arg(answer.status));
    failed.value().detail = body;
    return failed;
}

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
    if (!settings.url.isEmpty()) {
        if (const Result<QUrl> url = channel->address({}); !url)
            return Failure(url.error());
    }
    return channel;
}

} // namespace lockscope::alert
