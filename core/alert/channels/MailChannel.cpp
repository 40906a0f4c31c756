// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/channels/Channel.h"
#include "core/alert/channels/MailMessage.h"
#include "core/alert/channels/ProgramRun.h"
#include "core/alert/channels/Secret.h"
#include "core/alert/channels/Transfer.h"

#include <algorithm>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

class MailChannel final : public Channel {
public:
    MailChannel(const ChannelSettings& settings, const ChannelOptions& options)
        : Channel(settings)
        , m_options(options)
    {
    }
    Result<void> send(std::span<const Notice> notices, const std::stop_token& stop) override;

private:
    Result<void> sendBySmtp(const QByteArray& message, const std::stop_token& stop);
    static Result<void> judged(const Transfer::Answer& answer, const QString& host);

    const ChannelOptions m_options;
};

Result<void> MailChannel::send(std::span<const Notice> notices, const std::stop_token& stop)
{
    QByteArray message = mailMessage(settings(), notices, QDateTime::currentDateTimeUtc());
    if (!settings().url.isEmpty())
        return sendBySmtp(message, stop);
    // A local program gets lines of this system; it reads from the headers to whom it goes.
    message.replace("\r\n", "\n");
    setAnswer(u"%1 has taken the mail for %2."_s.arg(m_options.sendmail, settings().to.join(u", "_s)));
    return runProgram({m_options.sendmail, u"-i"_s, u"-t"_s}, message, m_options.programTimeout, stop);
}

Result<void> MailChannel::sendBySmtp(const QByteArray& message, const std::stop_token& stop)
{
    const QUrl url(settings().url);
    Transfer transfer(m_options);
    transfer.setUrl(url, "smtp,smtps");
    transfer.set(CURLOPT_USE_SSL, static_cast<long>(isLoopback(url) ? CURLUSESSL_NONE : CURLUSESSL_ALL));
    if (!settings().user.isEmpty()) {
        const Result<QString> password = readSecret(settings().secret);
        if (!password)
            return Failure(password.error());
        transfer.set(CURLOPT_USERNAME, settings().user.toUtf8().constData());
        transfer.set(CURLOPT_PASSWORD, password->toUtf8().constData());
    }
    transfer.set(CURLOPT_MAIL_FROM, ('<' + settings().from.toLatin1() + '>').constData());
    for (const QString& each : settings().to)
        transfer.addTo(CURLOPT_MAIL_RCPT, '<' + each.toLatin1() + '>');
    // A colleague whose address is gone does not keep it from the others.
    transfer.set(CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1L);
    transfer.upload(message);
    const Transfer::Answer answer = transfer.perform(stop);
    setAnswer(u"%1 has taken the mail for %2 (status %3)."_s.arg(url.host(), settings().to.join(u", "_s))
                  .arg(answer.status));
    return judged(answer, url.host());
}

Result<void> MailChannel::judged(const Transfer::Answer& answer, const QString& host)
{
    if (answer.wasStopped)
        return failure(ErrorKind::Cancelled, u"The mail was not sent: stopped."_s);
    if (answer.code == CURLE_OK)
        return {};
    const QString what = u"Can't send mail by %1."_s.arg(host);
    Failure failed = failure(ErrorKind::Connection, what);
    Error& error = failed.value();
    error.detail = Transfer::reasonOf(answer);
    if (answer.status >= 400)
        error.nativeCode = QString::number(answer.status);
    switch (answer.code) {
    case CURLE_USE_SSL_FAILED:
        error.hint = u"It offers no TLS, which mail to another machine needs."_s;
        break;
    case CURLE_LOGIN_DENIED:
        error.kind = ErrorKind::Login;
        break;
    case CURLE_OPERATION_TIMEDOUT:
        error.kind = ErrorKind::Timeout;
        break;
    default:
        // 530, 535 and the like are about the login, the others about this message.
        if (answer.status >= 550 && answer.status < 560)
            error.kind = ErrorKind::BadInput;
        break;
    }
    return failed;
}

} // namespace

Result<std::unique_ptr<Channel>> mailChannel(const ChannelSettings& settings, const ChannelOptions& options)
{
    const auto bad = [](const QString& what) { return failure(ErrorKind::BadInput, what); };
    if (settings.to.isEmpty() || !std::all_of(settings.to.begin(), settings.to.end(), isMailAddress))
        return bad(u"A mail channel needs plain addresses to send to, such as ann@example.net."_s);
    const bool isSmtp = !settings.url.isEmpty();
    if ((isSmtp || !settings.from.isEmpty()) && !isMailAddress(settings.from))
        return bad(u"A mail channel needs a plain address to send from, such as lockscope@example.net."_s);
    if (settings.user.isEmpty() != settings.secret.isEmpty())
        return bad(u"A mail channel has either a user and a secret or neither."_s);
    if (isSmtp) {
        const Result<QUrl> url = checkedAddress(settings.url, {u"smtp"_s, u"smtps"_s});
        if (!url)
            return Failure(url.error());
    }
    return std::make_unique<MailChannel>(settings, options);
}

} // namespace lockscope::alert
