// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/audit/AuditModel.h"

#include "ui/kit/models/SnapshotNames.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

std::vector<ColumnInfo> auditColumns()
{
    return {
        {QStringLiteral("at"), u"At"_s, u"By the server's clock"_s, 172},
        {QStringLiteral("act"), u"Act"_s, {}, 120},
        {QStringLiteral("target"), u"Acted on"_s, {}, 210, true, false, false, 3},
        {QStringLiteral("reason"), u"Reason"_s, {}, 150, true, false, false, 2},
        {QStringLiteral("outcome"), u"Outcome"_s, {}, 150, true, false, false, 2},
        {QStringLiteral("who"), u"Who"_s, u"Account of the person and the database role used"_s, 120, true,
            false, false, 1},
        {QStringLiteral("from"), u"From"_s, u"Host and program"_s, 130, true, false, false, 1},
        {QStringLiteral("before"), u"State before"_s, {}, 260, false},
        {QStringLiteral("id"), u"No."_s, {}, 60, false, true},
    };
}

} // namespace

AuditModel::AuditModel(QObject* parent)
    : KeyedTableModel(auditColumns(), parent)
{
}

void AuditModel::showRecords(const QList<admin::AuditRecord>& records)
{
    setRows(std::vector<admin::AuditRecord>(records.begin(), records.end()));
}

QString AuditModel::text(quint32 row, int column) const
{
    const admin::AuditRecord& record = rows()[row];
    switch (column) {
    case At:
        return momentText(record.at);
    case Act:
        return record.act;
    case Target:
        return record.target;
    case Reason:
        return record.reason;
    case Outcome:
        return record.outcome;
    case Who:
        return record.who;
    case From:
        return record.from;
    case Before:
        return record.before;
    case Number:
        return QString::number(record.id);
    default:
        return {};
    }
}

SortKey AuditModel::sortKey(quint32 row, int column) const
{
    if (column == At)
        return rows()[row].at.us;
    if (column == Number)
        return rows()[row].id;
    const QString value = text(row, column);
    return value.isEmpty() ? SortKey() : SortKey(value);
}

QVariant AuditModel::cell(quint32 row, int column, int role) const
{
    if (column != Outcome)
        return {};
    const bool done = rows()[row].outcome.startsWith(QLatin1String("done"));
    if (role == GlyphRole)
        return QVariant::fromValue(done ? Glyph::Done : Glyph::Warning);
    if (role == ToneRole)
        return QVariant::fromValue(done ? Tone::Good : Tone::Amber);
    return {};
}

} // namespace lockscope::ui
