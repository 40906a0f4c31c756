// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

#include <QHash>

namespace lockscope::monitor {

/// Remembers which sessions polls saw waiting, because no server records when a wait ended. A head blocker
/// that waited in the queue itself until lately has not made the queue behind it. Poll thread only.
class EndedWaits {
public:
    /// Takes the waits of this poll, and fills in Session::waitedUntil of those that others wait for and that
    /// wait no more. Needs the snapshot's index and waits.
    void note(Snapshot& snapshot);

private:
    struct Wait {
        ServerTime seen; ///< by the last poll that saw it
        QString what;
    };
    QHash<SessionKey, Wait> m_waits; ///< empty while nobody waits: then no later queue is older than they are
};

} // namespace lockscope::monitor
