// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/FrameworkText.h"
#include "ui/views/detail/DetailText.h"

namespace lockscope::ui {

/// "Whose lock is this": what is done under it, when it ends, who holds it, what can go wrong when it is
/// freed. Also what `text` offers besides: the vendor's command and the page of the manual. Nothing without a
/// match.
void addFramework(DetailText& text, const Snapshot& snapshot, const LockTableEntry& entry);
void addFramework(DetailText& text, const Snapshot& snapshot, const FrameworkRole& role);
/// Sets title, state and what resolves it, of the row of a framework: the rules of its lease are the file's.
void addState(DetailText& text, const LockTableEntry& entry);

} // namespace lockscope::ui
