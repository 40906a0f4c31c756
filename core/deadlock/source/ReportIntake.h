// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/source/DeadlockSource.h"

#include <QSet>

namespace lockscope::deadlock {

/// Takes the events of SQL Server's event sessions and puts those into a look that were not given before,
/// whatever they were read from. A value; of one thread.
class ReportIntake {
public:
    /// `since`: as of DeadlockSource::create.
    explicit ReportIntake(std::optional<ServerTime> since)
        : m_since(since)
    {
    }

    /// When the first look began; what happened from then on counts as captured.
    void setFirstLook(ServerTime now) { m_firstLook = now; }
    /// From when on reports are wanted.
    ServerTime since() const { return m_since.value_or(m_firstLook); }

    /// `xml` of one event. `isOld`: it may have stood there before the first look; then one without a time
    /// that can be believed is given only if old ones were asked for.
    void take(const QString& xml, const QString& place, bool isOld, SourceLook& look);
    qint64 captured() const { return m_captured; }

private:
    bool isKnown(const QString& key);

    std::optional<ServerTime> m_since;
    ServerTime m_firstLook;
    qint64 m_captured = 0;
    QSet<QString> m_known, m_knownBefore; ///< keys of events; the older half is dropped now and then
};

} // namespace lockscope::deadlock
