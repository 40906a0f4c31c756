// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/base/ServerTime.h"

#include <QString>

namespace lockscope::record {

/// Says how much is kept: what is beyond either limit goes, the oldest first.
struct Retention {
    milliseconds age{std::chrono::hours(7 * 24)};
    qint64 bytes = qint64(1) << 30;

    bool operator==(const Retention&) const = default;
};

/// Parses a retention: "7d", "1G", "7d,1G". Parts that the text leaves open are `retention`'s.
Result<Retention> retentionOf(const QString& text, Retention retention = {});

} // namespace lockscope::record
