// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Rule.h"
#include "core/base/Result.h"
#include "core/base/ServerTime.h"
#include "core/json/FileCheck.h"

#include <QByteArray>
#include <QDateTime>
#include <QList>

#include <optional>
#include <tl/expected.hpp>
#include <utility>
#include <variant>

namespace lockscope::alert {

/// Reads a file of the format `resources/alerts/rules.schema.json`: all faults at once, in the order of the
/// file. `name` is the file's name or path, for errors. It holds what the user has written, without the rules
/// that come with the program. Pure; any thread.
tl::expected<RuleSet, json::FileFaults> checkRuleFile(const QString& name, const QByteArray& text);

/// Returns the rules that come with the program.
const RuleSet& defaultRules();
/// Returns `own` with those rules that come with the program and that `own` does not have by the same name.
RuleSet withDefaultRules(RuleSet own);

/// Returns the place of the account's rules file.
QString ruleFilePath();
/// Reads the account's rules file, with the default rules. If there is none, these alone. Fails with BadInput
/// if the file is malformed, and with Permission if others may write to it: it names programs that are
/// started. Empty `path`: the account's file. Blocks on the disk.
Result<RuleSet> loadRules(const QString& path = {});
using RuleFileItem = std::variant<Rule, MaintenanceWindow, ChannelSettings>;
/// One change of a rules file. Rules and channels are known by their name, maintenance windows by all that
/// they say. Without `before`, `after` is added; without `after`, `before` is removed.
struct RuleFileChange {
    std::optional<RuleFileItem> before = {};
    std::optional<RuleFileItem> after = {};
};
QString titleOf(const RuleFileItem& item); ///< "rule “long wait”"
/// Returns the text of a rules file with the change. All else stays as it is, also the comment of the item. A
/// rule that is not in the file comes with the program: its change is added. `text` may be empty. BadInput:
/// `before` is not there (any more), or the file would be malformed. Changed: it is not as `before` says.
/// Pure.
Result<QByteArray> withChange(const QByteArray& text, const RuleFileChange& change);
/// Makes the change in the account's file. Blocks on the disk.
Result<void> changeRuleFile(const RuleFileChange& change, const QString& path = {});

/// Reads "30s" where the condition measures a time, else a number. BadInput for anything else.
Result<double> parseLevel(Condition condition, const QString& text);
/// The text that parseLevel() reads back.
QString levelText(Condition condition, double value);

/// Follows a rules file that may be changed at any time, by the window or by hand. Blocks on the disk; one
/// thread.
class RuleFollower {
public:
    /// Empty `path`: the account's file.
    explicit RuleFollower(QString path = {})
        : m_path(std::move(path))
    {
    }
    /// Returns the rules if they have changed since the last call, or the user's threshold for "long". At the
    /// first one there are always some: the default ones if the file can't be used. Looks at the file every
    /// other second.
    std::optional<RuleSet> changed();
    /// Returns why the file can't be used at present: the rules before it apply.
    const std::optional<Error>& error() const { return m_error; }

private:
    bool hasFileChanged(ServerTime now);

    QString m_path;
    bool m_hasRules = false;
    std::optional<Error> m_error;
    milliseconds m_longRunning{0}; ///< the user's setting when it was read
    QDateTime m_read; ///< the file's last change when it was read
    ServerTime m_checked; ///< this machine's clock, as is the next one
    ServerTime m_gone; ///< the file is not there since then
};

// The words of a rules file, in the order of the enums.

const QStringList& dayNames(); ///< "mon" to "sun"
const QStringList& channelKinds();
const QStringList& webhookForms();

/// "22:00": a minute of the day.
QString minuteText(int minute);
/// "Mon–Fri 22:00–06:00; Sat, Sun": the ranges by ';', each with its days and its time of day. Empty: none.
QString timesText(const std::vector<TimeRange>& times);
/// Reads what timesText() writes, and what people write instead: small letters, '-', ranges of days over the
/// week's end. BadInput for anything else.
Result<std::vector<TimeRange>> parseTimes(const QString& text);

/// Returns the next times of a window by the local clock, at most `count` of them: the one that `now` is in,
/// if any, first. An invalid end is unknown.
QList<std::pair<QDateTime, QDateTime>> nextTimes(
    const MaintenanceWindow& window, const QDateTime& now, int count);

} // namespace lockscope::alert
