// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/rules/RuleFollower.h"

#include "core/alert/rules/RuleFile.h"
#include "core/base/ServerTime.h"
#include "core/domain/Thresholds.h"

#include <QFileInfo>

namespace lockscope::alert {

namespace {

constexpr microseconds checkedEvery = std::chrono::seconds(2);
constexpr microseconds goneAfter = std::chrono::seconds(10);

} // namespace

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
