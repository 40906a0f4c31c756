// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>
#include <QString>

namespace lockscope::record {

/// Rows for `COPY … FROM STDIN` of PostgreSQL, in its text format.
class CopyRows {
public:
    CopyRows& operator<<(qint64 number);
    /// PostgreSQL has no character 0 in texts: the picture of one (U+2400) stands for it.
    CopyRows& operator<<(const QString& text);
    CopyRows& operator<<(const QByteArray& bytes); ///< for a column of type bytea
    CopyRows& null();
    void endRow();
    void append(const CopyRows& rows) { m_bytes += rows.m_bytes; } ///< whole ones

    const QByteArray& bytes() const { return m_bytes; }
    bool isEmpty() const { return m_bytes.isEmpty(); }

private:
    void begin();

    QByteArray m_bytes;
    bool m_inRow = false;
};

/// The text without characters 0, as CopyRows writes it.
QString withoutZeros(QString text);

} // namespace lockscope::record
