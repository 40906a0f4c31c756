// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/Tokens.h"

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

enum Token : quint8 {
    ReturnStatusToken = 0x79,
    ColumnsToken = 0x81,
    ErrorToken = 0xAA,
    InfoToken = 0xAB,
    ReturnValueToken = 0xAC,
    LoginToken = 0xAD,
    RowToken = 0xD1,
    EnvironmentToken = 0xE3,
    DoneToken = 0xFD,
    DoneCallToken = 0xFE,
    DoneInCallToken = 0xFF,
};
enum DoneStatus : quint16 {
    MoreFollows = 0x01,
    Failed = 0x02,
    InTransaction = 0x04,
    HasCount = 0x10,
    Attention = 0x20,
};
constexpr quint16 selectCommand = 0xC1;
constexpr quint16 updateCommand = 0xC5;

QByteArray shortText(const QString& text)
{
    ByteWriter writer;
    writer.shortText(text);
    return writer.release();
}

QByteArray shortBytes(const QByteArray& bytes)
{
    return QByteArray(1, static_cast<char>(bytes.size())) + bytes;
}

QByteArray descriptorBytes(quint64 descriptor)
{
    ByteWriter writer;
    writer.little(descriptor);
    return shortBytes(writer.bytes());
}

} // namespace

void Tokens::columns(const std::vector<Column>& columns)
{
    m_writer.byte(ColumnsToken);
    m_writer.little(static_cast<quint16>(columns.size()));
    for (const Column& column : columns) {
        constexpr quint16 nullable = 0x01;
        m_writer.little(quint32(0)); // user type
        m_writer.little(column.nullable ? nullable : quint16(0));
        writeTypeInfo(m_writer, column.type);
        m_writer.shortText(column.name);
    }
}

void Tokens::row(const std::vector<Column>& columns, const Values& values)
{
    m_writer.byte(RowToken);
    for (size_t i = 0; i < columns.size(); ++i)
        writeValue(m_writer, columns[i].type, i < values.size() ? values[i] : Value());
}

void Tokens::writeDone(int token, quint16 status, qint64 count, Did did)
{
    if (m_lastDone >= 0)
        m_writer.setBits(m_lastDone, MoreFollows);
    m_writer.byte(token);
    m_lastDone = m_writer.size();
    m_writer.little(status);
    m_writer.little(did == Did::Select ? selectCommand : updateCommand);
    m_writer.little(count);
}

void Tokens::done(std::optional<qint64> count, bool failed, bool inTransaction, Did did)
{
    const auto status = static_cast<quint16>(
        (count ? HasCount : 0) | (failed ? Failed : 0) | (inTransaction ? InTransaction : 0));
    writeDone(m_inCall ? DoneInCallToken : DoneToken, status, count.value_or(0), did);
}

void Tokens::message(const ServerMessage& message)
{
    m_writer.byte(message.severity > 10 ? ErrorToken : InfoToken);
    const qsizetype length = m_writer.size();
    m_writer.little(quint16(0));
    m_writer.little(static_cast<qint32>(message.number));
    m_writer.byte(message.state);
    m_writer.byte(message.severity);
    m_writer.longText(message.text.left(30'000)); // the whole token has two bytes of length
    m_writer.shortText(m_server);
    m_writer.shortText(message.procedure);
    m_writer.little(static_cast<qint32>(message.line));
    m_writer.setLength(length);
}

void Tokens::environment(int type, const QByteArray& now, const QByteArray& before)
{
    m_writer.byte(EnvironmentToken);
    m_writer.little(static_cast<quint16>(1 + now.size() + before.size()));
    m_writer.byte(type);
    m_writer.append(now);
    m_writer.append(before);
}

void Tokens::database(const QString& now, const QString& before)
{
    environment(1, shortText(now), shortText(before));
}

void Tokens::packetSize(int now, int before)
{
    environment(4, shortText(QString::number(now)), shortText(QString::number(before)));
}

void Tokens::collation()
{
    environment(7, shortBytes(tds::collation()), shortBytes({}));
}

void Tokens::transactionBegan(quint64 descriptor)
{
    environment(8, descriptorBytes(descriptor), shortBytes({}));
}

void Tokens::transactionEnded(int type, quint64 descriptor)
{
    environment(type, shortBytes({}), descriptorBytes(descriptor));
}

void Tokens::sessionReset()
{
    environment(18, shortBytes({}), shortBytes({}));
}

void Tokens::loginAccepted(quint32 tdsVersion)
{
    m_writer.byte(LoginToken);
    const qsizetype length = m_writer.size();
    m_writer.little(quint16(0));
    m_writer.byte(1); // T-SQL
    m_writer.big(tdsVersion);
    m_writer.shortText(u"Microsoft SQL Server"_s);
    m_writer.append(QByteArray::fromHex("100003e8")); // 16.0.1000
    m_writer.setLength(length);
}

void Tokens::returnValue(const Parameter& parameter)
{
    constexpr int ofOutputParameter = 1;
    m_writer.byte(ReturnValueToken);
    m_writer.little(quint16(0)); // ordinal
    m_writer.shortText(parameter.name);
    m_writer.byte(ofOutputParameter);
    m_writer.little(quint32(0)); // user type
    m_writer.little(quint16(0)); // flags
    writeTypeInfo(m_writer, parameter.type);
    writeValue(m_writer, parameter.type, parameter.value);
}

void Tokens::endCall(int returnStatus, bool failed, bool inTransaction)
{
    m_writer.byte(ReturnStatusToken);
    m_writer.little(static_cast<qint32>(returnStatus));
    writeDone(
        DoneCallToken, static_cast<quint16>((failed ? Failed : 0) | (inTransaction ? InTransaction : 0)), 0);
}

/// A procedure that failed into a CATCH, or that was called by another, has no end of its own.
void Tokens::endInnerCall(bool failed, bool inTransaction)
{
    if (m_to == To::Call)
        return;
    m_inCall = false;
    if (!failed)
        endCall(0, false, inTransaction);
}

void Tokens::endCallInBatch(int returnStatus, bool failed, bool inTransaction)
{
    m_inCall = false;
    endCall(returnStatus, failed, inTransaction);
}

bool Tokens::endsWithDone() const
{
    constexpr qsizetype fromStatusToEnd = 12;
    return m_lastDone >= 0 && m_lastDone + fromStatusToEnd == m_writer.size();
}

QByteArray Tokens::finish(bool inTransaction)
{
    if (!endsWithDone())
        writeDone(m_to == To::Call ? DoneCallToken : DoneToken, inTransaction ? InTransaction : 0, 0);
    return m_writer.release();
}

QByteArray Tokens::attentionSeen(std::optional<To> interrupted)
{
    Tokens tokens(To::Batch);
    if (interrupted)
        tokens.writeDone(*interrupted == To::Call ? DoneCallToken : DoneToken, Failed, 0);
    tokens.writeDone(DoneToken, Attention, 0);
    return tokens.m_writer.release();
}

} // namespace lockscope::test::tds
