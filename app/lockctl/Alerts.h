// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/CommandLine.h"
#include "core/json/FileFault.h"

namespace lockscope::ctl {

/// Complains of each fault of a file. Returns the error that says how many there are.
Failure complainOf(const QString& path, const json::FileFaults& faults);
/// Prints `text` for people or, with --json, `json`.
void tell(const CommandLine& line, const QString& text, const QJsonObject& json);

// Commands of `lockctl alerts`.
Command checkRulesCommand();
Command rehearseRulesCommand();
Command checkNowCommand();
Command testChannelCommand();

} // namespace lockscope::ctl
