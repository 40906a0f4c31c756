// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/postgres/CopyRows.h"

namespace lockscope::record {

QString withoutZeros(QString text)
{
    constexpr char16_t picture = 0x2400;
    return text.contains(QChar(0)) ? text.replace(QChar(0), QChar(picture)) : text;
}

void CopyRows::begin()
{
    if (m_inRow)
        m_bytes += '\t';
    m_inRow = true;
}

CopyRows& CopyRows::operator<<(qint64 number)
{
    begin();
    m_bytes += QByteArray::number(number);
    return *this;
}

CopyRows& CopyRows::operator<<(const QString& text)
{
    begin();
    for (const char c : withoutZeros(text).toUtf8()) {
        switch (c) {
        case '\\':
            m_bytes += "\\\\";
            break;
        case '\n':
            m_bytes += "\\n";
            break;
        case '\r':
            m_bytes += "\\r";
            break;
        case '\t':
            m_bytes += "\\t";
            break;
        default:
            m_bytes += c;
        }
    }
    return *this;
}

CopyRows& CopyRows::operator<<(const QByteArray& bytes)
{
    begin();
    m_bytes += "\\\\x";
    m_bytes += bytes.toHex();
    return *this;
}

CopyRows& CopyRows::null()
{
    begin();
    m_bytes += "\\N";
    return *this;
}

void CopyRows::endRow()
{
    m_bytes += '\n';
    m_inRow = false;
}

} // namespace lockscope::record
