// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/shell/window/SideBar.h"

namespace lockscope::db {
struct ServerProfile;
}

namespace lockscope::ui {

class ServerSession;

/// Returns the row of one server for the list; `session` is null if it is not open.
SideBar::ServerItem serverRow(
    const db::ServerProfile& profile, const ServerSession* session, const LockThresholds& thresholds);

} // namespace lockscope::ui
