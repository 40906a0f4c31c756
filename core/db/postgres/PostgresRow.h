// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Statement.h"

#include <array>
#include <cstring>
#include <libpq-fe.h>
#include <span>
#include <string_view>
#include <vector>

namespace lockscope::db {

/// The short text that each column had last. Rows repeat themselves (states, modes, names of programs), and
/// an equal text is then shared instead of made again. For the rows of one statement.
class RepeatedTexts {
public:
    static constexpr int columns = 16;
    static constexpr size_t longest = 31;

    /// Returns null if it is not what the column had last.
    const QString* find(int column, std::string_view utf8) const
    {
        const Last& last = m_last[static_cast<size_t>(column)];
        return last.size == utf8.size() && std::memcmp(last.utf8.data(), utf8.data(), utf8.size()) == 0
            ? &last.text
            : nullptr;
    }
    void keep(int column, std::string_view utf8, const QString& text)
    {
        Last& last = m_last[static_cast<size_t>(column)];
        last.size = utf8.size();
        std::memcpy(last.utf8.data(), utf8.data(), utf8.size());
        last.text = text;
    }

private:
    struct Last {
        size_t size = ~size_t(0);
        std::array<char, longest> utf8{};
        QString text;
    };
    std::array<Last, columns> m_last;
};

/// The name of the first column whose type can't be read in binary form; empty: there is none, or the result
/// is in text.
QString unreadableColumn(const PGresult* result);

/// A row of a libpq result, in text or binary form. NULL and columns that are not there read as 0 or a null
/// string.
class PostgresRow final : public Row {
public:
    PostgresRow(const PGresult* result, int row, RepeatedTexts& repeated)
        : m_result(result)
        , m_row(row)
        , m_binary(PQbinaryTuples(result) != 0)
        , m_repeated(repeated)
    {
    }
    bool isNull(int column) const override { return PQgetisnull(m_result, m_row, column) != 0; }
    qint64 int64(int column) const override;
    double real(int column) const override;
    bool boolean(int column) const override;
    QString text(int column) const override;
    std::optional<std::string_view> utf8(int column) const override;

private:
    QString binaryText(int column) const;

    const PGresult* m_result;
    int m_row;
    bool m_binary;
    RepeatedTexts& m_repeated;
};

/// Parameters in libpq's text format. Kept between calls, so that a call allocates nothing.
class PostgresParams {
public:
    /// BadInput for text that PostgreSQL can't store: a NUL character or half a surrogate pair.
    Result<void> bind(std::span<const Param> params);

    int count() const { return static_cast<int>(m_values.size()); }
    const char* const* values() const { return m_values.data(); }

private:
    std::vector<const char*> m_values;
    std::vector<char> m_text;
};

} // namespace lockscope::db
