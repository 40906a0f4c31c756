// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/admin/FiredCode.h"
#include "core/domain/Snapshot.h"

#include <QStringList>

namespace lockscope::ui {

/// The text of a danger dialog: exactly what will be acted on, and what will follow. Values only, so that the
/// words can be tested without a window.
struct DangerText {
    struct Fact {
        QString name;
        QString value;
    };
    QString title; ///< "Release “nightly”"
    QList<Fact> facts; ///< the row as it was shown
    QStringList consequences;
    QString warning; ///< the risk, before the button: of a framework's lock, the warning of its file
    QString vendorName; ///< its own command is …
    QString vendorCommand; ///< … this; empty where there is none
    QString vendorNote; ///< the difference from ours
    QString button; ///< "Release"
    QString script; ///< the script to run, word for word; empty where the facts say it all
    QString statement; ///< that does the same from psql, sqlcmd …; empty where there is none
    QStringList afterwards; ///< sessions that go on and those that do not, to be shown when it was done
    bool reasoned = true; ///< a reason must be given; not where nothing is there yet to record it
};

/// `snapshot` may be null: then less is known about what follows.
DangerText describeRelease(const LockTableEntry& entry, const Snapshot* snapshot, ServerTime now);
DangerText describePurge(const QList<LockTableEntry>& stale, const Snapshot* snapshot, ServerTime now);
DangerText describeCancel(const Session& session, const Snapshot* snapshot, ServerTime now);
DangerText describeEnd(const Session& session, const Snapshot* snapshot, ServerTime now);
/// The code of the database that runs when rows are freed, as what will follow; empty if none does.
QStringList describeFired(const admin::FiredCode& fired);
/// For a role of the server that an installation may use although somebody else seems to have made it: says
/// which members get which rights by that, and what will follow.
QString describeMembers(const QString& role, const QStringList& members);
QString describeAdopted(const QString& role, const QStringList& members);
/// `script` is the one that will be run: what it creates is read off it. `where`: server and database.
DangerText describeInstall(const QString& script, const QString& where, const QString& user);

} // namespace lockscope::ui
