// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/ShownText.h"

#include <QStringDecoder>

#include <algorithm>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

constexpr bool isWithin(char32_t c, char32_t first, char32_t last)
{
    return c >= first && c <= last;
}

/// Formats that print a sign: over and under numbers, and the end of a verse.
constexpr bool isSeen(char32_t c)
{
    return isWithin(c, 0x600, 0x605) || c == 0x6dd || c == 0x70f || c == 0x890 || c == 0x891 || c == 0x8e2
        || c == 0x110bd || c == 0x110cd;
}

/// True for a character that is no format character by its category but prints nothing all the same.
constexpr bool isFiller(char32_t c)
{
    return c == 0x34f || c == 0x115f || c == 0x1160 || c == 0x17b4 || c == 0x17b5
        || isWithin(c, 0x180b, 0x180f) || c == 0x2065 || c == 0x3164 || isWithin(c, 0xfe00, 0xfe0f)
        || c == 0xffa0 || isWithin(c, 0xfff0, 0xfff8) || isWithin(c, 0xe0000, 0xe0fff);
}

bool isPlain(QChar c)
{
    return c.unicode() >= 0x20 && c.unicode() < 0x7f;
}

QString shown(const QString& text, bool inSeveralLines)
{
    if (std::all_of(text.begin(), text.end(), isPlain))
        return text;
    QString line;
    line.reserve(text.size());
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        const bool isPair = c.isHighSurrogate() && i + 1 < text.size() && text[i + 1].isLowSurrogate();
        const char32_t code = isPair ? QChar::surrogateToUcs4(c, text[i + 1]) : c.unicode();
        if (c == u'\n' && inSeveralLines)
            line += c;
        else if (c == u'\n' || c == u'\r' || c == u'\t')
            line += u' ';
        else if (steersCode(code) && isPair)
            line += u"\\U%1"_s.arg(uint(code), 8, 16, QChar(u'0'));
        else if (steersCode(code))
            line += u"\\u%1"_s.arg(uint(code), 4, 16, QChar(u'0'));
        else
            line += QStringView(text).mid(i, isPair ? 2 : 1);
        i += isPair ? 1 : 0;
    }
    return line;
}

} // namespace

bool steersCode(char32_t character)
{
    switch (QChar::category(character)) {
    case QChar::Other_Control:
    case QChar::Separator_Line:
    case QChar::Separator_Paragraph:
        return true;
    case QChar::Other_Format:
        return !isSeen(character);
    default:
        return isFiller(character);
    }
}

bool steers(QChar character)
{
    return !character.isSurrogate() && steersCode(char32_t(character.unicode()));
}

QString inOneLine(const QString& text)
{
    return shown(text, false);
}

QString inLines(const QString& text)
{
    return shown(text, true);
}

QString shellWord(QString text)
{
    return u'\'' + text.replace(u'\'', u"'\\''"_s) + u'\'';
}

namespace {

constexpr char16_t replacement = 0xFFFD;

QString decoded(std::string_view bytes, bool& isWhole)
{
    QStringDecoder decoder(
        QStringDecoder::Utf8, QStringConverter::Flag::Stateless | QStringConverter::Flag::ConvertInitialBom);
    QString text = decoder(QByteArrayView(bytes.data(), static_cast<qsizetype>(bytes.size())));
    isWhole = !decoder.hasError() && !text.contains(QChar(replacement));
    return text;
}

/// Returns the length of the character that begins with this byte; 1 if none does.
size_t lengthOf(unsigned char first)
{
    if (first >= 0xF0 && first < 0xF8)
        return 4;
    if (first >= 0xE0 && first < 0xF0)
        return 3;
    return first >= 0xC0 && first < 0xE0 ? 2 : 1;
}

} // namespace

QString textFromUtf8(std::string_view bytes)
{
    bool isWhole = true;
    QString text = bytes.empty() ? QString() : decoded(bytes, isWhole);
    if (isWhole)
        return text.isNull() ? QStringLiteral("") : text;
    text.clear();
    while (!bytes.empty()) {
        const auto first = static_cast<unsigned char>(bytes.front());
        size_t length = std::min(lengthOf(first), bytes.size());
        const QString character = decoded(bytes.substr(0, length), isWhole);
        if (isWhole) {
            text += character;
        } else {
            length = 1;
            text += QChar(replacement) + u'x' + QString::number(first, 16).toUpper().rightJustified(2, u'0');
        }
        bytes.remove_prefix(length);
    }
    return text;
}

} // namespace lockscope
