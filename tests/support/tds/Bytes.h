// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>
#include <QString>
#include <QtEndian>

#include <concepts>

namespace lockscope::test::tds {

/// Reads a message front to back. Reading past its end gives zeros and leaves `ok()` false.
class ByteReader {
public:
    explicit ByteReader(const QByteArray& bytes)
        : m_bytes(bytes)
    {
    }

    bool ok() const { return m_ok; }
    bool atEnd() const { return m_position >= m_bytes.size(); }
    qsizetype position() const { return m_position; }
    qsizetype left() const { return m_bytes.size() - m_position; }
    void seek(qsizetype position);

    QByteArray take(qsizetype count);
    void skip(qsizetype count) { take(count); }
    template <std::integral T> T little()
    {
        const QByteArray raw = take(sizeof(T));
        return qFromLittleEndian<T>(raw.constData());
    }
    template <std::integral T> T big()
    {
        const QByteArray raw = take(sizeof(T));
        return qFromBigEndian<T>(raw.constData());
    }
    quint8 byte() { return little<quint8>(); }
    quint8 peek() const;
    double real32();
    double real64();
    QString text(qsizetype characters); ///< UTF-16
    QString shortText() { return text(byte()); } ///< one byte of length before it
    QString longText() { return text(little<quint16>()); } ///< two bytes of length before it

private:
    const QByteArray m_bytes;
    qsizetype m_position = 0;
    bool m_ok = true;
};

/// Writes a message front to back.
class ByteWriter {
public:
    const QByteArray& bytes() const { return m_bytes; }
    qsizetype size() const { return m_bytes.size(); }
    QByteArray release() { return std::exchange(m_bytes, {}); }

    template <std::integral T> void little(T value)
    {
        value = qToLittleEndian(value);
        raw(&value, sizeof(T));
    }
    template <std::integral T> void big(T value)
    {
        value = qToBigEndian(value);
        raw(&value, sizeof(T));
    }
    void byte(int value) { m_bytes.append(static_cast<char>(value)); }
    void real32(double value);
    void real64(double value);
    void append(const QByteArray& bytes) { m_bytes.append(bytes); }
    void text(const QString& text); ///< UTF-16 without a length
    void shortText(const QString& text); ///< cut to 255 characters
    void longText(const QString& text); ///< cut to 65,535 characters
    /// Sets bits in a little-endian word that was written before.
    void setBits(qsizetype position, quint16 bits);
    /// Writes the number of bytes that followed the two of `position` there.
    void setLength(qsizetype position);

private:
    void raw(const void* data, qsizetype size) { m_bytes.append(static_cast<const char*>(data), size); }

    QByteArray m_bytes;
};

} // namespace lockscope::test::tds
