// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockTable.h"

#include <QStringList>

namespace lockscope {

enum class Engine : quint8;

/// Facts to know of a framework's lock before it is freed. Empty where nothing is known.
struct WhatHappens {
    QString purpose; ///< the work that it protects
    QString ends; ///< its end by the framework itself, and what waiters do
    QStringList now{}; ///< of this very lock: when it expires, whether its holder works. Sentences
    QString danger; ///< the risk
    QString vendorCommand; ///< the framework's own way to free it
    QString vendorNote; ///< the difference from ours

    bool operator==(const WhatHappens&) const = default;
};

/// Returns the facts for a lock that belongs to a session.
WhatHappens whatHappens(const FrameworkMatch& match);
/// Returns the facts for a row; `now` by the server's clock.
WhatHappens whatHappens(const LockTableEntry& entry, ServerTime now);

/// True if everybody who uses the entry's table agrees that it is stale: its lease has expired by a
/// comparable clock, and the end of the lease is among the columns that are compared, so that it stays
/// expired. Never true for a framework's entry that must not be freed, or by a client's local time.
bool isPurgeable(const LockTableEntry& entry, Engine engine, ServerTime now);

} // namespace lockscope
