// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Statement.h"

#include <QByteArrayList>

namespace lockscope::test {

/// Bytes as lines of fields: a line feed ends a row, a tab a field, a field "\N" is NULL.
inline QList<QByteArrayList> fuzzedRows(const QByteArray& bytes)
{
    QList<QByteArrayList> rows;
    for (const QByteArray& line : bytes.split('\n'))
        rows << line.split('\t');
    return rows;
}

inline bool isFuzzedNull(const QByteArray& field)
{
    return field == "\\N";
}

/// A row of such fields. As by any driver, columns that are not there read as NULL.
class FuzzRow final : public db::Row {
public:
    explicit FuzzRow(const QByteArrayList& fields)
        : m_fields(fields)
    {
    }
    bool isNull(int column) const override
    {
        return column >= m_fields.size() || isFuzzedNull(m_fields[column]);
    }
    qint64 int64(int column) const override { return isNull(column) ? 0 : m_fields[column].toLongLong(); }
    double real(int column) const override { return isNull(column) ? 0 : m_fields[column].toDouble(); }
    bool boolean(int column) const override { return int64(column) != 0; }
    QString text(int column) const override
    {
        return isNull(column) ? QString() : QString::fromUtf8(m_fields[column] + "").append(u"");
    }

private:
    const QByteArrayList& m_fields;
};

} // namespace lockscope::test
