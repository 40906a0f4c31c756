// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/channels/Channel.h"

#include "core/base/Duration.h"
#include "core/base/PlainFile.h"
#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSysInfo>
#include <QUuid>
#include <QtEndian>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxSecretSize = 4'096;
constexpr auto variablePrefix = "env:"_L1;
constexpr auto filePrefix = "file:"_L1;

Failure unusable(const QString& reference, const QString& why, const QString& hint = {})
{
    return failure(ErrorKind::Permission, u"Can't use the secret in %1: %2."_s.arg(reference, why), hint);
}

Result<QByteArray> contentOfFile(const QString& reference)
{
    const QString path = reference.mid(filePrefix.size());
    const PlainFile file(path, PlainFile::Links::Refuse);
    // systemd gives its services access by a list beside the mode, which shows as a right of root's group.
    const bool isCredential = path.startsWith(u"/run/credentials/"_s) && file.status().st_gid == 0;
    if (const auto reason = file.reasonAgainst(
            isCredential ? PlainFile::Others::ReadByRootsGroup : PlainFile::Others::Nothing))
        return unusable(reference, reason->what, reason->hint);
    auto content = file.read(maxSecretSize + 1);
    return content ? content : unusable(reference, content.error().what);
}

constexpr qsizetype mergedFrom = 5;
constexpr qsizetype maxMerged = 100;

bool hasControl(const QString& text)
{
    return std::ranges::any_of(text, [](QChar each) { return each < u' ' || each == QChar(0x7f); });
}

Notice testNotice(const QString& channel, const QString& by)
{
    Notice notice;
    notice.key = u"test-"_s + QUuid::createUuid().toString(QUuid::WithoutBraces);
    notice.kind = Notice::Kind::Test;
    Incident& incident = notice.incident;
    incident.cause.kind = u"test"_s;
    incident.cause.server = QSysInfo::machineHostName();
    incident.since = incident.fired = incident.seen = ownClock();
    incident.title = u"This is a test of the channel “%1”. Nothing is wrong."_s.arg(channel);
    incident.reason = u"%1 has asked for it."_s.arg(by);
    return notice;
}

constexpr qsizetype maxJournalText = 16'000; // characters: a datagram holds it in any script
constexpr auto journalMessageId = "657ba6dec5a044e9b127ce90bc98c4a7";

/// A field of the journal's native protocol, with its length, so that no text can end it.
QByteArray field(const char* name, const QString& value)
{
    const QByteArray bytes = value.toUtf8();
    QByteArray length(8, '\0');
    qToLittleEndian<quint64>(static_cast<quint64>(bytes.size()), length.data());
    return QByteArray(name) + '\n' + length + bytes + '\n';
}

/// As syslog(3) has them.
int priorityOf(const Notice& notice)
{
    if (notice.kind == Notice::Kind::Resolved || notice.kind == Notice::Kind::Test)
        return 6;
    return notice.incident.severity == Severity::Critical ? 2 : 4;
}

QByteArray entryOf(const Notice& notice, bool withStatements)
{
    const Incident& incident = notice.incident;
    const NoticeText text = noticeText({&notice, 1}, withStatements);
    return field("MESSAGE", text.toString(maxJournalText))
        + field("PRIORITY", QString::number(priorityOf(notice))) + field("SYSLOG_IDENTIFIER", u"lockscope"_s)
        + field("MESSAGE_ID", QString::fromLatin1(journalMessageId))
        + field("LOCKSCOPE_INCIDENT", QString::number(incident.id))
        + field("LOCKSCOPE_FINGERPRINT", incident.cause.fingerprint())
        + field("LOCKSCOPE_SERVER", cutTo(incident.cause.server, 1'000))
        + field("LOCKSCOPE_KIND", noticeKindName(notice.kind)) + field("LOCKSCOPE_KEY", notice.key);
}

class JournalChannel final : public Channel {
public:
    JournalChannel(const ChannelSettings& settings, const ChannelOptions& options)
        : Channel(settings)
        , m_path(options.journal)
    {
    }
    Result<void> send(std::span<const Notice> notices, const std::stop_token& /*never waits*/) override
    {
        for (const Notice& each : notices)
            LOCKSCOPE_TRY(write(entryOf(each, settings().sendsStatements)));
        setAnswer(u"The journal has taken it: journalctl SYSLOG_IDENTIFIER=lockscope shows it."_s);
        return {};
    }

private:
    Result<void> write(const QByteArray& entry) const
    {
        sockaddr_un to{};
        to.sun_family = AF_UNIX;
        const QByteArray path = QFile::encodeName(m_path);
        if (static_cast<size_t>(path.size()) >= sizeof(to.sun_path))
            return failure(ErrorKind::BadInput, u"The path of the journal is too long."_s);
        std::memcpy(to.sun_path, path.constData(), static_cast<size_t>(path.size()));
        const Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        const ssize_t sent = ::sendto(socket.number(), entry.constData(), static_cast<size_t>(entry.size()),
            MSG_NOSIGNAL | MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&to), sizeof to);
        if (sent == entry.size())
            return {};
        return failure(ErrorKind::Connection,
            u"Can't write to the systemd journal: %1."_s.arg(QString::fromLocal8Bit(std::strerror(errno))));
    }

    const QString m_path;
};

} // namespace

Result<void> checkSecretReference(const QString& reference)
{
    const bool isVariable = reference.startsWith(variablePrefix) && reference.size() > variablePrefix.size();
    if (!isVariable && !reference.startsWith(filePrefix + u'/'))
        // It may be the secret itself, so it is not repeated.
        return failure(ErrorKind::BadInput, u"A channel's secret is written as env:NAME or file:/path."_s,
            u"Put the secret into a file that only this account can read, and name that."_s);
    return {};
}

Result<QString> readSecret(const QString& reference)
{
    LOCKSCOPE_TRY(checkSecretReference(reference));
    QByteArray content;
    if (reference.startsWith(variablePrefix)) {
        content = qgetenv(reference.mid(variablePrefix.size()).toLocal8Bit().constData());
    } else {
        LOCKSCOPE_TRY_GET(content, contentOfFile(reference));
    }
    const QString secret = QString::fromUtf8(content).trimmed();
    if (secret.isEmpty())
        return unusable(reference, u"it is empty"_s);
    if (content.size() > maxSecretSize)
        return unusable(reference, u"it is too long"_s);
    if (hasControl(secret))
        return unusable(reference, u"it has more than one line"_s);
    return secret;
}

Result<void> writeSecret(const QString& reference, const QString& secret)
{
    if (!reference.startsWith(filePrefix + u'/'))
        return failure(ErrorKind::BadInput, u"A secret is written to a file only, named as file:/path."_s);
    const QString path = reference.mid(filePrefix.size());
    QDir().mkpath(QFileInfo(path).path());
    // What is written takes the mode of the file that is there.
    const QByteArray name = QFile::encodeName(path);
    const Descriptor made(
        ::open(name.constData(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    const bool isThere = !made.isOpen() && errno == EEXIST;
    if (isThere && ::chmod(name.constData(), S_IRUSR | S_IWUSR) != 0)
        return unusable(reference, QString::fromLocal8Bit(std::strerror(errno)));
    return writeFile(path, secret.toUtf8() + '\n');
}

Channel::Channel(ChannelSettings settings)
    : m_settings(std::move(settings))
{
}

Result<std::unique_ptr<Channel>> Channel::make(const ChannelSettings& settings, const ChannelOptions& options)
{
    // A line end in any of them would be a header of somebody else.
    QStringList texts{settings.name, settings.url, settings.secret, settings.user, settings.from};
    texts << settings.to << settings.command;
    if (std::ranges::any_of(texts, hasControl))
        return failure(ErrorKind::BadInput,
            u"A setting of the channel has a line end or another control character in it."_s);
    if (!settings.secret.isEmpty())
        LOCKSCOPE_TRY(checkSecretReference(settings.secret));
    switch (settings.kind) {
    case ChannelSettings::Kind::Webhook:
        return webhookChannel(settings, options);
    case ChannelSettings::Kind::Mail:
        return mailChannel(settings, options);
    case ChannelSettings::Kind::Program:
        return programChannel(settings, options);
    case ChannelSettings::Kind::Journal:
        break;
    }
    return journalChannel(settings, options);
}

qsizetype Channel::messageSize(qsizetype waiting) const
{
    const bool isWebhook = m_settings.kind == ChannelSettings::Kind::Webhook;
    const bool takesOne = m_settings.kind == ChannelSettings::Kind::Journal
        || (isWebhook && m_settings.form == ChannelSettings::Form::PagerDuty);
    const bool takesList = isWebhook && m_settings.form == ChannelSettings::Form::Alertmanager;
    if (takesOne || (!takesList && waiting < mergedFrom))
        return std::min<qsizetype>(waiting, 1);
    return std::min(waiting, maxMerged);
}

QString ChannelTest::toString() const
{
    return sentences({u"It has arrived after %1."_s.arg(shortDuration(took.count() * 1'000)), answer});
}

Result<ChannelTest> testChannel(
    const ChannelSettings& settings, const QString& by, const std::stop_token& stop)
{
    LOCKSCOPE_TRY_GET(const auto channel, Channel::make(settings));
    const Notice notice = testNotice(settings.name, by);
    const auto begin = std::chrono::steady_clock::now();
    LOCKSCOPE_TRY(channel->send({&notice, 1}, stop));
    return ChannelTest{channel->answer(),
        std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin)};
}

Result<std::unique_ptr<Channel>> journalChannel(
    const ChannelSettings& settings, const ChannelOptions& options)
{
    return std::make_unique<JournalChannel>(settings, options);
}

} // namespace lockscope::alert
