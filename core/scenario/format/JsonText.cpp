// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/format/JsonText.h"

#include <QStringDecoder>

#include <algorithm>
#include <charconv>
#include <optional>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr int deepest = 64;
constexpr qsizetype mostKeys = 1'000;

bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// One pass over the text. Every function returns false as soon as m_fault is set.
class Parser {
public:
    explicit Parser(const QByteArray& text)
        : m_text(text)
    {
    }

    tl::expected<JsonNode, JsonFault> parse()
    {
        JsonNode root;
        if (checkEncoding() && value(root, 0) && atEnd())
            return root;
        return tl::unexpected(*m_fault);
    }

private:
    bool fail(qsizetype offset, const QString& what, const QString& expected)
    {
        m_fault = JsonFault{offset, what, expected};
        return false;
    }

    bool checkEncoding()
    {
        if (m_text.startsWith("\xEF\xBB\xBF"))
            m_at = 3;
        if (QUtf8StringView(m_text).isValidUtf8())
            return true;
        qsizetype line = 0;
        for (qsizetype end = 0; end >= 0; line = end + 1) {
            end = m_text.indexOf('\n', line);
            const auto length = (end < 0 ? m_text.size() : end) - line;
            if (!QUtf8StringView(m_text.constData() + line, length).isValidUtf8())
                return fail(line, u"This line is not UTF-8."_s, u"text in UTF-8"_s);
        }
        return fail(0, u"The text is not UTF-8."_s, u"text in UTF-8"_s);
    }

    char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
    bool ended() const { return m_at >= m_text.size(); }
    void skipBlanks()
    {
        while (!ended() && isBlank(m_text[m_at]))
            ++m_at;
    }

    bool atEnd()
    {
        skipBlanks();
        return ended() || fail(m_at, u"There is more after the end of the value."_s, u"nothing"_s);
    }

    /// What stands here, for a message.
    QString here() const
    {
        if (ended())
            return u"The text ends here."_s;
        qsizetype length = 1;
        while (m_at + length < m_text.size() && (m_text[m_at + length] & 0xC0) == 0x80)
            ++length;
        return u"'%1' can't stand here."_s.arg(QString::fromUtf8(m_text.mid(m_at, length)));
    }

    bool value(JsonNode& node, int depth)
    {
        skipBlanks();
        node.offset = m_at;
        if (depth > deepest)
            return fail(m_at, u"The text is nested too deeply."_s, u"at most %1 levels"_s.arg(deepest));
        const char c = peek();
        if (c == '{' && !ended())
            return object(node, depth);
        if (c == '[')
            return array(node, depth);
        if (c == '"') {
            node.type = JsonNode::Type::String;
            return string(node.text);
        }
        if (c == '-' || isDigit(c))
            return number(node);
        return word(node, "true", JsonNode::Type::Bool) || word(node, "false", JsonNode::Type::Bool)
            || word(node, "null", JsonNode::Type::Null) || fail(m_at, here(), u"a value"_s);
    }

    bool word(JsonNode& node, QByteArrayView text, JsonNode::Type type)
    {
        if (!QByteArrayView(m_text).sliced(m_at).startsWith(text))
            return false;
        node.type = type;
        node.boolean = text == "true";
        m_at += text.size();
        return true;
    }

    bool object(JsonNode& node, int depth)
    {
        node.type = JsonNode::Type::Object;
        ++m_at;
        skipBlanks();
        if (peek() == '}') {
            ++m_at;
            return true;
        }
        for (;;) {
            skipBlanks();
            if (peek() != '"')
                return fail(m_at, here(), u"a key in quotes"_s);
            const qsizetype offset = m_at;
            QString key;
            if (!string(key))
                return false;
            if (node.keys.contains(key))
                return fail(offset, u"The key \"%1\" is there twice."_s.arg(key), u"each key once"_s);
            if (node.keys.size() >= mostKeys)
                return fail(offset, u"This object has too many keys."_s, u"at most %1"_s.arg(mostKeys));
            skipBlanks();
            if (peek() != ':')
                return fail(m_at, here(), u"':' after the key"_s);
            ++m_at;
            node.keys << key;
            node.keyOffsets.push_back(offset);
            if (!value(node.items.emplace_back(), depth + 1))
                return false;
            skipBlanks();
            const char c = peek();
            if (c != ',' && c != '}')
                return fail(m_at, here(), u"',' or '}'"_s);
            ++m_at;
            if (c == '}')
                return true;
        }
    }

    bool array(JsonNode& node, int depth)
    {
        node.type = JsonNode::Type::Array;
        ++m_at;
        skipBlanks();
        if (peek() == ']') {
            ++m_at;
            return true;
        }
        for (;;) {
            if (!value(node.items.emplace_back(), depth + 1))
                return false;
            skipBlanks();
            const char c = peek();
            if (c != ',' && c != ']')
                return fail(m_at, here(), u"',' or ']'"_s);
            ++m_at;
            if (c == ']')
                return true;
        }
    }

    bool string(QString& text)
    {
        const qsizetype start = m_at++;
        QByteArray plain;
        const auto flush = [&] {
            text += QString::fromUtf8(plain);
            plain.clear();
        };
        for (;; ++m_at) {
            if (ended())
                return fail(start, u"This text has no end."_s, u"a closing quote"_s);
            const char c = m_text[m_at];
            if (c == '"')
                break;
            if (static_cast<unsigned char>(c) < 0x20)
                return fail(m_at, u"A text can't hold a line break or another control character."_s,
                    u"\\n, or a list of lines"_s);
            if (c != '\\') {
                plain += c;
                continue;
            }
            ++m_at;
            flush();
            if (!escape(text))
                return false;
        }
        ++m_at;
        flush();
        if (!text.isValidUtf16())
            return fail(start, u"This text holds half of a character."_s, u"\\u escapes in pairs"_s);
        if (text.contains(QChar(0)))
            return fail(start, u"This text holds a NUL character."_s, u"text that a database can keep"_s);
        return true;
    }

    bool escape(QString& text)
    {
        static constexpr std::pair<char, char16_t> plain[] = {{'"', u'"'}, {'\\', u'\\'}, {'/', u'/'},
            {'b', u'\b'}, {'f', u'\f'}, {'n', u'\n'}, {'r', u'\r'}, {'t', u'\t'}};
        const char c = peek();
        for (const auto& [from, to] : plain) {
            if (c == from) {
                text += QChar(to);
                return true;
            }
        }
        const QByteArray digits = m_text.mid(m_at + 1, 4);
        unsigned code = 0;
        const char* end = digits.constData() + digits.size();
        if (c == 'u' && digits.size() == 4 && std::from_chars(digits.constData(), end, code, 16).ptr == end) {
            text += QChar(static_cast<char16_t>(code));
            m_at += 4;
            return true;
        }
        return fail(
            m_at - 1, u"There is no such escape."_s, u"\\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\uXXXX"_s);
    }

    bool digits()
    {
        const qsizetype start = m_at;
        while (isDigit(peek()))
            ++m_at;
        return m_at > start || fail(m_at, here(), u"a digit"_s);
    }

    bool number(JsonNode& node)
    {
        node.type = JsonNode::Type::Number;
        const qsizetype start = m_at;
        if (peek() == '-')
            ++m_at;
        if (peek() == '0' && m_at + 1 < m_text.size() && isDigit(m_text[m_at + 1]))
            return fail(m_at, u"A number can't begin with 0."_s, u"a number without leading zeros"_s);
        if (!digits())
            return false;
        bool isInteger = true;
        if (peek() == '.') {
            isInteger = false;
            ++m_at;
            if (!digits())
                return false;
        }
        if (peek() == 'e' || peek() == 'E') {
            isInteger = false;
            ++m_at;
            if (peek() == '+' || peek() == '-')
                ++m_at;
            if (!digits())
                return false;
        }
        const QByteArray text = m_text.mid(start, m_at - start);
        bool fits = false;
        node.number = text.toDouble(&fits);
        if (!fits)
            return fail(start, u"This number is too large."_s, u"a number that a double can hold"_s);
        if (isInteger)
            node.integer = text.toLongLong(&node.isInteger);
        return true;
    }

    const QByteArray& m_text;
    qsizetype m_at = 0;
    std::optional<JsonFault> m_fault;
};

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

tl::expected<JsonNode, JsonFault> parseJson(const QByteArray& text)
{
    return Parser(text).parse();
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

} // namespace lockscope::scenario
