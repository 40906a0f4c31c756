// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/order/OrderModel.h"

#include "ui/kit/widgets/ToolTipText.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

std::vector<ColumnInfo> orderColumns()
{
    return {
        {u"what"_s, u"Taken in opposite orders"_s, u"Tables, and named locks without their numbers"_s, 360,
            true, false, false, 4},
        {u"count"_s, u"Seen"_s, u"How often, in the order seen less"_s, 70, true, true},
        {u"waited"_s, u"Waiting"_s, u"How often somebody was seen waiting for the second lock"_s, 80, true,
            true},
        {u"last"_s, u"Last seen"_s, u"By the server's clock"_s, 190, true, false, false, 0, 1},
        {u"basis"_s, u"Known by"_s, u"What tells the order, of the less certain witness"_s, 150, true, false,
            false, 0, 2},
        {u"sessions"_s, u"Witnesses"_s, {}, 200, true, false, false, 2, 3},
        {u"database"_s, u"Database"_s, {}, 110, false},
    };
}

QString basisText(const OrderRow& row)
{
    if (row.isMuted)
        return u"muted"_s;
    if (!row.found.gate.isEmpty())
        return u"guarded"_s;
    auto least = order::Evidence::Waiting;
    for (const order::Leg& leg : row.found.legs)
        least = std::min(least, leg.witness.evidence);
    return evidenceName(least);
}

qint64 waited(const OrderRow& row)
{
    qint64 sum = 0;
    for (const order::Leg& leg : row.found.legs)
        sum += leg.waited;
    return sum;
}

} // namespace

OrderModel::OrderModel(QObject* parent)
    : KeyedTableModel(orderColumns(), parent)
{
}

void OrderModel::showFindings(const QList<order::PotentialDeadlock>& found, const QSet<QString>& muted)
{
    std::vector<OrderRow> rows;
    for (const order::PotentialDeadlock& each : found)
        rows.push_back({each, muted.contains(each.id)});
    setRows(std::move(rows));
}

bool OrderModel::same(const OrderRow& before, const OrderRow& after) const
{
    if (before.isMuted != after.isMuted || before.found.gate != after.found.gate
        || before.found.legs.size() != after.found.legs.size() || before.found.rank != after.found.rank)
        return false;
    return std::equal(before.found.legs.begin(), before.found.legs.end(), after.found.legs.begin(),
        [](const order::Leg& a, const order::Leg& b) {
            return a.count == b.count && a.waited == b.waited && a.seenLast == b.seenLast
                && a.witness.session == b.witness.session && a.witness.at == b.witness.at;
        });
}

QString OrderModel::text(quint32 row, int column) const
{
    const OrderRow& shown = rows()[row];
    switch (column) {
    case What:
        return shown.found.title();
    case Count:
        return QString::number(shown.found.count());
    case Waited:
        return waited(shown) > 0 ? QString::number(waited(shown)) : QString();
    case Last:
        return shown.found.last().isValid() ? shown.found.last().toIsoString().left(19).replace(u'T', u' ')
                                            : QString();
    case Basis:
        return basisText(shown);
    case Sessions: {
        QStringList names;
        for (const order::Leg& leg : shown.found.legs)
            names << leg.witness.who();
        names.removeDuplicates();
        return names.join(u", "_s);
    }
    case Database:
        return shown.found.database;
    default:
        return {};
    }
}

SortKey OrderModel::sortKey(quint32 row, int column) const
{
    const OrderRow& shown = rows()[row];
    switch (column) {
    case Count:
        return shown.found.count();
    case Waited:
        return waited(shown);
    case Last:
        return shown.found.last().us;
    default: {
        const QString value = text(row, column);
        return value.isEmpty() ? SortKey() : SortKey(value);
    }
    }
}

QVariant OrderModel::cell(quint32 row, int column, int role) const
{
    const OrderRow& shown = rows()[row];
    if (column == What && role == GlyphRole && shown.found.sawWaiting() && shown.found.gate.isEmpty())
        return QVariant::fromValue(Glyph::Warning);
    if (column == What && role == Qt::ToolTipRole)
        return toolTipText(explanation(shown.found));
    return {};
}

} // namespace lockscope::ui
