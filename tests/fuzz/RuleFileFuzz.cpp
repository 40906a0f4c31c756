// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/rules/RuleFile.h"
#include "tests/fuzz/FaultCheck.h"
#include "tests/fuzz/FuzzTarget.h"

namespace lockscope::test {

using namespace alert;

/// Feeds bytes to checkRuleFile; aborts if it refuses without a reason and a place, or if saving a rule into
/// a file that it accepts loses or changes anything else.
static void fuzzRuleFile(const QByteArray& text)
{
    const QString name = QStringLiteral("fuzz.json");
    const auto read = checkRuleFile(name, text);
    if (!read)
        return checkFaults(read.error());
    const Rule before = read->rules.empty() ? defaultRules().rules.front() : read->rules.front();
    Rule rule = before;
    rule.isOn = !rule.isOn;
    const auto changed = withChange(text, {.before = before, .after = rule});
    const auto again = changed ? checkRuleFile(name, *changed) : tl::unexpected(json::FileFaults());
    if (!again)
        qFatal("a file that can't be read after a rule was saved");
    RuleSet expected = *read;
    if (expected.rules.empty())
        expected.rules.push_back(rule);
    else
        expected.rules.front() = rule;
    if (*again != expected)
        qFatal("saving a rule changed something else");
}

} // namespace lockscope::test

LOCKSCOPE_FUZZ(fuzzRuleFile)
