// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>
#include <QStringList>

#include <tl/expected.hpp>

#include <vector>

namespace lockscope::json {

/// One value of a JSON text (RFC 8259) that remembers where it stands, which QJsonDocument does not.
struct JsonNode {
    enum class Type { Null, Bool, Number, String, Array, Object };

    Type type = Type::Null;
    qsizetype offset = 0; ///< of its first byte
    bool boolean = false;
    double number = 0;
    bool isInteger = false;
    qint64 integer = 0; ///< if isInteger
    QString text; ///< of a string
    std::vector<JsonNode> items; ///< of an array; of an object: the values
    QStringList keys; ///< of an object: beside the items, in the order of the text
    std::vector<qsizetype> keyOffsets;

    /// The member of that name, or null.
    const JsonNode* find(QStringView key) const;
    bool is(Type other) const { return type == other; }
};

/// "an object", "the text \"abc\"", "the number 5": what was found, for messages.
QString describe(const JsonNode& node);

struct JsonFault {
    qsizetype offset = 0;
    QString what; ///< "There is no value."
    QString expected; ///< "a value"
};

/// Allows or refuses, in texts, the character NUL ("\u0000"), which no database keeps in a text.
enum class NulCharacter { Refused, Allowed };
/// The whole text is one value. Refused: a key that comes twice, more than 64 levels, what is not UTF-8.
tl::expected<JsonNode, JsonFault> parseJson(const QByteArray& text, NulCharacter nul = NulCharacter::Refused);

/// The place of a byte for a reader: both count from 1, the column in characters.
struct TextPlace {
    int line = 1;
    int column = 1;
    bool operator==(const TextPlace&) const = default;
};
TextPlace placeOf(const QByteArray& text, qsizetype offset);

} // namespace lockscope::json
