// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QtGlobal>

namespace lockscope::db {

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
