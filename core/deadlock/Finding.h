// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"

namespace lockscope::deadlock {

/// "session 52", "thread 3 of session 52", "process2f3a": for sentences. Not at their beginning: no capital.
QString participantName(const Deadlock& deadlock, int participant);
/// The same at the beginning of a sentence. A key ("process2f3a") stays as it is.
QString beginningWith(const Deadlock& deadlock, int participant);

/// Returns a statement in one line without what clients put round it, cut where it is long.
QString shortStatement(const QString& statement);

/// "Session 52 waits for X on dbo.orders.PK_orders key (81…), where session 63 has X."
QString sentenceOf(const Deadlock& deadlock, const Link& link);

/// "Session 52 has dbo.customers and waits for dbo.orders; session 63 has dbo.orders and waits for
/// dbo.customers.": one line for lists.
QString summaryOf(const Deadlock& deadlock);

/// Explains the deadlock to people who see their first one: the locks of each session, the order in which
/// they began to wait as far as it is known, that nobody could go on, and which session was ended. Sentences,
/// one a step.
QStringList sequenceOf(const Deadlock& deadlock);

/// The rings as text, for each wait a line and its statement, for terminals and mails:
///     ┌─▶ 52  waits for X on dbo.orders      held by 63: X
///     │       UPDATE dbo.orders SET state = 2
///     └── 63  waits for X on dbo.customers   held by 52: X
QStringList drawingOf(const Deadlock& deadlock);

/// The rings that pictures of it show: not more than can be taken in.
QList<Cycle> drawnRings(const Deadlock& deadlock);
/// "And 4 rings more."; empty if all are drawn.
QString undrawnRings(const Deadlock& deadlock);

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
