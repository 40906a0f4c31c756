// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/Thresholds.h"

#include <QSettings>

#include <algorithm>
#include <array>
#include <utility>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

template <class Thresholds> auto storedValues(Thresholds& thresholds)
{
    return std::array{std::pair("thresholds/waitAmber", &thresholds.wait.amber),
        std::pair("thresholds/waitRed", &thresholds.wait.red),
        std::pair("thresholds/holdAmber", &thresholds.hold.amber),
        std::pair("thresholds/holdRed", &thresholds.hold.red)};
}

} // namespace

LockThresholds loadThresholds(const QSettings& settings)
{
    LockThresholds thresholds;
    for (const auto& [key, value] : storedValues(thresholds)) {
        bool ok = false;
        const qint64 read = settings.value(QLatin1String(key)).toLongLong(&ok);
        *value = ok && read > 0 ? milliseconds(read) : *value;
    }
    for (AgeThresholds* each : {&thresholds.wait, &thresholds.hold})
        each->red = std::max(each->amber, each->red);
    return thresholds;
}

LockThresholds loadThresholds()
{
    return loadThresholds(QSettings(u"lockscope"_s, u"lockscope"_s));
}

void saveThresholds(QSettings& settings, const LockThresholds& thresholds)
{
    for (const auto& [key, value] : storedValues(thresholds))
        settings.setValue(QLatin1String(key), static_cast<qint64>(value->count()));
}

} // namespace lockscope
