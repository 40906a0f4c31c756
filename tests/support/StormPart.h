// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QStringList>

#include <optional>

namespace lockscope::test {

// The clients of a LockStorm are processes of their own: any of them may be killed at any time. Each takes
// and frees names until the file "stop" is there, and writes its certain knowledge to its own file, a
// line each:
//
//     G name fencing from expires    it has the name (expires 0: it doesn't know until when)
//     R name fencing expires         the lease was prolonged
//     E name fencing until           it is about to release it
//     O                              a plain INSERT's transaction stayed open until somebody waited for it

/// The way in which a client takes names.
enum class StormWay { Library, Lockctl, Functions, PlainSql };

/// Plays the part of a test's second process; see LOCKSCOPE_TEST_WITH_PARTS.
std::optional<int> playStormPart(const QStringList& arguments);

/// Returns the time by the system's clock, which is the server's, too.
qint64 microsecondsNow();

} // namespace lockscope::test
