// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/ServerWatch.h"

namespace lockscope::ctl {

/// Watches of servers that are polled once and not watched on: without their records of deadlocks and the
/// order of their locks.
std::vector<std::unique_ptr<watch::ServerWatch>> watchesToPollOnce(
    const QList<db::Server>& servers, const monitor::ProbeSelection& probes);
/// Polls them, all at the same time: one that does not answer in time has neither a snapshot nor an error
/// then.
void pollOnce(const std::vector<std::unique_ptr<watch::ServerWatch>>& watches, milliseconds atMost);
/// The error of one that was polled; nothing: it has answered.
std::optional<Error> errorOf(const watch::ServerWatch& watch);

} // namespace lockscope::ctl
