// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Snapshot.h"

class QMenu;

namespace lockscope::ui {

class Page;

/// Adds "Find the row behind this lock…", and a separator, to the menu of a row that shows `request`. Absent
/// where no server could find it. Of a wait for a transaction it is the row that is waited for.
void addRowSearch(QMenu& menu, Page& page, const Snapshot& snapshot, const LockRequest& request);

} // namespace lockscope::ui
