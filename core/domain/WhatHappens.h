// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockTable.h"

#include <QStringList>

namespace lockscope {

enum class Engine : quint8;

/// What is to be known of a framework's lock before somebody frees it. Empty where nothing is known.
struct WhatHappens {
    QString purpose; ///< what is done under it
    QString ends; ///< when the framework ends it by itself, and what those who wait for it do
    QStringList now; ///< of this very lock: when it expires, whether its holder works. Sentences
    QString danger; ///< what can go wrong
    QString vendorCommand; ///< how the framework itself frees it
    QString vendorNote; ///< how that differs

    bool operator==(const WhatHappens&) const = default;
};

/// Of a lock that belongs to a session.
WhatHappens whatHappens(const FrameworkMatch& match);
/// Of a row; `now` by the server's clock.
WhatHappens whatHappens(const LockTableEntry& entry, ServerTime now);

/// Whether an entry is stale so that everybody who uses its table agrees: its lease is over by a clock that
/// can be reckoned with, and the end of the lease is among the columns that are compared, so that it stays
/// over. Of a framework never where it must not be freed, or by any client's local time.
bool isPurgeable(const LockTableEntry& entry, Engine engine, ServerTime now);

} // namespace lockscope
