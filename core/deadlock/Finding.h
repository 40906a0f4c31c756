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
/// "This is the cure"; "This may be the cure" where it is one explanation among others.
QString cureHead(Certainty certainty);

/// The finding of a rule about a deadlock, by its graph alone: no rule asks a server.
struct Finding {
    /// The rule: "opposite-order", "conversion" …
    QString id;
    Certainty certainty = Certainty::Possible;
    QString says; ///< sentences
    /// The change that prevents it, with the order of tables and the statements rewritten as far as the
    /// report has them; in one line. Empty: the report shows none, or another finding has a better one.
    QString cure{};
    QString restsOn; ///< the facts of the report that it follows from
    QString wouldProve{}; ///< the check that makes it sure; empty where nothing is in doubt
    QString hedge{}; ///< why it may be otherwise; empty if certain

    bool operator==(const Finding&) const = default;
};

/// The one with the cure comes first, if there is one; then by certainty, then in the order of the rules; why
/// the victim was chosen and problems of the report itself come last.
QList<Finding> findingsOf(const Deadlock& deadlock);

/// "Lock in one order: first orders, then stock. Both: UPDATE orders …; UPDATE stock … (likely)", of
/// findingsOf(); empty if the report shows no cure.
QString cureLine(const QList<Finding>& findings);

} // namespace lockscope::deadlock
