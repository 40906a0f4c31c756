// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Statement.h"

#include <libpq-fe.h>

namespace lockscope::db {

/// A row of a libpq result in text format. NULL and columns that are not there read as 0 or a null string.
class PostgresRow final : public Row {
public:
    PostgresRow(const PGresult* result, int row)
        : m_result(result)
        , m_row(row)
    {
    }
    bool isNull(int column) const override { return PQgetisnull(m_result, m_row, column) != 0; }
    qint64 int64(int column) const override;
    double real(int column) const override;
    bool boolean(int column) const override;
    QString text(int column) const override;

private:
    const PGresult* m_result;
    int m_row;
};

} // namespace lockscope::db
