// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/CommandLine.h"
#include "core/scenario/run/FreeRun.h"

namespace lockscope::ctl {

/// A scenario of the library by its id, or a file by its path. Null if there is none: that was said then.
scenario::ScenarioPtr findScenario(const QString& name);
/// What the options say about a run.
Result<scenario::RunOrder> orderFrom(const CommandLine& line, scenario::ScenarioPtr scenario);
/// The number of an option if it was given.
Result<void> setNumber(const CommandLine& line, const QString& name, qint64 least, qint64 most, int& into);

/// BadInput for an option that means nothing to this sub-command.
Result<void> refuseOptions(const CommandLine& line, const QStringList& names, const QString& why);

/// The exit code of a failure, by that of other commands: 1 means that the invariant broke.
int codeWithoutVerdict(int code);

} // namespace lockscope::ctl
