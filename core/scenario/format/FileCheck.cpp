// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/format/FileCheck.h"

#include "core/domain/EngineKey.h"

#include <algorithm>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

QStringList engineKeys()
{
    QStringList keys;
    for (const Engine engine : allEngines)
        keys << engineKey(engine);
    return keys;
}

} // namespace

void FileCheck::note(qsizetype offset, const QString& what, const QString& expected)
{
    if (m_faults.size() >= mostFaults)
        return;
    const TextPlace place = placeOf(m_text, offset);
    const FileFault fault{m_file, place.line, place.column, what, expected};
    // A part that several variants share is looked at by each of them.
    if (std::find(m_faults.begin(), m_faults.end(), fault) == m_faults.end())
        m_faults.push_back(fault);
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
        note(node, u"Here is %1."_s.arg(describe(node)), u"an object with %1"_s.arg(keys.join(u", "_s)));
        return false;
    }
    for (qsizetype i = 0; i < node.keys.size(); ++i)
        if (!keys.contains(node.keys[i]))
            note(node.keyOffsets[static_cast<std::size_t>(i)],
                u"The key \"%1\" is unknown here."_s.arg(node.keys[i]), u"one of "_s + keys.join(u", "_s));
    return true;
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
        note(node, u"Here is %1."_s.arg(describe(node)), u"a text"_s);
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
            note(line, u"Here is %1."_s.arg(describe(line)), u"a line of the text"_s);
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
    note(node, u"Here is %1."_s.arg(describe(node)), u"one of "_s + choices.join(u", "_s));
    return choices.value(0);
}

bool FileCheck::flag(const JsonNode& node)
{
    if (!node.is(JsonNode::Type::Bool))
        note(node, u"Here is %1."_s.arg(describe(node)), u"true or false"_s);
    return node.boolean;
}

qint64 FileCheck::number(const JsonNode& node, qint64 least, qint64 most)
{
    if (node.is(JsonNode::Type::Number) && node.isInteger && node.integer >= least && node.integer <= most)
        return node.integer;
    note(node, u"Here is %1."_s.arg(describe(node)), u"a whole number from %1 to %2"_s.arg(least).arg(most));
    return least;
}

Amount FileCheck::amount(const JsonNode& node, qint64 least, qint64 most)
{
    if (node.is(JsonNode::Type::Number) && node.isInteger)
        return {number(node, least, most), {}};
    if (node.is(JsonNode::Type::String) && node.text.startsWith(u':') && isPlainIdentifier(node.text.mid(1)))
        return {0, node.text.mid(1)};
    note(node, u"Here is %1."_s.arg(describe(node)),
        u"a whole number from %1 to %2, or a value like \":rows\""_s.arg(least).arg(most));
    return {least, {}};
}

QString FileCheck::name(const JsonNode& node)
{
    if (node.is(JsonNode::Type::String) && isPlainIdentifier(node.text))
        return node.text;
    note(node, u"Here is %1."_s.arg(describe(node)), u"a name of letters, digits and _"_s);
    return {};
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

QString FileCheck::neededName(const JsonNode& object, const QString& key)
{
    const JsonNode* const node = need(object, key);
    return node ? name(*node) : QString();
}

QString FileCheck::optionalName(const JsonNode& object, const QString& key, const QString& byDefault)
{
    const JsonNode* const node = object.find(key);
    return node ? name(*node) : byDefault;
}

bool FileCheck::optionalFlag(const JsonNode& object, const QString& key)
{
    const JsonNode* const node = object.find(key);
    return node && flag(*node);
}

qint64 FileCheck::optionalNumber(
    const JsonNode& object, const QString& key, qint64 byDefault, qint64 least, qint64 most)
{
    const JsonNode* const node = object.find(key);
    return node ? number(*node, least, most) : byDefault;
}

std::set<Engine> FileCheck::engines(const JsonNode& node)
{
    std::set<Engine> engines;
    if (!node.is(JsonNode::Type::Array) || node.items.empty()) {
        note(node, u"Here is %1."_s.arg(node.items.empty() ? u"nothing"_s : describe(node)),
            u"a list of engines: "_s + engineKeys().join(u", "_s));
        return engines;
    }
    for (const JsonNode& item : node.items)
        if (const auto engine = engineOfKey(word(item, engineKeys())))
            engines.insert(*engine);
    return engines;
}

template <class Read> auto FileCheck::byEngine(const JsonNode& node, const Read& read)
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

SqlByEngine FileCheck::sql(const JsonNode& node)
{
    return byEngine(node, [this](const JsonNode& text) { return SqlTemplate(prose(text)); });
}

ScriptByEngine FileCheck::script(const JsonNode& node)
{
    return byEngine(node, [this](const JsonNode& list) {
        std::vector<SqlTemplate> all;
        if (!list.is(JsonNode::Type::Array))
            note(list, u"Here is %1."_s.arg(describe(list)), u"a list of statements"_s);
        for (const JsonNode& item : list.items)
            all.emplace_back(prose(item));
        return all;
    });
}

} // namespace lockscope::scenario
