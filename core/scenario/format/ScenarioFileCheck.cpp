// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/format/ScenarioFileCheck.h"

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

Amount ScenarioFileCheck::amount(const JsonNode& node, qint64 least, qint64 maximum)
{
    if (node.is(JsonNode::Type::Number) && node.isInteger)
        return {number(node, least, maximum), {}};
    if (node.is(JsonNode::Type::String) && node.text.startsWith(u':') && isPlainIdentifier(node.text.mid(1)))
        return {0, node.text.mid(1)};
    noteOther(node, u"a whole number from %1 to %2, or a value like \":rows\""_s.arg(least).arg(maximum));
    return {least, {}};
}

QString ScenarioFileCheck::name(const JsonNode& node)
{
    if (node.is(JsonNode::Type::String) && isPlainIdentifier(node.text))
        return node.text;
    noteOther(node, u"a name of letters, digits and _"_s);
    return {};
}

QString ScenarioFileCheck::neededName(const JsonNode& object, const QString& key)
{
    const JsonNode* const node = need(object, key);
    return node ? name(*node) : QString();
}

QString ScenarioFileCheck::optionalName(const JsonNode& object, const QString& key, const QString& byDefault)
{
    const JsonNode* const node = object.find(key);
    return node ? name(*node) : byDefault;
}

SqlByEngine ScenarioFileCheck::sql(const JsonNode& node)
{
    return byEngine(node, [this](const JsonNode& text) { return SqlTemplate(prose(text)); });
}

ScriptByEngine ScenarioFileCheck::script(const JsonNode& node)
{
    return byEngine(node, [this](const JsonNode& list) {
        std::vector<SqlTemplate> all;
        if (!list.is(JsonNode::Type::Array))
            noteOther(list, u"a list of statements"_s);
        for (const JsonNode& item : list.items)
            all.emplace_back(prose(item));
        return all;
    });
}

} // namespace lockscope::scenario
