// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockMode.h"

#include <QString>

#include <array>
#include <optional>

namespace lockscope {

/// In the order in which people are offered them.
inline constexpr std::array allEngines{Engine::SqlServer, Engine::Postgres, Engine::Sqlite};

/// "postgres", "sqlserver", "sqlite": as in files and in JSON.
QString engineKey(Engine engine);
std::optional<Engine> engineOfKey(QStringView key);

} // namespace lockscope
