// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

#include <QStringList>

namespace lockscope {

/// The sessions that go on, and those that stay blocked, if a session, or several, end now. A prediction from
/// the waits of one snapshot: the server decides, and others may have come in between.
struct Aftermath {
    struct Next {
        SessionId session;
        quint32 resource = 0; ///< index into Snapshot::resources: what it gets
        bool operator==(const Next&) const = default;
    };
    struct Left {
        SessionId session;
        std::vector<SessionId> behind; ///< for whom it waits then, ascending
        bool operator==(const Left&) const = default;
    };
    std::vector<Next> next; ///< those that wait for nobody else, ascending
    std::vector<Left> left; ///< the others of those that wait for it, directly or not, ascending

    bool isEmpty() const { return next.empty() && left.empty(); }
};

Aftermath aftermathOf(const Snapshot& snapshot, const std::vector<SessionId>& ended);
Aftermath aftermathOf(const Snapshot& snapshot, SessionId ended);

/// The same in sentences, each by itself: who waits, who gets what next
/// (named only where it is a thing that the session itself asked for, and not somebody's transaction), who
/// stays blocked and behind whom.
QStringList aftermathInWords(const Snapshot& snapshot, SessionId ended);
QStringList aftermathInWords(const Snapshot& snapshot, const std::vector<SessionId>& ended);
/// Returns only which sessions get what and which stay blocked, to be shown when it is done; empty if nobody
/// waits.
QStringList whoGoesOn(const Snapshot& snapshot, SessionId ended);

/// An act on a waiter that lets others go on while the head blocker keeps its lock
/// (BlockingGraph::jamBehind).
struct OtherAct {
    SessionId session; ///< of the waiter
    bool cancels = true; ///< else it must be ended: the engine can't cancel another session's statement
    QString text; ///< "cancel 1058 (ALTER TABLE): 3 go on, 990 keeps running"
    QString losses; ///< "That loses a transaction of 4 s that has written nothing; ending 990 loses …"
    /// It loses no more work than ending the head blocker would, and lets no fewer go on.
    bool isBetter = false;

    QString toString() const; ///< as sentences
};
std::optional<OtherAct> otherActThanEnding(const Snapshot& snapshot, SessionId head);

/// Returns what a session holds beside `resource` (an index of the snapshot's) and loses with it when it
/// ends: each lock once, contended ones first, without those that a program keeps for itself.
std::vector<const LockRequest*> otherLocks(const Snapshot& snapshot, SessionId ended, quint32 resource);
/// The same in a sentence, the first ones by name: "It also holds 2 other locks, which go with it: …".
QString otherLocksInWords(const Snapshot& snapshot, SessionId ended, quint32 resource);

/// Returns the text of `aftermath` for later, once time has passed: "As predicted from the last poll: …";
/// empty for none.
QString aftermathAsSeen(const QStringList& aftermath);

} // namespace lockscope
