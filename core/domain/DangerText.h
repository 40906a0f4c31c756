// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

#include <QStringList>

namespace lockscope {

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
    QString refusal = QStringLiteral("Cancel"); ///< "Keep it running"
    QString script; ///< the script to run, word for word; empty where the facts say it all
    QString statement; ///< that does the same from psql, sqlcmd …; empty where there is none
    QStringList afterwards; ///< sessions that go on and those that do not, to be shown when it was done
    bool reasoned = true; ///< a reason must be given; not where nothing is there yet to record it
};

/// `snapshot` may be null: then less is known about what follows.
DangerText describeRelease(const LockTableEntry& entry, const Snapshot* snapshot, ServerTime now);
DangerText describePurge(const QList<LockTableEntry>& stale, const Snapshot* snapshot, ServerTime now);
DangerText describeCancel(const Session& session, const Snapshot* snapshot, ServerTime now);
DangerText describeCancels(const QList<Session>& sessions, const Snapshot* snapshot, ServerTime now);
DangerText describeEnd(const Session& session, const Snapshot* snapshot, ServerTime now);
/// Returns why the session can't be ended by anybody from here: it is our own or the server's, or there is
/// none. Empty if it can be tried.
QString reasonAgainstEnding(Engine engine, const Session& session);

} // namespace lockscope
