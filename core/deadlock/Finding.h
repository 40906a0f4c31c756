// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"

namespace lockscope::deadlock {

enum class Certainty : quint8 {
    Certain, ///< the report itself says so
    Likely, ///< reports like this one mostly mean that
    Possible, ///< one explanation among others
};
QString certaintyName(Certainty certainty); ///< "certain" …

/// The finding of a rule about a deadlock, by its graph alone: no rule asks a server.
struct Finding {
    /// The rule: "capture", "opposite-order", "conversion", "key-lookup", "missing-index", "longer-cycle",
    /// "parallel", "reader-writer", "application-locks", "foreign-key", "batch-order", "victim",
    /// "escalation".
    QString id;
    Certainty certainty = Certainty::Possible;
    QString says; ///< the finding, and the usual remedy: sentences
    QString restsOn; ///< the facts of the report that it follows from
    QString wouldProve; ///< the check that makes it sure; empty where nothing is in doubt
    QString hedge; ///< why it may be otherwise; empty if certain

    bool operator==(const Finding&) const = default;
};

/// Problems of the report itself come first, then by certainty, then in the order of the rules.
QList<Finding> findingsOf(const Deadlock& deadlock);

/// The rules' ids, for documentation and filters.
QStringList findingIds();

} // namespace lockscope::deadlock
