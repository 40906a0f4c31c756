// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ServerProfile.h"
#include "core/domain/Framework.h"

namespace lockscope::frameworks {

/// An attached table as a framework of its own: rows with a name and a time, freed by deleting exactly the
/// row that was shown. Of each engine.
FrameworkPtr ofAttached(const db::AttachedTable& table);

} // namespace lockscope::frameworks
