// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Checksum.h"

#include <array>

namespace lockscope::record {

namespace {

constexpr std::array<quint32, 256> remainders = [] {
    std::array<quint32, 256> table{};
    for (quint32 byte = 0; byte < table.size(); ++byte) {
        quint32 rest = byte;
        for (int bit = 0; bit < 8; ++bit)
            rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0xedb88320 : 0);
        table[byte] = rest;
    }
    return table;
}();

} // namespace

quint32 checksumOf(const QByteArray& bytes, quint32 before)
{
    quint32 sum = ~before;
    for (const char byte : bytes)
        sum = remainders[(sum ^ static_cast<quint8>(byte)) & 0xff] ^ (sum >> 8);
    return ~sum;
}

quint32 checksumOf(qint64 number, std::initializer_list<QString> texts)
{
    quint32 sum = checksumOf(QByteArray::number(number));
    for (const QString& text : texts)
        sum = checksumOf(text.toUtf8() + '\0', sum);
    return sum;
}

} // namespace lockscope::record
