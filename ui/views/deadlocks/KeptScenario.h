// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/deadlock/Deadlock.h"
#include "ui/kit/widgets/NoticeBar.h"

namespace lockscope::ui {

struct KeptScenario {
    QString id; ///< empty: there is none, and `notice` says why
    Notice notice;
};
/// Makes a scenario of the deadlock and writes it into the user's folder of scenarios. One that stands there
/// already stays: it may have been edited. Blocks for the disk.
KeptScenario keepScenario(const deadlock::Deadlock& deadlock);

} // namespace lockscope::ui
