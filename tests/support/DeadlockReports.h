// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"

namespace lockscope::test {

/// All reports of a file in tests/support/deadlocks. Ends the program if it can't be read.
QList<deadlock::ReportPtr> readDeadlocks(const QString& name);
/// The only report of a file.
deadlock::ReportPtr oneDeadlock(const QString& name);
/// Each ring as "52!>63", the victim with "!"; each begins with its least, so that files compare.
QStringList ringsOf(const deadlock::DeadlockReport& report);
/// The rules that apply to it, but for "victim" and "capture".
QStringList findingsOf(const deadlock::ReportPtr& report);

} // namespace lockscope::test
