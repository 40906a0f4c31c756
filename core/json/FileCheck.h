// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Engine.h"

#include <QString>
#include <QStringList>

#include <limits>
#include <map>
#include <set>
#include <tl/expected.hpp>
#include <type_traits>
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

/// A fault of a file, and its place.
struct FileFault {
    QString file;
    int line = 0; ///< from 1; 0 = the file as a whole
    int column = 0; ///< from 1, in characters
    QString what; ///< "There is no value ':pice'."
    QString expected{}; ///< "one of :price, :session"; may be empty

    /// "file:line:column: what Expected: …"
    QString toString() const;
    bool operator==(const FileFault&) const = default;
};
using FileFaults = std::vector<FileFault>;

/// Takes the values of one file out of their nodes, and notes what is wrong with them. One file, one thread.
class FileCheck {
public:
    FileCheck(const QByteArray& text, QString file)
        : m_text(text)
        , m_file(std::move(file))
    {
    }

    void note(qsizetype offset, const QString& what, const QString& expected = {});
    void note(const JsonNode& node, const QString& what, const QString& expected = {})
    {
        note(node.offset, what, expected);
    }
    /// "Here is the number 5.", with what was expected.
    void noteOther(const JsonNode& node, const QString& expected);
    /// Sorted by place.
    FileFaults faults() &&;
    bool isFine() const { return m_faults.empty(); }

    /// Returns what `read` makes of the file's one value; all faults if there are any.
    template <class Read>
    auto parsed(const Read& read, NulCharacter nul = NulCharacter::Refused)
        -> tl::expected<std::invoke_result_t<const Read&, const JsonNode&>, FileFaults>
    {
        const auto root = parseJson(m_text, nul);
        if (!root) {
            note(root.error().offset, root.error().what, root.error().expected);
            return tl::unexpected(std::move(*this).faults());
        }
        auto value = read(*root);
        if (!isFine())
            return tl::unexpected(std::move(*this).faults());
        return value;
    }

    /// An object with these keys and no others.
    bool isObject(const JsonNode& node, const QStringList& keys);
    /// A list with something in it. More than `maximum` are a fault, but a list.
    bool isList(const JsonNode& node, const QString& expected,
        std::size_t maximum = std::numeric_limits<std::size_t>::max());
    /// Returns null and adds a fault if it is missing.
    const JsonNode* need(const JsonNode& object, const QString& key);

    QString text(const JsonNode& node); ///< not empty
    QString prose(const JsonNode& node); ///< a text, or lines of one
    QString word(const JsonNode& node, const QStringList& choices);
    bool flag(const JsonNode& node);
    qint64 number(const JsonNode& node, qint64 least, qint64 maximum);

    QString neededText(const JsonNode& object, const QString& key);
    QString optionalText(const JsonNode& object, const QString& key);
    bool optionalFlag(const JsonNode& object, const QString& key);
    qint64 optionalNumber(
        const JsonNode& object, const QString& key, qint64 byDefault, qint64 least, qint64 maximum);

    std::set<Engine> engines(const JsonNode& node);
    /// One value for all engines, or an object with one for each of those that are named.
    template <class Read> auto byEngine(const JsonNode& node, const Read& read)
    {
        std::map<Engine, decltype(read(node))> all;
        if (!node.is(JsonNode::Type::Object)) {
            const auto same = read(node);
            for (const Engine engine : allEngines)
                all.emplace(engine, same);
            return all;
        }
        isObject(node, engineKeys());
        for (qsizetype i = 0; i < node.keys.size(); ++i)
            if (const auto engine = engineOfKey(node.keys[i]))
                all.emplace(*engine, read(node.items[static_cast<std::size_t>(i)]));
        return all;
    }
    static QStringList engineKeys();

private:
    static constexpr std::size_t maxFaults = 50;

    const QByteArray& m_text;
    const QString m_file;
    FileFaults m_faults;
};

} // namespace lockscope::json
