// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/ExampleReader.h"

#include "core/base/Duration.h"

#include <QRegularExpression>

#include <limits>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t maxColumns = 200;

/// Returns the beginnings of an example of that kind of lock; each has one of them.
QStringList waysOf(FrameworkLockKind kind)
{
    switch (kind) {
    case FrameworkLockKind::Row:
        return {u"row"_s};
    case FrameworkLockKind::AdvisoryKey:
        return {u"number"_s, u"pair"_s};
    case FrameworkLockKind::ApplicationLock:
        return {u"resource"_s};
    case FrameworkLockKind::Table:
        return {u"table"_s};
    }
    return {};
}

FrameworkExample::Row readColumns(FrameworkCheck& check, const JsonNode& node)
{
    FrameworkExample::Row row;
    if (!node.is(JsonNode::Type::Object) || node.items.empty() || node.items.size() > maxColumns) {
        check.noteOther(node, u"an object: columns and their values"_s);
        return row;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        const FrameworkValue value = check.value(node.items[i]);
        const QString* const text = std::get_if<QString>(&value);
        if (text && text->startsWith(u"{now"_s) && !fromNow(*text))
            check.note(
                node.items[i], u"\"%1\" is no time."_s.arg(*text), u"\"{now-7min}\" or \"{now+1h}\""_s);
        row.emplace_back(node.keys[qsizetype(i)], value);
    }
    return row;
}

void readHolder(FrameworkCheck& check, const JsonNode& node, FrameworkExample& example)
{
    if (!check.isObject(node, {u"host"_s, u"address"_s, u"pid"_s, u"owner"_s, u"program"_s}))
        return;
    for (std::size_t i = 0; i < node.items.size(); ++i)
        example.holder.insert(node.keys[qsizetype(i)], check.plainText(node.items[i], 255));
}

QString readTime(FrameworkCheck& check, const JsonNode& node)
{
    static const QRegularExpression form(u"\\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z\\z"_s);
    if (!node.is(JsonNode::Type::String) || (!fromNow(node.text) && !form.match(node.text).hasMatch()))
        check.noteOther(node, u"a time such as \"{now-7min}\" or \"2026-01-31T10:00:00Z\""_s);
    return node.text;
}

void readKey(FrameworkCheck& check, const JsonNode& node, FrameworkExample& example)
{
    if (const JsonNode* number = node.find(u"number"))
        example.number =
            check.number(*number, std::numeric_limits<qint64>::min(), std::numeric_limits<qint64>::max());
    if (const JsonNode* pair = node.find(u"pair")) {
        if (!pair->is(JsonNode::Type::Array) || pair->items.size() != 2) {
            check.noteOther(*pair, u"a list of two numbers"_s);
        } else {
            const auto part = [&check](const JsonNode& one) {
                return check.number(
                    one, std::numeric_limits<qint32>::min(), std::numeric_limits<qint32>::max());
            };
            example.pair = std::pair(qint32(part(pair->items[0])), qint32(part(pair->items[1])));
        }
    }
    example.objsubid = int(check.optionalNumber(node, u"objsubid"_s, 1, 1, 32'767));
}

} // namespace

std::optional<milliseconds> fromNow(const QString& text)
{
    static const QRegularExpression form(u"\\A\\{now(?:([-+])([0-9]{1,6})(ms|s|min|h|d))?\\}\\z"_s);
    const auto match = form.match(text);
    if (!match.hasMatch())
        return std::nullopt;
    if (!match.hasCaptured(3))
        return milliseconds(0);
    return unitLength(match.capturedView(3)) * (match.captured(1) + match.captured(2)).toLongLong();
}

FrameworkExample readExample(FrameworkCheck& check, const JsonNode& node, const FrameworkLock& lock)
{
    FrameworkExample example;
    const QStringList ways = waysOf(lock.kind);
    QStringList keys{u"meaning"_s, u"schema"_s};
    keys << ways;
    if (lock.kind == FrameworkLockKind::Row)
        keys << u"held"_s << u"holder"_s << u"since"_s << u"expires"_s << u"heartbeat"_s << u"process"_s;
    else
        keys << u"database"_s << u"table"_s << u"name"_s << u"objsubid"_s;
    keys.removeDuplicates();
    if (!check.isObject(node, keys))
        return example;
    check.oneOf(node, ways);
    if (const JsonNode* meaning = check.need(node, u"meaning"_s))
        example.meaning = check.words(*meaning);
    readKey(check, node, example);
    const std::pair<QStringView, QString*> texts[] = {{u"resource", &example.resource},
        {u"database", &example.database}, {u"schema", &example.schema}, {u"table", &example.table},
        {u"name", &example.name}};
    for (const auto& [key, into] : texts)
        if (const JsonNode* text = node.find(key))
            *into = check.plainText(*text, 255);
    if (const JsonNode* row = node.find(u"row"))
        example.row = readColumns(check, *row);
    if (const JsonNode* process = node.find(u"process"))
        example.process = readColumns(check, *process);
    if (const JsonNode* held = node.find(u"held"))
        example.isHeld = check.flag(*held);
    if (const JsonNode* holder = node.find(u"holder"))
        readHolder(check, *holder, example);
    const std::pair<QStringView, QString*> times[] = {
        {u"since", &example.since}, {u"expires", &example.expires}, {u"heartbeat", &example.heartbeat}};
    for (const auto& [key, into] : times)
        if (const JsonNode* time = node.find(key))
            *into = readTime(check, *time);
    return example;
}

} // namespace lockscope::frameworks
