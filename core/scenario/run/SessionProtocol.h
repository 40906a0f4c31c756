// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/run/EventLog.h"
#include "core/scenario/run/PreparedRun.h"

namespace lockscope::scenario {

// The messages between the program that starts a run and the process of one of its sessions, on the standard
// input and output of that process. Both are of one build; anything else that arrives is refused.

/// The first order to a process: everything that it needs. Holds the password, so never log it.
struct SessionTask {
    QByteArray scenario; ///< its file's text
    QString variant;
    int role = 0; ///< of the variant's roles
    int number = 0; ///< of the session, from 1
    QString name;
    Values values;
    QHash<QString, QString> identifiers;
    QString url; ///< of the run's area
    QString password;
    QString schema;
    QString lockPrefix;
    quint32 seed = 1;
    Pace pace;
    std::optional<ResumePoint> resume;
};
/// std::chrono::steady_clock counts from the start of the machine, for all of its processes alike: times and
/// events of several processes can be compared.
struct BeginOrder {
    Steady::time_point start;
};
/// Ends the session's rounds: no new ones.
struct EndRoundsOrder { };
/// Cancels the round that runs.
struct CancelOrder { };
using SessionOrder = std::variant<SessionTask, BeginOrder, EndRoundsOrder, CancelOrder>;

struct ConnectedMessage { };
struct LogMessage {
    SessionLog::Copy log; ///< since the last time
};
/// The scenario makes the program crash: its last message.
struct CrashMessage {
    ResumePoint resume;
    milliseconds restart{0}; ///< when another one shall start
};
struct FailedMessage {
    Error error;
};
/// It has ended its last round, and ends.
struct FinishedMessage { };
using SessionMessage =
    std::variant<ConnectedMessage, LogMessage, CrashMessage, FailedMessage, FinishedMessage>;

/// Returns the bytes to write: a QByteArray of QDataStream, that is, with its length before it.
QByteArray toFrame(const SessionOrder& order);
QByteArray toFrame(const SessionMessage& message);
/// Returns the contents of a frame without its length; nothing if they make no sense, or are of another
/// version.
std::optional<SessionOrder> orderFrom(const QByteArray& frame);
std::optional<SessionMessage> messageFrom(const QByteArray& frame);

/// The next frame, without its length. The stream's status is the reason if there is none: ReadPastEnd if it
/// is not complete, ReadCorruptData if it would be longer than any frame. Blocks if the stream's device does.
QByteArray readFrame(QDataStream& stream);

/// Reads frames from bytes that come in pieces.
class FrameReader {
public:
    void add(const QByteArray& bytes) { m_bytes += bytes; }
    /// Returns nothing while the next one is not complete.
    std::optional<QByteArray> next();
    /// True after a length that can't be: there is no next frame any more.
    bool isBroken() const { return m_isBroken; }

private:
    QByteArray m_bytes;
    bool m_isBroken = false;
};

/// Runs the program lockscope-session: one session of a free run as a process of its own. Its orders come by
/// standard input, what happens to it goes to standard output. When its input ends, it ends, within a second.
/// Returns the exit code; mostly it ends the process itself.
int runSessionProgram(int argc, char** argv);

} // namespace lockscope::scenario
