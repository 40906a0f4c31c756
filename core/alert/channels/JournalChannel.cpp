// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/Notice.h"
#include "core/alert/channels/Channel.h"
#include "core/base/Descriptor.h"

#include <QFile>
#include <QtEndian>

#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

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
        for (const Notice& each : notices) {
            if (const Result<void> sent = write(entryOf(each, settings().sendsStatements)); !sent)
                return sent;
        }
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

Result<std::unique_ptr<Channel>> journalChannel(
    const ChannelSettings& settings, const ChannelOptions& options)
{
    return std::make_unique<JournalChannel>(settings, options);
}

} // namespace lockscope::alert
