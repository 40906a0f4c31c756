// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/base/ServerTime.h"
#include "core/db/ServerProfile.h"
#include "core/domain/Framework.h"

#include <QStringList>
#include <QTimeZone>

#include <optional>

namespace lockscope::frameworks {

/// The settings of a framework in the programs that use a server, as far as the user has entered them: facts
/// that are in none of their rows.
struct ProgramSettings {
    std::optional<milliseconds> interval; ///< "interval": between two signs of life
    std::optional<milliseconds> deadAfter; ///< "dead_after": without a sign of life
    std::optional<milliseconds> lockAtMostFor; ///< "lock_at_most_for": from taking the lock on
    std::optional<QTimeZone> zone; ///< "zone": of times that are written without one

    /// Takes the settings of a profile that are this framework's; unreadable ones are left out.
    static ProgramSettings of(const QList<db::FrameworkSetting>& configured, const QString& framework);
};

QStringList programSettingNames();
/// Returns whether there is such a setting, has an effect on this framework's locks, and may have this value.
Result<void> checkProgramSetting(const Framework& framework, const QString& name, const QString& value);

} // namespace lockscope::frameworks
