// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/KeyFormula.h"

#include <QCryptographicHash>

#include <algorithm>
#include <array>
#include <bit>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

using Hash = KeyFormula::Hash;

/// The first bytes of a digest as a number.
quint64 digest(const KeyFormula& formula, QCryptographicHash::Algorithm algorithm, const QByteArray& bytes)
{
    QByteArray first = QCryptographicHash::hash(bytes, algorithm).left(formula.bytes);
    if (formula.littleEndian)
        std::reverse(first.begin(), first.end());
    quint64 number = 0;
    for (const char byte : std::as_const(first))
        number = number << 8 | static_cast<quint8>(byte);
    return number >> formula.shiftRight;
}

/// Modulo 2^64, as negative numbers are there.
quint64 hashed(const KeyFormula& formula, const KeyNames& names)
{
    const auto bytes = [&] { return filledIn(formula.text, names).toUtf8(); };
    switch (formula.hash) {
    case Hash::Java:
        return static_cast<quint64>(qint64(javaHash(filledIn(formula.text, names))));
    case Hash::Crc32:
        return crc32Ieee(bytes());
    case Hash::Fnv1:
        return fnv1(bytes());
    case Hash::PgHashText:
        return static_cast<quint64>(qint64(pgHashText(bytes())));
    case Hash::Md5:
        return digest(formula, QCryptographicHash::Md5, bytes());
    case Hash::Sha1:
        return digest(formula, QCryptographicHash::Sha1, bytes());
    case Hash::Sha224:
        return digest(formula, QCryptographicHash::Sha224, bytes());
    case Hash::Sha256:
        return digest(formula, QCryptographicHash::Sha256, bytes());
    case Hash::TableId:
        return names.tableId;
    case Hash::None:
    case Hash::Any:
        break;
    }
    return 0;
}

qint64 ofBits(const KeyFormula& formula, quint64 number)
{
    if (formula.bits == 64)
        return static_cast<qint64>(number);
    const auto low = static_cast<quint32>(number);
    return formula.isSigned ? qint64(static_cast<qint32>(low)) : qint64(low);
}

quint32 load(QByteArrayView bytes, qsizetype at)
{
    const auto byte = [&](qsizetype i) { return quint32(static_cast<quint8>(bytes[at + i])); };
    return byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
}

} // namespace

std::optional<qint64> computeKey(const KeyFormula& formula, const KeyNames& names)
{
    if (formula.hash == Hash::Any)
        return std::nullopt;
    const quint64 number =
        (hashed(formula, names) & static_cast<quint64>(formula.mask)) * static_cast<quint64>(formula.multiply)
        + static_cast<quint64>(formula.add);
    return ofBits(formula, number);
}

std::optional<quint32> tableIdOf(const KeyFormula& formula, qint64 key)
{
    if (formula.hash != Hash::TableId || formula.multiply != 1 || formula.mask != -1)
        return std::nullopt;
    const quint64 id = static_cast<quint64>(key) - static_cast<quint64>(formula.add);
    const auto low = static_cast<quint32>(id);
    if (formula.bits == 64 && low != id)
        return std::nullopt;
    return low;
}

QString filledIn(const QString& text, const KeyNames& names)
{
    QString filled;
    for (qsizetype at = 0; at < text.size();) {
        const QStringView rest = QStringView(text).mid(at);
        const std::pair<QStringView, const QString*> places[] = {{u"{database}", &names.database},
            {u"{schema}", &names.schema}, {u"{table}", &names.table}, {u"{name}", &names.name}};
        const auto place = std::find_if(std::begin(places), std::end(places),
            [rest](const auto& one) { return rest.startsWith(one.first); });
        if (place == std::end(places)) {
            filled += text[at++];
        } else {
            filled += *place->second;
            at += place->first.size();
        }
    }
    return filled;
}

qint32 javaHash(QStringView text)
{
    quint32 hash = 0;
    for (const QChar c : text)
        hash = 31 * hash + c.unicode();
    return static_cast<qint32>(hash);
}

quint32 crc32Ieee(QByteArrayView bytes)
{
    static const auto table = [] {
        std::array<quint32, 256> made{};
        for (quint32 i = 0; i < made.size(); ++i) {
            quint32 value = i;
            for (int bit = 0; bit < 8; ++bit)
                value = (value & 1) != 0 ? 0xEDB88320U ^ (value >> 1) : value >> 1;
            made[i] = value;
        }
        return made;
    }();
    quint32 crc = ~0U;
    for (const char byte : bytes)
        crc = table[(crc ^ static_cast<quint8>(byte)) & 0xFF] ^ (crc >> 8);
    return ~crc;
}

quint32 fnv1(QByteArrayView bytes)
{
    quint32 hash = 2'166'136'261U;
    for (const char byte : bytes)
        hash = (hash * 16'777'619U) ^ static_cast<quint8>(byte);
    return hash;
}

qint32 pgHashText(QByteArrayView bytes)
{
    quint32 a = 0x9e3779b9U + static_cast<quint32>(bytes.size()) + 3'923'095U;
    quint32 b = a;
    quint32 c = a;
    const auto step = [](quint32& x, quint32& y, quint32& z, int bits) {
        x = (x - z) ^ std::rotl(z, bits);
        z += y;
    };
    qsizetype at = 0;
    for (; bytes.size() - at >= 12; at += 12) {
        a += load(bytes, at);
        b += load(bytes, at + 4);
        c += load(bytes, at + 8);
        step(a, b, c, 4);
        step(b, c, a, 6);
        step(c, a, b, 8);
        step(a, b, c, 16);
        step(b, c, a, 19);
        step(c, a, b, 4);
    }
    // The rest, at most eleven bytes; the lowest byte of c stands for the length.
    for (qsizetype i = 0; at + i < bytes.size(); ++i) {
        const auto byte = quint32(static_cast<quint8>(bytes[at + i]));
        if (i < 4)
            a += byte << (8 * i);
        else if (i < 8)
            b += byte << (8 * (i - 4));
        else
            c += byte << (8 * (i - 7));
    }
    const auto last = [](quint32& x, quint32 y, int bits) { x = (x ^ y) - std::rotl(y, bits); };
    last(c, b, 14);
    last(a, c, 11);
    last(b, a, 25);
    last(c, b, 16);
    last(a, c, 4);
    last(b, a, 14);
    last(c, b, 24);
    return static_cast<qint32>(c);
}

std::optional<QString> fromAscii7(quint64 key)
{
    // From the end: ones, and the zero that stands before them.
    const int ones = std::countr_one(key);
    const int bits = 64 - ones - 1; // of the characters
    if (ones == 64 || bits % 7 != 0 || bits == 0)
        return std::nullopt;
    QString name;
    for (int taken = 0; taken < bits; taken += 7) {
        const auto c = static_cast<char16_t>(key >> (57 - taken) & 0x7F);
        if (c < u' ' || c > u'~')
            return std::nullopt;
        name += QChar(c);
    }
    return name;
}

} // namespace lockscope::frameworks
