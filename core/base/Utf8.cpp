// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Utf8.h"

#include <QStringDecoder>

#include <algorithm>

namespace lockscope {

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
