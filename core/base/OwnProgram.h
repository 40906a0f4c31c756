// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

namespace lockscope {

/// The path of another program of ours: beside this one, where the package puts it, or on the PATH.
/// MissingObject if there is none; `purpose` says what for: "which runs the sandbox's server". Any thread.
Result<QString> findOwnProgram(const QString& name, const QString& purpose);
/// Returns the hint for a program of ours that is not there.
QString ownProgramHint();

} // namespace lockscope
