// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/source/DeadlockSource.h"

#include <QSet>

namespace lockscope::deadlock {

/// Takes the events of SQL Server's event sessions and adds those to a poll's result that were not given
/// before, whatever they were read from. A value; of one thread.
class ReportIntake {
public:
    /// `since`: as of DeadlockPoller::makeSource.
    explicit ReportIntake(std::optional<ServerTime> since)
        : m_since(since)
    {
    }

    /// Sets the time of the first poll; events from then on count as captured.
    void setFirstPoll(ServerTime now) { m_firstPoll = now; }
    /// Returns the time from which on reports are requested.
    ServerTime since() const { return m_since.value_or(m_firstPoll); }

    /// Takes the `xml` of one event. `isOld`: it may be older than the first poll; then one without a
    /// credible time is given only if old ones were requested.
    void take(const QString& xml, const QString& place, bool isOld, SourcePoll& poll);
    qint64 captured() const { return m_captured; }

private:
    bool isKnown(const QString& key);

    std::optional<ServerTime> m_since;
    ServerTime m_firstPoll;
    qint64 m_captured = 0;
    QSet<QString> m_known, m_knownBefore; ///< keys of events; the older half is dropped now and then
};

} // namespace lockscope::deadlock
