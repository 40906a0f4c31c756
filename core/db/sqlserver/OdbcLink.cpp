// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/OdbcLink.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <sqlext.h>
#include <sqlucode.h>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

struct Record {
    QString state;
    int number = 0;
    QString text;

    bool isError() const { return !state.startsWith(u"01"); }
};

QString fromWide(const SQLWCHAR* text, qsizetype size)
{
    return QString::fromUtf16(reinterpret_cast<const char16_t*>(text), size);
}

std::vector<Record> recordsOf(SQLSMALLINT type, SQLHANDLE handle)
{
    constexpr int atMost = 20; // a server may send thousands of messages
    std::vector<Record> records;
    std::array<SQLWCHAR, 6> state{};
    std::array<SQLWCHAR, 4097> text{};
    for (SQLSMALLINT i = 1; i <= atMost; ++i) {
        SQLINTEGER number = 0;
        SQLSMALLINT length = 0;
        if (!SQL_SUCCEEDED(
                SQLGetDiagRecW(type, handle, i, state.data(), &number, text.data(), text.size(), &length)))
            break;
        const qsizetype size = std::clamp<qsizetype>(length, 0, text.size() - 1);
        records.push_back(
            {fromWide(state.data(), 5), number, withoutDriverNames(fromWide(text.data(), size))});
    }
    return records;
}

} // namespace

QString withoutDriverNames(QString text)
{
    static const QRegularExpression names(u"^(?:\\s*\\[[^\\]]*\\])+\\s*"_s);
    return text.remove(names).simplified();
}

OdbcDiagnosis OdbcDiagnosis::of(SQLSMALLINT handleType, SQLHANDLE handle)
{
    const std::vector<Record> records = recordsOf(handleType, handle);
    const bool withError = std::any_of(records.begin(), records.end(), std::mem_fn(&Record::isError));
    QStringList codes;
    QStringList texts;
    for (const Record& record : records) {
        if (withError && !record.isError())
            continue;
        if (record.number != 0)
            codes << QString::number(record.number);
        codes << record.state;
        if (!texts.contains(record.text))
            texts << record.text;
    }
    return {codes.join(u';'), texts.join(u' ')};
}

bool OdbcDiagnosis::anyError(SQLSMALLINT handleType, SQLHANDLE handle)
{
    const std::vector<Record> records = recordsOf(handleType, handle);
    return std::any_of(records.begin(), records.end(), std::mem_fn(&Record::isError));
}

OdbcLink::~OdbcLink()
{
    if (m_connected)
        SQLDisconnect(m_connection);
    if (m_connection != SQL_NULL_HDBC)
        SQLFreeHandle(SQL_HANDLE_DBC, m_connection);
    if (m_environment != SQL_NULL_HENV)
        SQLFreeHandle(SQL_HANDLE_ENV, m_environment);
}

std::optional<OdbcDiagnosis> OdbcLink::open(
    const QString& connectionString, milliseconds timeout, OdbcSocket& socket)
{
    const bool ready = SQL_SUCCEEDED(SQLAllocHandle(SQL_HANDLE_ENV, SQL_NULL_HANDLE, &m_environment))
        && SQL_SUCCEEDED(SQLSetEnvAttr(
            m_environment, SQL_ATTR_ODBC_VERSION, reinterpret_cast<SQLPOINTER>(SQL_OV_ODBC3), 0))
        && SQL_SUCCEEDED(SQLAllocHandle(SQL_HANDLE_DBC, m_environment, &m_connection));
    if (!ready)
        return OdbcDiagnosis{
            QStringLiteral("IM004"), QStringLiteral("The ODBC driver manager does not start.")};
    SQLSetConnectAttr(m_connection, SQL_ATTR_LOGIN_TIMEOUT,
        reinterpret_cast<SQLPOINTER>(std::max<SQLULEN>(1, wholeSeconds(timeout))), SQL_IS_UINTEGER);
    SQLSetConnectAttr(m_connection, SQL_ATTR_PACKET_SIZE, reinterpret_cast<SQLPOINTER>(SQLULEN(packetSize)),
        SQL_IS_UINTEGER);
    SQLRETURN code = SQL_ERROR;
    {
        // Each word of the server's has the driver begin again with its own time-out.
        const OdbcSocket::Connecting limited(socket, 2 * timeout);
        code = SQLDriverConnectW(m_connection, nullptr,
            reinterpret_cast<SQLWCHAR*>(const_cast<QChar*>(connectionString.constData())),
            static_cast<SQLSMALLINT>(connectionString.size()), nullptr, 0, nullptr, SQL_DRIVER_NOPROMPT);
    }
    m_connected = SQL_SUCCEEDED(code);
    if (m_connected)
        return std::nullopt;
    OdbcDiagnosis diagnosis = OdbcDiagnosis::of(SQL_HANDLE_DBC, m_connection);
    // Microsoft's driver, if the server hangs up right at the start.
    if (diagnosis.codes.isEmpty())
        diagnosis = {QStringLiteral("08001"), QStringLiteral("The driver does not say why.")};
    return diagnosis;
}

QString OdbcLink::driverText(SQLHDBC connection)
{
    const auto infoText = [connection](SQLUSMALLINT what) {
        std::array<char16_t, 128> text{};
        SQLSMALLINT bytes = 0;
        if (!SQL_SUCCEEDED(SQLGetInfoW(connection, what, text.data(), sizeof text, &bytes)))
            return QString();
        text.back() = 0;
        return QString::fromUtf16(text.data());
    };
    return QStringLiteral("%1 %2 by driver manager %3")
        .arg(infoText(SQL_DRIVER_NAME), infoText(SQL_DRIVER_VER), infoText(SQL_DM_VER));
}

SQLULEN wholeSeconds(milliseconds duration)
{
    return static_cast<SQLULEN>((duration.count() + 999) / 1000);
}

} // namespace lockscope::db
