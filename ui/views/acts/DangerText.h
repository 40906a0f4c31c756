// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/admin/ServerAdmin.h"
#include "core/domain/DangerText.h"

namespace lockscope::ui {

/// The code of the database that runs when rows are freed, as what will follow; empty if none does.
QStringList describeFired(const admin::FiredCode& fired);
/// For a role of the server that an installation may use although somebody else seems to have made it: says
/// which members get which rights by that, and what will follow.
QString describeMembers(const QString& role, const QStringList& members);
QString describeAdopted(const QString& role, const QStringList& members);
/// `script` is the one that will be run: what it creates is read off it. `where`: server and database.
DangerText describeInstall(const QString& script, const QString& where, const QString& user);

} // namespace lockscope::ui
