// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/settings/Preferences.h"

#include "ui/views/page/ActAdvice.h"

#include <QCryptographicHash>
#include <QSettings>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

const QString ofAll = u"recording"_s;

/// Names of servers may be anything, names of groups may not.
QString groupOf(const QString& server)
{
    constexpr qsizetype digits = 16;
    const QByteArray hash = QCryptographicHash::hash(server.toUtf8(), QCryptographicHash::Sha256).toHex();
    return u"recordings/"_s + QString::fromLatin1(hash.left(digits));
}

RecordingSettings load(const QSettings& settings, const QString& group)
{
    RecordingSettings r;
    const auto number = [&](const QString& key, int otherwise, int least, int maximum) {
        bool ok = false;
        const int value = settings.value(group + key).toInt(&ok);
        return ok ? std::clamp(value, least, maximum) : otherwise;
    };
    r.on = settings.value(group + u"/on"_s, r.on).toBool();
    r.days = number(u"/days"_s, r.days, 1, RecordingSettings::maxDays);
    r.megabytes = number(
        u"/megabytes"_s, r.megabytes, RecordingSettings::minMegabytes, RecordingSettings::maxMegabytes);
    r.redacts = settings.value(group + u"/redact"_s, r.redacts).toBool();
    r.history = settings.value(group + u"/history"_s).toString();
    return r;
}

void save(QSettings& settings, const QString& group, const RecordingSettings& recording)
{
    settings.setValue(group + u"/on"_s, recording.on);
    settings.setValue(group + u"/days"_s, recording.days);
    settings.setValue(group + u"/megabytes"_s, recording.megabytes);
    settings.setValue(group + u"/redact"_s, recording.redacts);
    settings.setValue(group + u"/history"_s, recording.history);
}

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

record::RecorderSettings RecordingSettings::forRecorder() const
{
    record::RecorderSettings recorder;
    recorder.on = on;
    recorder.retention.age = std::chrono::hours(24) * days;
    recorder.retention.bytes = static_cast<qint64>(megabytes) << 20;
    return recorder;
}

RecordingSettings loadRecordingSettings(const QSettings& settings)
{
    return load(settings, ofAll);
}

void saveRecordingSettings(QSettings& settings, const RecordingSettings& recording)
{
    save(settings, ofAll, recording);
}

std::optional<RecordingSettings> recordingSettingsOf(const QSettings& settings, const QString& server)
{
    const QString group = groupOf(server);
    if (settings.value(group + u"/server"_s).toString() != server || server.isEmpty())
        return std::nullopt;
    return load(settings, group);
}

void setRecordingSettingsOf(
    QSettings& settings, const QString& server, const std::optional<RecordingSettings>& recording)
{
    const QString group = groupOf(server);
    settings.remove(group);
    if (!recording)
        return;
    settings.setValue(group + u"/server"_s, server);
    save(settings, group, *recording);
}

void moveRecordingSettings(QSettings& settings, const QString& before, const QString& server)
{
    const auto recording = recordingSettingsOf(settings, before);
    if (before == server || !recording)
        return;
    setRecordingSettingsOf(settings, before, std::nullopt);
    setRecordingSettingsOf(settings, server, recording);
}

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
