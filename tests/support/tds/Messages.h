// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/Types.h"

/// The messages of a client, taken apart ([MS-TDS] 2.2.6).
namespace lockscope::test::tds {

enum class PacketType : quint8 {
    Batch = 1,
    Call = 3,
    Answer = 4,
    Attention = 6,
    BulkLoad = 7,
    Transaction = 14,
    Login = 16,
    Sspi = 17,
    PreLogin = 18,
};

/// The head of each packet: eight bytes.
struct PacketHead {
    static constexpr qsizetype size = 8;
    static constexpr quint8 endOfMessage = 0x01;
    static constexpr quint8 resetConnection = 0x08;
    static constexpr quint8 resetKeepsTransaction = 0x10;

    PacketType type = PacketType::Answer;
    quint8 status = endOfMessage;
    quint16 length = size; ///< of the whole packet
};
PacketHead readHead(const QByteArray& bytes); ///< at least eight of them

enum class Encryption : quint8 { Off = 0, On = 1, NotSupported = 2, Required = 3 };
struct PreLogin {
    Encryption encryption = Encryption::NotSupported;
};
std::optional<PreLogin> readPreLogin(const QByteArray& message);
QByteArray preLoginAnswer(Encryption encryption);

struct Login {
    quint32 tdsVersion = 0;
    quint32 packetSize = 4096;
    quint32 processId = 0;
    bool integrated = false; ///< by Kerberos or NTLM: the double refuses it
    bool readOnlyIntent = false;
    QString host;
    QString user;
    QString password;
    QString program;
    QString server;
    QString library;
    QString language;
    QString database;
};
std::optional<Login> readLogin(const QByteArray& message);

/// A remote procedure call, as it stands in the message.
struct Call {
    QString procedure; ///< "sp_executesql", whether it came by name or by number
    std::vector<Parameter> parameters;
};
/// Several calls may share one message.
std::optional<std::vector<Call>> readCalls(const QByteArray& message);

/// Returns the text without the end of the string, which Qt's plugin counts as part of any text that it
/// sends.
QString statementText(QString text);
std::optional<QString> readBatch(const QByteArray& message);

/// The request of a driver that begins and ends transactions by itself.
enum class TransactionAct : quint16 { Begin = 5, Commit = 7, Rollback = 8 };
struct TransactionRequest {
    TransactionAct act = TransactionAct::Begin;
    bool beginsAnother = false; ///< commit or rollback, then begin
};
std::optional<TransactionRequest> readTransactionRequest(const QByteArray& message);

} // namespace lockscope::test::tds
