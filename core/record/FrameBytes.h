// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>
#include <QtGlobal>

namespace lockscope::record {

/// Writes numbers as variable-length bytes, seven bits each, the lowest first.
class ByteWriter {
public:
    void number(quint64 value);
    void signedNumber(qint64 value); ///< small absolute values take few bytes
    void real(double value); ///< eight bytes, little endian
    void bytes(const QByteArray& bytes); ///< with their number before them
    const QByteArray& bytes() const { return m_bytes; }

private:
    QByteArray m_bytes;
};

/// Reads what ByteWriter wrote, or anything else: what is wrong or short makes failed() true and all further
/// numbers 0. Must not outlive the bytes.
class ByteReader {
public:
    explicit ByteReader(const QByteArray& bytes)
        : m_at(bytes.constData())
        , m_end(bytes.constData() + bytes.size())
    {
    }

    quint64 number();
    qint64 signedNumber();
    double real();
    QByteArray bytes();
    /// Returns number(), but fails if it is more than `maximum`.
    quint64 numberUpTo(quint64 maximum);
    void fail() { m_failed = true; }
    bool failed() const { return m_failed; }
    bool atEnd() const { return m_at == m_end; }

private:
    const char* m_at;
    const char* m_end;
    bool m_failed = false;
};

} // namespace lockscope::record
