// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/settings/Preferences.h"

#include "ui/views/page/ActAdvice.h"

#include <QSettings>

#include <algorithm>

namespace lockscope::ui {

namespace {

milliseconds read(const QSettings& settings, const char* key, milliseconds otherwise)
{
    bool ok = false;
    const qint64 value = settings.value(QLatin1String(key)).toLongLong(&ok);
    return ok && value > 0 ? milliseconds(value) : otherwise;
}

int readCount(const QSettings& settings, const char* key, int otherwise)
{
    bool ok = false;
    const int value = settings.value(QLatin1String(key)).toInt(&ok);
    return ok && value > 0 ? value : otherwise;
}

} // namespace

Preferences Preferences::load(const QSettings& settings)
{
    Preferences p;
    p.ages = loadThresholds(settings);
    p.staleAmber = readCount(settings, "thresholds/staleAmber", p.staleAmber);
    p.staleRed = std::max(p.staleAmber, readCount(settings, "thresholds/staleRed", p.staleRed));
    p.interval =
        std::clamp(read(settings, "poll/interval", p.interval), milliseconds(250), milliseconds(60'000));
    p.theme = themeModeFromName(settings.value(QStringLiteral("theme")).toString()).value_or(p.theme);
    p.reopen = settings.value(QStringLiteral("window/reopen"), p.reopen).toBool();
    p.statements = settings.value(QStringLiteral("poll/statements"), p.statements).toBool();
    p.alertSound = settings.value(QStringLiteral("alerts/sound"), p.alertSound).toBool();
    p.keepInTray = settings.value(QStringLiteral("window/keepInTray"), p.keepInTray).toBool();
    p.localAudit = allowsLocalAudit(settings);
    p.recording = loadRecordingSettings(settings);
    p.maxLocks = std::clamp(readCount(settings, "poll/mostLocks", p.maxLocks), minLocks, utmostLocks);
    return p;
}

void Preferences::save(QSettings& settings) const
{
    saveThresholds(settings, ages);
    settings.setValue(QStringLiteral("thresholds/staleAmber"), staleAmber);
    settings.setValue(QStringLiteral("thresholds/staleRed"), staleRed);
    settings.setValue(QStringLiteral("poll/interval"), static_cast<qint64>(interval.count()));
    settings.setValue(QStringLiteral("theme"), themeModeName(theme));
    settings.setValue(QStringLiteral("window/reopen"), reopen);
    settings.setValue(QStringLiteral("poll/statements"), statements);
    settings.setValue(QStringLiteral("poll/mostLocks"), maxLocks);
    settings.setValue(QStringLiteral("alerts/sound"), alertSound);
    settings.setValue(QStringLiteral("window/keepInTray"), keepInTray);
    allowLocalAudit(settings, localAudit);
    saveRecordingSettings(settings, recording);
}

} // namespace lockscope::ui
