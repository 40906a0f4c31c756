// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/KnownEvents.h"

#include "core/deadlock/Family.h"

#include <QCryptographicHash>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 second = 1'000'000;

bool isOfPostgresLog(const Report& report)
{
    const SourceFormat format = report.source.format;
    return format == SourceFormat::PostgresText || format == SourceFormat::PostgresCsv
        || format == SourceFormat::PostgresJson;
}

/// Empty where nothing can be compared.
QByteArray sameIn(const Report& report)
{
    if (!isOfPostgresLog(report) || !report.time.at)
        return {};
    QStringList sessions;
    for (const Participant& one : report.participants)
        sessions << one.key + u' ' + statementShape(one.statement, report.engine);
    sessions.sort();
    const QString all =
        QString::number(report.time.at->us / second) + QChar(0x1e) + sessions.join(QChar(0x1f));
    return QCryptographicHash::hash(all.toUtf8(), QCryptographicHash::Sha256);
}

} // namespace

bool KnownEvents::isNew(const Report& report)
{
    if (m_keys.contains(report.source.eventKey))
        return false;
    m_keys.insert(report.source.eventKey);
    const QByteArray same = sameIn(report);
    if (same.isEmpty())
        return true;
    Told& told = m_postgres[same];
    const int place = ++told.byFormat[int(report.source.format)];
    if (place <= told.events)
        return false;
    ++told.events;
    return true;
}

void KnownEvents::clear()
{
    m_keys.clear();
    m_postgres.clear();
}

} // namespace lockscope::deadlock
