// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/Recording.h"

#include <QJsonObject>
#include <QList>

namespace lockscope::record {

/// How many things of note happened, by their events.
struct EventTally {
    /// At least so many. What a look saw, and what the server told or counted, may be the same deadlocks: the
    /// larger number of the two.
    qint64 deadlocks = 0;
    qint64 alerts = 0; ///< that began
    qint64 acts = 0;

    /// "2 deadlocks, 1 alert"; empty if there is nothing to tell.
    QString toString() const;
    QJsonObject toJson() const;
};
EventTally tallyOf(const QList<Event>& events);

} // namespace lockscope::record
