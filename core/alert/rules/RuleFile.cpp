// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/rules/RuleFile.h"

#include "core/alert/rules/RuleReader.h"
#include "core/base/Duration.h"
#include "core/base/FileOwner.h"
#include "core/base/WriteFile.h"
#include "core/json/JsonText.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>

#include <algorithm>

#ifdef Q_OS_UNIX
#include <sys/stat.h>
#endif

namespace lockscope::alert {

using namespace Qt::StringLiterals;

using json::JsonNode;

namespace {

constexpr qsizetype maxRuleFile = 1'024 * 1'024;

QString faultsText(const json::FileFaults& faults)
{
    QStringList lines;
    for (const json::FileFault& fault : faults)
        lines << fault.toString();
    return lines.join(u'\n');
}

Error errorOf(const json::FileFaults& faults)
{
    Error error{ErrorKind::BadInput, faults.front().toString(), {}, {}, {}, {}};
    error.detail = faultsText({faults.begin() + 1, faults.end()});
    return error;
}

/// Anyone who can write the file could have programs started.
std::optional<Error> reasonAgainstTrust([[maybe_unused]] const QString& path)
{
#ifdef Q_OS_UNIX
    if (const auto step = unsafeStep(QFileInfo(path).canonicalPath()))
        return Error{ErrorKind::Permission,
            u"The rules in %1 are not used: another account could put a file in its place, by the folder %2."_s
                .arg(path, step->folder),
            {}, {}, u"chmod go-w '%1'"_s.arg(step->folder), {}};
    struct stat seen { };
    if (::stat(QFile::encodeName(path).constData(), &seen) == 0 && (!isOurs(seen) || othersMayWrite(seen)))
        return Error{ErrorKind::Permission,
            u"The rules in %1 are not used: another account may write to that file."_s.arg(path), {}, {},
            u"chmod go-w '%1'"_s.arg(path), {}};
#endif
    return std::nullopt;
}

/// Empty if there is none.
Result<QByteArray> readTrusted(const QString& path)
{
    if (!QFileInfo::exists(path))
        return QByteArray();
    if (auto reason = reasonAgainstTrust(path))
        return Failure(std::move(*reason));
    return readRuleFile(path);
}

QJsonValue levelJson(Condition condition, double value)
{
    return conditionInfo(condition).unit == Unit::Duration ? QJsonValue(levelText(condition, value))
                                                           : QJsonValue(value);
}

QString clockOf(int minute)
{
    return u"%1:%2"_s.arg(minute / 60, 2, 10, QChar(u'0')).arg(minute % 60, 2, 10, QChar(u'0'));
}

QJsonObject scopeJson(const Scope& scope)
{
    QJsonObject json;
    const auto add = [&json](const QString& key, const QStringList& list) {
        if (!list.isEmpty())
            json.insert(key, QJsonArray::fromStringList(list));
    };
    add(u"servers"_s, scope.servers);
    add(u"databases"_s, scope.databases);
    add(u"locks"_s, scope.locks);
    add(u"programs"_s, scope.programs);
    add(u"users"_s, scope.users);
    QJsonArray times;
    for (const TimeRange& range : scope.times) {
        QJsonArray days;
        for (int day = 0; day < 7; ++day)
            if ((range.days >> day & 1) != 0)
                days.append(dayNames()[day]);
        times.append(
            QJsonObject{{u"days"_s, days}, {u"from"_s, clockOf(range.from)}, {u"to"_s, clockOf(range.to)}});
    }
    if (!times.isEmpty())
        json.insert(u"times"_s, times);
    return json;
}

/// In the order of the schema, which QJsonObject would not keep.
QByteArray ruleText(const Rule& rule, const QString& comment)
{
    QByteArrayList lines;
    const auto add = [&lines](const char* key, const QJsonValue& value) {
        const QByteArray list = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
        lines << QByteArray("      \"") + key + "\": " + list.sliced(1).chopped(1);
    };
    add("name", rule.name);
    if (!comment.isEmpty())
        add("comment", comment);
    add("when", QString::fromUtf16(conditionInfo(rule.condition).key));
    QJsonArray levels;
    for (const RuleLevel& level : rule.levels)
        levels.append(QJsonObject{{u"severity"_s, severityName(level.severity)},
            {u"from"_s, levelJson(rule.condition, level.from)}, {u"for"_s, durationText(level.hold)}});
    add("levels", levels);
    if (rule.clearBelow)
        add("clear_below", levelJson(rule.condition, *rule.clearBelow));
    add("keep_firing_for", durationText(rule.keepFiring));
    if (!rule.scope.isUnlimited())
        add("only", scopeJson(rule.scope));
    if (!rule.text.isEmpty())
        add("text", rule.text);
    if (!rule.channels.isEmpty())
        add("channels", QJsonArray::fromStringList(rule.channels));
    if (!rule.isOn)
        add("on", false);
    return "{\n" + lines.join(",\n") + "\n    }";
}

/// Returns the place behind the value that begins at `from`. The text is known to be JSON.
qsizetype endOfValue(const QByteArray& text, qsizetype from)
{
    int depth = 0;
    bool isInText = false;
    for (qsizetype at = from; at < text.size(); ++at) {
        const char c = text[at];
        if (isInText) {
            if (c == '\\')
                ++at;
            else if (c == '"')
                isInText = false;
            continue;
        }
        if (c == '"')
            isInText = true;
        else if (c == '{' || c == '[')
            ++depth;
        else if ((c == '}' || c == ']') && --depth == 0)
            return at + 1;
    }
    return text.size();
}

QString nameOf(const JsonNode& rule)
{
    const JsonNode* const name = rule.find(u"name");
    return name ? name->text : QString();
}

} // namespace

Result<QByteArray> readRuleFile(const QString& path)
{
    QFile file(path);
    if (file.exists() && !QFileInfo(path).isFile())
        return failure(ErrorKind::BadInput, u"%1 is no plain file."_s.arg(path));
    if (!file.open(QIODevice::ReadOnly))
        return failure(ErrorKind::Permission, u"Can't read %1: %2"_s.arg(path, file.errorString()));
    const QByteArray text = file.read(maxRuleFile + 1);
    if (text.size() > maxRuleFile)
        return failure(ErrorKind::BadInput, u"%1 is larger than a rules file may be."_s.arg(path));
    return text;
}

tl::expected<RuleSet, json::FileFaults> checkRuleFile(const QString& name, const QByteArray& text)
{
    json::FileCheck check(text, name);
    const auto root = json::parseJson(text);
    if (!root) {
        check.note(root.error().offset, root.error().what, root.error().expected);
        return tl::unexpected(std::move(check).faults());
    }
    RuleSet rules = RuleReader(check).read(*root);
    if (!check.isFine())
        return tl::unexpected(std::move(check).faults());
    return rules;
}

const RuleSet& defaultRules()
{
    static const RuleSet rules = [] {
        QFile file(u":/alerts/rules.json"_s);
        if (!file.open(QIODevice::ReadOnly))
            qFatal("The rules that come with the program are missing.");
        auto read = checkRuleFile(u"rules.json"_s, file.readAll());
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
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation)
        + u"/lockscope/alerts.json"_s;
}

Result<RuleSet> loadRules(const QString& path)
{
    const QString place = path.isEmpty() ? ruleFilePath() : path;
    const auto text = readTrusted(place);
    if (!text)
        return Failure(text.error());
    if (text->trimmed().isEmpty())
        return defaultRules();
    auto own = checkRuleFile(place, *text);
    if (!own)
        return Failure(errorOf(own.error()));
    return withDefaultRules(std::move(*own));
}

Result<QByteArray> withRule(const QByteArray& text, const Rule& rule)
{
    if (text.trimmed().isEmpty())
        return "{\n  \"rules\": [\n    " + ruleText(rule, {}) + "\n  ]\n}\n";
    if (const auto checked = checkRuleFile(u"alerts.json"_s, text); !checked)
        return Failure(errorOf(checked.error()));
    const auto root = json::parseJson(text);
    const JsonNode* const rules = root->find(u"rules");
    if (!rules) {
        const qsizetype inside = text.indexOf('{') + 1;
        const bool isAlone = root->items.empty();
        return text.first(inside) + "\n  \"rules\": [\n    " + ruleText(rule, {}) + "\n  ]"
            + (isAlone ? "\n" : ",") + text.sliced(inside);
    }
    const auto same = std::ranges::find_if(
        rules->items, [&rule](const JsonNode& each) { return nameOf(each) == rule.name; });
    if (same != rules->items.end()) {
        const JsonNode* const comment = same->find(u"comment");
        return text.first(same->offset) + ruleText(rule, comment ? comment->text : QString())
            + text.sliced(endOfValue(text, same->offset));
    }
    if (rules->items.empty())
        return text.first(rules->offset + 1) + "\n    " + ruleText(rule, {}) + "\n  "
            + text.sliced(text.indexOf(']', rules->offset));
    const qsizetype end = endOfValue(text, rules->items.back().offset);
    return text.first(end) + ",\n    " + ruleText(rule, {}) + text.sliced(end);
}

Result<void> saveRule(const Rule& rule, const QString& path)
{
    const QString place = path.isEmpty() ? ruleFilePath() : path;
    const auto text = readTrusted(place);
    if (!text)
        return Failure(text.error());
    const auto changed = withRule(*text, rule);
    if (!changed)
        return Failure(changed.error());
    if (const auto checked = checkRuleFile(place, *changed); !checked)
        return Failure(errorOf(checked.error()));
    QDir().mkpath(QFileInfo(place).path());
    return writeFile(place, *changed);
}

Result<double> parseLevel(Condition condition, const QString& text)
{
    if (conditionInfo(condition).unit == Unit::Duration) {
        const auto length = parseDuration(text);
        return length ? Result<double>(double(length->count())) : Failure(length.error());
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

} // namespace lockscope::alert
