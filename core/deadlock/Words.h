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

} // namespace lockscope::deadlock
