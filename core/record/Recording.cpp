// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Recording.h"

#include "core/base/Duration.h"
#include "core/record/Coverage.h"
#include "core/record/Store.h"

#include <algorithm>

namespace lockscope::record {

using namespace Qt::StringLiterals;

Result<Retention> retentionOf(const QString& text, Retention retention)
{
    for (const QString& part : text.split(u',')) {
        if (const auto age = parseDuration(part)) {
            retention.age = *age;
            continue;
        }
        static const QString units = u"KMGT"_s;
        const auto power = part.isEmpty() ? -1 : units.indexOf(part.back().toUpper());
        bool isNumber = false;
        const qint64 count = part.chopped(power < 0 ? 0 : 1).toLongLong(&isNumber);
        if (!isNumber || power < 0 || count < 1 || count > 1'000'000)
            return failure(ErrorKind::BadInput, u"'%1' is neither a time nor a size."_s.arg(part),
                u"Write 7d, 500M, 1G, or both with a comma: 7d,1G."_s);
        retention.bytes = count << (10 * (power + 1));
    }
    return retention;
}

namespace {

/// The guess for polls without an interval: at least the first of these, and the last pause if that is no
/// longer than the second.
constexpr microseconds shortestGuess = std::chrono::seconds(4);
constexpr microseconds maxGuess = std::chrono::minutes(10);
/// A server's clock that runs ahead of ours by more than that between two polls was set.
constexpr microseconds clockLeap = std::chrono::seconds(5);
constexpr int backOff = 4; ///< times as long as a poll took the monitor waits at least, see ServerMonitor

} // namespace

microseconds PollPauses::interval(const Times& now) const
{
    return std::max(now.timing.interval, m_last.timing.interval);
}

std::optional<QString> PollPauses::segmentEnd(const Times& now) const
{
    const microseconds byServer = now.taken - m_last.taken;
    const microseconds byUs = now.noted - m_last.noted;
    if (byServer < -clockTolerance)
        return u"the server's clock was set back"_s;
    if (byUs < -clockTolerance)
        return u"this computer's clock was set back"_s;
    const bool isSteadyKnown = now.timing.steady.count() > 0 && m_last.timing.steady.count() > 0;
    const microseconds awake = isSteadyKnown ? now.timing.steady - m_last.timing.steady : byUs;
    const microseconds polling = now.timing.took + m_last.timing.took;
    if (byServer > std::max(byUs, awake) + polling + clockLeap)
        return u"the server's clock was set ahead"_s;
    const microseconds guess = m_lastPause <= maxGuess ? m_lastPause : microseconds(0);
    const microseconds meant = interval(now).count() > 0 ? interval(now) : std::max(shortestGuess, guess);
    const microseconds pause = std::max(byServer, awake); // this computer's clock may have been set ahead
    if (pause <= latestPoll(meant))
        return std::nullopt;
    if (now.timing.wasPaused)
        return gapReasonName(Coverage::Reason::Paused);
    if (isSteadyKnown && pause - awake > meant)
        return gapReasonName(Coverage::Reason::Slept);
    const microseconds explained = polling + std::max(meant, backOff * m_last.timing.took) + meant;
    const bool isSlow = backOff * polling > meant && pause <= explained;
    return isSlow ? std::nullopt : std::optional(gapReasonName(Coverage::Reason::NotRecorded));
}

void PollPauses::note(const Times& now)
{
    m_lastPause = m_last.noted.isValid() ? now.noted - m_last.noted : microseconds(0);
    m_last = now;
}

} // namespace lockscope::record
