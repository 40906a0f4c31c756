// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/Bytes.h"

#include <bit>

namespace lockscope::test::tds {

void ByteReader::seek(qsizetype position)
{
    m_ok = m_ok && position >= 0 && position <= m_bytes.size();
    if (m_ok)
        m_position = position;
}

QByteArray ByteReader::take(qsizetype count)
{
    if (!m_ok || count < 0 || count > left()) {
        m_ok = false;
        return QByteArray(std::min<qsizetype>(std::max<qsizetype>(count, 0), 16), '\0');
    }
    m_position += count;
    return m_bytes.mid(m_position - count, count);
}

quint8 ByteReader::peek() const
{
    return atEnd() ? 0 : static_cast<quint8>(m_bytes[m_position]);
}

double ByteReader::real32()
{
    return static_cast<double>(std::bit_cast<float>(little<quint32>()));
}

double ByteReader::real64()
{
    return std::bit_cast<double>(little<quint64>());
}

QString ByteReader::text(qsizetype characters)
{
    const QByteArray raw = take(2 * characters);
    if (!m_ok)
        return {};
    QString text(characters, Qt::Uninitialized);
    qFromLittleEndian<char16_t>(raw.constData(), characters, text.data());
    return text;
}

void ByteWriter::real32(double value)
{
    little(std::bit_cast<quint32>(static_cast<float>(value)));
}

void ByteWriter::real64(double value)
{
    little(std::bit_cast<quint64>(value));
}

void ByteWriter::text(const QString& text)
{
    for (const QChar character : text)
        little(character.unicode());
}

void ByteWriter::shortText(const QString& value)
{
    const QString kept = value.left(255);
    byte(static_cast<int>(kept.size()));
    text(kept);
}

void ByteWriter::longText(const QString& value)
{
    const QString kept = value.left(65'535);
    little(static_cast<quint16>(kept.size()));
    text(kept);
}

void ByteWriter::setBits(qsizetype position, quint16 bits)
{
    char* const word = m_bytes.data() + position;
    qToLittleEndian(static_cast<quint16>(qFromLittleEndian<quint16>(word) | bits), word);
}

void ByteWriter::setLength(qsizetype position)
{
    qToLittleEndian(static_cast<quint16>(m_bytes.size() - position - 2), m_bytes.data() + position);
}

} // namespace lockscope::test::tds
