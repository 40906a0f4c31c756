// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"
#include "core/domain/UnreadTable.h"

#include <functional>

class QWidget;

namespace lockscope::ui {

/// Asks once whether a table of somebody else is to be read, and says what that means. `agreed` is called if
/// it is; not after `window` has gone.
void askToRead(const UnreadTable& table, const db::ServerProfile& profile, QWidget& window,
    const std::function<void()>& agreed);

} // namespace lockscope::ui
