// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/FrameBytes.h"

#include <QtEndian>

#include <cstring>

namespace lockscope::record {

namespace {

constexpr quint64 sevenBits = 0x7f;
constexpr quint64 moreFollows = 0x80;

} // namespace

void ByteWriter::number(quint64 value)
{
    while (value > sevenBits) {
        m_bytes.append(static_cast<char>((value & sevenBits) | moreFollows));
        value >>= 7;
    }
    m_bytes.append(static_cast<char>(value));
}

void ByteWriter::signedNumber(qint64 value)
{
    number((static_cast<quint64>(value) << 1) ^ static_cast<quint64>(value >> 63));
}

void ByteWriter::real(double value)
{
    quint64 bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    bits = qToLittleEndian(bits);
    m_bytes.append(reinterpret_cast<const char*>(&bits), sizeof bits);
}

void ByteWriter::bytes(const QByteArray& bytes)
{
    number(static_cast<quint64>(bytes.size()));
    m_bytes.append(bytes);
}

quint64 ByteReader::number()
{
    quint64 value = 0;
    for (int shift = 0; !m_failed; shift += 7) {
        if (m_at == m_end || shift > 63)
            break;
        const auto byte = static_cast<quint8>(*m_at++);
        if (shift == 63 && byte > 1)
            break;
        value |= (byte & sevenBits) << shift;
        if ((byte & moreFollows) == 0)
            return value;
    }
    m_failed = true;
    return 0;
}

qint64 ByteReader::signedNumber()
{
    const quint64 coded = number();
    return static_cast<qint64>((coded >> 1) ^ (~(coded & 1) + 1));
}

double ByteReader::real()
{
    quint64 bits = 0;
    if (m_failed || m_end - m_at < static_cast<qptrdiff>(sizeof bits)) {
        m_failed = true;
        return 0;
    }
    std::memcpy(&bits, m_at, sizeof bits);
    m_at += sizeof bits;
    bits = qFromLittleEndian(bits);
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

QByteArray ByteReader::bytes()
{
    const auto size = static_cast<qsizetype>(numberUpTo(static_cast<quint64>(m_end - m_at)));
    if (m_failed || m_end - m_at < size) {
        m_failed = true;
        return {};
    }
    const QByteArray bytes(m_at, size);
    m_at += size;
    return bytes;
}

quint64 ByteReader::numberUpTo(quint64 maximum)
{
    const quint64 value = number();
    if (value <= maximum)
        return value;
    m_failed = true;
    return 0;
}

} // namespace lockscope::record
