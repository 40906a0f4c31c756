// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/RecordedLock.h"
#include "core/report/Report.h"

#include <variant>

namespace lockscope::record {

/// A session that was recorded; with the time of its beginning it is this one and no later one.
struct RecordedSession {
    SessionId id;
    ServerTime started;
    bool operator==(const RecordedSession&) const = default;
};
/// A lock or a session that has a history.
using BiographySubject = std::variant<RecordedLock, RecordedSession>;

/// Returns the subject of a row of a report, if that has a history.
inline std::optional<BiographySubject> subjectOf(const report::ReportRow& row)
{
    const auto* subject = std::any_cast<BiographySubject>(&row.about);
    return subject ? std::optional(*subject) : std::nullopt;
}

} // namespace lockscope::record
