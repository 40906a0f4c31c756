// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

#include <QStringList>

namespace lockscope {

/// Who goes on and who stays blocked if a session ends now: by the waits of one snapshot, hence a prediction.
/// The server decides, and others may have come in between.
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
    std::vector<Next> next; ///< who waits for nobody else, ascending
    std::vector<Left> left; ///< the others of those that wait for it, directly or not, ascending

    bool isEmpty() const { return next.empty() && left.empty(); }
};

Aftermath aftermathOf(const Snapshot& snapshot, SessionId ended);

/// The same in sentences, each by itself: who waits, who gets what next
/// (named only where it is a thing that the session itself asked for, and not somebody's transaction), who
/// stays blocked and behind whom.
QStringList aftermathInWords(const Snapshot& snapshot, SessionId ended);
/// Only who gets what and who stays blocked, to be told when it is done; empty if nobody waits.
QStringList whoGoesOn(const Snapshot& snapshot, SessionId ended);

/// What a session holds beside `resource`, an index of the snapshot's, and loses with it when it ends: each
/// thing once, contended ones first; not what a program keeps for itself.
std::vector<const LockRequest*> otherLocks(const Snapshot& snapshot, SessionId ended, quint32 resource);
/// The same in a sentence, the first ones by name: "It also holds 2 other locks, which go with it: …".
QString otherLocksInWords(const Snapshot& snapshot, SessionId ended, quint32 resource);

/// What was told of who goes on, once time has passed: "As it was when it was looked at: …"; empty for none.
QString aftermathAsSeen(const QStringList& aftermath);

/// How a transaction of the engine is rolled back: at once (PostgreSQL marks it as aborted), or change by
/// change, which can take as long as the work did and keeps its locks until then.
bool rollbackTakesTime(Engine engine);

} // namespace lockscope
