// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ServerTime.h"
#include "ui/kit/charts/TimeScale.h"

#include <QString>

#include <vector>

namespace lockscope::ui {

/// A place on the axis of times of day, UTC.
struct AxisTick {
    qint64 at = 0; ///< microseconds since 1970
    QString text; ///< "12:04", "12:04:30"; where a day begins "22 Nov"
    bool isDay = false;
    bool operator==(const AxisTick&) const = default;
};
/// Round times of day on view, at least `pixels` apart.
std::vector<AxisTick> axisTicks(const TimeScale& scale, int pixels);

QString dayText(ServerTime at); ///< "Sun 22 Nov"

} // namespace lockscope::ui
