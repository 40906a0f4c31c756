// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/CommandLine.h"
#include "core/json/FileCheck.h"

namespace lockscope::watch {
class IncidentWatch;
}

namespace lockscope::ctl {

/// Complains of each fault of a file. Returns the error that says how many there are.
Failure complainOf(const QString& path, const json::FileFaults& faults);
/// Prints a line for each change of an incident that `incidents` finds, or its JSON, and complains of what it
/// can't keep or send. Ends when `incidents` is destroyed.
void printAlerts(watch::IncidentWatch& incidents, bool json = false);

// Commands of `lockctl alerts`.
Command checkRulesCommand();
Command rehearseRulesCommand();
Command checkNowCommand();
Command testChannelCommand();

} // namespace lockscope::ctl
