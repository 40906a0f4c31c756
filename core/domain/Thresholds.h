// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"

class QSettings;

namespace lockscope {

enum class AgeLevel : quint8 { Normal, Amber, Red };

/// The ages from which on something is worth attention, and is trouble.
struct AgeThresholds {
    milliseconds amber{10'000};
    milliseconds red{60'000};

    AgeLevel levelOf(milliseconds age) const
    {
        return age >= red ? AgeLevel::Red : age >= amber ? AgeLevel::Amber : AgeLevel::Normal;
    }
    bool operator==(const AgeThresholds&) const = default;
};

/// The two sides of a lock are judged apart: to hold one for minutes can be usual where to wait for it is
/// not. The defaults of all that colours and counts.
struct LockThresholds {
    AgeThresholds wait; ///< for a session's wait
    AgeThresholds hold{milliseconds(60'000), milliseconds(600'000)}; ///< for a session's hold of a lock

    bool operator==(const LockThresholds&) const = default;
};

/// The user's thresholds. Values that make no sense are the defaults.
LockThresholds loadThresholds(const QSettings& settings);
LockThresholds loadThresholds(); ///< of the settings of this account, where the window keeps them
void saveThresholds(QSettings& settings, const LockThresholds& thresholds);

} // namespace lockscope
