// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/OdbcConnection.h"

#include "core/db/credentials/Secrets.h"
#include "core/db/sqlserver/OdbcLink.h"
#include "core/db/sqlserver/OdbcRows.h"

#include <QSqlDriver>
#include <QSqlError>
#include <QSqlRecord>
#include <QSqlResult>

namespace lockscope::db {

using namespace Qt::StringLiterals;

std::optional<Error> QtSqlConnection::logIn(const QString& connectionString, milliseconds timeout)
{
    if (!m_database->isValid())
        return Error{.kind = ErrorKind::Unsupported,
            .what = u"Qt's driver QODBC is not installed."_s,
            .hint = u"Install it (libqt6sql6-odbc), or leave api=qodbc out."_s};
    const auto has = [&](QStringView part) { return connectionString.contains(part, Qt::CaseInsensitive); };
    if (has(u".dsn"))
        return Error{.kind = ErrorKind::BadInput,
            .what =
                u"Qt's QODBC takes what has “.dsn” in it for the name of a file: so may neither host, database, user nor password."_s,
            .hint = u"Leave api=qodbc out."_s};
    // A text that names neither driver nor server is taken for the name of a data source, and "DSN=" put
    // before it.
    const bool isSource = connectionString.startsWith(u"DSN="_s) && !has(u"DRIVER=") && !has(u"SERVER=");
    m_database->setDatabaseName(isSource ? connectionString.mid(4) : connectionString);
    m_database->setConnectOptions(
        u"SQL_ATTR_ODBC_VERSION=SQL_OV_ODBC3;SQL_ATTR_LOGIN_TIMEOUT=%1;SQL_ATTR_PACKET_SIZE=%2"_s
            .arg(std::max<SQLULEN>(1, wholeSeconds(timeout)))
            .arg(OdbcLink::packetSize));
    bool isOpen = false;
    {
        const OdbcSocket::Connecting limited(m_socket, 2 * timeout);
        isOpen = m_database->open();
    }
    m_database->setDatabaseName({}); // the password was in it
    if (!isOpen) {
        return Error{.kind = ErrorKind::Login,
            .what = u"Can't connect to the server."_s,
            .detail = scrubbed(withoutDriverNames(m_database->lastError().databaseText()), m_password),
            .hint =
                u"Qt's QODBC does not tell a refused login from a server that can't be reached, so this is not tried again by itself. Check that the server runs and that user and password are right, then connect again; without api=qodbc the reason is shown."_s};
    }
    m_handle = *static_cast<const SQLHDBC*>(m_database->driver()->handle().constData());
    m_query.emplace(*m_database);
    m_query->setForwardOnly(true); // else the driver opens a cursor on the server
    return std::nullopt;
}

SQLHSTMT QtSqlConnection::statement() const
{
    return *static_cast<const SQLHSTMT*>(m_query->result()->handle().constData());
}

SqlServerConnection::Answer QtSqlConnection::send(
    const QString& text, Form form, Receiver& receiver, const QString& what)
{
    bool isSent = false;
    if (form == Form::Session) {
        isSent = m_query->exec(text);
    } else {
        if (form == Form::Batch) {
            m_params.clear();
            m_params.addText(text);
        }
        isSent = m_query->prepare(form == Form::Call ? text : u"{call sp_executesql(?)}"_s);
        limit(statement());
        m_canceller.setStatement(statement());
        // Bound by ODBC itself: Qt takes FreeTDS for a driver without Unicode.
        isSent = isSent && m_params.bind(statement()) && m_query->exec();
    }
    Answer answer = receive(isSent, receiver, what);
    m_canceller.setStatement(SQL_NULL_HSTMT);
    if (m_lost) // the driver would read the rest first
        m_socket.cut();
    m_query->finish();
    return answer;
}

/// Reads everything that one round trip brings, up to the first error.
SqlServerConnection::Answer QtSqlConnection::receive(bool isSent, Receiver& receiver, const QString& what)
{
    Answer answer;
    answer.hadAny = true;
    OdbcRows rows(statement(), OdbcRows::Way::Values);
    int results = 0;
    for (bool isThere = isSent; !answer.error; isThere = m_query->nextResult()) {
        if (!isThere) {
            if (results == 0 || m_query->lastError().isValid())
                answer.error = diagnosed(what, statement());
            break;
        }
        if (m_query->isSelect())
            receiveRows(rows, receiver, answer, what);
        else if (const int affected = m_query->numRowsAffected(); affected >= 0)
            answer.affected = affected;
        if (++results > maxResults || !rows.isWithinLimit())
            answer.error = overflow(what);
        else if (!answer.error && m_canceller.isRequested())
            answer.error = cancelled(what);
    }
    return answer;
}

void QtSqlConnection::receiveRows(OdbcRows& rows, Receiver& receiver, Answer& answer, const QString& what)
{
    static const RowSink nobody;
    answer.hadRows = true;
    bool isRead = rows.bind(m_query->record().count());
    const RowSink* sink = receiver.resultSet(rows.firstColumn());
    qint64 count = 0;
    while (isRead && !m_canceller.isRequested() && m_query->next()) {
        isRead = rows.handFetched(sink ? *sink : nobody);
        count += isRead ? 1 : 0;
    }
    receiver.rowsOfSet(count);
    answer.rows += count;
    if (!isRead || m_query->lastError().isValid())
        answer.error = diagnosed(what, statement(), rows.tooLong());
}

} // namespace lockscope::db
