// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/OdbcConnection.h"

#include "core/db/credentials/Secrets.h"
#include "core/db/sqlserver/OdbcLink.h"
#include "core/db/sqlserver/SqlServerDialect.h"

#include <sqlext.h>
#include <sqlucode.h>

namespace lockscope::db {

OdbcConnection::~OdbcConnection()
{
    m_canceller.setStatement(SQL_NULL_HSTMT);
    if (m_statement != SQL_NULL_HSTMT)
        SQLFreeHandle(SQL_HANDLE_STMT, m_statement);
}

std::optional<Error> OdbcConnection::logIn(const QString& connectionString, milliseconds timeout)
{
    if (const auto reason = m_link.open(connectionString, timeout, m_socket))
        return SqlServerDialect().mapError(reason->codes, scrubbed(reason->text, m_password),
            QStringLiteral("Can't connect to the server."));
    SQLAllocHandle(SQL_HANDLE_STMT, m_link.handle(), &m_statement);
    m_canceller.setStatement(m_statement);
    m_rows.emplace(m_statement);
    limit(m_statement);
    return std::nullopt;
}

SqlServerConnection::Answer OdbcConnection::send(
    const QString& text, Form form, Receiver& receiver, const QString& what)
{
    SQLRETURN code = SQL_ERROR;
    // A block of rows is asked for while fetching: with more than one here, Microsoft's driver opens a server
    // cursor, and that takes neither batches nor several result sets.
    SQLSetStmtAttr(m_statement, SQL_ATTR_ROW_ARRAY_SIZE, reinterpret_cast<SQLPOINTER>(1), 0);
    if (form != Form::Call || m_params.bind(m_statement))
        code = SQLExecDirectW(m_statement, reinterpret_cast<SQLWCHAR*>(const_cast<QChar*>(text.constData())),
            static_cast<SQLINTEGER>(text.size()));
    Answer answer = receive(code, receiver, what);
    if (m_lost) // the driver would read the rest first
        m_socket.cut();
    SQLFreeStmt(m_statement, SQL_CLOSE);
    SQLFreeStmt(m_statement, SQL_UNBIND);
    if (form == Form::Call)
        SQLFreeStmt(m_statement, SQL_RESET_PARAMS);
    return answer;
}

/// Reads everything that one round trip brings; the first error stays.
SqlServerConnection::Answer OdbcConnection::receive(SQLRETURN code, Receiver& receiver, const QString& what)
{
    Answer answer;
    m_messages.clear();
    m_rows->setMaxBytes(maxBytesOfAnswer);
    int results = 0;
    for (; code != SQL_NO_DATA || !answer.hadAny; code = SQLMoreResults(m_statement)) {
        answer.hadAny = true;
        SQLSMALLINT columns = 0;
        if (code == SQL_SUCCESS_WITH_INFO) {
            const QString said = OdbcDiagnosis::of(SQL_HANDLE_STMT, m_statement).text;
            m_rows->noteBytes(said.size() * qsizetype(sizeof(QChar)));
            if (m_messages.size() < maxMessages)
                m_messages << scrubbed(said, m_password);
        }
        if (code == SQL_NO_DATA) // a DELETE that found no row
            continue;
        if (!SQL_SUCCEEDED(code) || !SQL_SUCCEEDED(SQLNumResultCols(m_statement, &columns))) {
            if (!answer.error)
                answer.error = diagnosed(what, m_statement, m_rows->tooLong());
            if (m_lost)
                break;
            continue;
        }
        if (columns == 0) {
            SQLLEN affected = 0;
            if (SQL_SUCCEEDED(SQLRowCount(m_statement, &affected)) && affected >= 0)
                answer.affected = affected;
        } else {
            receiveRows(columns, receiver, answer, what);
        }
        if (++results > maxResults || !m_rows->isWithinLimit())
            answer.error = overflow(what);
        if (!answer.error && m_canceller.isRequested())
            answer.error = cancelled(what);
        if (m_lost || m_canceller.isRequested())
            break; // closing the statement drops the rest
    }
    return answer;
}

void OdbcConnection::receiveRows(SQLSMALLINT columns, Receiver& receiver, Answer& answer, const QString& what)
{
    answer.hadRows = true;
    qint64 rows = 0;
    bool read = m_rows->bind(columns);
    if (read) {
        static const RowSink nobody;
        const RowSink* sink = receiver.resultSet(m_rows->firstColumn());
        read = m_rows->fetchAll(sink ? *sink : nobody, m_canceller, rows);
        receiver.rowsOfSet(rows);
    }
    answer.rows += rows;
    if (!read && !answer.error)
        answer.error = diagnosed(what, m_statement, m_rows->tooLong());
    SQLFreeStmt(m_statement, SQL_UNBIND);
}

} // namespace lockscope::db
