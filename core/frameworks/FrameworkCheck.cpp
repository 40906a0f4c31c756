// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/FrameworkFile.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"

#include <QRegularExpression>

#include <algorithm>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxIdentifierLength = 128;
constexpr qsizetype maxPatternLength = 500;
constexpr std::size_t maxIdentifiers = 200;

constexpr std::pair<QStringView, FrameworkClock> clockNames[] = {{u"utc", FrameworkClock::Utc},
    {u"server", FrameworkClock::Server}, {u"application", FrameworkClock::Application},
    {u"epoch seconds", FrameworkClock::EpochSeconds},
    {u"epoch milliseconds", FrameworkClock::EpochMilliseconds}, {u"net ticks", FrameworkClock::NetTicks},
    {u"iso text", FrameworkClock::IsoText}};

bool isControl(QChar c)
{
    return c.category() == QChar::Other_Control || c.category() == QChar::Other_Format;
}

bool hasControls(const QString& text)
{
    return std::ranges::any_of(text, isControl);
}

} // namespace

QString FrameworkCheck::words(const JsonNode& node, qsizetype longest)
{
    const QString words = text(node);
    if (words.size() > longest)
        note(node, u"This text is too long."_s, u"at most %1 characters"_s.arg(longest));
    if (std::ranges::any_of(words, [](QChar c) { return c != u'\n' && isControl(c); }))
        note(node, u"This text holds a control character."_s, u"words"_s);
    return words;
}

QString FrameworkCheck::title(const JsonNode& node, qsizetype longest)
{
    const QString title = words(node, longest);
    if (title.contains(u'\n') || title != title.trimmed())
        note(node, u"A name is one line, without blanks around it."_s);
    return title;
}

QString FrameworkCheck::plainText(const JsonNode& node, qsizetype longest)
{
    if (!node.is(JsonNode::Type::String))
        noteOther(node, u"a text"_s);
    else if (node.text.size() > longest)
        note(node, u"This text is too long."_s, u"at most %1 characters"_s.arg(longest));
    else if (hasControls(node.text))
        note(node, u"This text holds a control character."_s, u"a text in one line"_s);
    return node.text;
}

QStringList FrameworkCheck::plainTexts(const JsonNode& node, std::size_t maximum, qsizetype longest)
{
    if (!isList(node, u"a list of texts"_s, maximum))
        return {};
    return textOfEach(node.items, [&](const JsonNode& item) { return plainText(item, longest); });
}

QString FrameworkCheck::identifier(const JsonNode& node)
{
    if (node.is(JsonNode::Type::String) && node.text.isEmpty())
        note(node, u"This name is empty."_s);
    return plainText(node, maxIdentifierLength);
}

QStringList FrameworkCheck::identifiers(const JsonNode& node)
{
    QStringList names;
    if (!isList(node, u"a list of names"_s))
        return names;
    if (node.items.size() > maxIdentifiers)
        note(node, u"These are too many."_s, u"at most %1"_s.arg(maxIdentifiers));
    for (const JsonNode& item : node.items) {
        const QString name = identifier(item);
        if (names.contains(name, Qt::CaseInsensitive))
            note(item, u"The name \"%1\" is there twice."_s.arg(name), u"each name once"_s);
        names << name;
    }
    return names;
}

milliseconds FrameworkCheck::duration(const JsonNode& node)
{
    static const QRegularExpression form(u"\\A([0-9]{1,9})(ms|s|min|h|d)\\z"_s);
    constexpr milliseconds longest = std::chrono::hours(24 * 10'000);
    if (node.is(JsonNode::Type::String)) {
        const auto match = form.match(node.text);
        if (match.hasMatch())
            if (const milliseconds length =
                    match.captured(1).toLongLong() * unitLength(match.capturedView(2));
                length <= longest)
                return length;
    }
    noteOther(node, u"a duration such as \"30s\", \"10min\", \"4h\""_s);
    return {};
}

FrameworkValue FrameworkCheck::value(const JsonNode& node)
{
    if (node.is(JsonNode::Type::Null))
        return std::monostate();
    if (node.is(JsonNode::Type::Bool))
        return node.boolean;
    if (node.is(JsonNode::Type::Number) && node.isInteger)
        return node.integer;
    if (node.is(JsonNode::Type::String))
        return plainText(node, 1'000);
    noteOther(node, u"null, true, false, a whole number or a text"_s);
    return {};
}

FrameworkTable FrameworkCheck::table(const JsonNode& node)
{
    FrameworkTable table;
    if (!isObject(node, {u"names"_s, u"schemas"_s, u"columns"_s, u"without"_s}))
        return table;
    const auto read = [&](QStringView key, QStringList& into) {
        if (const JsonNode* names = node.find(key))
            into = identifiers(*names);
    };
    read(u"names", table.names);
    read(u"schemas", table.schemas);
    read(u"columns", table.columns);
    read(u"without", table.without);
    if (!node.find(u"names") && !node.find(u"columns"))
        note(node, u"Nothing says which table it is."_s, u"the key \"names\", \"columns\" or both"_s);
    const bool isAny = table.names.isEmpty() || table.names.contains(u"*"_s);
    if (isAny && table.columns.isEmpty() && node.find(u"names"))
        note(node, u"This is every table."_s, u"names of columns"_s);
    return table;
}

std::vector<FrameworkTable> FrameworkCheck::tables(const JsonNode& node)
{
    std::vector<FrameworkTable> tables;
    if (isList(node, u"a list of tables"_s))
        for (const JsonNode& item : node.items)
            tables.push_back(table(item));
    return tables;
}

QMap<Engine, FrameworkClock> FrameworkCheck::clocks(const JsonNode& node, const QList<Engine>& engines)
{
    const QStringList names = textOfEach(clockNames, [](const auto& each) { return each.first.toString(); });
    const auto all = byEngine(node, [&](const JsonNode& one) {
        return clockNames[std::max<qsizetype>(0, names.indexOf(word(one, names)))].second;
    });
    QMap<Engine, FrameworkClock> clocks;
    for (const Engine engine : engines) {
        if (const auto found = all.find(engine); found != all.end())
            clocks.insert(engine, found->second);
        else
            note(node, u"There is no clock for %1."_s.arg(engineName(engine)),
                u"the key \"%1\""_s.arg(engineKey(engine)));
    }
    return clocks;
}

FrameworkTime FrameworkCheck::time(const JsonNode& node, const QList<Engine>& engines)
{
    FrameworkTime time;
    if (!isObject(node, {u"column"_s, u"clock"_s, u"after"_s}))
        return time;
    time.column = neededIdentifier(node, u"column"_s);
    if (const JsonNode* clock = need(node, u"clock"_s))
        time.clocks = clocks(*clock, engines);
    if (const JsonNode* after = node.find(u"after"))
        time.after = duration(*after);
    return time;
}

QString FrameworkCheck::pattern(const JsonNode& node, const QStringList& groups, bool needsGroup)
{
    const QString pattern = plainText(node, maxPatternLength);
    const QRegularExpression whole = wholePattern(pattern);
    if (!node.is(JsonNode::Type::String))
        return {};
    if (pattern.isEmpty()) {
        note(node, u"This pattern is empty."_s, u"a regular expression"_s);
    } else if (!whole.isValid()) {
        note(node, u"This is no regular expression: %1."_s.arg(whole.errorString()),
            u"one over the whole value"_s);
    } else {
        bool hasGroup = false;
        for (const QString& group : whole.namedCaptureGroups()) {
            hasGroup = hasGroup || groups.contains(group);
            if (!group.isEmpty() && !groups.contains(group))
                note(node, u"The group \"%1\" is unknown here."_s.arg(group),
                    u"one of "_s + groups.join(u", "_s));
        }
        if (needsGroup && !hasGroup)
            note(node, u"This pattern has no named group."_s, u"(?<%1>…)"_s.arg(groups.first()));
        if (matchWhole(whole, QString()))
            note(node, u"This pattern matches an empty text."_s, u"one that needs some text"_s);
    }
    return pattern;
}

void FrameworkCheck::onlyTrue(const JsonNode& node)
{
    if (!node.is(JsonNode::Type::Bool) || !node.boolean)
        noteOther(node, u"true"_s);
}

const JsonNode* FrameworkCheck::oneOf(const JsonNode& object, const QStringList& keys)
{
    const JsonNode* found = nullptr;
    QString first;
    for (const QString& key : keys) {
        const JsonNode* const node = object.find(key);
        if (node && found) {
            note(*node, u"Here are both \"%1\" and \"%2\"."_s.arg(first, key),
                u"one of "_s + keys.join(u", "_s));
            return nullptr;
        }
        if (node) {
            found = node;
            first = key;
        }
    }
    if (!found)
        note(object, u"Something is missing here."_s, u"one of "_s + keys.join(u", "_s));
    return found;
}

QString FrameworkCheck::neededWords(const JsonNode& object, const QString& key)
{
    const JsonNode* const node = need(object, key);
    return node ? words(*node) : QString();
}

QString FrameworkCheck::optionalWords(const JsonNode& object, const QString& key)
{
    const JsonNode* const node = object.find(key);
    return node ? words(*node) : QString();
}

QString FrameworkCheck::neededIdentifier(const JsonNode& object, const QString& key)
{
    const JsonNode* const node = need(object, key);
    return node ? identifier(*node) : QString();
}

QString FrameworkCheck::optionalIdentifier(const JsonNode& object, const QString& key)
{
    const JsonNode* const node = object.find(key);
    return node ? identifier(*node) : QString();
}

std::optional<FrameworkTime> FrameworkCheck::optionalTime(
    const JsonNode& object, const QString& key, const QList<Engine>& engines)
{
    const JsonNode* const node = object.find(key);
    return node ? std::optional(time(*node, engines)) : std::nullopt;
}

QStringList FrameworkCheck::addresses(const JsonNode& object, const QString& key)
{
    static const QRegularExpression form(u"\\Ahttps://[^\\s\"<>]+\\z"_s);
    QStringList addresses;
    const JsonNode* const node = object.find(key);
    if (!node)
        return addresses;
    if (!node->is(JsonNode::Type::Array))
        noteOther(*node, u"a list of addresses"_s);
    for (const JsonNode& item : node->items) {
        if (!item.is(JsonNode::Type::String) || !form.match(item.text).hasMatch() || hasControls(item.text)
            || item.text.size() > 500)
            noteOther(item, u"an address such as \"https://example.org/page\""_s);
        addresses << item.text;
    }
    return addresses;
}

} // namespace lockscope::frameworks
