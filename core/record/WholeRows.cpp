// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/WholeRows.h"

#include "core/record/Damage.h"

#include <limits>

namespace lockscope::record {

namespace {

constexpr qint64 rowsAtOnce = 1'000; // no question takes long
// A page that leads to others and can't be read hides about as many rows. So many numbers are tried one after
// another, then ever fewer: nobody knows which was the last one.
constexpr qint64 triedSingly = 20'000;
constexpr qint64 stridePart = 16;

/// Where the table is looked at next.
class Place {
public:
    qint64 next() const { return m_next; }
    bool isAtEnd() const { return m_isAtEnd; }
    void behind(qint64 row)
    {
        m_isAtEnd = row == std::numeric_limits<qint64>::max();
        m_next = m_isAtEnd ? row : row + 1;
        m_tried = 0;
        m_stride = 1;
    }
    void skip()
    {
        if (++m_tried > triedSingly)
            m_stride += m_stride / stridePart + 1;
        m_isAtEnd = m_next > std::numeric_limits<qint64>::max() - m_stride;
        m_next += m_isAtEnd ? 0 : m_stride;
    }

private:
    qint64 m_next = 0;
    qint64 m_tried = 0;
    qint64 m_stride = 1;
    bool m_isAtEnd = false;
};

bool isWhole(const Store::Row& row, int needed)
{
    for (int column = 0; column < needed; ++column) {
        if (row.isNull(column))
            return false;
    }
    return true;
}

} // namespace

Result<bool> eachWholeRow(Database& database, const char* statement, int needed,
    const std::function<Result<void>(const Store::Row&, bool isBehindDamage)>& each)
{
    Place place;
    bool isBehindDamage = false;
    while (!place.isAtEnd()) {
        qint64 rows = 0;
        bool isInOrder = true;
        Result<void> told;
        const auto read = database.run(statement, {place.next(), rowsAtOnce}, [&](const Store::Row& row) {
            const qint64 number = row.number(0);
            isInOrder = !place.isAtEnd() && number >= place.next();
            if (!isInOrder)
                return false;
            place.behind(number);
            ++rows;
            if (!isWhole(row, needed)) {
                isBehindDamage = true;
                return true;
            }
            told = each(row, isBehindDamage);
            isBehindDamage = false;
            return told.has_value();
        });
        if (!told)
            return Failure(told.error());
        if (!read && !isDamage(read.error()))
            return Failure(read.error());
        if (read && isInOrder && rows < rowsAtOnce)
            break;
        if (!read || !isInOrder) {
            isBehindDamage = true;
            place.skip();
        }
    }
    return isBehindDamage;
}

} // namespace lockscope::record
