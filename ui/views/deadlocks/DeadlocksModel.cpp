// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/DeadlocksModel.h"

#include "ui/kit/widgets/ToolTipText.h"

#include <QFileInfo>
#include <QHash>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

std::vector<ColumnInfo> deadlockColumns()
{
    return {
        {.id = u"at"_s,
            .title = u"At"_s,
            .tip = u"As the report says"_s,
            .width = 180,
            .type = report::Type::Time},
        {u"kind"_s, u"What"_s, u"Where the title of its family comes from: modes and tables"_s, 600, true,
            false, false, 6},
        {u"sessions"_s, u"Sessions"_s, {}, 90},
        {u"tables"_s, u"Tables"_s, {}, 150, true, false, false, 1, 2},
        {u"victim"_s, u"Victim"_s, u"Which session the server ended"_s, 70},
        {u"family"_s, u"Family"_s, u"Equal for deadlocks of the same statements, modes and tables"_s, 130,
            false},
        {u"count"_s, u"How often"_s, u"Deadlocks of this family in the list"_s, 80, true, true},
        {u"from"_s, u"Read from"_s, {}, 140, true, false, false, 1, 3},
    };
}

QString victimsText(const deadlock::Deadlock& deadlock)
{
    QStringList labels;
    for (const int participant : deadlock.participants)
        if (deadlock.isVictim(participant))
            labels << deadlock.participant(participant).sessionLabel();
    return labels.isEmpty() ? u"unknown"_s : labels.join(u", "_s);
}

} // namespace

QString sessionsText(const deadlock::Deadlock& deadlock)
{
    constexpr qsizetype maxNamed = 3;
    if (deadlock.participants.size() > maxNamed)
        return u"%1 sessions"_s.arg(deadlock.participants.size());
    QStringList labels;
    for (const int participant : deadlock.participants)
        labels << deadlock.participant(participant).sessionLabel();
    return labels.join(u", "_s);
}

DeadlocksModel::DeadlocksModel(QObject* parent)
    : KeyedTableModel(deadlockColumns(), parent)
{
}

std::vector<DeadlockRow> deadlockRows(const deadlock::ReportPtr& report)
{
    std::vector<DeadlockRow> rows;
    for (const deadlock::Deadlock& each : deadlock::deadlocksOf(report))
        rows.push_back({.deadlock = each,
            .identity = deadlock::identityOf(each),
            .family = deadlock::familyOf(each),
            .title = deadlock::familyTitle(each),
            .tables = each.tables().join(u", "_s)});
    return rows;
}

void DeadlocksModel::showDeadlocks(std::vector<DeadlockRow> rows)
{
    QHash<QString, int> counts;
    for (const DeadlockRow& row : rows)
        ++counts[row.family];
    for (DeadlockRow& row : rows)
        row.familyCount = counts.value(row.family);
    setRows(std::move(rows));
}

QString DeadlocksModel::text(quint32 row, int column) const
{
    const DeadlockRow& shown = rows()[row];
    switch (column) {
    case At:
        return shown.deadlock.report->time.toString();
    case Kind:
        return shown.title;
    case Sessions:
        return sessionsText(shown.deadlock);
    case Tables:
        return shown.tables;
    case Victim:
        return victimsText(shown.deadlock);
    case Family:
        return shown.family;
    case Count:
        return QString::number(shown.familyCount);
    case From: {
        const deadlock::Source& source = shown.deadlock.report->source;
        return source.position > 0 ? QFileInfo(source.place).fileName() : source.place;
    }
    default:
        return {};
    }
}

/// A time of an unknown zone stays a text.
report::Value DeadlocksModel::value(quint32 row, int column) const
{
    const deadlock::ReportTime& time = rows()[row].deadlock.report->time;
    return column == At && time.at && time.isZoneKnown ? report::Value(*time.at)
                                                       : textValue(text(row, column));
}

SortKey DeadlocksModel::sortKey(quint32 row, int column) const
{
    if (column == At) {
        const auto& at = rows()[row].deadlock.report->time.at;
        return at ? SortKey(at->us) : SortKey();
    }
    if (column == Count)
        return qint64(rows()[row].familyCount);
    return textKey(text(row, column));
}

QVariant DeadlocksModel::cell(quint32 row, int column, int role) const
{
    if (column == From && role == Qt::ToolTipRole)
        return toolTipText(rows()[row].deadlock.report->source.place);
    const bool isComplaint = !rows()[row].deadlock.report->complaints.isEmpty();
    if (column == Kind && isComplaint && role == GlyphRole)
        return QVariant::fromValue(Glyph::Warning);
    if (column == Kind && isComplaint && role == Qt::ToolTipRole)
        return toolTipText(rows()[row].deadlock.report->complaints.join(u'\n'));
    return {};
}

} // namespace lockscope::ui
