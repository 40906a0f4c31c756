// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/base/ServerTime.h"

#include <QtGlobal>

namespace lockscope::db {

// The limits for a server's answers. It may be another server than it says, or somebody between, and try to
// fill our memory or to keep us waiting. 100,000 locks with their sessions are about 20 MB.

constexpr qint64 maxBytesOfAnswer = qint64(128) << 20; ///< to one statement, or to all of a batch
constexpr qint64 maxBytesOfLongAnswer = qint64(4) << 30; ///< for rows that are handed on and not kept
constexpr qint64 maxBytesOfLogin = qint64(4) << 20;
/// An answer must not only go on, but be through in its time and a second for each of these.
constexpr qint64 slowestBytesPerSecond = qint64(64) << 10;
/// A server hangs that is silent for so long in a session without a statement time-out (Purpose::Lock),
/// beside the wait for a lock that it was asked for. Our own statements there wait 5 s at most by themselves.
constexpr milliseconds maxSilence{30'000};
constexpr int maxResults = 100'000; ///< result sets of one answer
constexpr int maxMessages = 1'000; ///< that are kept: what the server says beside its results
constexpr int maxNotifications = 1'000; ///< that are kept until somebody asks for them

/// The error for a server that sent more than that. The connection must not be used again.
Error tooLongAnswer(const QString& what, const QString& server, qint64 maxBytes);

/// Counts what comes in by a socket that libpq reads, which does not tell it: exactly where the system does
/// (TCP on Linux), else by what lies there to be read before each of libpq's reads, of which it takes a
/// buffer's worth: too little of a single value of many megabytes, which has its own limit in the protocol.
class ReceivedBytes {
public:
    /// Counts the bytes of a TCP socket since it was opened; −1 for another socket, or if the system does not
    /// know.
    static qint64 ofSocket(int socket);

    /// Counts from here on.
    void start(int socket);
    /// Call it before libpq reads.
    void beforeRead(int socket);
    qint64 count(int socket) const;

private:
    qint64 m_before = -1; ///< of the socket, when it started; −1: the system does not tell
    qint64 m_seen = 0;
};

} // namespace lockscope::db
