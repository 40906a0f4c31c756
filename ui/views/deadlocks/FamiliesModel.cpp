// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/FamiliesModel.h"

#include "core/domain/SnapshotNames.h"
#include "ui/kit/models/CellStyle.h"

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

std::vector<ColumnInfo> familyColumns()
{
    return {
        {u"what"_s, u"What"_s, u"Tables, and which modes wait for which"_s, 400, true, false, false, 3},
        {u"count"_s, u"How often"_s, u"Deadlocks of this family in the list"_s, 80, true, true},
        {u"first"_s, u"First seen"_s, u"As the reports tell it"_s, 190, true, false, false, 0, 1},
        {u"last"_s, u"Last seen"_s, u"As the reports tell it"_s, 190},
        {u"before"_s, u"Before"_s, u"How many were before the date"_s, 70, true, true},
        {u"after"_s, u"From then on"_s, u"How many were at the date or later"_s, 100, true, true},
        {u"family"_s, u"Family"_s, u"Equal for deadlocks of the same statements, modes and tables"_s, 130,
            false},
    };
}

/// Returns the time of its first or last one; without a zone it is the server's own time.
QString timeText(const deadlock::Family& family, const std::optional<ServerTime>& at)
{
    if (!at)
        return u"unknown"_s;
    const bool isZoneKnown =
        std::none_of(family.members.cbegin(), family.members.cend(), [&at](const deadlock::Deadlock& each) {
            return each.report->time.at == at && !each.report->time.isZoneKnown;
        });
    return isZoneKnown ? dateTimeText(*at) : dateTimeText(*at).left(19) + u" (server's time)"_s;
}

} // namespace

FamiliesModel::FamiliesModel(QObject* parent)
    : KeyedTableModel(familyColumns(), parent)
{
}

void FamiliesModel::showFamilies(
    const QList<deadlock::Family>& families, const std::optional<ServerTime>& date)
{
    std::vector<FamilyRow> rows;
    for (const deadlock::Family& family : families)
        rows.push_back({family, date ? std::optional(family.around(*date)) : std::nullopt});
    setRows(std::move(rows));
}

QString FamiliesModel::text(quint32 row, int column) const
{
    const FamilyRow& shown = rows()[row];
    switch (column) {
    case Title:
        return shown.family.title;
    case Count:
        return QString::number(shown.family.members.size());
    case First:
        return timeText(shown.family, shown.family.first);
    case Last:
        return timeText(shown.family, shown.family.last);
    case Before:
        return shown.around ? QString::number(shown.around->first) : QString();
    case After:
        return shown.around ? QString::number(shown.around->second) : QString();
    case Id:
        return shown.family.id;
    default:
        return {};
    }
}

SortKey FamiliesModel::sortKey(quint32 row, int column) const
{
    const FamilyRow& shown = rows()[row];
    const auto time = [](const std::optional<ServerTime>& at) { return at ? SortKey(at->us) : SortKey(); };
    switch (column) {
    case Count:
        return qint64(shown.family.members.size());
    case First:
        return time(shown.family.first);
    case Last:
        return time(shown.family.last);
    case Before:
        return shown.around ? SortKey(qint64(shown.around->first)) : SortKey();
    case After:
        return shown.around ? SortKey(qint64(shown.around->second)) : SortKey();
    default:
        return text(row, column);
    }
}

/// One that was there before the date, and never since.
QVariant FamiliesModel::cell(quint32 row, int column, int role) const
{
    const FamilyRow& shown = rows()[row];
    const bool isGone = shown.around && shown.around->first > 0 && shown.around->second == 0;
    if (column == After && role == ToneRole && isGone)
        return QVariant::fromValue(Tone::Good);
    return {};
}

} // namespace lockscope::ui
