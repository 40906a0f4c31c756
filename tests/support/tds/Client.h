// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/ExecuteSql.h"
#include "tests/support/tds/ServerState.h"

#include <QTcpSocket>

#include <deque>

namespace lockscope::test::tds {

/// One connected client: its packets, its messages, its requests one after the other. Server thread only.
class Client : public QObject {
    Q_OBJECT

public:
    Client(QTcpSocket* socket, std::shared_ptr<ServerState> server);
    ~Client() override;

    const std::shared_ptr<Session>& session() const { return m_session; } ///< null before the login
    /// Ends the session as KILL does: whatever runs is lost.
    void kill();

Q_SIGNALS:
    void gone();

private:
    struct Message {
        PacketType type = PacketType::Batch;
        QByteArray bytes;
        bool resets = false;
    };
    /// One statement of a message.
    struct Task {
        Request request;
        std::function<void(Reply&)> begin = {}; ///< before the statement's own answer; may be empty
        std::function<void(Reply&)> end = {}; ///< after it; may be empty
        bool endsCall = false;
        bool calledInBatch = false; ///< a procedure, by name
        std::optional<InnerStatement> caught = {}; ///< it is one of those; their reports follow it
    };
    struct Prepared {
        QString text;
        QString declaration;
    };

    void read();
    void take(const Message& message);
    void preLogin(const QByteArray& bytes);
    void shakeHands(const QByteArray& bytes);
    void login(const QByteArray& bytes);
    void attention();

    void next();
    void start(const Message& message);
    void addTransactionRequest(const TransactionRequest& request);
    void addCall(Call call);
    /// The statements of a batch, or of a call of sp_executesql; the last one stands for the whole.
    void addStatements(const QString& text, std::vector<Parameter> parameters, Task&& last);
    void report(const Task& task, const Reply& reply);
    Request requestOf(QString text, std::vector<Parameter> parameters) const;
    void runNextTask();
    void dispatch(Reply& reply, Task& task);
    void taskDone();
    void answer();
    void breakUp(const QString& why);

    void send(Fault::Phase phase, const QByteArray& message);
    void flood(const QByteArray& first, const QByteArray& again);
    void trickle(const QByteArray& packets);
    QByteArray packed(const QByteArray& message, qsizetype end, PacketType type = PacketType::Answer) const;
    void write(const QByteArray& packets);
    void cut();
    void endTransaction();

    QTcpSocket* const m_socket;
    const std::shared_ptr<ServerState> m_server;
    std::shared_ptr<Session> m_session;
    QByteArray m_received;
    QByteArray m_partial; // the message whose packets are arriving
    bool m_partialResets = false;
    int m_packetSize = 4096;
    bool m_floods = false; // or trickles, until the client is gone
    std::unique_ptr<TlsChannel> m_tls;
    bool m_tlsFromTheStart = false; // TDS 8
    bool m_tlsEndsWithLogin = false;

    std::deque<Message> m_waiting;
    bool m_busy = false;
    std::deque<Task> m_tasks;
    std::shared_ptr<Tokens> m_tokens;
    std::shared_ptr<Reply> m_reply;
    QHash<int, Prepared> m_prepared;
    int m_lastHandle = 0;
};

} // namespace lockscope::test::tds
