// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Changes of a rules file that leave all else of its text as it is.

#include "core/alert/rules/RuleFile.h"
#include "core/base/Duration.h"
#include "core/json/FileCheck.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

using json::JsonNode;

namespace {

QJsonValue levelJson(Condition condition, double value)
{
    return conditionInfo(condition).unit == Unit::Duration ? QJsonValue(levelText(condition, value))
                                                           : QJsonValue(value);
}

QJsonObject scopeJson(const Scope& scope)
{
    QJsonObject json;
    for (const auto& [key, list] : scopeLists)
        if (!(scope.*list).isEmpty())
            json.insert(key, QJsonArray::fromStringList(scope.*list));
    QJsonArray times;
    for (const TimeRange& range : scope.times) {
        QJsonArray days;
        for (int day = 0; day < 7; ++day)
            if ((range.days >> day & 1) != 0)
                days.append(dayNames()[day]);
        times.append(QJsonObject{
            {u"days"_s, days}, {u"from"_s, minuteText(range.from)}, {u"to"_s, minuteText(range.to)}});
    }
    if (!times.isEmpty())
        json.insert(u"times"_s, times);
    return json;
}

/// The text of an object with its members in the order in which they were added, which QJsonObject would not
/// keep.
class ItemText {
public:
    void add(const char* key, const QJsonValue& value)
    {
        addRaw(key, QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact).sliced(1).chopped(1));
    }
    void addUnlessEmpty(const char* key, const QString& text)
    {
        if (!text.isEmpty())
            add(key, text);
    }
    void addUnlessEmpty(const char* key, const QStringList& texts)
    {
        if (!texts.isEmpty())
            add(key, QJsonArray::fromStringList(texts));
    }
    /// `value` as it stands in a file; empty: there is none.
    void addRaw(const char* key, const QByteArray& value)
    {
        if (!value.isEmpty())
            m_lines << QByteArray("      \"") + key + "\": " + value;
    }
    QByteArray toText() const { return "{\n" + m_lines.join(",\n") + "\n    }"; }

private:
    QByteArrayList m_lines;
};

// Each in the order of the schema, with the comment that the item had.

QByteArray textOf(const Rule& rule, const QByteArray& comment)
{
    ItemText text;
    text.add("name", rule.name);
    text.addRaw("comment", comment);
    text.add("when", QString::fromUtf16(conditionInfo(rule.condition).key));
    QJsonArray levels;
    for (const RuleLevel& level : rule.levels)
        levels.append(QJsonObject{{u"severity"_s, severityName(level.severity)},
            {u"from"_s, levelJson(rule.condition, level.from)}, {u"for"_s, durationText(level.hold)}});
    text.add("levels", levels);
    if (rule.clearBelow)
        text.add("clear_below", levelJson(rule.condition, *rule.clearBelow));
    text.add("keep_firing_for", durationText(rule.keepFiring));
    if (!rule.scope.isUnlimited())
        text.add("only", scopeJson(rule.scope));
    text.addUnlessEmpty("text", rule.text);
    text.addUnlessEmpty("channels", rule.channels);
    if (!rule.isOn)
        text.add("on", false);
    return text.toText();
}

QByteArray textOf(const MaintenanceWindow& window, const QByteArray& comment)
{
    ItemText text;
    text.addRaw("comment", comment);
    if (!window.scope.isUnlimited())
        text.add("only", scopeJson(window.scope));
    if (window.from)
        text.add("from", window.from->toUTC().toString(Qt::ISODate));
    if (window.to)
        text.add("to", window.to->toUTC().toString(Qt::ISODate));
    text.add("why", window.why);
    return text.toText();
}

QByteArray textOf(const ChannelSettings& channel, const QByteArray& comment)
{
    ItemText text;
    text.add("name", channel.name);
    text.addRaw("comment", comment);
    text.add("kind", channelKinds()[qsizetype(channel.kind)]);
    if (channel.form != ChannelSettings::Form::Own)
        text.add("form", webhookForms()[qsizetype(channel.form)]);
    text.addUnlessEmpty("url", channel.url);
    text.addUnlessEmpty("secret", channel.secret);
    text.addUnlessEmpty("user", channel.user);
    text.addUnlessEmpty("from", channel.from);
    text.addUnlessEmpty("to", channel.to);
    text.addUnlessEmpty("command", channel.command);
    if (channel.minSeverity != Severity::Warning)
        text.add("min_severity", severityName(channel.minSeverity));
    if (channel.sendsStatements)
        text.add("statements", true);
    if (!channel.sendsResolved)
        text.add("resolved", false);
    return text.toText();
}

/// Returns the place behind the text, list or object that begins at `from`. The text is known to be JSON.
qsizetype endOfValue(const QByteArray& text, qsizetype from)
{
    int depth = 0;
    bool isInText = false;
    for (qsizetype at = from; at < text.size(); ++at) {
        const char c = text[at];
        if (isInText && c == '\\')
            ++at;
        else if (c == '"')
            isInText = !isInText;
        else if (isInText)
            continue;
        else if (c == '{' || c == '[')
            ++depth;
        else if (c == '}' || c == ']')
            --depth;
        if (depth == 0 && !isInText)
            return at + 1;
    }
    return text.size();
}

// Of each kind: its list in the file, and how to find one there.

const std::vector<Rule>& listOf(const RuleSet& set, const Rule&)
{
    return set.rules;
}
const std::vector<MaintenanceWindow>& listOf(const RuleSet& set, const MaintenanceWindow&)
{
    return set.maintenance;
}
const std::vector<ChannelSettings>& listOf(const RuleSet& set, const ChannelSettings&)
{
    return set.channels;
}
bool isSameItem(const MaintenanceWindow& item, const MaintenanceWindow& other)
{
    return item == other;
}
template <class Named> bool isSameItem(const Named& item, const Named& other)
{
    return item.name == other.name;
}
QString keyOf(const RuleFileItem& item)
{
    static const QStringList keys{u"rules"_s, u"maintenance"_s, u"channels"_s};
    return keys[qsizetype(item.index())];
}

/// The place of an item in its list; -1: it is not there.
template <class Item> qsizetype indexIn(const RuleSet& set, const Item& item)
{
    const std::vector<Item>& list = listOf(set, item);
    const auto found =
        std::ranges::find_if(list, [&item](const Item& each) { return isSameItem(each, item); });
    return found == list.end() ? -1 : found - list.begin();
}

RuleFileItem itemAt(const RuleSet& set, const RuleFileItem& like, qsizetype index)
{
    return std::visit([&](const auto& item) { return RuleFileItem(listOf(set, item)[size_t(index)]); }, like);
}

QByteArray removed(const QByteArray& text, const JsonNode& list, qsizetype index)
{
    const auto at = size_t(index);
    const qsizetype from = list.items[at].offset;
    if (at + 1 < list.items.size())
        return text.first(from) + text.sliced(list.items[at + 1].offset);
    const qsizetype end = endOfValue(text, from);
    if (at == 0)
        return text.first(list.offset + 1) + text.sliced(text.indexOf(']', end));
    return text.first(endOfValue(text, list.items[at - 1].offset)) + text.sliced(end);
}

QByteArray added(const QByteArray& text, const JsonNode& root, const QString& key, const QByteArray& item)
{
    const JsonNode* const list = root.find(key);
    if (!list) {
        const qsizetype inside = root.offset + 1;
        return text.first(inside) + "\n  \"" + key.toLatin1() + "\": [\n    " + item + "\n  ]"
            + (root.items.empty() ? "\n" : ",") + text.sliced(inside);
    }
    if (list->items.empty())
        return text.first(list->offset + 1) + "\n    " + item + "\n  "
            + text.sliced(text.indexOf(']', list->offset));
    const qsizetype end = endOfValue(text, list->items.back().offset);
    return text.first(end) + ",\n    " + item + text.sliced(end);
}

QByteArray replaced(const QByteArray& text, const JsonNode& node, const RuleFileItem& after)
{
    const JsonNode* const comment = node.find(u"comment");
    const QByteArray raw = comment
        ? text.sliced(comment->offset, endOfValue(text, comment->offset) - comment->offset)
        : QByteArray();
    return text.first(node.offset) + std::visit([&raw](const auto& item) { return textOf(item, raw); }, after)
        + text.sliced(endOfValue(text, node.offset));
}

/// Returns why the change makes no sense for the file as it is now.
std::optional<Error> reasonAgainst(const RuleFileChange& change, const RuleSet& set, qsizetype index)
{
    const auto bad = [](const QString& what, const QString& hint = {}) {
        return Error{.kind = ErrorKind::BadInput, .what = what, .hint = hint};
    };
    const Rule* const rule = change.before ? std::get_if<Rule>(&*change.before) : nullptr;
    const bool isDefault = rule && defaultRules().rule(rule->name);
    if (change.before && index < 0 && !(isDefault && change.after))
        return bad(isDefault ? u"The %1 comes with Lockscope: it can be turned off, but not removed."_s.arg(
                       titleOf(*change.before))
                             : u"The %1 is not in the rules file any more."_s.arg(titleOf(*change.before)));
    if (index >= 0 && itemAt(set, *change.before, index) != *change.before)
        return Error{.kind = ErrorKind::Changed,
            .what = u"The %1 was changed in the rules file meanwhile."_s.arg(titleOf(*change.before)),
            .hint = u"Close the form and open it again."_s};
    const bool keepsItsName = change.before && change.after
        && std::visit(
            [](const auto& before, const auto& after) {
                if constexpr (std::is_same_v<decltype(before), decltype(after)>)
                    return isSameItem(before, after);
                else
                    return false;
            },
            *change.before, *change.after);
    const bool isTaken = change.after && !keepsItsName
        && std::visit([&](const auto& item) { return indexIn(set, item) >= 0; }, *change.after);
    const Rule* const made = change.after ? std::get_if<Rule>(&*change.after) : nullptr;
    if (isTaken || (made && !keepsItsName && defaultRules().rule(made->name)))
        return bad(u"There is a %1 already."_s.arg(titleOf(*change.after)));
    return std::nullopt;
}

} // namespace

QString titleOf(const RuleFileItem& item)
{
    if (const auto* rule = std::get_if<Rule>(&item))
        return u"rule “%1”"_s.arg(rule->name);
    if (const auto* channel = std::get_if<ChannelSettings>(&item))
        return u"channel “%1”"_s.arg(channel->name);
    return u"maintenance window “%1”"_s.arg(std::get<MaintenanceWindow>(item).why);
}

Result<QByteArray> withChange(const QByteArray& before, const RuleFileChange& change)
{
    const QByteArray text = before.trimmed().isEmpty() ? "{}\n" : before;
    const auto set = checkRuleFile(u"alerts.json"_s, text);
    const auto root = json::parseJson(text);
    if (!set || !root)
        return failure(ErrorKind::BadInput, u"The rules file is malformed."_s);
    const qsizetype index = change.before
        ? std::visit([&set](const auto& item) { return indexIn(*set, item); }, *change.before)
        : -1;
    if (auto reason = reasonAgainst(change, *set, index))
        return Failure(std::move(*reason));
    const JsonNode* const list = root->find(keyOf(change.before ? *change.before : *change.after));
    const QByteArray changed = index < 0
        ? added(text, *root, keyOf(*change.after),
            std::visit([](const auto& item) { return textOf(item, {}); }, *change.after))
        : change.after ? replaced(text, list->items[size_t(index)], *change.after)
                       : removed(text, *list, index);
    if (const auto checked = checkRuleFile(u"alerts.json"_s, changed); !checked)
        return failure(ErrorKind::BadInput, checked.error().front().what, checked.error().front().expected);
    return changed;
}

} // namespace lockscope::alert
