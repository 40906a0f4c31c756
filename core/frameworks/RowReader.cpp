// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/RowReader.h"

#include <QRegularExpression>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

class RowRuleReader {
public:
    RowRuleReader(FrameworkCheck& check, const QList<Engine>& engines)
        : m_check(check)
        , m_engines(engines)
    {
    }

    FrameworkRow read(const JsonNode& node)
    {
        FrameworkRow row;
        if (!m_check.isObject(node,
                {u"held"_s, u"name"_s, u"holder"_s, u"since"_s, u"expires"_s, u"heartbeat"_s, u"dead_after"_s,
                    u"process"_s, u"keeps_session"_s, u"utc_if_finer_than"_s, u"compare"_s, u"update"_s,
                    u"delete"_s, u"never"_s}))
            return row;
        if (const JsonNode* held = node.find(u"held"))
            readHeld(*held, row);
        if (const JsonNode* name = node.find(u"name"))
            row.name = nameTemplate(*name);
        if (const JsonNode* holder = node.find(u"holder"))
            readHolder(*holder, row);
        row.since = m_check.optionalTime(node, u"since"_s, m_engines);
        row.expires = m_check.optionalTime(node, u"expires"_s, m_engines);
        row.heartbeat = m_check.optionalTime(node, u"heartbeat"_s, m_engines);
        if (const JsonNode* process = node.find(u"process"))
            row.process = processTable(*process);
        if (const JsonNode* deadAfter = node.find(u"dead_after")) {
            row.deadAfter = m_check.duration(*deadAfter);
            if (!row.heartbeat && !(row.process && row.process->heartbeat))
                m_check.note(
                    *deadAfter, u"Nothing tells the holder's last sign of life."_s, u"\"heartbeat\" too"_s);
        }
        row.keepsSession = m_check.optionalFlag(node, u"keeps_session"_s);
        if (const JsonNode* finer = node.find(u"utc_if_finer_than"))
            row.utcIfFinerThan = m_check.duration(*finer);
        if (const JsonNode* compare = m_check.need(node, u"compare"_s))
            row.compare = m_check.identifiers(*compare);
        readFreeing(node, row);
        return row;
    }

private:
    void readHeld(const JsonNode& node, FrameworkRow& row)
    {
        if (!node.is(JsonNode::Type::Array))
            m_check.noteOther(node, u"a list of conditions"_s);
        for (const JsonNode& item : node.items)
            row.held.push_back(condition(item));
    }

    FrameworkCondition condition(const JsonNode& node)
    {
        using Is = FrameworkCondition::Is;
        FrameworkCondition condition;
        if (!m_check.isObject(node, {u"column"_s, u"is"_s, u"is_not"_s, u"like"_s, u"future"_s}))
            return condition;
        condition.column = m_check.neededIdentifier(node, u"column"_s);
        const JsonNode* const test = m_check.oneOf(node, {u"is"_s, u"is_not"_s, u"like"_s, u"future"_s});
        if (!test)
            return condition;
        if (test == node.find(u"future")) {
            condition.is = Is::Future;
            condition.time = FrameworkTime{condition.column, m_check.clocks(*test, m_engines)};
        } else if (test == node.find(u"like")) {
            condition.is = Is::Like;
            condition.value = m_check.plainText(*test, 200);
        } else {
            const bool isNull = test->is(JsonNode::Type::Null);
            if (test == node.find(u"is"))
                condition.is = isNull ? Is::Null : Is::Equal;
            else
                condition.is = isNull ? Is::NotNull : Is::NotEqual;
            condition.value = m_check.value(*test);
        }
        return condition;
    }

    QString nameTemplate(const JsonNode& node)
    {
        static const QRegularExpression form(u"\\A(?:[^{}]|\\{[^{}]+\\})+\\z"_s);
        const QString text = m_check.plainText(node, 200);
        if (node.is(JsonNode::Type::String) && (!form.match(text).hasMatch() || !text.contains(u'{')))
            m_check.note(node, u"\"%1\" names no column."_s.arg(text), u"a name such as \"{name}\""_s);
        return text;
    }

    void readHolder(const JsonNode& node, FrameworkRow& row)
    {
        if (!m_check.isObject(node, {u"column"_s, u"pattern"_s}))
            return;
        row.holder = m_check.neededIdentifier(node, u"column"_s);
        if (const JsonNode* pattern = node.find(u"pattern"))
            row.holderPattern = m_check.pattern(*pattern,
                {u"host"_s, u"address"_s, u"pid"_s, u"session"_s, u"owner"_s, u"program"_s, u"since"_s},
                true);
    }

    FrameworkProcessTable processTable(const JsonNode& node)
    {
        FrameworkProcessTable process;
        if (!m_check.isObject(
                node, {u"table"_s, u"key"_s, u"from"_s, u"host"_s, u"process_id"_s, u"heartbeat"_s}))
            return process;
        process.table = m_check.neededIdentifier(node, u"table"_s);
        process.key = m_check.neededIdentifier(node, u"key"_s);
        process.from = m_check.neededIdentifier(node, u"from"_s);
        process.host = m_check.optionalIdentifier(node, u"host"_s);
        process.processId = m_check.optionalIdentifier(node, u"process_id"_s);
        process.heartbeat = m_check.optionalTime(node, u"heartbeat"_s, m_engines);
        return process;
    }

    void readFreeing(const JsonNode& node, FrameworkRow& row)
    {
        const JsonNode* const how = m_check.oneOf(node, {u"update"_s, u"delete"_s, u"never"_s});
        if (!how)
            return;
        if (how != node.find(u"update")) {
            m_check.onlyTrue(*how);
            row.mayBeFreed = how == node.find(u"delete");
        } else if (!how->is(JsonNode::Type::Object) || how->items.empty()) {
            m_check.noteOther(*how, u"an object: columns and their new values"_s);
        } else {
            for (qsizetype i = 0; i < how->keys.size(); ++i)
                row.update.emplace_back(column(*how, i), newValue(how->items[static_cast<std::size_t>(i)]));
        }
    }

    /// A name of a column that is a key of the file.
    QString column(const JsonNode& object, qsizetype index)
    {
        JsonNode key;
        key.type = JsonNode::Type::String;
        key.offset = object.keyOffsets[static_cast<std::size_t>(index)];
        key.text = object.keys[index];
        return m_check.identifier(key);
    }

    FrameworkValue newValue(const JsonNode& node)
    {
        static const QRegularExpression form(u"\\A(?:[^{}]*|\\{[^{}]+\\}(?:\\+1)?)\\z"_s);
        const FrameworkValue value = m_check.value(node);
        if (node.is(JsonNode::Type::String) && !form.match(node.text).hasMatch())
            m_check.note(node, u"\"%1\" is no new value."_s.arg(node.text),
                u"a text without braces, \"{column}\" or \"{column}+1\""_s);
        return value;
    }

    FrameworkCheck& m_check;
    const QList<Engine>& m_engines;
};

} // namespace

FrameworkRow readRow(FrameworkCheck& check, const JsonNode& node, const QList<Engine>& engines)
{
    return RowRuleReader(check, engines).read(node);
}

} // namespace lockscope::frameworks
