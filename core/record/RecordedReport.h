// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/deadlock/Deadlock.h"

#include <QList>
#include <QString>

namespace lockscope::record {

/// What a server told of a deadlock, or of who waited longer than its threshold, as it told it. Recorded
/// beside its event, whose source key ends in the same key.
struct RecordedReport {
    ServerTime at; ///< when it happened; or when it was read, if it does not tell that
    QString origin; ///< where the server keeps it, "event files of system_health"
    QString raw; ///< its text
    QString key; ///< equal for the same event, wherever it was read from

    bool operator==(const RecordedReport&) const = default;
};

/// As deadlock::readReports reads its text; where the text tells no time by itself, at the recorded one.
/// Empty, if no report stands in it. Pure; any thread.
Result<QList<deadlock::ReportPtr>> reportsOf(const RecordedReport& report);

} // namespace lockscope::record
