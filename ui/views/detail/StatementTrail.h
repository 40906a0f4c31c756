// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Snapshot.h"

#include <QHash>
#include <QList>

namespace lockscope::ui {

/// The former statements of sessions, as far as polls have seen them: one that came and went between two
/// polls is not in it. Costs the server nothing. GUI thread.
class StatementTrail {
public:
    struct Step {
        ServerTime seen; ///< the latest poll that saw it
        QString statement;
        SessionState state = SessionState::Unknown;
    };

    void note(const Snapshot& snapshot);
    void clear() { m_steps.clear(); }
    /// Newest first, without the present one.
    QList<Step> before(const SessionKey& session) const;

private:
    struct Steps {
        QList<Step> all; ///< the present one last
        std::optional<ServerTime> began; ///< of the present one
    };
    QHash<SessionKey, Steps> m_steps;
};

} // namespace lockscope::ui
