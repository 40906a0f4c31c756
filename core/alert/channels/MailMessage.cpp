// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/channels/MailMessage.h"

#include "core/alert/channels/NoticeText.h"

#include <QCryptographicHash>
#include <QLocale>
#include <QRegularExpression>

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

} // namespace lockscope::alert
