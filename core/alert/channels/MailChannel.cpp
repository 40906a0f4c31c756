// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/Incident.h"
#include "core/alert/channels/Channel.h"
#include "core/alert/channels/Transfer.h"

#include <QCryptographicHash>
#include <QLocale>
#include <QRegularExpression>

#include <algorithm>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxMailText = 200'000;
constexpr qsizetype maxSubject = 200;

/// "=?UTF-8?B?…?=", as many as it takes: each may have 75 characters (RFC 2047).
QByteArray encodedWords(const QString& text)
{
    QByteArray words;
    QByteArray piece;
    const auto flush = [&] {
        words += (words.isEmpty() ? "" : "\r\n ") + ("=?UTF-8?B?" + piece.toBase64() + "?=");
        piece.clear();
    };
    for (const char32_t character : text.toUcs4()) {
        const QByteArray bytes = QString::fromUcs4(&character, 1).toUtf8();
        if (piece.size() + bytes.size() > 42)
            flush();
        piece += bytes;
    }
    flush();
    return words;
}

/// RFC 2045, so that no line is too long and no relay changes it.
QByteArray quotedPrintable(const QString& text)
{
    QByteArray out;
    for (const QByteArray& line : text.toUtf8().split('\n')) {
        qsizetype width = 0;
        for (qsizetype at = 0; at < line.size(); ++at) {
            const auto byte = static_cast<unsigned char>(line.at(at));
            const bool isLastBlank = byte == ' ' && at + 1 == line.size();
            const bool isPlain = byte >= ' ' && byte < 0x7f && byte != '=' && !isLastBlank;
            const QByteArray written =
                isPlain ? QByteArray(1, line.at(at)) : '=' + line.mid(at, 1).toHex().toUpper();
            if (width + written.size() > 75) {
                out += "=\r\n";
                width = 0;
            }
            out += written;
            width += written.size();
        }
        out += "\r\n";
    }
    return out;
}

QByteArray messageId(const QString& key, const QByteArray& domain)
{
    const QByteArray hash =
        QCryptographicHash::hash(key.toUtf8(), QCryptographicHash::Sha256).toHex().left(32);
    return '<' + hash + "@" + domain + '>';
}

QString threadKey(const Incident& incident)
{
    return u"%1/%2"_s.arg(incident.cause.fingerprint()).arg(incident.id);
}

/// Headers that make an incident one thread; a message about several belongs to none.
QByteArray threadHeaders(std::span<const Notice> notices, const QByteArray& domain)
{
    const Notice& notice = notices.front();
    if (notices.size() > 1 || notice.kind == Notice::Kind::Test)
        return "Message-ID: " + messageId(messageKey(notices), domain) + "\r\n";
    // They all answer to a message that was never sent: the first one may have been one of several, or none
    // of this channel's, and an incident may fire again after a mute.
    const QByteArray root = messageId(threadKey(notice.incident), domain);
    return "Message-ID: " + messageId(notice.key, domain) + "\r\nIn-Reply-To: " + root
        + "\r\nReferences: " + root + "\r\n";
}

QString bodyText(std::span<const Notice> notices, bool withStatements)
{
    const NoticeText summary = noticeText(notices, withStatements);
    QString text = summary.lines.join(u'\n');
    if (notices.size() == 1)
        return text;
    for (const Notice& each : notices) {
        const NoticeText own = noticeText({&each, 1}, withStatements);
        text += u"\n\n%1\n%2"_s.arg(own.subject, own.lines.join(u'\n'));
    }
    return text;
}

class MailChannel final : public Channel {
public:
    MailChannel(const ChannelSettings& settings, const ChannelOptions& options)
        : Channel(settings)
        , m_options(options)
    {
    }
    Result<void> send(std::span<const Notice> notices, const std::stop_token& stop) override
    {
        QByteArray message = mailMessage(settings(), notices, QDateTime::currentDateTimeUtc());
        if (!settings().url.isEmpty())
            return sendBySmtp(message, stop);
        // A local program gets lines of this system; it reads from the headers to whom it goes.
        message.replace("\r\n", "\n");
        setAnswer(u"%1 has taken the mail for %2."_s.arg(m_options.sendmail, settings().to.join(u", "_s)));
        return runProgram({m_options.sendmail, u"-i"_s, u"-t"_s}, message, m_options.programTimeout, stop);
    }

private:
    Result<void> sendBySmtp(const QByteArray& message, const std::stop_token& stop)
    {
        const QUrl url(settings().url);
        Transfer transfer(m_options);
        transfer.setUrl(url, "smtp,smtps");
        transfer.set(CURLOPT_USE_SSL, static_cast<long>(isLoopback(url) ? CURLUSESSL_NONE : CURLUSESSL_ALL));
        if (!settings().user.isEmpty()) {
            LOCKSCOPE_TRY_GET(const QString password, readSecret(settings().secret));
            transfer.set(CURLOPT_USERNAME, settings().user.toUtf8().constData());
            transfer.set(CURLOPT_PASSWORD, password.toUtf8().constData());
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

    static Result<void> judged(const Transfer::Answer& answer, const QString& host)
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

    const ChannelOptions m_options;
};

} // namespace

bool isMailAddress(const QString& text)
{
    static const QRegularExpression plain(
        u"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?\\z"_s);
    return plain.match(text).hasMatch();
}

QByteArray mailMessage(const ChannelSettings& settings, std::span<const Notice> notices, const QDateTime& now)
{
    const NoticeText text = noticeText(notices, settings.sendsStatements);
    const QString from = settings.from;
    const QByteArray domain = from.contains(u'@') ? from.section(u'@', -1).toLatin1() : "lockscope.invalid";
    QByteArray message;
    if (!from.isEmpty())
        message += "From: Lockscope <" + from.toLatin1() + ">\r\n";
    message += "To: " + settings.to.join(u",\r\n "_s).toLatin1() + "\r\n";
    message += "Subject: " + encodedWords(cutTo(text.subject, maxSubject)) + "\r\n";
    message += "Date: " + QLocale::c().toString(now.toUTC(), u"ddd, d MMM yyyy HH:mm:ss"_s).toLatin1()
        + " +0000\r\n";
    message += threadHeaders(notices, domain);
    message +=
        "Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n"
        "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n";
    return message + quotedPrintable(cutTo(bodyText(notices, settings.sendsStatements), maxMailText));
}

Result<std::unique_ptr<Channel>> mailChannel(const ChannelSettings& settings, const ChannelOptions& options)
{
    const auto bad = [](const QString& what) { return failure(ErrorKind::BadInput, what); };
    if (settings.to.isEmpty() || !std::ranges::all_of(settings.to, isMailAddress))
        return bad(u"A mail channel needs plain addresses to send to, such as ann@example.net."_s);
    const bool isSmtp = !settings.url.isEmpty();
    if ((isSmtp || !settings.from.isEmpty()) && !isMailAddress(settings.from))
        return bad(u"A mail channel needs a plain address to send from, such as lockscope@example.net."_s);
    if (settings.user.isEmpty() != settings.secret.isEmpty())
        return bad(u"A mail channel has either a user and a secret or neither."_s);
    if (isSmtp)
        LOCKSCOPE_TRY(checkedAddress(settings.url, {u"smtp"_s, u"smtps"_s}));
    return std::make_unique<MailChannel>(settings, options);
}

} // namespace lockscope::alert
