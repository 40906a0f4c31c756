// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/rules/RuleFile.h"

#include "core/alert/rules/RuleReader.h"
#include "core/base/Duration.h"
#include "core/base/Folders.h"
#include "core/base/PlainFile.h"
#include "core/base/WriteFile.h"
#include "core/domain/Thresholds.h"
#include "core/json/JsonText.h"

#include <QFileInfo>

#include <algorithm>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxShownLine = 120;

QString faultsText(const json::FileFaults& faults)
{
    QStringList lines;
    for (const json::FileFault& fault : faults)
        lines << fault.toString();
    return lines.join(u'\n');
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
    const auto text = readRuleFile(place);
    if (!text)
        return Failure(text.error());
    auto own = checkRuleFile(place, *text);
    if (!own && !text->trimmed().isEmpty())
        return Failure(errorOf(own.error(), *text));
    RuleSet rules = own ? withDefaultRules(std::move(*own)) : defaultRules();
    rules.longRunning = loadThresholds().hold.amber;
    return rules;
}

Result<void> changeRuleFile(const RuleFileChange& change, const QString& path)
{
    const QString place = path.isEmpty() ? ruleFilePath() : path;
    const auto text = readRuleFile(place);
    if (!text)
        return Failure(text.error());
    if (!text->trimmed().isEmpty())
        if (const auto checked = checkRuleFile(place, *text); !checked)
            return Failure(errorOf(checked.error(), *text));
    const auto changed = withChange(*text, change);
    if (!changed)
        return Failure(changed.error());
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
