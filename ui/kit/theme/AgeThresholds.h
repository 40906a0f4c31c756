// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ServerTime.h"

namespace lockscope::ui {

enum class AgeLevel : quint8 { Normal, Amber, Red };

/// From when on an age is worth a look, and from when on it is trouble. Set by the user.
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
/// not.
struct LockThresholds {
    AgeThresholds wait; ///< how long somebody may wait
    AgeThresholds hold{milliseconds(60'000), milliseconds(600'000)}; ///< how long somebody may hold

    bool operator==(const LockThresholds&) const = default;
};

} // namespace lockscope::ui
