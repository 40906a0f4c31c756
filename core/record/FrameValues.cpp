// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/FrameValues.h"

#include "core/record/FrameCodec.h"
#include "core/record/Store.h"

#include <QtEndian>

#include <cstring>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr QChar between(0x1f); // unit separator: in none of a match's texts
constexpr quint64 maxTextsOfField = 10'000; // of one field
constexpr int unknownMode = 255; // LockMode::strength of those that differ only in their text

constexpr quint64 sevenBits = 0x7f;
constexpr quint64 moreFollows = 0x80;

} // namespace

void ValueWriter::write(const QStringList& texts)
{
    m_out.number(static_cast<quint64>(texts.size()));
    for (const QString& text : texts)
        write(text);
}

void ValueWriter::write(const FrameworkMatchPtr& match)
{
    quint64 number = 0;
    if (match) {
        quint64& known = m_matches[match.get()];
        if (known == 0)
            known = m_texts.numberOf(QStringList{match->framework, match->lock, match->frameworkName,
                match->name, match->evidence, match->certain ? u"1"_s : u"0"_s}
                                         .join(between));
        number = known;
    }
    m_out.number(number);
}

quint64 ValueWriter::numberOf(const LockMode& mode)
{
    if (mode.strength() == unknownMode)
        return m_texts.numberOf(mode.name());
    quint64& known = m_modes[mode.strength()];
    if (known == 0)
        known = m_texts.numberOf(mode.name());
    return known;
}

/// The lowest bit of the number says whether values follow. They change all the time, so that a text of their
/// own would be used once.
void ValueWriter::writeStatement(const QString& statement)
{
    const StatementNumber number = m_texts.numberOfStatement(statement);
    const bool hasValues = !number.values.isNull();
    m_out.number(number.text << 1 | (hasValues ? 1 : 0));
    if (hasValues)
        m_out.bytes(number.values.toUtf8());
}

void ValueReader::readStatement(QString& statement)
{
    const quint64 number = m_in.number();
    QString text;
    readText(number >> 1, text);
    if ((number & 1) != 0) {
        const QString values = QString::fromUtf8(m_in.bytes());
        const auto together = StatementParts{text, StatementParts::valuesOf(values)}.together();
        text = together.value_or(QString());
        m_characters += text.size();
        if (!together || m_characters > maxCharacters)
            m_in.fail();
    }
    statement = text;
}

void ValueReader::read(QString& text)
{
    readText(m_in.number(), text);
}

void ValueReader::readText(quint64 number, QString& text)
{
    text = QString();
    if (number == 0)
        return;
    auto found = m_texts.text(number);
    if (!found)
        m_in.fail();
    else
        text = std::move(*found);
}

void ValueReader::read(QStringList& texts)
{
    texts.clear();
    for (quint64 left = m_in.numberUpTo(maxTextsOfField); left > 0 && !m_in.failed(); --left) {
        texts.emplace_back();
        read(texts.back());
    }
}

void ValueReader::read(FrameworkMatchPtr& match)
{
    match.reset();
    const quint64 number = m_in.number();
    if (number == 0)
        return;
    FrameworkMatchPtr& known = m_matches[number];
    if (!known) {
        const QStringList parts = m_texts.text(number).value_or(QString()).split(between);
        if (parts.size() != 6) {
            m_in.fail();
            return;
        }
        known = std::make_shared<FrameworkMatch>(FrameworkMatch{.framework = parts[0],
            .lock = parts[1],
            .frameworkName = parts[2],
            .name = parts[3],
            .evidence = parts[4],
            .certain = parts[5] == "1"_L1});
    }
    match = known;
}

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
