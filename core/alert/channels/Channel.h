// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Incident.h"
#include "core/base/Result.h"
#include "core/base/ServerTime.h"

#include <QByteArray>
#include <QDateTime>
#include <QStringList>

#include <memory>
#include <span>
#include <stop_token>

namespace lockscope::alert {

/// BadInput: it is neither "env:NAME" nor "file:/path".
Result<void> checkSecretReference(const QString& reference);
/// Reads what "env:NAME" or "file:/path" refers to. A file must be a plain one of this account or root that
/// nobody else can read or write, of one line. Errors name the place and never the content. Blocks on the
/// disk.
Result<QString> readSecret(const QString& reference);
/// Writes the secret into the file that "file:/path" names, readable by this account alone. BadInput for a
/// reference to anything else. Blocks for the disk.
Result<void> writeSecret(const QString& reference, const QString& secret);

/// Places and limits of the machine. The defaults are right but for tests.
struct ChannelOptions {
    QString authorities = {}; ///< a file of certificates to trust instead of the system's
    QStringList addresses = {}; ///< "host:port:address" of hosts that no name service knows
    QString journal = QStringLiteral("/run/systemd/journal/socket");
    QString sendmail = QStringLiteral("/usr/sbin/sendmail");
    milliseconds timeout{10'000}; ///< of a connection with its answer
    milliseconds programTimeout{30'000};
};

/// A way out of the machine. Used on one thread at a time.
class Channel {
public:
    /// BadInput: the settings make no sense, or would send a secret in clear text.
    static Result<std::unique_ptr<Channel>> make(
        const ChannelSettings& settings, const ChannelOptions& options = {});
    virtual ~Channel() = default;
    Q_DISABLE_COPY_MOVE(Channel)

    /// Sends one message about one notice, or about messageSize() of them. Blocks, at most for the time that
    /// the options allow; ends at once when asked to stop (Cancelled). BadInput: the receiver refuses this
    /// message for good. Server: it was reached, and failed on it. Any other error: try again later. Errors
    /// never have the secret in them.
    virtual Result<void> send(std::span<const Notice> notices, const std::stop_token& stop) = 0;
    /// Returns for how long the receiver of the last message asks to be left alone; zero: it does not.
    milliseconds retryAfter() const { return m_retryAfter; }
    /// Returns how many of the notices that wait go into the next message: from 5 on all of them, so that a
    /// bad hour does not bury its reader, where the receiver takes more than one.
    qsizetype messageSize(qsizetype waiting) const;
    const ChannelSettings& settings() const { return m_settings; }
    /// Returns what the receiver said when it took the last message, as a sentence without secrets.
    const QString& answer() const { return m_answer; }

protected:
    explicit Channel(ChannelSettings settings);
    void setRetryAfter(milliseconds retryAfter) { m_retryAfter = retryAfter; }
    void setAnswer(const QString& answer) { m_answer = answer; }

private:
    const ChannelSettings m_settings;
    milliseconds m_retryAfter{0};
    QString m_answer;
};

/// A test message that was delivered.
struct ChannelTest {
    QString answer; ///< what the receiver said, as a sentence
    milliseconds took{0};

    QString toString() const; ///< "It has arrived after 0.2 s. hooks.example.net answers with status 200."
};

/// Sends a test message by a channel, at once and only once: it is not queued, whatever comes of it. `by`:
/// who asks for it. Blocks as Channel::send() does.
Result<ChannelTest> testChannel(
    const ChannelSettings& settings, const QString& by, const std::stop_token& stop);

// One for each ChannelSettings::Kind; for Channel::make().
Result<std::unique_ptr<Channel>> webhookChannel(const ChannelSettings&, const ChannelOptions&);
Result<std::unique_ptr<Channel>> mailChannel(const ChannelSettings&, const ChannelOptions&);
Result<std::unique_ptr<Channel>> programChannel(const ChannelSettings&, const ChannelOptions&);
Result<std::unique_ptr<Channel>> journalChannel(const ChannelSettings&, const ChannelOptions&);

/// Returns whether it is a plain address, "ann@example.net": no name, no list, nothing that could be a
/// header.
bool isMailAddress(const QString& text);
/// Returns a mail of RFC 5322 in plain text, lines ending in CR LF. All notices of an incident are one thread
/// in mail programs: they answer to the same one.
QByteArray mailMessage(
    const ChannelSettings& settings, std::span<const Notice> notices, const QDateTime& now);

/// Returns why a program is not run: its path is not absolute, it is none, or others could have put it there.
Result<void> checkProgram(const QString& path);
/// Runs a program without a shell, with `input` on its standard input, and waits for its end. Then, in time
/// or not, and when asked to stop, it and its children are killed. It gets only what it needs of the
/// environment: no passwords. Exit codes but 0 are an error, with the first line of what it wrote to standard
/// error.
Result<void> runProgram(
    const QStringList& command, const QByteArray& input, milliseconds atMost, const std::stop_token& stop);

} // namespace lockscope::alert
