// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/Messages.h"

#include <QHash>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

enum PreLoginOption : quint8 { VersionOption = 0, EncryptionOption = 1, MarsOption = 4, EndOfOptions = 0xFF };

/// Batches and calls begin with headers (transaction descriptor and the like), their length first.
void skipHeaders(ByteReader& reader)
{
    const auto length = reader.little<quint32>();
    reader.skip(static_cast<qsizetype>(length) - 4);
}

/// Procedures that have a number.
QString procedureOf(quint16 number)
{
    static const QHash<quint16, QString> names{
        {1, u"sp_cursor"_s},
        {2, u"sp_cursoropen"_s},
        {3, u"sp_cursorprepare"_s},
        {4, u"sp_cursorexecute"_s},
        {5, u"sp_cursorprepexec"_s},
        {6, u"sp_cursorunprepare"_s},
        {7, u"sp_cursorfetch"_s},
        {8, u"sp_cursoroption"_s},
        {9, u"sp_cursorclose"_s},
        {10, u"sp_executesql"_s},
        {11, u"sp_prepare"_s},
        {12, u"sp_execute"_s},
        {13, u"sp_prepexec"_s},
        {14, u"sp_prepexecrpc"_s},
        {15, u"sp_unprepare"_s},
    };
    return names.value(number);
}

/// Each byte of a password has its halves swapped and is then masked.
QString unmasked(const QString& text)
{
    QString plain = text;
    for (QChar& character : plain) {
        const auto turn = [](int byte) {
            byte ^= 0xA5;
            return (byte << 4 | byte >> 4) & 0xFF;
        };
        const int unit = character.unicode();
        character = QChar(turn(unit >> 8) << 8 | turn(unit & 0xFF));
    }
    return plain;
}

} // namespace

PacketHead readHead(const QByteArray& bytes)
{
    ByteReader reader(bytes.left(PacketHead::size));
    PacketHead head;
    head.type = static_cast<PacketType>(reader.byte());
    head.status = reader.byte();
    head.length = reader.big<quint16>();
    return head;
}

std::optional<PreLogin> readPreLogin(const QByteArray& message)
{
    PreLogin preLogin;
    ByteReader options(message);
    for (quint8 option = options.byte(); options.ok() && option != EndOfOptions; option = options.byte()) {
        const auto offset = options.big<quint16>();
        const auto length = options.big<quint16>();
        ByteReader value(message);
        value.seek(offset);
        if (option == EncryptionOption && length > 0)
            preLogin.encryption = static_cast<Encryption>(value.byte());
        if (!value.ok())
            return std::nullopt;
    }
    return options.ok() ? std::optional(preLogin) : std::nullopt;
}

QByteArray preLoginAnswer(Encryption encryption)
{
    const QByteArray version = QByteArray::fromHex("100003e80000"); // 16.0.1000
    const std::vector<std::pair<PreLoginOption, QByteArray>> options{
        {VersionOption, version},
        {EncryptionOption, QByteArray(1, static_cast<char>(encryption))},
        {MarsOption, QByteArray(1, '\0')},
    };
    ByteWriter writer;
    auto offset = static_cast<quint16>(5 * options.size() + 1);
    for (const auto& [option, value] : options) {
        writer.byte(option);
        writer.big(offset);
        writer.big(static_cast<quint16>(value.size()));
        offset = static_cast<quint16>(offset + value.size());
    }
    writer.byte(EndOfOptions);
    for (const auto& [option, value] : options)
        writer.append(value);
    return writer.release();
}

std::optional<Login> readLogin(const QByteArray& message)
{
    Login login;
    ByteReader reader(message);
    reader.skip(4); // the message's length
    login.tdsVersion = reader.little<quint32>();
    login.packetSize = reader.little<quint32>();
    reader.skip(4); // the client's version
    login.processId = reader.little<quint32>();
    reader.skip(5); // connection id, option flags 1
    login.integrated = reader.byte() & 0x80;
    login.readOnlyIntent = reader.byte() & 0x20;
    reader.skip(9); // option flags 3, time zone, locale
    const auto next = [&] {
        const auto offset = reader.little<quint16>();
        const auto characters = reader.little<quint16>();
        ByteReader text(message);
        text.seek(offset);
        return text.text(characters);
    };
    login.host = next();
    login.user = next();
    login.password = unmasked(next());
    login.program = next();
    login.server = next();
    next(); // the feature extensions
    login.library = next();
    login.language = next();
    login.database = next();
    return reader.ok() ? std::optional(login) : std::nullopt;
}

std::optional<std::vector<Call>> readCalls(const QByteArray& message)
{
    constexpr quint16 byNumber = 0xFFFF;
    // They stand where the length of a parameter's name would; no name is that long.
    constexpr quint8 nextCall = 0x80;
    constexpr quint8 nextCallToo = 0xFF;
    std::vector<Call> calls;
    ByteReader reader(message);
    skipHeaders(reader);
    while (reader.ok() && !reader.atEnd()) {
        Call call;
        const auto length = reader.little<quint16>();
        call.procedure = length == byNumber ? procedureOf(reader.little<quint16>()) : reader.text(length);
        reader.skip(2); // option flags
        while (reader.ok() && !reader.atEnd()) {
            if (reader.peek() == nextCall || reader.peek() == nextCallToo) {
                reader.skip(1);
                break;
            }
            auto parameter = readParameter(reader);
            if (!parameter)
                return std::nullopt;
            call.parameters.push_back(std::move(*parameter));
        }
        calls.push_back(std::move(call));
    }
    return reader.ok() ? std::optional(std::move(calls)) : std::nullopt;
}

QString statementText(QString text)
{
    while (text.endsWith(QChar::Null))
        text.chop(1);
    return text;
}

std::optional<QString> readBatch(const QByteArray& message)
{
    ByteReader reader(message);
    skipHeaders(reader);
    const QString text = statementText(reader.text(reader.left() / 2));
    return reader.ok() ? std::optional(text) : std::nullopt;
}

std::optional<TransactionRequest> readTransactionRequest(const QByteArray& message)
{
    TransactionRequest request;
    ByteReader reader(message);
    skipHeaders(reader);
    request.act = static_cast<TransactionAct>(reader.little<quint16>());
    if (request.act == TransactionAct::Commit || request.act == TransactionAct::Rollback) {
        reader.skip(reader.byte()); // the transaction's name, its length in bytes
        request.beginsAnother = reader.byte() & 1;
    }
    return reader.ok() ? std::optional(request) : std::nullopt;
}

} // namespace lockscope::test::tds
