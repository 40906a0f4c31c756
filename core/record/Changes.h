// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/Database.h"

#include <functional>

namespace lockscope::record {

/// BEGIN … COMMIT, or a part of the transaction that there is; taken back unless it was committed.
class Changes {
public:
    explicit Changes(Database& database)
        : m_database(database)
        , m_isPart(database.isInTransaction())
        , m_begun(database.script(m_isPart ? "SAVEPOINT part" : "BEGIN IMMEDIATE"))
    {
    }
    ~Changes()
    {
        if (m_begun && !m_done)
            static_cast<void>(m_database.script(m_isPart ? "ROLLBACK TO part; RELEASE part" : "ROLLBACK"));
    }
    Q_DISABLE_COPY(Changes)

    const Result<void>& begun() const { return m_begun; }
    Result<void> commit()
    {
        Result<void> result = m_database.script(m_isPart ? "RELEASE part" : "COMMIT");
        m_done = result.has_value();
        return result;
    }

private:
    Database& m_database;
    bool m_isPart;
    Result<void> m_begun;
    bool m_done = false;
};

/// All of `change`, or nothing if it fails.
inline Result<void> inTransaction(Database& database, const std::function<Result<void>()>& change)
{
    Changes changes(database);
    LOCKSCOPE_TRY(changes.begun());
    Result<void> result = change();
    if (result)
        result = changes.commit();
    return result;
}

/// Runs statements one after another until one fails.
class Steps {
public:
    explicit Steps(Database& database)
        : m_database(database)
    {
    }
    Steps& run(const char* name, std::initializer_list<Value> values = {}, const Database::Sink& each = {})
    {
        if (m_result)
            m_result = m_database.run(name, values, each);
        return *this;
    }
    /// The first column of the last row; what was there if there is none.
    Steps& number(const char* name, qint64& number, std::initializer_list<Value> values = {})
    {
        return run(name, values, [&number](const Database::Row& row) { number = row.number(0); });
    }
    const Result<void>& result() const { return m_result; }

private:
    Database& m_database;
    Result<void> m_result;
};

} // namespace lockscope::record
