// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/RecordedLock.h"

#include <variant>

namespace lockscope::record {

/// A session that was recorded; with the time of its beginning it is this one and no later one.
struct RecordedSession {
    SessionId id;
    ServerTime started;
    bool operator==(const RecordedSession&) const = default;
};
/// What has a history.
using BiographySubject = std::variant<RecordedLock, RecordedSession>;

} // namespace lockscope::record
