// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/Command.h"
#include "app/lockctl/CommandLine.h"
#include "core/admin/ServerAdmin.h"
#include "core/domain/DangerText.h"
#include "core/locks/LockHolder.h"

#include <QJsonObject>

#include <optional>

namespace lockscope::ctl {

/// Adds the options of each command that acts on others' locks: --reason (`reasonByDefault` may be empty),
/// --dry-run, --yes, --local-audit.
void addActOptions(Command& command, const QString& reasonByDefault = {});
/// --local-audit.
void addLocalAudit(Command& command);
/// Prints the facts of an act and what will follow, as wide as the terminal.
void printDanger(const DangerText& text);
/// Asks "`question` [y/N]" at a terminal, once the facts were shown. Nothing: it may be done. Else the exit
/// code: it was a dry run, it was denied, or nobody can be asked and --yes is missing; then `json` is printed
/// if that is requested.
std::optional<ExitStatus> codeAgainstActing(
    const CommandLine& line, const QString& question, const QJsonObject& json);
/// The facts of an act and what will follow, as the window's dialog has them. `columns`: 0 = no limit.
QStringList dangerLines(const DangerText& text, int columns, bool colours);
/// "facts", "consequences", "warning" and "statement".
void addDanger(QJsonObject& json, const DangerText& text);
/// The file for acts on a database without an audit table, if the user has said so.
std::optional<admin::LocalAudit> localAuditFrom(const CommandLine& line);
/// The code of the database that an act on rows runs, and whose would keep them from being freed: a line
/// each, none if there is none.
QStringList firedText(const admin::FiredCode& fired);
/// "runs" and "strangers".
void addFired(QJsonObject& json, const admin::FiredCode& fired);

/// The options that `run` and `acquire` share.
struct LockCommandOptions : locks::LockOptions {
    static void addOptions(Command& command);
    static Result<LockCommandOptions> from(const CommandLine& line);
};

/// Says why the lock is not ours, as JSON too if that is requested, and returns the exit code for it.
int notObtained(const LockCommandOptions& order, const locks::Obtained& result, bool json);
QString describe(const LockOwnerInfo& party); ///< "ann on app01 (nightly, process 4711)"
QJsonObject toJson(const LockCommandOptions& order, const locks::Obtained& result);

} // namespace lockscope::ctl
