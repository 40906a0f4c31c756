// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/Types.h"

namespace lockscope::test::tds {

struct ServerMessage {
    int number = 50'000;
    QString text = {};
    int severity = 16; ///< up to 10 it is information, above an error
    int state = 1;
    QString procedure = {};
    int line = 1;
};

/// The answer to one message of a client: tokens ([MS-TDS] 2.2.7) in the order of the calls.
class Tokens {
public:
    enum class To { Batch, Call };
    explicit Tokens(To to, QString server = {})
        : m_to(to)
        , m_inCall(to == To::Call)
        , m_server(std::move(server))
    {
    }

    void columns(const std::vector<Column>& columns);
    void row(const std::vector<Column>& columns, const Values& values);
    enum class Did { Select, Change };
    /// Ends one statement. Without a count the client gets none.
    void done(
        std::optional<qint64> count, bool failed = false, bool inTransaction = false, Did did = Did::Select);
    void message(const ServerMessage& message);
    void database(const QString& now, const QString& before);
    void packetSize(int now, int before);
    void collation();
    void transactionBegan(quint64 descriptor);
    void transactionCommitted(quint64 descriptor) { transactionEnded(9, descriptor); }
    void transactionRolledBack(quint64 descriptor) { transactionEnded(10, descriptor); }
    void sessionReset();
    void loginAccepted(quint32 tdsVersion);
    void returnValue(const Parameter& parameter);
    /// Bytes that are no token at all.
    void raw(const QByteArray& bytes) { m_writer.append(bytes); }

    qsizetype size() const { return m_writer.size(); }
    /// The next tokens come from a procedure that the batch or the procedure calls.
    void beginInnerCall() { m_inCall = true; }
    void endInnerCall(bool failed, bool inTransaction);
    /// Ends a procedure that a batch calls.
    void endCallInBatch(int returnStatus, bool failed, bool inTransaction);
    /// Ends one procedure of a message of calls.
    void endCall(int returnStatus, bool failed, bool inTransaction);
    QByteArray finish(bool inTransaction = false);
    /// Returns the tokens so far, for an answer that never ends.
    QByteArray unfinished() { return m_writer.release(); }
    To to() const { return m_to; }
    /// The answer to an attention: ends the statement that it interrupted, if any.
    static QByteArray attentionSeen(std::optional<To> interrupted);

private:
    void environment(int type, const QByteArray& now, const QByteArray& before);
    void transactionEnded(int type, quint64 descriptor);
    void writeDone(int token, quint16 status, qint64 count, Did did = Did::Select);
    bool endsWithDone() const;

    const To m_to;
    bool m_inCall;
    const QString m_server;
    ByteWriter m_writer;
    qsizetype m_lastDone = -1; // where its status is
};

} // namespace lockscope::test::tds
