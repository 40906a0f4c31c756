// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/OdbcRows.h"

#include "core/db/sqlserver/OdbcCanceller.h"
#include "core/db/sqlserver/OdbcLink.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <sqlext.h>
#include <sqlucode.h>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

constexpr SQLULEN maxBoundTextLength = 4'000; ///< characters of a bound text
constexpr SQLULEN maxBinaryLength = 8'000;
constexpr SQLLEN blockBytes = 256 * 1024;
constexpr SQLULEN maxRows = 500;
constexpr SQLSMALLINT sqlVariant = -150; ///< SQL Server's own types, from its ODBC driver's documentation
constexpr SQLSMALLINT sqlUdt = -151;
constexpr SQLSMALLINT sqlXml = -152;
/// Any number, date, time or unique identifier as text.
constexpr SQLULEN shortText = 64;

template <class Number> Number read(const char* from)
{
    Number number;
    std::memcpy(&number, from, sizeof(number));
    return number;
}

constexpr qsizetype maxShortTextLength = 4'000; ///< nvarchar(4000); above it is nvarchar(max)

} // namespace

bool OdbcRows::describe(int position, Column& column)
{
    std::array<SQLWCHAR, 129> name{};
    SQLSMALLINT nameLength = 0;
    SQLSMALLINT type = 0;
    SQLULEN size = 0;
    SQLSMALLINT digits = 0;
    SQLSMALLINT nullable = 0;
    const SQLRETURN code = SQLDescribeColW(m_statement, static_cast<SQLUSMALLINT>(position), name.data(),
        name.size(), &nameLength, &type, &size, &digits, &nullable);
    if (!SQL_SUCCEEDED(code))
        return false;
    if (position == 1)
        m_firstColumn = QString::fromUtf16(reinterpret_cast<const char16_t*>(name.data()),
            std::clamp<qsizetype>(nameLength, 0, name.size() - 1));
    prepare(column, type, size);
    return true;
}

void OdbcRows::prepare(Column& column, SQLSMALLINT type, SQLULEN size) const
{
    column.isLong = false;
    column.recent.beginAgain();
    const auto become = [&](Kind kind, SQLSMALLINT cType, SQLULEN width) {
        column.kind = kind;
        column.cType = cType;
        column.width = static_cast<SQLLEN>(width);
        column.room =
            cType == SQL_C_WCHAR ? column.width - static_cast<SQLLEN>(sizeof(SQLWCHAR)) : column.width;
    };
    const auto becomeText = [&](SQLULEN characters) {
        column.isLong = characters == 0 || characters > maxBoundTextLength;
        become(Kind::Text, SQL_C_WCHAR, column.isLong ? 0 : (characters + 1) * sizeof(SQLWCHAR));
    };
    switch (type) {
    case SQL_BIT:
    case SQL_TINYINT:
    case SQL_SMALLINT:
    case SQL_INTEGER:
    case SQL_BIGINT:
        become(Kind::Integer, SQL_C_SBIGINT, sizeof(qint64));
        break;
    case SQL_REAL:
    case SQL_FLOAT:
    case SQL_DOUBLE:
        become(Kind::Real, SQL_C_DOUBLE, sizeof(double));
        break;
    case SQL_BINARY:
    case SQL_VARBINARY:
        column.isLong = size == 0 || size > maxBinaryLength;
        become(Kind::Binary, column.isLong ? SQL_C_WCHAR : SQL_C_BINARY, column.isLong ? 0 : size);
        break;
    case SQL_CHAR:
    case SQL_VARCHAR:
        becomeText(size);
        break;
    case SQL_WCHAR:
    case SQL_WVARCHAR:
        becomeText(size);
        if (m_wideAsSent && !column.isLong)
            become(Kind::Text, SQL_C_BINARY, size * sizeof(SQLWCHAR));
        break;
    case SQL_LONGVARCHAR:
    case SQL_WLONGVARCHAR:
    case SQL_LONGVARBINARY:
    case sqlVariant:
    case sqlUdt:
    case sqlXml:
        becomeText(0);
        break;
    default:
        becomeText(shortText);
    }
}

bool OdbcRows::bind(int columns)
{
    m_count = columns;
    m_tooLong = false;
    if (m_columns.size() < static_cast<size_t>(columns))
        m_columns.resize(static_cast<size_t>(columns));
    m_bound = m_way == Way::Blocks ? columns : 0;
    SQLLEN rowBytes = 0;
    for (int i = 0; i < columns; ++i) {
        Column& column = m_columns[static_cast<size_t>(i)];
        if (!describe(i + 1, column))
            return false;
        if (column.isLong)
            m_bound = std::min(m_bound, i);
        rowBytes += column.width + static_cast<SQLLEN>(sizeof(SQLLEN));
    }
    const auto room = static_cast<SQLULEN>(blockBytes / std::max<SQLLEN>(rowBytes, 1));
    m_block = m_bound < columns ? 1 : std::clamp<SQLULEN>(room, 1, maxRows);
    return bindBlock();
}

bool OdbcRows::bindBlock()
{
    if (m_way == Way::Blocks) {
        SQLSetStmtAttr(
            m_statement, SQL_ATTR_ROW_BIND_TYPE, reinterpret_cast<SQLPOINTER>(SQL_BIND_BY_COLUMN), 0);
        SQLSetStmtAttr(m_statement, SQL_ATTR_ROW_ARRAY_SIZE, reinterpret_cast<SQLPOINTER>(m_block), 0);
        SQLSetStmtAttr(m_statement, SQL_ATTR_ROWS_FETCHED_PTR, &m_fetched, 0);
    }
    for (int i = 0; i < m_count; ++i) {
        Column& column = m_columns[static_cast<size_t>(i)];
        const size_t room = m_block * static_cast<size_t>(column.width);
        if (column.values.size() < room)
            column.values.resize(room);
        if (column.lengths.size() < m_block)
            column.lengths.resize(m_block);
        column.isBound = i < m_bound;
        if (column.isBound
            && !SQL_SUCCEEDED(SQLBindCol(m_statement, static_cast<SQLUSMALLINT>(i + 1), column.cType,
                column.values.data(), column.width, column.lengths.data())))
            return false;
    }
    return true;
}

bool OdbcRows::fetchAll(const RowSink& sink, const OdbcCanceller& canceller, qint64& rows)
{
    while (!canceller.isRequested()) {
        m_fetched = 0;
        const SQLRETURN code = SQLFetch(m_statement);
        if (code == SQL_NO_DATA)
            return true;
        if (code == SQL_SUCCESS_WITH_INFO && OdbcDiagnosis::anyError(SQL_HANDLE_STMT, m_statement))
            return false;
        if (!SQL_SUCCEEDED(code) || !hand(m_fetched, sink))
            return false;
        rows += static_cast<qint64>(m_fetched);
    }
    return true;
}

bool OdbcRows::hand(SQLULEN rows, const RowSink& sink)
{
    if (!readUnbound() || !fits(rows) || !take(rows))
        return false;
    for (SQLULEN row = 0; sink && row < rows; ++row)
        sink(OdbcRow(*this, row));
    return true;
}

/// Takes the block off what may still come. A long text has been taken off while it was read.
bool OdbcRows::take(SQLULEN rows)
{
    for (int i = 0; i < m_count; ++i) {
        const Column& column = m_columns[static_cast<size_t>(i)];
        for (SQLULEN row = 0; row < rows; ++row)
            m_bytesLeft -= 8 + (column.isBound ? std::max<SQLLEN>(0, column.lengths[row]) : 0);
    }
    return isWithinLimit();
}

/// The driver cuts a value that doesn't fit: half a name would be another name.
bool OdbcRows::fits(SQLULEN rows)
{
    for (int i = 0; i < m_bound; ++i) {
        const Column& column = m_columns[static_cast<size_t>(i)];
        if (column.kind != Kind::Text && column.kind != Kind::Binary)
            continue;
        // Without an early end, so that the compiler compares several lengths at a time.
        bool tooLong = false;
        for (SQLULEN row = 0; row < rows; ++row)
            tooLong |= column.lengths[row] > column.room || column.lengths[row] == SQL_NO_TOTAL;
        m_tooLong = m_tooLong || tooLong;
    }
    return !m_tooLong;
}

bool OdbcRows::readUnbound()
{
    for (int i = m_bound; i < m_count; ++i) {
        Column& column = m_columns[static_cast<size_t>(i)];
        const auto position = static_cast<SQLUSMALLINT>(i + 1);
        if (column.kind == Kind::Text || column.isLong) {
            if (!readLong(position, column))
                return false;
        } else if (!SQL_SUCCEEDED(SQLGetData(m_statement, position, column.cType, column.values.data(),
                       column.width, column.lengths.data()))) {
            return false;
        }
    }
    return true;
}

/// Reads a text piece by piece; binary comes as hexadecimal digits.
bool OdbcRows::readLong(SQLUSMALLINT position, Column& column)
{
    std::array<SQLWCHAR, 8192> piece{};
    constexpr SQLLEN room = (piece.size() - 1) * sizeof(SQLWCHAR);
    column.longText = u""_s;
    column.lengths[0] = 0;
    for (;;) {
        SQLLEN length = 0;
        const SQLRETURN code = SQLGetData(
            m_statement, position, SQL_C_WCHAR, piece.data(), piece.size() * sizeof(SQLWCHAR), &length);
        if (code == SQL_NO_DATA)
            return true;
        if (!SQL_SUCCEEDED(code))
            return false;
        if (length == SQL_NULL_DATA) {
            column.lengths[0] = SQL_NULL_DATA;
            return true;
        }
        const bool whole = code == SQL_SUCCESS && length != SQL_NO_TOTAL && length <= room;
        const SQLLEN bytes = whole ? length : room;
        m_bytesLeft -= bytes;
        if (!isWithinLimit())
            return false;
        column.longText.append(reinterpret_cast<const QChar*>(piece.data()),
            static_cast<qsizetype>(bytes) / static_cast<qsizetype>(sizeof(SQLWCHAR)));
        if (whole)
            return true;
    }
}

inline QString OdbcRows::RecentTexts::text(const QChar* units, qsizetype size)
{
    constexpr quint32 patience = 256;
    if (size > longest || (m_made > patience && m_found < m_made))
        return QStringView(units, size).toString();
    const auto ends = static_cast<size_t>(units[0].unicode() + units[size - 1].unicode());
    QString& known = m_texts[(ends + static_cast<size_t>(size)) % m_texts.size()];
    if (known.size() == size
        && std::memcmp(known.constData(), units, static_cast<size_t>(size) * sizeof(QChar)) == 0) {
        ++m_found;
        return known;
    }
    ++m_made;
    return known = QStringView(units, size).toString();
}

inline const OdbcRows::Column* OdbcRow::valueAt(int column) const
{
    const auto place = static_cast<size_t>(column); // -1 is far behind the last
    if (place >= m_count)
        return nullptr;
    const OdbcRows::Column& one = m_columns[place];
    return one.lengths[m_row] == SQL_NULL_DATA ? nullptr : &one;
}

inline const char* OdbcRow::valueOf(const OdbcRows::Column& column) const
{
    return column.values.data() + m_row * static_cast<size_t>(column.width);
}

bool OdbcRow::isNull(int column) const
{
    return !valueAt(column);
}

qint64 OdbcRow::int64(int column) const
{
    const OdbcRows::Column* const one = valueAt(column);
    if (!one)
        return 0;
    return one->kind == OdbcRows::Kind::Integer ? read<qint64>(one->values.data() + m_row * sizeof(qint64))
                                                : otherInt64(column);
}

/// Reads a value that is no integer, and not NULL.
qint64 OdbcRow::otherInt64(int column) const
{
    const OdbcRows::Column& one = m_columns[column];
    return one.kind == OdbcRows::Kind::Real ? static_cast<qint64>(read<double>(valueOf(one)))
                                            : text(column).toLongLong();
}

double OdbcRow::real(int column) const
{
    const OdbcRows::Column* const one = valueAt(column);
    if (!one)
        return 0;
    if (one->kind == OdbcRows::Kind::Real)
        return read<double>(valueOf(*one));
    return one->kind == OdbcRows::Kind::Integer ? static_cast<double>(int64(column))
                                                : text(column).toDouble();
}

QString OdbcRow::text(int column) const
{
    const OdbcRows::Column* const one = valueAt(column);
    if (!one)
        return {};
    if (one->kind != OdbcRows::Kind::Text || !one->isBound)
        return otherText(*one);
    const auto size = static_cast<qsizetype>(one->lengths[m_row]) / static_cast<qsizetype>(sizeof(SQLWCHAR));
    return size == 0 ? u""_s : one->recent.text(reinterpret_cast<const QChar*>(valueOf(*one)), size);
}

/// Reads a value that is no bound text, and not NULL.
QString OdbcRow::otherText(const OdbcRows::Column& column) const
{
    switch (column.kind) {
    case OdbcRows::Kind::Integer:
        return QString::number(read<qint64>(valueOf(column)));
    case OdbcRows::Kind::Real:
        return QString::number(read<double>(valueOf(column)), 'g', 17);
    case OdbcRows::Kind::Binary:
        if (!column.isLong)
            return u"0x"_s
                + QString::fromLatin1(
                    QByteArray::fromRawData(valueOf(column), column.lengths[m_row]).toHex().toUpper());
        return u"0x"_s + column.longText;
    case OdbcRows::Kind::Text:
        break;
    }
    return column.longText;
}

SQLPOINTER OdbcParams::Value::address()
{
    switch (cType) {
    case SQL_C_SBIGINT:
        return &number;
    case SQL_C_DOUBLE:
        return &real;
    case SQL_C_BIT:
        return &bit;
    default:
        return text.data();
    }
}

QLatin1StringView OdbcParams::typeName(const Param& param)
{
    if (std::holds_alternative<bool>(param))
        return "bit"_L1;
    if (std::holds_alternative<qint64>(param) || std::holds_alternative<ServerTime>(param))
        return "bigint"_L1;
    if (std::holds_alternative<double>(param))
        return "float"_L1;
    if (const auto* text = std::get_if<QString>(&param))
        return text->size() > maxShortTextLength ? "nvarchar(max)"_L1 : "nvarchar(4000)"_L1;
    return "nvarchar(1)"_L1;
}

void OdbcParams::addText(const QString& text)
{
    const bool isLong = text.size() > maxShortTextLength;
    Value value{.cType = SQL_C_WCHAR,
        .sqlType = static_cast<SQLSMALLINT>(isLong ? SQL_WLONGVARCHAR : SQL_WVARCHAR),
        .size = static_cast<SQLULEN>(std::max<qsizetype>(text.size(), 1))};
    value.text = text;
    value.length = static_cast<SQLLEN>(text.size() * 2);
    m_values.push_back(std::move(value));
}

Result<void> OdbcParams::add(const Param& param, int number)
{
    if (const auto* text = std::get_if<QString>(&param)) {
        if (text->contains(QChar(0)) || !text->isValidUtf16())
            return failure(ErrorKind::BadInput,
                u"The text for parameter %1 contains a NUL character or half of a surrogate pair."_s.arg(
                    number),
                u"Leave the character out."_s);
        addText(*text);
        return {};
    }
    if (const auto* truth = std::get_if<bool>(&param)) {
        Value value{.cType = SQL_C_BIT, .sqlType = SQL_BIT, .size = 1};
        value.bit = *truth ? 1 : 0;
        m_values.push_back(value);
    } else if (const auto* real = std::get_if<double>(&param)) {
        Value value{.cType = SQL_C_DOUBLE, .sqlType = SQL_DOUBLE, .size = 53};
        value.real = *real;
        m_values.push_back(value);
    } else if (std::holds_alternative<std::monostate>(param)) {
        Value value{.cType = SQL_C_WCHAR, .sqlType = SQL_WVARCHAR, .size = 1};
        value.length = SQL_NULL_DATA;
        m_values.push_back(value);
    } else {
        Value value{.cType = SQL_C_SBIGINT, .sqlType = SQL_BIGINT, .size = 19};
        const auto* time = std::get_if<ServerTime>(&param);
        value.number = time ? time->us : std::get<qint64>(param);
        m_values.push_back(value);
    }
    return {};
}

bool OdbcParams::bind(SQLHSTMT statement)
{
    SQLUSMALLINT position = 0;
    for (Value& value : m_values) {
        const SQLRETURN code = SQLBindParameter(statement, ++position, SQL_PARAM_INPUT, value.cType,
            value.sqlType, value.size, 0, value.address(),
            value.cType == SQL_C_WCHAR ? std::max<SQLLEN>(value.length, 2) : 0, &value.length);
        if (!SQL_SUCCEEDED(code))
            return false;
    }
    return true;
}

} // namespace lockscope::db
