// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/json/FileCheck.h"

#include "core/base/Sentences.h"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <json/reader.h>
#include <optional>

namespace lockscope::json {

using namespace Qt::StringLiterals;

void FileCheck::note(qsizetype offset, const QString& what, const QString& expected)
{
    if (m_faults.size() >= maxFaults)
        return;
    const TextPlace place = placeOf(m_text, offset);
    const FileFault fault{
        .file = m_file, .line = place.line, .column = place.column, .what = what, .expected = expected};
    // A part that several variants share is checked by each of them.
    if (std::find(m_faults.begin(), m_faults.end(), fault) == m_faults.end())
        m_faults.push_back(fault);
}

void FileCheck::noteOther(const JsonNode& node, const QString& expected)
{
    note(node, u"Here is %1."_s.arg(describe(node)), expected);
}

FileFaults FileCheck::faults() &&
{
    std::stable_sort(m_faults.begin(), m_faults.end(), [](const FileFault& a, const FileFault& b) {
        return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    });
    return std::move(m_faults);
}

bool FileCheck::isObject(const JsonNode& node, const QStringList& keys)
{
    if (!node.is(JsonNode::Type::Object)) {
        noteOther(node, u"an object with %1"_s.arg(keys.join(u", "_s)));
        return false;
    }
    for (qsizetype i = 0; i < node.keys.size(); ++i)
        if (!keys.contains(node.keys[i]))
            note(node.keyOffsets[static_cast<std::size_t>(i)],
                u"The key \"%1\" is unknown here."_s.arg(node.keys[i]), u"one of "_s + keys.join(u", "_s));
    return true;
}

bool FileCheck::isList(const JsonNode& node, const QString& expected, std::size_t maximum)
{
    const bool isArray = node.is(JsonNode::Type::Array);
    if (!isArray || node.items.empty())
        note(node, u"Here is %1."_s.arg(isArray ? u"nothing"_s : describe(node)), expected);
    else if (node.items.size() > maximum)
        note(node, u"These are too many."_s, u"at most %1"_s.arg(maximum));
    return isArray && !node.items.empty();
}

const JsonNode* FileCheck::need(const JsonNode& object, const QString& key)
{
    const JsonNode* const node = object.find(key);
    if (!node)
        note(object, u"The key \"%1\" is missing."_s.arg(key));
    return node;
}

QString FileCheck::text(const JsonNode& node)
{
    if (!node.is(JsonNode::Type::String))
        noteOther(node, u"a text"_s);
    else if (node.text.trimmed().isEmpty())
        note(node, u"This text is empty."_s, u"some words"_s);
    return node.text;
}

QString FileCheck::prose(const JsonNode& node)
{
    if (!node.is(JsonNode::Type::Array))
        return text(node);
    QStringList lines;
    for (const JsonNode& line : node.items) {
        if (line.is(JsonNode::Type::String))
            lines << line.text;
        else
            noteOther(line, u"a line of the text"_s);
    }
    const QString whole = lines.join(u'\n');
    if (isFine() && whole.trimmed().isEmpty())
        note(node, u"This text is empty."_s, u"some words"_s);
    return whole;
}

QString FileCheck::word(const JsonNode& node, const QStringList& choices)
{
    if (node.is(JsonNode::Type::String) && choices.contains(node.text))
        return node.text;
    noteOther(node, u"one of "_s + choices.join(u", "_s));
    return choices.value(0);
}

bool FileCheck::flag(const JsonNode& node)
{
    if (!node.is(JsonNode::Type::Bool))
        noteOther(node, u"true or false"_s);
    return node.boolean;
}

qint64 FileCheck::number(const JsonNode& node, qint64 least, qint64 maximum)
{
    if (node.is(JsonNode::Type::Number) && node.isInteger && node.integer >= least && node.integer <= maximum)
        return node.integer;
    noteOther(node, u"a whole number from %1 to %2"_s.arg(least).arg(maximum));
    return least;
}

QString FileCheck::neededText(const JsonNode& object, const QString& key)
{
    const JsonNode* const node = need(object, key);
    return node ? prose(*node) : QString();
}

QString FileCheck::optionalText(const JsonNode& object, const QString& key)
{
    const JsonNode* const node = object.find(key);
    return node ? prose(*node) : QString();
}

bool FileCheck::optionalFlag(const JsonNode& object, const QString& key)
{
    const JsonNode* const node = object.find(key);
    return node && flag(*node);
}

qint64 FileCheck::optionalNumber(
    const JsonNode& object, const QString& key, qint64 byDefault, qint64 least, qint64 maximum)
{
    const JsonNode* const node = object.find(key);
    return node ? number(*node, least, maximum) : byDefault;
}

std::set<Engine> FileCheck::engines(const JsonNode& node)
{
    std::set<Engine> engines;
    if (!isList(node, u"a list of engines: "_s + engineKeys().join(u", "_s)))
        return engines;
    for (const JsonNode& item : node.items)
        if (const auto engine = engineOfKey(word(item, engineKeys())))
            engines.insert(*engine);
    return engines;
}

QStringList FileCheck::engineKeys()
{
    return textOfEach(allEngines, engineKey);
}

QString FileFault::toString() const
{
    QString place = file;
    if (line > 0)
        place += u":%1:%2"_s.arg(line).arg(column);
    return place + u": "_s + what + (expected.isEmpty() ? QString() : u" Expected: %1."_s.arg(expected));
}

namespace {

constexpr int deepest = 64;
constexpr qsizetype maxKeys = 1'000;

/// Refuses what jsoncpp accepts even in its strict mode: texts with line breaks or half of a surrogate pair,
/// numbers such as 05 and 1., comments behind a value. The structure is left to jsoncpp.
class TokenCheck {
public:
    TokenCheck(const QByteArray& text, NulCharacter nul)
        : m_text(text)
        , m_nul(nul)
    {
    }

    /// The first of them, if there is one; begin() is where its token begins.
    std::optional<JsonFault> fault()
    {
        for (int depth = 0; m_at < m_text.size() && !m_fault; ++m_at) {
            m_begin = m_at;
            const char c = m_text[m_at];
            if (c == '"')
                string();
            else if (c == '-' || (c >= '0' && c <= '9'))
                number();
            else if (c == '\0')
                fail(m_at, u"A NUL byte can't stand here."_s, u"a value"_s);
            else if (c == '/')
                fail(m_at, u"'/' can't stand here: JSON has no comments."_s, u"a value"_s);
            else if ((c == '[' || c == '{') && ++depth > deepest)
                fail(m_at, u"The text is nested too deeply."_s, u"at most %1 levels"_s.arg(deepest));
            else if (c == ']' || c == '}')
                --depth;
        }
        return m_fault;
    }
    qsizetype begin() const { return m_begin; }

private:
    void fail(qsizetype offset, const QString& what, const QString& expected)
    {
        m_fault = JsonFault{offset, what, expected};
    }

    /// Ends at its closing quote.
    void string()
    {
        bool isHalf = false; // the first half of a surrogate pair stands before
        for (++m_at; m_at < m_text.size() && !m_fault; ++m_at) {
            const char c = m_text[m_at];
            if (isHalf && !QByteArrayView(m_text).sliced(m_at).startsWith("\\u"))
                return halfCharacter();
            if (c == '"')
                return;
            if (static_cast<unsigned char>(c) < 0x20)
                return fail(m_at, u"A text can't hold a line break or another control character."_s,
                    u"\\n, or a list of lines"_s);
            if (c == '\\')
                isHalf = escape(isHalf);
        }
        if (!m_fault)
            fail(m_begin, u"This text has no end."_s, u"a closing quote"_s);
    }

    /// Ends at its last character. Whether it is the first half of a pair.
    bool escape(bool isHalf)
    {
        static const QRegularExpression pattern(u"\\G\\\\(?:[\"\\\\/bfnrt]|u([0-9a-fA-F]{4}))"_s);
        const auto match = pattern.match(QString::fromLatin1(m_text.mid(m_at, 6)));
        if (!match.hasMatch()) {
            fail(m_at, u"There is no such escape."_s, u"\\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\uXXXX"_s);
            return false;
        }
        m_at += match.capturedLength() - 1;
        if (!match.hasCaptured(1))
            return false;
        const QChar unit(match.captured(1).toUShort(nullptr, 16));
        if (unit.isNull() && m_nul == NulCharacter::Refused)
            fail(m_begin, u"This text holds a NUL character."_s, u"text that a database can keep"_s);
        else if (unit.isLowSurrogate() != isHalf)
            halfCharacter();
        return unit.isHighSurrogate();
    }

    void halfCharacter()
    {
        fail(m_begin, u"This text holds half of a character."_s, u"\\u escapes in pairs"_s);
    }

    /// Ends at its last character.
    void number()
    {
        static const QByteArray characters = "+-.0123456789eE";
        while (m_at < m_text.size() && characters.contains(m_text[m_at]))
            ++m_at;
        const QByteArray token = m_text.mid(m_begin, m_at-- - m_begin);
        static const QRegularExpression zero(u"^-?0[0-9]"_s);
        static const QRegularExpression whole(u"^-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$"_s);
        const QString shown = QString::fromLatin1(token);
        bool fits = false;
        if (shown.contains(zero))
            fail(m_begin, u"A number can't begin with 0."_s, u"a number without leading zeros"_s);
        else if (!shown.contains(whole))
            fail(m_begin, u"\"%1\" is no number."_s.arg(shown.left(40)), u"a number such as -1.5e3"_s);
        else if (!std::isfinite(token.toDouble(&fits)) || !fits)
            fail(m_begin, u"This number is too large."_s, u"a number that a double can hold"_s);
    }

    const QByteArray& m_text;
    const NulCharacter m_nul;
    qsizetype m_at = 0;
    qsizetype m_begin = 0;
    std::optional<JsonFault> m_fault;
};

std::optional<JsonFault> encodingFault(const QByteArray& text)
{
    if (QUtf8StringView(text).isValidUtf8())
        return std::nullopt;
    qsizetype begin = 0;
    for (const QByteArray& line : text.split('\n')) {
        if (!QUtf8StringView(line).isValidUtf8())
            break;
        begin += line.size() + 1;
    }
    return JsonFault{begin, u"This line is not UTF-8."_s, u"text in UTF-8"_s};
}

/// Returns the text at that place, for a message.
QString found(const QByteArray& text, qsizetype at)
{
    if (at >= text.size())
        return u"The text ends here."_s;
    qsizetype length = 1;
    while (at + length < text.size() && (text[at + length] & 0xC0) == 0x80)
        ++length;
    return u"'%1' can't stand here."_s.arg(QString::fromUtf8(text.mid(at, length)));
}

/// jsoncpp's first message: "* Line 3, Column 17\n  Missing …", where the columns are bytes.
JsonFault faultFrom(const std::string& messages, const QByteArray& text)
{
    static const QRegularExpression pattern(u"Line (\\d+), Column (\\d+)\\n\\s*([^\\n]*)"_s);
    const auto match = pattern.match(QString::fromStdString(messages));
    qsizetype start = 0;
    for (int line = match.captured(1).toInt(); line > 1; --line)
        start = text.indexOf('\n', start) + 1;
    const qsizetype at = std::min(start + match.captured(2).toInt() - 1, text.size());
    const QString message = match.captured(3);
    static constexpr std::pair<QLatin1StringView, QLatin1StringView> expectations[] = {
        {"Missing ',' or '}'"_L1, "',' or '}'"_L1}, {"Missing ',' or ']'"_L1, "',' or ']'"_L1},
        {"Missing ':'"_L1, "':' after the key"_L1}, {"Missing '}'"_L1, "a key in quotes"_L1},
        {"Syntax error"_L1, "a value"_L1}};
    for (const auto& [begin, expected] : expectations)
        if (message.startsWith(begin))
            return {at, found(text, at), expected};
    if (message.startsWith("Extra"_L1))
        return {at, u"There is more after the end of the value."_s, u"nothing"_s};
    if (message.startsWith("Duplicate key"_L1))
        return {
            at, u"The key \"%1\" is there twice."_s.arg(message.section(u'\'', 1, -2)), u"each key once"_s};
    return {at, u"This can't be read: %1"_s.arg(message), u"JSON"_s};
}

/// Returns the place of the key of the value there: that of its quotes, those inside follow a backslash.
qsizetype keyOffset(const QByteArray& text, qsizetype value)
{
    const auto isEscaped = [&text](qsizetype quote) {
        qsizetype first = quote;
        while (first > 0 && text[first - 1] == '\\')
            --first;
        return (quote - first) % 2 == 1;
    };
    qsizetype at = text.lastIndexOf('"', text.lastIndexOf(':', value - 1));
    do
        at = text.lastIndexOf('"', at - 1);
    while (isEscaped(at));
    return at;
}

/// Takes over jsoncpp's values, with their places.
class NodeReader {
public:
    explicit NodeReader(const QByteArray& text)
        : m_text(text)
    {
    }

    JsonNode read(const Json::Value& value)
    {
        JsonNode node;
        node.offset = value.getOffsetStart();
        if (value.isBool()) {
            node.type = JsonNode::Type::Bool;
            node.boolean = value.asBool();
        } else if (value.isString()) {
            node.type = JsonNode::Type::String;
            node.text = QString::fromStdString(value.asString());
        } else if (value.isNumeric()) {
            node.type = JsonNode::Type::Number;
            node.number = value.asDouble();
            node.isInteger = value.type() != Json::realValue && value.isInt64();
            node.integer = node.isInteger ? value.asInt64() : 0;
        } else if (value.isArray()) {
            node.type = JsonNode::Type::Array;
            for (const Json::Value& item : value)
                node.items.push_back(read(item));
        } else if (value.isObject()) {
            readMembers(value, node);
        }
        return node;
    }

    std::optional<JsonFault> fault;

private:
    /// jsoncpp has them by name, readers want them in the order of the text.
    void readMembers(const Json::Value& value, JsonNode& node)
    {
        node.type = JsonNode::Type::Object;
        std::vector<Json::Value::const_iterator> members;
        for (auto each = value.begin(); each != value.end(); ++each)
            members.push_back(each);
        std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return a->getOffsetStart() < b->getOffsetStart(); });
        for (const auto& each : members) {
            const qsizetype offset = keyOffset(m_text, each->getOffsetStart());
            if (node.keys.size() >= maxKeys && !fault)
                fault = {offset, u"This object has too many keys."_s, u"at most %1"_s.arg(maxKeys)};
            node.keys << QString::fromStdString(each.name());
            node.keyOffsets.push_back(offset);
            node.items.push_back(read(*each));
        }
    }

    const QByteArray& m_text;
};

tl::expected<Json::Value, JsonFault> parsed(QByteArray text)
{
    text.replace('\r', ' '); // ends a line for jsoncpp, but not for those who number lines
    static const Json::CharReaderBuilder builder = [] {
        Json::CharReaderBuilder made;
        Json::CharReaderBuilder::strictMode(&made.settings_);
        made["strictRoot"] = false; // a check for an object has a better message
        made["skipBom"] = false;
        return made;
    }();
    const std::unique_ptr<Json::CharReader> reader(builder.newCharReader());
    Json::Value root;
    std::string messages;
    try {
        if (reader->parse(text.constBegin(), text.constEnd(), &root, &messages))
            return root;
    } catch (const Json::Exception& exception) {
        return tl::unexpected(JsonFault{0, QString::fromUtf8(exception.what()), u"JSON"_s});
    }
    return tl::unexpected(faultFrom(messages, text));
}

} // namespace

const JsonNode* JsonNode::find(QStringView key) const
{
    const auto at = keys.indexOf(key);
    return at < 0 ? nullptr : &items[static_cast<std::size_t>(at)];
}

QString describe(const JsonNode& node)
{
    switch (node.type) {
    case JsonNode::Type::Null:
        return u"null"_s;
    case JsonNode::Type::Bool:
        return node.boolean ? u"true"_s : u"false"_s;
    case JsonNode::Type::Number:
        return u"the number %1"_s.arg(
            node.isInteger ? QString::number(node.integer) : QString::number(node.number));
    case JsonNode::Type::String:
        return u"the text \"%1\""_s.arg(node.text.size() > 40 ? node.text.left(40) + u'…' : node.text);
    case JsonNode::Type::Array:
        return u"a list"_s;
    case JsonNode::Type::Object:
        break;
    }
    return u"an object"_s;
}

tl::expected<JsonNode, JsonFault> parseJson(const QByteArray& file, NulCharacter nul)
{
    QByteArray text = file;
    if (text.startsWith("\xEF\xBB\xBF"))
        text.replace(0, 3, "   "); // so that the places stay
    if (const auto fault = encodingFault(text))
        return tl::unexpected(*fault);
    TokenCheck tokens(text, nul);
    const auto badToken = tokens.fault();
    const auto root = parsed(badToken ? text.first(tokens.begin()) : text);
    if (badToken && (root || root.error().offset >= tokens.begin()))
        return tl::unexpected(*badToken);
    if (!root)
        return tl::unexpected(root.error());
    NodeReader reader(text);
    JsonNode node = reader.read(*root);
    if (reader.fault)
        return tl::unexpected(*reader.fault);
    return node;
}

TextPlace placeOf(const QByteArray& text, qsizetype offset)
{
    offset = std::clamp<qsizetype>(offset, 0, text.size());
    const qsizetype start = offset == 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
    TextPlace place;
    place.line = static_cast<int>(text.left(start).count('\n')) + 1;
    const QByteArray before = text.mid(start, offset - start);
    place.column = static_cast<int>(std::count_if(before.begin(), before.end(), [](char c) {
        return (c & 0xC0) != 0x80;
    })) + 1;
    return place;
}

} // namespace lockscope::json
