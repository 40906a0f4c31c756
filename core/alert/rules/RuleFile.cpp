// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/rules/RuleFile.h"

#include "core/alert/channels/Channel.h"
#include "core/base/Duration.h"
#include "core/base/PlainFile.h"
#include "core/base/Sentences.h"
#include "core/domain/Thresholds.h"
#include "core/json/FileCheck.h"

#include <QDir>
#include <QFileInfo>
#include <QSet>
#include <QTime>
#include <QUrl>

#include <algorithm>
#include <functional>

namespace lockscope::alert {

using namespace Qt::StringLiterals;
using json::JsonNode;

namespace {

constexpr qsizetype maxShownLine = 120;

QString faultsText(const json::FileFaults& faults)
{
    return textOfEach(faults, &json::FileFault::toString).join(u'\n');
}

/// With the line that the first one is in.
Error errorOf(const json::FileFaults& faults, const QByteArray& text)
{
    Error error{.kind = ErrorKind::BadInput, .what = faults.front().toString()};
    const QByteArray line = text.split('\n').value(faults.front().line - 1);
    const QString shown = QString::fromUtf8(line).trimmed().left(maxShownLine);
    if (!shown.isEmpty())
        error.detail = u"Line %1 is “%2”.\n"_s.arg(faults.front().line).arg(shown);
    error.detail += faultsText({faults.begin() + 1, faults.end()});
    return error;
}

/// Empty if there is none. Anyone who can write the file could have programs started.
Result<QByteArray> readRuleFile(const QString& path)
{
    return QFileInfo::exists(path) ? readTrustedFile(path) : QByteArray();
}

constexpr microseconds checkedEvery = std::chrono::seconds(2);
constexpr microseconds goneAfter = std::chrono::seconds(10);

const QStringList& severityWords()
{
    static const QStringList words{severityName(Severity::Warning), severityName(Severity::Critical)};
    return words;
}

/// Reads the parts of a rules file, and notes each fault where it stands. For checkRuleFile().
class RuleReader {
public:
    explicit RuleReader(json::FileCheck& check)
        : m_check(check)
    {
    }
    RuleSet read(const json::JsonNode& root)
    {
        RuleSet set;
        if (!m_check.isObject(
                root, {u"$schema"_s, u"comment"_s, u"rules"_s, u"maintenance"_s, u"channels"_s}))
            return set;
        set.rules = list<Rule>(root, u"rules"_s, [this](const JsonNode& node) { return rule(node); });
        set.maintenance = list<MaintenanceWindow>(
            root, u"maintenance"_s, [this](const JsonNode& node) { return maintenance(node); });
        set.channels = list<ChannelSettings>(
            root, u"channels"_s, [this](const JsonNode& node) { return channel(node); });
        checkNames(root, set);
        return set;
    }

private:
    Rule rule(const json::JsonNode& node)
    {
        Rule rule;
        if (!m_check.isObject(node,
                {u"name"_s, u"comment"_s, u"when"_s, u"levels"_s, u"clear_below"_s, u"keep_firing_for"_s,
                    u"only"_s, u"text"_s, u"channels"_s, u"on"_s}))
            return rule;
        rule.name = m_check.neededText(node, u"name"_s);
        if (const JsonNode* when = m_check.need(node, u"when"_s))
            rule.condition = conditionOfKey(m_check.word(*when, conditionKeys())).value_or(rule.condition);
        if (const JsonNode* levels = m_check.need(node, u"levels"_s);
            levels && m_check.isList(*levels, u"a list of levels"_s))
            rule.levels = list<RuleLevel>(node, u"levels"_s,
                [this, &rule](const JsonNode& each) { return level(each, rule.condition); });
        if (const JsonNode* clear = node.find(u"clear_below"))
            rule.clearBelow = value(*clear, rule.condition);
        if (const JsonNode* keep = node.find(u"keep_firing_for"))
            rule.keepFiring = duration(*keep);
        checkLevels(node, rule);
        if (const JsonNode* only = node.find(u"only"))
            rule.scope = scope(*only);
        rule.text = m_check.optionalText(node, u"text"_s);
        rule.channels = texts(node, u"channels"_s);
        if (const JsonNode* on = node.find(u"on"))
            rule.isOn = m_check.flag(*on);
        return rule;
    }

    RuleLevel level(const json::JsonNode& node, Condition condition)
    {
        RuleLevel level;
        if (!m_check.isObject(node, {u"severity"_s, u"from"_s, u"for"_s}))
            return level;
        if (const JsonNode* word = m_check.need(node, u"severity"_s))
            level.severity = severity(*word);
        if (const JsonNode* from = m_check.need(node, u"from"_s))
            level.from = value(*from, condition);
        if (const JsonNode* hold = node.find(u"for"))
            level.hold = duration(*hold);
        return level;
    }

    /// Levels that contradict each other: a warning that never shows, and an end that comes before the start.
    void checkLevels(const json::JsonNode& node, const Rule& rule)
    {
        const JsonNode* const levels = node.find(u"levels");
        if (!levels || levels->items.size() != rule.levels.size())
            return;
        const bool isLessWorse = conditionInfo(rule.condition).isLessWorse;
        const auto isMetBy = [isLessWorse](double value, double level) {
            return isLessWorse ? value <= level : value >= level;
        };
        for (size_t i = 0; i < rule.levels.size(); ++i) {
            const RuleLevel& each = rule.levels[i];
            const bool isHidden = each.severity == Severity::Warning
                && std::ranges::any_of(rule.levels, [&](const RuleLevel& worse) {
                       return worse.severity == Severity::Critical && isMetBy(each.from, worse.from)
                           && worse.hold <= each.hold;
                   });
            if (isHidden)
                m_check.note(levels->items[i],
                    u"This warning never shows: whenever it is met, the critical level is, too."_s,
                    u"a critical level that is met later than the warning"_s);
            if (rule.clearBelow && *rule.clearBelow != each.from && isMetBy(*rule.clearBelow, each.from))
                m_check.note(*node.find(u"clear_below"),
                    u"It would be over from %1 on while it still fires from %2 on."_s.arg(
                        valueText(rule.condition, *rule.clearBelow), valueText(rule.condition, each.from)),
                    isLessWorse ? u"at least the number of each level"_s
                                : u"at most the number of each level"_s);
        }
    }

    Scope scope(const json::JsonNode& node)
    {
        Scope scope;
        if (!m_check.isObject(
                node, {u"servers"_s, u"databases"_s, u"locks"_s, u"programs"_s, u"users"_s, u"times"_s}))
            return scope;
        for (const auto& [key, list] : scopeLists)
            scope.*list = texts(node, key.toString());
        scope.times =
            list<TimeRange>(node, u"times"_s, [this](const JsonNode& each) { return timeRange(each); });
        return scope;
    }

    TimeRange timeRange(const json::JsonNode& node)
    {
        TimeRange range;
        if (!m_check.isObject(node, {u"days"_s, u"from"_s, u"to"_s}))
            return range;
        if (const JsonNode* days = node.find(u"days"); days && m_check.isList(*days, u"a list of days"_s)) {
            range.days = 0;
            for (const int day : list<int>(node, u"days"_s, [this](const JsonNode& each) {
                     return int(dayNames().indexOf(m_check.word(each, dayNames())));
                 }))
                range.days |= 1 << day;
        }
        if (const JsonNode* from = node.find(u"from"))
            range.from = minuteOfDay(*from);
        if (const JsonNode* to = node.find(u"to"))
            range.to = minuteOfDay(*to);
        if (node.keys.isEmpty() || range.from == range.to)
            m_check.note(node, u"This is no part of the week."_s, u"days, or two times of day that differ"_s);
        return range;
    }

    MaintenanceWindow maintenance(const json::JsonNode& node)
    {
        MaintenanceWindow window;
        if (!m_check.isObject(node, {u"comment"_s, u"only"_s, u"from"_s, u"to"_s, u"why"_s}))
            return window;
        if (const JsonNode* only = node.find(u"only"))
            window.scope = scope(*only);
        window.from = time(node, u"from"_s);
        window.to = time(node, u"to"_s);
        window.why = m_check.neededText(node, u"why"_s);
        if (window.from && window.to && *window.to <= *window.from)
            m_check.note(
                *node.find(u"to"), u"This window ends before it begins."_s, u"a time after \"from\""_s);
        if (!window.to && window.scope.times.empty())
            m_check.note(node, u"This window has no end."_s, u"\"to\", or \"times\" in \"only\""_s);
        return window;
    }

    ChannelSettings channel(const json::JsonNode& node)
    {
        ChannelSettings channel;
        if (!m_check.isObject(node,
                {u"name"_s, u"comment"_s, u"kind"_s, u"form"_s, u"url"_s, u"secret"_s, u"user"_s, u"from"_s,
                    u"to"_s, u"command"_s, u"min_severity"_s, u"statements"_s, u"resolved"_s}))
            return channel;
        channel.name = m_check.neededText(node, u"name"_s);
        if (const JsonNode* kind = m_check.need(node, u"kind"_s))
            channel.kind = ChannelSettings::Kind(channelKinds().indexOf(m_check.word(*kind, channelKinds())));
        if (const JsonNode* form = node.find(u"form"))
            channel.form = ChannelSettings::Form(webhookForms().indexOf(m_check.word(*form, webhookForms())));
        channel.url = m_check.optionalText(node, u"url"_s);
        channel.secret = m_check.optionalText(node, u"secret"_s);
        channel.user = m_check.optionalText(node, u"user"_s);
        channel.from = m_check.optionalText(node, u"from"_s);
        channel.to = texts(node, u"to"_s);
        channel.command = texts(node, u"command"_s);
        if (const JsonNode* least = node.find(u"min_severity"))
            channel.minSeverity = severity(*least);
        channel.sendsStatements = m_check.optionalFlag(node, u"statements"_s);
        if (const JsonNode* resolved = node.find(u"resolved"))
            channel.sendsResolved = m_check.flag(*resolved);
        checkChannel(node, channel);
        return channel;
    }

    void checkChannel(const json::JsonNode& node, const ChannelSettings& channel)
    {
        using Kind = ChannelSettings::Kind;
        if (!channel.secret.isEmpty() && !channel.secret.startsWith(u"env:"_s)
            && !channel.secret.startsWith(u"file:/"_s))
            m_check.note(*node.find(u"secret"), u"A secret does not stand in this file."_s,
                u"\"env:NAME\" or \"file:/path\", where it is"_s);
        const QUrl url(channel.url, QUrl::StrictMode);
        if (!channel.url.isEmpty() && (!url.isValid() || url.host().isEmpty() || !url.userInfo().isEmpty()))
            m_check.note(
                *node.find(u"url"), u"This is no address without user and password."_s, u"\"https://…\""_s);
        if (channel.kind == Kind::Webhook && channel.url.isEmpty() && channel.secret.isEmpty())
            m_check.note(
                node, u"A webhook needs its address."_s, u"\"url\", or a \"secret\" that is the address"_s);
        if (channel.kind == Kind::Mail && (channel.to.isEmpty() || channel.from.isEmpty()))
            m_check.note(node, u"Mail needs \"from\" and \"to\"."_s);
        if (channel.kind == Kind::Program && !channel.command.value(0).startsWith(u'/'))
            m_check.note(
                node, u"A program needs its whole path."_s, u"\"command\": [\"/usr/local/bin/tell\", …]"_s);
        // The rest is what a channel itself refuses, such as a secret that would be sent in clear text.
        if (!m_check.isFine())
            return;
        if (const auto made = Channel::make(channel); !made)
            m_check.note(node, sentences({made.error().what, made.error().hint}));
    }

    void checkNames(const json::JsonNode& root, const RuleSet& set)
    {
        const auto checkUnique = [this, &root](const QString& key, const auto& items) {
            QSet<QString> seen;
            for (size_t i = 0; i < items.size(); ++i) {
                if (seen.contains(items[i].name))
                    m_check.note(
                        root.find(key)->items[i], u"There are two of the name \"%1\"."_s.arg(items[i].name));
                seen.insert(items[i].name);
            }
            return seen;
        };
        checkUnique(u"rules"_s, set.rules);
        const QSet<QString> channels = checkUnique(u"channels"_s, set.channels);
        for (size_t i = 0; i < set.rules.size(); ++i) {
            for (const QString& name : set.rules[i].channels)
                if (!channels.contains(name))
                    m_check.note(root.find(u"rules")->items[i], u"There is no channel \"%1\"."_s.arg(name),
                        u"a name out of \"channels\""_s);
        }
    }

    double value(const json::JsonNode& node, Condition condition)
    {
        if (conditionInfo(condition).unit == Unit::Duration)
            return double(duration(node).count());
        if (node.is(JsonNode::Type::Number) && node.number >= 0 && node.number <= 1e9)
            return node.number;
        m_check.noteOther(node, u"a number from 0 on"_s);
        return 0;
    }

    milliseconds duration(const json::JsonNode& node)
    {
        const auto length = node.is(JsonNode::Type::String) ? parseDuration(node.text)
                                                            : Result<milliseconds>(milliseconds(-1));
        if (length && *length >= milliseconds(0))
            return *length;
        m_check.noteOther(node, u"a duration such as \"30s\" or \"5m\""_s);
        return milliseconds(0);
    }

    int minuteOfDay(const json::JsonNode& node)
    {
        if (node.text == u"24:00")
            return 24 * 60;
        const QTime time = QTime::fromString(node.text, u"HH:mm"_s);
        if (!time.isValid())
            m_check.noteOther(node, u"a time of day such as \"08:00\""_s);
        return time.isValid() ? time.hour() * 60 + time.minute() : 0;
    }

    Severity severity(const json::JsonNode& node)
    {
        return m_check.word(node, severityWords()) == severityWords().last() ? Severity::Critical
                                                                             : Severity::Warning;
    }

    QStringList texts(const json::JsonNode& object, const QString& key)
    {
        const auto read =
            list<QString>(object, key, [this](const JsonNode& node) { return m_check.text(node); });
        return {read.begin(), read.end()};
    }

    std::optional<QDateTime> time(const json::JsonNode& object, const QString& key)
    {
        const JsonNode* const node = object.find(key);
        if (!node)
            return std::nullopt;
        const QDateTime time = QDateTime::fromString(node->text, Qt::ISODate);
        if (time.isValid())
            return time;
        m_check.noteOther(*node, u"a time such as \"2026-11-27T22:00:00Z\""_s);
        return std::nullopt;
    }

    /// Reads each item of a list under that key, if there is one.
    template <class Item>
    std::vector<Item> list(const json::JsonNode& object, const QString& key,
        const std::function<Item(const json::JsonNode&)>& read)
    {
        std::vector<Item> items;
        const JsonNode* const node = object.find(key);
        if (!node)
            return items;
        if (!node->is(JsonNode::Type::Array))
            m_check.noteOther(*node, u"a list"_s);
        for (const JsonNode& item : node->items)
            items.push_back(read(item));
        return items;
    }

    json::FileCheck& m_check;
};

} // namespace

tl::expected<RuleSet, json::FileFaults> checkRuleFile(const QString& name, const QByteArray& text)
{
    json::FileCheck check(text, name);
    return check.parsed([&check](const json::JsonNode& root) { return RuleReader(check).read(root); });
}

const RuleSet& defaultRules()
{
    static const RuleSet rules = [] {
        auto read = checkRuleFile(u"rules.json"_s, builtInFile(u"/alerts/rules.json"_s));
        if (!read)
            qFatal("%s", qPrintable(faultsText(read.error())));
        return std::move(*read);
    }();
    return rules;
}

RuleSet withDefaultRules(RuleSet own)
{
    std::vector<Rule> added;
    std::ranges::copy_if(defaultRules().rules, std::back_inserter(added),
        [&own](const Rule& rule) { return own.rule(rule.name) == nullptr; });
    own.rules.insert(own.rules.begin(), added.begin(), added.end());
    return own;
}

QString ruleFilePath()
{
    return configFolder() + u"/alerts.json"_s;
}

Result<RuleSet> loadRules(const QString& path)
{
    const QString place = path.isEmpty() ? ruleFilePath() : path;
    LOCKSCOPE_TRY_GET(const auto text, readRuleFile(place));
    auto own = checkRuleFile(place, text);
    if (!own && !text.trimmed().isEmpty())
        return Failure(errorOf(own.error(), text));
    RuleSet rules = own ? withDefaultRules(std::move(*own)) : defaultRules();
    rules.longRunning = loadThresholds().hold.amber;
    return rules;
}

Result<void> changeRuleFile(const RuleFileChange& change, const QString& path)
{
    const QString place = path.isEmpty() ? ruleFilePath() : path;
    LOCKSCOPE_TRY_GET(const auto text, readRuleFile(place));
    if (!text.trimmed().isEmpty())
        if (const auto checked = checkRuleFile(place, text); !checked)
            return Failure(errorOf(checked.error(), text));
    LOCKSCOPE_TRY_GET(const auto changed, withChange(text, change));
    QDir().mkpath(QFileInfo(place).path());
    return writeFile(place, changed);
}

Result<double> parseLevel(Condition condition, const QString& text)
{
    if (conditionInfo(condition).unit == Unit::Duration) {
        LOCKSCOPE_TRY_GET(const auto length, parseDuration(text));
        return double(length.count());
    }
    bool isNumber = false;
    const double number = text.toDouble(&isNumber);
    if (!isNumber || !(number >= 0) || number > 1e9)
        return failure(ErrorKind::BadInput, u"\"%1\" is no number from 0 on."_s.arg(text));
    return number;
}

QString levelText(Condition condition, double value)
{
    if (conditionInfo(condition).unit == Unit::Duration)
        return durationText(milliseconds(qint64(value)));
    return QString::number(value);
}

/// Some programs that save a file remove it first.
bool RuleFollower::hasFileChanged(ServerTime now)
{
    if (m_hasRules && now - m_checked < checkedEvery && now >= m_checked)
        return false;
    m_checked = now;
    const QDateTime changed = QFileInfo(m_path.isEmpty() ? ruleFilePath() : m_path).lastModified();
    if (changed.isValid() || !m_read.isValid())
        m_gone = {};
    else if (!m_gone.isValid() || now < m_gone)
        m_gone = now;
    if (m_gone.isValid() && now - m_gone < goneAfter)
        return false;
    // What is wrong with it may be its rights, which change no time.
    const milliseconds longRunning = loadThresholds().hold.amber;
    const bool isOther = !m_hasRules || m_error || changed != m_read || longRunning != m_longRunning;
    m_read = changed;
    m_longRunning = longRunning;
    return isOther;
}

std::optional<RuleSet> RuleFollower::changed()
{
    if (!hasFileChanged(ownClock()))
        return std::nullopt;
    auto rules = loadRules(m_path);
    m_error = rules ? std::nullopt : std::optional(rules.error());
    const bool isFirst = !std::exchange(m_hasRules, true);
    if (rules)
        return std::move(*rules);
    if (!isFirst)
        return std::nullopt;
    RuleSet defaults = defaultRules();
    defaults.longRunning = m_longRunning;
    return defaults;
}

} // namespace lockscope::alert
