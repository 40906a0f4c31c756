// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Worker.h"
#include "core/watch/IncidentStore.h"

#include <map>
#include <memory>
#include <optional>

namespace lockscope::metrics {

/// Counts the incidents that come into a store, by server. Its file is read on a thread of its own, for which
/// nobody waits longer than half a second: a store that is locked delays no reader of metrics. Any thread.
class CountedIncidents {
public:
    using ByServer = std::map<QString, watch::IncidentStore::Counts>;

    /// Counts from now on. `store`: its path; empty: the account's own.
    explicit CountedIncidents(const QString& store);
    ~CountedIncidents();
    Q_DISABLE_COPY_MOVE(CountedIncidents)

    /// Returns what the store holds now; while it is locked, for a minute, what it held before. Nothing: not
    /// known.
    std::optional<ByServer> counts();

private:
    struct Shared;
    const std::shared_ptr<Shared> m_shared;
    Worker m_worker;
};

} // namespace lockscope::metrics
