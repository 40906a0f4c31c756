// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/CommandLine.h"
#include "app/lockctl/Console.h"
#include "core/db/Server.h"
#include "core/domain/Framework.h"
#include "core/domain/Snapshot.h"
#include "core/report/Report.h"

#include <QJsonObject>

#include <vector>

namespace lockscope::ctl {

/// A lock of a framework, as a snapshot has it; points into that snapshot.
struct FrameworkLockSeen {
    const FrameworkMatch* match = nullptr;
    const LockTableEntry* entry = nullptr; ///< a row …
    const LockRequest* request = nullptr; ///< … or what a session holds or waits for

    bool isWaiting() const { return request && request->isWaiting(); }
    const QString& name() const { return entry ? entry->name : match->name; }
};

/// Those of one framework (by its id or name; empty: of all) that have this name (a null one: any), rows
/// first. Of a thing that a session has in several modes one.
std::vector<FrameworkLockSeen> frameworkLocks(
    const Snapshot& snapshot, const QString& framework, const QString& name = {});

/// Returns the framework of that id or name; null if no file has one.
FrameworkPtr frameworkCalled(const QString& name);
/// Whether a file or the snapshot knows it.
bool isFramework(const Snapshot& snapshot, const QString& framework);

/// Whether its holder works.
HolderLife lifeOf(const Snapshot& snapshot, const FrameworkLockSeen& lock);
/// Framework, lock, state, age, end of the lease, holder, where it is, whether its holder works.
report::Section frameworkLocksSection(const Snapshot& snapshot, const std::vector<FrameworkLockSeen>& locks);
/// The snapshot's JSON with nothing but these locks and entries.
QJsonObject frameworkLocksJson(const Snapshot& snapshot, const std::vector<FrameworkLockSeen>& locks);

QString holderOf(const Snapshot& snapshot, const FrameworkLockSeen& lock);
/// "public.databasechangeloglock", "advisory lock 72707369".
QString placeOf(const Snapshot& snapshot, const FrameworkLockSeen& lock);

/// Tables in which the framework (by its id or name; empty: any) may keep locks, and which were not read:
/// which, why, and what to do. A sentence or some for each. While there is one, nobody may say that no lock
/// is held.
QStringList unreadTables(const Snapshot& snapshot, const QString& framework);
/// Returns how to have it read, its name as a word of the shell; an empty text if no approval would do.
QString approvalText(const UnreadTable& table);

/// --approve SCHEMA.TABLE, or on SQLite TABLE: to read a table whose owner is not trusted.
void addApproval(Command& command);
Result<void> approveTables(db::Server& server, const CommandLine& line);

} // namespace lockscope::ctl
