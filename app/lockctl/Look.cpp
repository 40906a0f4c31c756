// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Look.h"

namespace lockscope::ctl {

Result<SnapshotPtr> lookAt(const Target& target, const monitor::ProbeSelection& probes)
{
    return monitor::makeSnapshotSource(target.profile, target.passwords, probes)->take();
}

} // namespace lockscope::ctl
