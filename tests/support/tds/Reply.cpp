// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/Reply.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

static quint64 nextTransaction()
{
    static quint64 last = 0x1'0000'0000;
    return ++last;
}

Value Request::parameter(size_t position) const
{
    return position < parameters.size() ? parameters[position].value : Value();
}

Value Request::parameter(const QString& name) const
{
    const auto found = std::ranges::find_if(
        parameters, [&](const Parameter& p) { return p.name.compare(name, Qt::CaseInsensitive) == 0; });
    return found == parameters.end() ? Value() : found->value;
}

Reply::Reply(std::shared_ptr<Tokens> tokens, std::shared_ptr<Session> session, bool caught)
    : m_tokens(std::move(tokens))
    , m_session(std::move(session))
    , m_caught(caught)
{
}

void Reply::columns(std::vector<Column> columns)
{
    if (!m_open)
        return;
    closeResultSet();
    m_columns = std::move(columns);
    m_tokens->columns(m_columns);
    m_inResultSet = true;
    m_rows = 0;
}

void Reply::row(const Values& values)
{
    if (!m_open)
        return;
    m_tokens->row(m_columns, values);
    ++m_rows;
}

void Reply::table(std::vector<Column> head, const std::vector<Values>& rows)
{
    columns(std::move(head));
    for (const Values& values : rows)
        row(values);
}

void Reply::closeResultSet()
{
    if (!std::exchange(m_inResultSet, false))
        return;
    m_rowCount = m_rows;
    m_tokens->done(m_rows, false, m_session->transactionCount > 0);
}

void Reply::affected(qint64 rows)
{
    if (!m_open)
        return;
    closeResultSet();
    m_rowCount = rows;
    m_tokens->done(rows, false, m_session->transactionCount > 0, Tokens::Did::Change);
}

void Reply::done()
{
    if (!m_open)
        return;
    closeResultSet();
    m_tokens->done(std::nullopt, false, m_session->transactionCount > 0);
}

void Reply::error(int number, const QString& text, int severity, int state)
{
    message({number, text, severity, state});
}

void Reply::message(const ServerMessage& message)
{
    if (!m_open)
        return;
    if (message.severity <= 10)
        return m_tokens->message(message);
    closeResultSet();
    m_failed = true;
    if (m_caught) {
        m_caughtError = message;
        return;
    }
    m_tokens->message(message);
    m_tokens->done(std::nullopt, true, m_session->transactionCount > 0);
    if (m_returnStatus == 0)
        m_returnStatus = message.number;
}

void Reply::info(int number, const QString& text)
{
    message({number, text, 0});
}

void Reply::output(const Parameter& parameter)
{
    if (!m_open)
        return;
    closeResultSet();
    m_tokens->returnValue(parameter);
}

void Reply::useDatabase(const QString& name)
{
    if (!m_open)
        return;
    m_tokens->database(name, m_session->database);
    m_tokens->message({5701, u"Changed database context to '%1'."_s.arg(name), 0, 2, {}, 1});
    m_session->database = name;
}

void Reply::begin()
{
    if (!m_open)
        return;
    closeResultSet();
    if (m_session->transactionCount++ == 0) {
        m_session->transaction = nextTransaction();
        m_tokens->transactionBegan(m_session->transaction);
    }
}

void Reply::commit()
{
    if (!m_open)
        return;
    if (m_session->transactionCount == 0)
        return error(3902, u"The COMMIT TRANSACTION request has no corresponding BEGIN TRANSACTION."_s);
    closeResultSet();
    if (--m_session->transactionCount > 0)
        return;
    m_tokens->transactionCommitted(std::exchange(m_session->transaction, 0));
    m_session->transactionEnded(true);
}

void Reply::rollback()
{
    if (!m_open)
        return;
    if (m_session->transactionCount == 0)
        return error(3903, u"The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION."_s);
    closeResultSet();
    m_session->transactionCount = 0;
    m_tokens->transactionRolledBack(std::exchange(m_session->transaction, 0));
    m_session->transactionEnded(false);
}

std::shared_ptr<Reply> Reply::defer()
{
    m_deferred = true;
    return shared_from_this();
}

void Reply::finish()
{
    if (!m_open)
        return;
    closeResultSet();
    m_open = false;
    m_onCancel = nullptr;
    if (const auto goOn = std::exchange(m_continuation, nullptr))
        goOn();
}

void Reply::cancel(End end)
{
    if (!m_open)
        return;
    m_open = false;
    m_continuation = nullptr;
    if (const auto call = std::exchange(m_onCancel, nullptr))
        call(end);
}

void Reply::cutHere(int back)
{
    if (m_open)
        m_cutAt = m_tokens->size() - back;
}

void Reply::garbage(const QByteArray& bytes)
{
    if (m_open)
        m_tokens->raw(bytes);
}

} // namespace lockscope::test::tds
