// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"

namespace lockscope::admin {

/// Rolls back unless committed.
class Transaction {
public:
    explicit Transaction(db::Connection& connection)
        : m_connection(connection)
        , m_begun(connection.begin())
    {
    }
    ~Transaction()
    {
        if (m_connection.inTransaction())
            (void)m_connection.rollback();
    }
    Q_DISABLE_COPY_MOVE(Transaction)

    const Result<void>& begun() const { return m_begun; }
    Result<void> commit() { return m_connection.commit(); }

private:
    db::Connection& m_connection;
    Result<void> m_begun;
};

} // namespace lockscope::admin
