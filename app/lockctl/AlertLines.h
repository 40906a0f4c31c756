// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lockscope::watch {
class IncidentWatch;
}

namespace lockscope::ctl {

/// Prints a line for each change of an incident that `incidents` finds, or its JSON, and complains of what it
/// can't keep or send. Ends when `incidents` is destroyed.
void printAlerts(watch::IncidentWatch& incidents, bool json = false);

} // namespace lockscope::ctl
