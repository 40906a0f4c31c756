// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/json/FileCheck.h"

#include "core/base/Sentences.h"

#include <algorithm>

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

} // namespace lockscope::json
