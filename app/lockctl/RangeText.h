// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/RangeComparison.h"

#include <QJsonObject>

namespace lockscope::ctl {

/// For people, as wide as the terminal; what others wrote is made harmless.
QString rangeText(const record::RangeReport& report, qint64 most);
QString comparisonText(const record::RangeComparison& comparison, qint64 most);
/// For programs; fields are told in lockctl(1).
QJsonObject rangeJson(const record::RangeReport& report);
QJsonObject comparisonJson(const record::RangeComparison& comparison);

} // namespace lockscope::ctl
