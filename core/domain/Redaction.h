// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockMode.h"

#include <QString>

namespace lockscope {

/// A statement without the values that stand in it: texts (also $$…$$, E'…', N'…', X'…') and numbers become
/// '?', comments are dropped, which may carry values, too. Names stay, also quoted ones. What is not closed
/// counts to the end. Sooner too much is left out than too little: words that begin with a digit, too.
/// Where the engine allows texts in double quotes (SQLite; SQL Server by a setting) they look like names, and
/// stay.
QString withoutLiterals(const QString& statement, Engine engine);

} // namespace lockscope
