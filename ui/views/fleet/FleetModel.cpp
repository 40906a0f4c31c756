// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/fleet/FleetModel.h"

#include "core/base/Duration.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/ToolTipText.h"

#include <algorithm>
#include <cmath>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using State = watch::ServerStanding::State;

namespace {

std::vector<ColumnInfo> fleetColumns()
{
    return {
        {u"state"_s, u"State"_s, u"The worst first; what is not known is never calm"_s, 104},
        ColumnInfo{u"server"_s, u"Server"_s}.wide(1).whole(),
        {u"environment"_s, u"Environment"_s, u"The purpose of the server, as it is marked"_s, 108},
        ColumnInfo{u"reason"_s, u"Why"_s, u"The worst that happens there, or why nothing is known"_s, 256}
            .wide(4),
        ColumnInfo{u"waiting"_s, u"Waiting"_s,
            u"Sessions that wait for a lock, those in queues of lock tables among them"_s, 64}
            .ofNumbers()
            .yield(2), // the reason begins with it
        ColumnInfo{u"longest"_s, u"Longest"_s, u"The longest present wait"_s, 64}.ofNumbers(),
        ColumnInfo{u"lane"_s, u"1 hour"_s,
            u"How much was blocked in each minute of the last hour; hatched: not known"_s, 100}
            .wide(1),
        ColumnInfo{u"coverage"_s, u"Seen"_s, u"How much of the last hour is known"_s, 56}
            .yield(4)
            .ofNumbers(),
        ColumnInfo{
            u"incidents"_s, u"Incidents"_s, u"Incidents that need somebody, critical and warning"_s, 76}
            .ofNumbers()
            .yield(1),
        ColumnInfo{u"role"_s, u"Role"_s, u"Primary or replica, as far as it is known"_s, 70}.yield(5),
        ColumnInfo{u"known"_s, u"Known"_s, u"Age of the latest snapshot, from which the row comes"_s, 60}
            .ofAges()
            .yield(3),
        ColumnInfo{u"polls"_s, u"Polls"_s,
            u"The time that the latest poll took, and the pause from one to the next: the cost of Lockscope there"_s,
            110}
            .yield(7),
        ColumnInfo{u"tags"_s, u"Tags"_s, u"Your own words, from the server's dialog"_s, 96}
            .wide(1)
            .yield(6)
            .ofWords(),
    };
}

/// Sessions that waited at a time, on average.
double blockedIn(const watch::BlockedHour::Piece& piece)
{
    return piece.known.count() > 0 ? double(piece.blocked.count()) / double(piece.known.count()) : 0;
}

} // namespace

StateAppearance appearanceOf(State state)
{
    const StateAppearance all[]{{Glyph::Warning, Tone::Red, theme::levelSign(AgeLevel::Red)},
        {Glyph::Failed, Tone::Red, u"×"_s}, {Glyph::Warning, Tone::Amber, theme::levelSign(AgeLevel::Amber)},
        {Glyph::Idle, Tone::Muted, u"?"_s}, {Glyph::Done, Tone::Good, theme::levelSign(AgeLevel::Normal)},
        {Glyph::Idle, Tone::Muted, u"○"_s}};
    return all[static_cast<size_t>(state)];
}

std::map<State, int> countStates(const std::vector<FleetRow>& rows, size_t from)
{
    std::map<State, int> counts;
    for (size_t i = from; i < rows.size(); ++i)
        ++counts[rows[i].standing.state];
    return counts;
}

QString countsText(const std::map<State, int>& counts)
{
    const auto text = [](const auto& each) {
        return u"%1 %2"_s.arg(QString::number(each.second), stateName(each.first));
    };
    return textOfEach(counts, text).join(u", "_s);
}

FleetModel::FleetModel(QObject* parent)
    : KeyedTableModel(fleetColumns(), parent)
{
}

void FleetModel::showServers(std::vector<FleetRow> rows)
{
    std::stable_sort(rows.begin(), rows.end(),
        [](const FleetRow& a, const FleetRow& b) { return isWorse(a.standing, b.standing); });
    double most = 1;
    for (const FleetRow& row : rows)
        for (const auto& piece : row.lane)
            most = std::max(most, blockedIn(piece));
    const bool isRescaled = most != std::exchange(m_most, most);
    setRows(std::move(rows));
    if (isRescaled)
        repaintAll();
}

QString FleetModel::text(quint32 row, int column) const
{
    const FleetRow& shown = rows()[row];
    const watch::ServerStanding& standing = shown.standing;
    const auto dash = u"–"_s;
    const auto orDash = [&dash](const QString& text) { return text.isEmpty() ? dash : text; };
    switch (static_cast<Column>(column)) {
    case State:
        return stateName(standing.state);
    case Server:
        return shown.profile.display();
    case Reason:
        return standing.reason;
    case Waiting:
        return standing.waiting ? QString::number(*standing.waiting) : dash;
    case Longest:
        return standing.longestWait && standing.waiting.value_or(0) > 0 ? standing.longestWait->toString()
                                                                        : dash;
    case Lane:
        return watch::hourText(shown.lane);
    case Coverage:
        return orDash(watch::coverageText(shown.lane));
    case Incidents:
        return standing.criticals + standing.warnings > 0
            ? QString::number(standing.criticals + standing.warnings)
            : standing.areIncidentsCurrent ? QString()
                                           : dash;
    case Role:
        return orDash(watch::roleText(standing));
    case Known: {
        const auto age = knownFor(standing);
        return age ? formatDuration(*age) : dash;
    }
    case Polls:
        return orDash(watch::pollsText(standing));
    case Environment:
        return serverMark(shown.profile);
    case Tags:
        return db::tagsText(shown.profile.tags);
    }
    return {};
}

std::vector<report::Column> FleetModel::reportColumns() const
{
    return watch::standingsSection().columns;
}

std::vector<report::Value> FleetModel::reportCells(const QModelIndex& row) const
{
    const FleetRow& shown = rowAt(row.row());
    return watch::standingRow(shown.profile, shown.standing, shown.lane).cells;
}

QVariant FleetModel::cell(quint32 row, int column, int role) const
{
    const FleetRow& shown = rows()[row];
    const watch::ServerStanding& standing = shown.standing;
    const bool isBad = standing.state <= watch::ServerStanding::State::Warning;
    switch (role) {
    case GlyphRole:
        return column == State ? QVariant::fromValue(appearanceOf(standing.state).glyph) : QVariant();
    case ToneRole:
        if (column == State || (column == Reason && isBad))
            return QVariant::fromValue(appearanceOf(standing.state).tone);
        return column == Reason ? QVariant::fromValue(Tone::Muted) : QVariant();
    case RowToneRole:
        return isBad ? QVariant::fromValue(appearanceOf(standing.state).tone) : QVariant();
    case EmphasisRole:
        return column == Server;
    case BadgeRole:
        return column == Environment ? QVariant(true) : QVariant();
    case FillRole: {
        const QColor fill = environmentColor(shown.profile.environment);
        return column == Environment && fill.isValid() ? QVariant(fill) : QVariant();
    }
    case LaneRole: {
        if (column != Lane)
            return {};
        QVariantList heights; // of logarithms: one who waits is seen beside a thousand
        for (const auto& piece : shown.lane)
            heights << (piece.isKnown()
                    ? std::log2(1 + blockedIn(piece)) / std::log2(1 + std::max(m_most, 3.0))
                    : -1.0);
        return heights;
    }
    case Qt::ToolTipRole:
        return column == Reason || column == Lane ? QVariant(htmlText(text(row, column))) : QVariant();
    default:
        return {};
    }
}

SortKey FleetModel::sortKey(quint32 row, int column) const
{
    const FleetRow& shown = rows()[row];
    const watch::ServerStanding& standing = shown.standing;
    switch (static_cast<Column>(column)) {
    case State:
        return qint64(standing.state);
    case Environment:
        return -qint64(shown.profile.environment); // production first
    case Waiting:
        return standing.waiting ? SortKey(qint64(*standing.waiting)) : SortKey();
    case Longest:
        return standing.longestWait ? SortKey(qint64(standing.longestWait->value.count())) : SortKey();
    case Incidents:
        return qint64(standing.criticals) * 1'000 + standing.warnings;
    case Known: {
        const auto age = knownFor(standing);
        return age ? SortKey(qint64(age->count())) : SortKey();
    }
    case Polls:
        return standing.known ? SortKey(qint64(standing.pollTook.count())) : SortKey();
    case Lane:
        return qint64(sumOf(shown.lane).blocked.count());
    case Coverage:
        return qint64(sumOf(shown.lane).percentKnown());
    default:
        return textKey(text(row, column));
    }
}

} // namespace lockscope::ui
