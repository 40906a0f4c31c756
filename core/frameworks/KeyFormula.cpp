// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/KeyFormula.h"

#include "core/base/Sentences.h"

#include <QCryptographicHash>
#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

using Hash = KeyFormula::Hash;

/// The first bytes of a digest as a number.
quint64 digest(const KeyFormula& formula, QCryptographicHash::Algorithm algorithm, const QByteArray& bytes)
{
    QByteArray first = QCryptographicHash::hash(bytes, algorithm).left(formula.bytes);
    if (formula.littleEndian)
        std::ranges::reverse(first);
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

constexpr std::size_t maxRules = 100;
constexpr qint64 least64 = std::numeric_limits<qint64>::min();
constexpr qint64 max64 = std::numeric_limits<qint64>::max();

using Hash = KeyFormula::Hash;
constexpr std::pair<QStringView, Hash> hashNames[] = {{u"java", Hash::Java}, {u"crc32", Hash::Crc32},
    {u"fnv1", Hash::Fnv1}, {u"md5", Hash::Md5}, {u"sha1", Hash::Sha1}, {u"sha224", Hash::Sha224},
    {u"sha256", Hash::Sha256}, {u"hashtext", Hash::PgHashText}, {u"table id", Hash::TableId}};

bool isDigest(Hash hash)
{
    return hash == Hash::Md5 || hash == Hash::Sha1 || hash == Hash::Sha224 || hash == Hash::Sha256;
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

std::vector<AdvisoryKeyRule> KeyReader::keys(const JsonNode& node)
{
    std::vector<AdvisoryKeyRule> keys;
    if (m_check.isList(node, u"a list of keys"_s, maxRules))
        for (const JsonNode& item : node.items)
            keys.push_back(key(item));
    return keys;
}

std::vector<HolderKey> KeyReader::holderKeys(const JsonNode& node)
{
    std::vector<HolderKey> keys;
    if (!m_check.isList(node, u"a list of keys"_s))
        return keys;
    for (const JsonNode& item : node.items) {
        if (!m_check.isObject(item, {u"column"_s, u"number"_s}))
            continue;
        HolderKey key;
        key.column = m_check.neededIdentifier(item, u"column"_s);
        if (const JsonNode* number = m_check.need(item, u"number"_s))
            key.number = formula(*number);
        keys.push_back(std::move(key));
    }
    return keys;
}

AdvisoryKeyRule KeyReader::key(const JsonNode& node)
{
    const QStringList names{u"number"_s, u"pair"_s, u"range"_s, u"decode"_s, u"any"_s, u"objsubid"_s};
    AdvisoryKeyRule rule;
    const JsonNode* const how = m_check.isObject(node, names) ? m_check.oneOf(node, names) : nullptr;
    if (!how)
        return rule;
    if (how == node.find(u"number")) {
        rule.parts.push_back(part(*how, 64));
    } else if (how == node.find(u"pair")) {
        if (!how->is(JsonNode::Type::Array) || how->items.size() != 2) {
            m_check.noteOther(*how, u"a list of two"_s);
            return rule;
        }
        for (const JsonNode& item : how->items)
            rule.parts.push_back(part(item, 32));
        if (rule.parts[0].hash == Hash::Any && rule.parts[1].hash == Hash::Any)
            m_check.note(*how, u"This is every pair."_s, u"\"any\" once at most"_s);
    } else if (how == node.find(u"range")) {
        if (!how->is(JsonNode::Type::Array) || how->items.size() != 2) {
            m_check.noteOther(*how, u"a list of the first and the last number"_s);
            return rule;
        }
        rule.range = std::pair(
            m_check.number(how->items[0], least64, max64), m_check.number(how->items[1], least64, max64));
        if (rule.range->first > rule.range->second)
            m_check.note(*how, u"This range ends before it begins."_s);
    } else if (how == node.find(u"decode")) {
        m_check.word(*how, {u"ascii7"_s});
        rule.decode = AdvisoryKeyRule::Decode::Ascii7;
    } else if (how == node.find(u"any")) {
        m_check.onlyTrue(*how);
        rule.anyNumber = true;
    } else {
        rule.objsubid = int(m_check.number(*how, 3, 32'767));
    }
    return rule;
}

KeyFormula KeyReader::part(const JsonNode& node, int bits)
{
    if (node.is(JsonNode::Type::Object))
        return formula(node);
    KeyFormula constant;
    constant.bits = bits;
    if (bits == 32 && node.is(JsonNode::Type::String) && node.text == u"any") {
        constant.hash = Hash::Any;
    } else if (!node.is(JsonNode::Type::Number)) {
        m_check.noteOther(
            node, bits == 32 ? u"a whole number, a formula or \"any\""_s : u"a whole number or a formula"_s);
    } else {
        constant.add = bits == 32
            ? m_check.number(node, std::numeric_limits<qint32>::min(), std::numeric_limits<quint32>::max())
            : m_check.number(node, least64, max64);
    }
    return constant;
}

KeyFormula KeyReader::formula(const JsonNode& node)
{
    KeyFormula formula;
    if (!m_check.isObject(node,
            {u"hash"_s, u"text"_s, u"bytes"_s, u"little_endian"_s, u"shift_right"_s, u"mask"_s, u"multiply"_s,
                u"add"_s, u"bits"_s, u"signed"_s}))
        return formula;
    const QStringList names = textOfEach(hashNames, [](const auto& each) { return each.first.toString(); });
    if (const JsonNode* hash = node.find(u"hash"))
        formula.hash = hashNames[std::max<qsizetype>(0, names.indexOf(m_check.word(*hash, names)))].second;
    const bool hashesText = formula.hash != Hash::None && formula.hash != Hash::TableId;
    const JsonNode* const text = node.find(u"text");
    if (hashesText && !text)
        m_check.need(node, u"text"_s);
    else if (text && !hashesText)
        m_check.note(*text, u"Nothing hashes this text."_s, u"\"hash\", or no \"text\""_s);
    else if (text)
        formula.text = hashedText(*text);
    if (formula.hash == Hash::None && !node.find(u"add"))
        m_check.note(node, u"Nothing gives the number."_s, u"\"hash\" or \"add\""_s);
    readDigest(node, formula);
    formula.mask = m_check.optionalNumber(node, u"mask"_s, -1, least64, max64);
    formula.multiply = m_check.optionalNumber(node, u"multiply"_s, 1, least64, max64);
    formula.add = m_check.optionalNumber(node, u"add"_s, 0, least64, max64);
    formula.bits = int(m_check.optionalNumber(node, u"bits"_s, 64, 32, 64));
    if (formula.bits != 32 && formula.bits != 64)
        m_check.note(*node.find(u"bits"), u"There are no such numbers."_s, u"32 or 64"_s);
    if (const JsonNode* isSigned = node.find(u"signed"))
        formula.isSigned = m_check.flag(*isSigned);
    return formula;
}

void KeyReader::readDigest(const JsonNode& node, KeyFormula& formula)
{
    for (const QString& key : {u"bytes"_s, u"little_endian"_s, u"shift_right"_s})
        if (const JsonNode* only = node.find(key); only && !isDigest(formula.hash))
            m_check.note(*only, u"\"%1\" is of digests only."_s.arg(key), u"md5 or sha as \"hash\""_s);
    formula.bytes = int(m_check.optionalNumber(node, u"bytes"_s, 8, 1, 8));
    formula.littleEndian = m_check.optionalFlag(node, u"little_endian"_s);
    formula.shiftRight = int(m_check.optionalNumber(node, u"shift_right"_s, 0, 0, 63));
}

QString KeyReader::hashedText(const JsonNode& node)
{
    static const QStringList places{u"{database}"_s, u"{schema}"_s, u"{table}"_s, u"{name}"_s};
    static const QRegularExpression place(u"\\{[a-z_]*\\}"_s);
    if (!node.is(JsonNode::Type::String) || node.text.size() > 500) {
        m_check.noteOther(node, u"a text of at most 500 characters"_s);
        return {};
    }
    for (auto each = place.globalMatch(node.text); each.hasNext();) {
        const QString name = each.next().captured();
        if (!places.contains(name))
            m_check.note(
                node, u"Nobody knows what %1 stands for."_s.arg(name), u"one of "_s + places.join(u", "_s));
    }
    if (node.text.contains(u"{table}"_s) && !m_usesTable)
        m_usesTable = &node;
    return node.text;
}

std::vector<ApplicationLockRule> KeyReader::resources(const JsonNode& node)
{
    std::vector<ApplicationLockRule> resources;
    if (m_check.isList(node, u"a list of names"_s, maxRules))
        for (const JsonNode& item : node.items)
            resources.push_back(resource(item));
    return resources;
}

ApplicationLockRule KeyReader::resource(const JsonNode& node)
{
    ApplicationLockRule rule;
    if (!m_check.isObject(node, {u"pattern"_s, u"key"_s}))
        return rule;
    if (const JsonNode* pattern = m_check.need(node, u"pattern"_s))
        rule.pattern = m_check.pattern(*pattern, {u"name"_s, u"key"_s}, false);
    if (const JsonNode* key = node.find(u"key"))
        rule.key = formula(*key);
    const bool hasGroup = wholePattern(rule.pattern).namedCaptureGroups().contains(u"key"_s);
    if (hasGroup != rule.key.has_value() && !rule.pattern.isEmpty())
        m_check.note(node,
            hasGroup ? u"Nothing says what the group \"key\" is computed from."_s
                     : u"The pattern has no group \"key\"."_s,
            u"the group and \"key\", or neither"_s);
    return rule;
}

} // namespace lockscope::frameworks
