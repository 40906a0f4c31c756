// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/Command.h"
#include "core/admin/ServerAdmin.h"

#include <QJsonObject>

namespace lockscope::ctl {

/// Adds the options of each command that acts on others' locks: --reason (`byDefault` may be empty),
/// --local-audit.
void addActOptions(Command& command, const QString& reasonByDefault = {});
/// Lets acts be recorded in a local file if the user has said so.
void applyActOptions(admin::ServerAdmin& admin, const CommandLine& line);
/// The code of the database that an act on rows runs, and whose would keep them from being freed: a line
/// each, none if there is none.
QStringList firedText(const admin::FiredCode& fired);
/// "runs" and "strangers".
void addFired(QJsonObject& json, const admin::FiredCode& fired);

} // namespace lockscope::ctl
