// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/run/Interleaving.h"

namespace lockscope::ui {

/// An order of steps in a file: as text if it is called *.txt, else as JSON.
Result<void> writeSteps(const scenario::Interleaving& record, const QString& path);
/// Both kinds, whatever the file is called.
Result<scenario::Interleaving> readSteps(const QString& path);

} // namespace lockscope::ui
