// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/bench/Report.h"

#include <QDateTime>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSysInfo>
#include <QThread>

#include <cstdio>

namespace lockscope::bench {

using namespace Qt::StringLiterals;

namespace {

QString number(double value)
{
    if (value >= 1000)
        return QString::number(value, 'f', 0);
    return QString::number(value, 'f', value >= 100 ? 1 : value >= 10 ? 2 : 3);
}

QString describe(const Target& target)
{
    return (target.bound == Target::Bound::AtLeast ? u"≥ "_s : u"≤ "_s) + QString::number(target.limit);
}

} // namespace

void Report::section(const QString& title)
{
    m_section = title;
    std::printf("\n%s\n", qUtf8Printable(title));
}

void Report::add(
    const QString& what, double value, const QString& unit, std::optional<Target> target, const QString& note)
{
    QJsonObject row{{u"section"_s, m_section}, {u"what"_s, what}, {u"value"_s, value}, {u"unit"_s, unit}};
    QString verdict;
    if (target) {
        const bool isMet = target->isMetBy(value);
        ++(isMet ? m_met : m_missed);
        row[u"target"_s] = describe(*target);
        row[u"met"_s] = isMet;
        verdict = (isMet ? u"met    "_s : u"MISSED "_s) + describe(*target);
    }
    if (!note.isEmpty())
        row[u"note"_s] = note;
    m_rows.append(row);
    std::printf("  %-62s %10s %-8s %-16s %s\n", qUtf8Printable(what), qUtf8Printable(number(value)),
        qUtf8Printable(unit), qUtf8Printable(verdict), qUtf8Printable(note));
    std::fflush(stdout);
}

void Report::skip(const QString& what, const QString& why)
{
    m_rows.append(QJsonObject{{u"section"_s, m_section}, {u"what"_s, what}, {u"skipped"_s, why}});
    std::printf("  %-62s not measured: %s\n", qUtf8Printable(what), qUtf8Printable(why));
}

bool Report::writeJson(const QString& path) const
{
    const QJsonObject all{{u"at"_s, QDateTime::currentDateTimeUtc().toString(Qt::ISODate)},
        {u"version"_s, QStringLiteral(LOCKSCOPE_VERSION)}, {u"cpus"_s, QThread::idealThreadCount()},
        {u"system"_s, QSysInfo::prettyProductName()}, {u"results"_s, m_rows}};
    QFile file(path);
    const QByteArray text = QJsonDocument(all).toJson();
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

} // namespace lockscope::bench
