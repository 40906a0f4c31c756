// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ServerUrl.h"

#include <QByteArray>

#include <atomic>
#include <thread>
#include <vector>

namespace lockscope::test {

/// Speaks as much of PostgreSQL's protocol (version 3, chapter "Message Formats" of its manual) as it takes
/// to let a client in, and then sends what no server sends, without end. On a port of this machine; any
/// thread.
class HostilePostgres {
public:
    enum class Flood {
        Silence, ///< lets in, and never answers
        LoginNotices, ///< instead of letting in
        LoginParameters,
        LoginTrickle, ///< a byte a second
        Rows,
        WideRow, ///< one row that says it is a gigabyte, and comes as over a network, piece by piece
        Results, ///< one empty result after the other
        Notices,
        Notifications,
        Parameters, ///< each of another name
        CopyData,
        Trickle, ///< an answer, a byte a second
    };

    explicit HostilePostgres(Flood flood);
    /// Stands between a client and a real server that listens on a port of this machine, and passes on what
    /// they say until the client sends `turn` for the first time. Never, if that is empty. It listens on
    /// `address`.
    HostilePostgres(Flood flood, db::ServerUrl real, QByteArray turn,
        const QString& address = QStringLiteral("127.0.0.1"));
    ~HostilePostgres();
    Q_DISABLE_COPY_MOVE(HostilePostgres)

    /// One that is not of the loopback; empty if there is none.
    static QString addressOfThisMachine();

    db::ServerUrl url() const;

private:
    void accept();
    void listen();
    void serve(int client);
    void standBetween(int client);
    bool isLetIn(int client);
    void answer(int client);
    bool send(int client, const QByteArray& bytes);
    void floodWith(int client, const QByteArray& bytes);
    void trickle(int client, const QByteArray& bytes);

    const Flood m_flood;
    const db::ServerUrl m_real; ///< no port: there is none
    const QByteArray m_turn;
    const QString m_address;
    int m_listener = -1;
    quint16 m_port = 0;
    std::atomic<bool> m_leave = false;
    std::thread m_thread;
    std::vector<std::thread> m_clients; ///< the accepting thread's
};

} // namespace lockscope::test
