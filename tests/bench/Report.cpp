// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/bench/Report.h"

#include "tests/bench/Measure.h"

#include <QDateTime>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSysInfo>
#include <QThread>

#include <algorithm>
#include <cstdio>

namespace lockscope::bench {

using namespace Qt::StringLiterals;

static QString number(double value)
{
    if (value >= 1000)
        return QString::number(value, 'f', 0);
    return QString::number(value, 'f', value >= 100 ? 1 : value >= 10 ? 2 : 3);
}

static QString describe(const Target& target)
{
    return (target.bound == Target::Bound::AtLeast ? u"≥ "_s : u"≤ "_s) + QString::number(target.limit);
}

void Report::section(const QString& title)
{
    m_section = title;
    std::printf("\n%s\n", qUtf8Printable(title));
}

Report::Measured& Report::measured(const QString& what)
{
    for (Measured& each : m_all) {
        if (each.section == m_section && each.what == what)
            return each;
    }
    m_all.push_back({m_section, what, {}, {}, {}, {}});
    return m_all.back();
}

void Report::add(
    const QString& what, double value, const QString& unit, std::optional<Target> target, const QString& note)
{
    Measured& row = measured(what);
    row.unit = unit;
    row.values.push_back(value);
    row.target = target;
    row.note = note;
    QString verdict;
    if (target)
        verdict = (target->isMetBy(value) ? u"met    "_s : u"MISSED "_s) + describe(*target);
    std::printf("  %-62s %10s %-8s %-16s %s\n", qUtf8Printable(what), qUtf8Printable(number(value)),
        qUtf8Printable(unit), qUtf8Printable(verdict), qUtf8Printable(note));
    std::fflush(stdout);
}

void Report::skip(const QString& what, const QString& why)
{
    measured(what).note = why;
    std::printf("  %-62s not measured: %s\n", qUtf8Printable(what), qUtf8Printable(why));
}

int Report::met() const
{
    return static_cast<int>(std::ranges::count_if(m_all, [](const Measured& row) {
        return row.target && !row.values.empty() && row.target->isMetBy(median(row.values));
    }));
}

int Report::missed() const
{
    return static_cast<int>(std::ranges::count_if(m_all, [](const Measured& row) {
        return row.target && !row.values.empty() && !row.target->isMetBy(median(row.values));
    }));
}

void Report::printGoals() const
{
    std::printf("\n| what | measured | goal | |\n|---|---|---|---|\n");
    for (const Measured& row : m_all) {
        if (!row.target || row.values.empty())
            continue;
        const double middle = median(row.values);
        const auto [least, most] = std::minmax_element(row.values.begin(), row.values.end());
        QString measured = number(middle) + u' ' + row.unit;
        if (row.values.size() > 1)
            measured += u" (%1 to %2)"_s.arg(number(*least), number(*most));
        std::printf("| %s: %s | %s | %s | %s |\n", qUtf8Printable(row.section), qUtf8Printable(row.what),
            qUtf8Printable(measured), qUtf8Printable(describe(*row.target)),
            row.target->isMetBy(middle) ? "met" : "missed");
    }
}

Result<void> Report::writeJson(const QString& path) const
{
    QJsonArray rows;
    for (const Measured& each : m_all) {
        QJsonObject row{{u"section"_s, each.section}, {u"what"_s, each.what}};
        if (each.values.empty()) {
            row[u"skipped"_s] = each.note;
        } else {
            const auto [least, most] = std::minmax_element(each.values.begin(), each.values.end());
            row[u"unit"_s] = each.unit;
            row[u"value"_s] = median(each.values);
            row[u"least"_s] = *least;
            row[u"most"_s] = *most;
            row[u"runs"_s] = static_cast<qint64>(each.values.size());
            if (each.target) {
                row[u"target"_s] = describe(*each.target);
                row[u"met"_s] = each.target->isMetBy(median(each.values));
            }
            if (!each.note.isEmpty())
                row[u"note"_s] = each.note;
        }
        rows.append(row);
    }
    const QJsonObject all{{u"at"_s, QDateTime::currentDateTimeUtc().toString(Qt::ISODate)},
        {u"version"_s, QStringLiteral(LOCKSCOPE_VERSION)}, {u"cpus"_s, QThread::idealThreadCount()},
        {u"system"_s, QSysInfo::prettyProductName()}, {u"results"_s, rows}};
    QFile file(path);
    const QByteArray text = QJsonDocument(all).toJson();
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        return failure(ErrorKind::BadInput, u"Can't write %1: %2."_s.arg(path, file.errorString()));
    return {};
}

Result<void> Report::compareWith(const QString& path) const
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return failure(ErrorKind::BadInput, u"Can't read %1: %2."_s.arg(path, file.errorString()));
    const QJsonObject before = QJsonDocument::fromJson(file.readAll()).object();
    if (!before[u"results"].isArray())
        return failure(ErrorKind::BadInput, u"%1 has no results of this program."_s.arg(path));
    std::printf(
        "\nAgainst the run of %s (median, least to most)\n", qUtf8Printable(before[u"at"].toString()));
    const QJsonArray results = before[u"results"].toArray();
    for (const Measured& each : m_all) {
        const auto same = std::find_if(results.begin(), results.end(), [&each](const QJsonValue& row) {
            return row[u"section"] == each.section && row[u"what"] == each.what && row[u"value"].isDouble();
        });
        if (same == results.end() || each.values.empty())
            continue;
        const auto [least, most] = std::minmax_element(each.values.begin(), each.values.end());
        const double was = (*same)[u"value"].toDouble();
        const double wasLeast = (*same)[u"least"].toDouble(was);
        const double wasMost = (*same)[u"most"].toDouble(was);
        const double change = was == 0 ? 0 : (median(each.values) / was - 1) * 100;
        const bool isApart = *least > wasMost || *most < wasLeast;
        std::printf("  %-62s %10s (%s to %s)   was %s (%s to %s)   %s\n", qUtf8Printable(each.what),
            qUtf8Printable(number(median(each.values))), qUtf8Printable(number(*least)),
            qUtf8Printable(number(*most)), qUtf8Printable(number(was)), qUtf8Printable(number(wasLeast)),
            qUtf8Printable(number(wasMost)),
            isApart ? qUtf8Printable(u"%1%2 %"_s.arg(change > 0 ? u"+"_s : QString()).arg(change, 0, 'f', 1))
                    : "within the spread");
    }
    return {};
}

} // namespace lockscope::bench
