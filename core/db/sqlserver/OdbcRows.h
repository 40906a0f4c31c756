// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/AnswerLimits.h"
#include "core/db/Statement.h"

#include <array>
#include <deque>
#include <sql.h>
#include <vector>

namespace lockscope::db {

class OdbcCanceller;

/// The rows of one result set, fetched in blocks into columns that are bound natively: a row costs no call of
/// the driver. From the first column without a known length on (nvarchar(max), text, xml), ODBC only allows
/// to fetch row by row and to read those columns piece by piece.
class OdbcRows {
public:
    enum class Way {
        Blocks,
        Values, ///< another one fetches, row by row; each value is read by a call
    };
    explicit OdbcRows(SQLHSTMT statement, Way way = Way::Blocks)
        : m_statement(statement)
        , m_way(way)
    {
    }

    /// From the next bind() on, short texts of nchar and nvarchar are taken as the server sent them, in
    /// UTF-16, instead of being converted by the driver. To be proven first: a driver that was built without
    /// Unicode has them in another character set.
    void takeWideAsSent(bool take) { m_wideAsSent = take; }
    /// Describes and binds the current result set of `columns` columns. False: the driver has the reason.
    bool bind(int columns);
    /// Name of the first column.
    const QString& firstColumn() const { return m_firstColumn; }
    /// Hands all rows to `sink` (may be empty) and counts them in `rows`; ends early when `canceller` asks
    /// the statement to end. False: the driver has the reason, or tooLong() is set.
    bool fetchAll(const RowSink& sink, const OdbcCanceller& canceller, qint64& rows);
    /// Way::Values: reads the row that was fetched and hands it to `sink`. False: as fetchAll().
    bool handFetched(const RowSink& sink) { return hand(1, sink); }
    /// A value was longer than its column said.
    bool tooLong() const { return m_tooLong; }
    /// Sets how much may come in from here on; false: no answer may be so long, the connection is to be given
    /// up.
    void setMaxBytes(qint64 maximum) { m_bytesLeft = maximum; }
    /// Counts bytes that have come in beside rows.
    void noteBytes(qint64 bytes) { m_bytesLeft -= bytes; }
    bool isWithinLimit() const { return m_bytesLeft >= 0; }

private:
    friend class OdbcRow;
    enum class Kind { Integer, Real, Text, Binary };
    /// The short texts that a column had last. Rows repeat themselves (states, modes, names of programs), and
    /// an equal text is then shared instead of made again. Given up where hardly any is.
    class RecentTexts {
    public:
        /// `size` is not 0.
        QString text(const QChar* units, qsizetype size);
        /// Another statement's column: nothing is given up any more.
        void beginAgain() { m_found = m_made = 0; }

    private:
        static constexpr qsizetype longest = 40;
        std::array<QString, 16> m_texts; ///< each text has one place, which its ends and its size tell
        quint32 m_found = 0;
        quint32 m_made = 0;
    };
    struct Column {
        Kind kind = Kind::Text;
        SQLSMALLINT cType = 0;
        bool isLong = false;
        bool isBound = false;
        SQLLEN width = 0; ///< of one value in bytes
        SQLLEN room = 0; ///< of that without the end of a text
        std::vector<char> values;
        std::vector<SQLLEN> lengths; ///< in bytes, or SQL_NULL_DATA
        QString longText; ///< of the current row
        mutable RecentTexts recent;
    };

    bool describe(int position, Column& column);
    void prepare(Column& column, SQLSMALLINT type, SQLULEN size) const; ///< `type`: as the driver says
    bool bindBlock();
    bool hand(SQLULEN rows, const RowSink& sink);
    bool readUnbound();
    bool readLong(SQLUSMALLINT position, Column& column);
    bool fits(SQLULEN rows);
    bool take(SQLULEN rows);

    const SQLHSTMT m_statement;
    const Way m_way;
    std::vector<Column> m_columns; ///< kept for the next result set, so that most need no memory
    int m_count = 0;
    int m_bound = 0; ///< columns before the first long one
    SQLULEN m_block = 1; ///< rows in a block
    SQLULEN m_fetched = 0; ///< rows in the current block
    bool m_wideAsSent = false;
    QString m_firstColumn;
    bool m_tooLong = false;
    qint64 m_bytesLeft = maxBytesOfAnswer;
};

/// A row of the current block. NULL and columns that are not there read as 0 or a null string.
class OdbcRow final : public Row {
public:
    OdbcRow(const OdbcRows& rows, size_t row)
        : m_columns(rows.m_columns.data())
        , m_count(static_cast<size_t>(rows.m_count))
        , m_row(row)
    {
    }
    bool isNull(int column) const override;
    qint64 int64(int column) const override;
    double real(int column) const override;
    bool boolean(int column) const override { return int64(column) != 0; }
    QString text(int column) const override;

private:
    /// Returns null if there is none, or NULL in it.
    const OdbcRows::Column* valueAt(int column) const;
    const char* valueOf(const OdbcRows::Column& column) const;
    qint64 otherInt64(int column) const;
    QString otherText(const OdbcRows::Column& column) const;

    const OdbcRows::Column* const m_columns;
    const size_t m_count;
    const size_t m_row;
};

/// The parameters of one remote procedure call: kept here, because ODBC binds by address, until the call is
/// over. A deque, because its elements stay where they are.
class OdbcParams {
public:
    void clear() { m_values.clear(); }
    /// BadInput for text with a NUL character or half a surrogate pair; `number` is for the error's text.
    Result<void> add(const Param& param, int number);
    void addText(const QString& text);
    int count() const { return static_cast<int>(m_values.size()); }
    /// Binds all to a statement's markers, in their order.
    bool bind(SQLHSTMT statement);

    /// The type that sp_executesql shall declare: "bigint", "nvarchar(4000)" …
    static QLatin1StringView typeName(const Param& param);

private:
    struct Value {
        SQLSMALLINT cType;
        SQLSMALLINT sqlType;
        SQLULEN size;
        qint64 number = 0;
        double real = 0;
        unsigned char bit = 0;
        QString text = {};
        SQLLEN length = 0; ///< in bytes, or SQL_NULL_DATA

        SQLPOINTER address();
    };

    std::deque<Value> m_values;
};

} // namespace lockscope::db
