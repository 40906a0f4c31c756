// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/ServerState.h"

#include <QThread>

namespace lockscope::test::tds {

/// A test double of SQL Server: it speaks TDS 7.4 on a port of this machine, so that tests go through the
/// real drivers, and gives the answers of its handlers. It is no database: it understands no SQL beyond
/// sp_executesql, prepared statements and what drivers send by themselves.
///
/// All handlers and all state live on the server's own thread; the functions here may be called from any.
class TdsServer {
public:
    TdsServer();
    ~TdsServer();
    Q_DISABLE_COPY_MOVE(TdsServer)

    quint16 port() const { return m_port; }

    /// Answers a statement of schema/: "sqlserver/monitor/locks".
    void answer(const char* schemaPath, Handler handler);
    /// Answers exactly this statement (but for spaces round it), or a procedure called by this name.
    void answer(const QString& text, Handler handler);
    /// Answers statements that match as a whole; the captures are Request::filledIn.
    void answerMatching(const QString& pattern, Handler handler);

    /// Answers a statement of schema/ by the one that stands in its last place, unless the guard says why
    /// not.
    void guard(const char* schemaPath, AnswerTable::Guard guard);

    /// A message for a login refuses it, e.g. 18456 or 4060.
    void refuseLogins(std::function<std::optional<ServerMessage>(const Login&)> refuse);
    void onLogin(std::function<void(Session&)> tell);
    void onDisconnect(std::function<void(Session&)> tell);
    void onTransactionEnd(std::function<void(Session&, bool committed)> tell);

    /// Encrypts for clients that connect from now on and ask for it, within TDS 7.4 or before it (TDS 8),
    /// with a certificate for `host`. Returns that of the authority that signed it, which nobody knows, as
    /// PEM.
    QByteArray offerTls(const QByteArray& host = "localhost");

    /// Sets a fault for all later answers, also to connected clients.
    void setFault(const Fault& fault);
    void setDelay(std::chrono::milliseconds beforeEachAnswer);
    /// Stops listening: the system then refuses clients.
    void close();

    /// Runs on the server's thread and waits for the end of it.
    void run(const std::function<void()>& function);
    /// Calls it on the server's thread, later. Only from that thread.
    void after(std::chrono::milliseconds delay, std::function<void()> function);
    /// Cuts the session's connection. Returns false if there is none of that id. On the server's thread.
    bool disconnect(int session);
    /// Returns all logged-in clients. On the server's thread.
    std::vector<std::shared_ptr<Session>> sessions() const;

    std::vector<SeenMessage> seen();
    QStringList unknown();

private:
    class Loop;
    QThread m_thread;
    Loop* m_loop;
    std::shared_ptr<ServerState> m_state;
    quint16 m_port = 0;
};

} // namespace lockscope::test::tds
