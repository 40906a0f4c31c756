// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"
#include "core/watch/ServerStanding.h"
#include "ui/kit/models/TableModel.h"

#include <map>

namespace lockscope::ui {

/// One server, and how it is.
struct FleetRow {
    QString key; ///< names the server for good
    db::ServerProfile profile;
    watch::ServerStanding standing;
    watch::BlockedHour::Pieces lane{};
    QString elsewhere{}; ///< the key of the server where its head blocker's client waits; empty: none
    std::optional<ServerTime> worst{}; ///< in the last hour, when most sessions waited; nothing: nobody did

    bool operator==(const FleetRow&) const = default;
};

/// The appearance of a state is the same in a cell and on a tile.
struct StateAppearance {
    Glyph glyph;
    Tone tone;
    QString sign; ///< where there is no glyph
};
StateAppearance appearanceOf(watch::ServerStanding::State state);
/// Counts the servers in each state, the worst first, from that place on.
std::map<watch::ServerStanding::State, int> countStates(const std::vector<FleetRow>& rows, size_t from = 0);
/// "2 critical, 5 calm"; empty: there are none.
QString countsText(const std::map<watch::ServerStanding::State, int>& counts);

/// All servers of the window, the worst first unless a column sorts them.
class FleetModel : public KeyedTableModel<FleetRow, QString> {
    Q_OBJECT

public:
    enum Column {
        State,
        Server,
        Environment,
        Reason,
        Waiting,
        Longest,
        Lane,
        Coverage,
        Incidents,
        Role,
        Known,
        Polls,
        Tags
    };

    explicit FleetModel(QObject* parent = nullptr);

    void showServers(std::vector<FleetRow> rows);
    std::vector<report::Column> reportColumns() const override;
    std::vector<report::Value> reportCells(const QModelIndex& row) const override;

protected:
    QString keyOf(const FleetRow& row) const override { return row.key; }
    bool same(const FleetRow& before, const FleetRow& after) const override { return before == after; }
    QVariant cell(quint32 row, int column, int role) const override;
    SortKey sortKey(quint32 row, int column) const override;
    QString text(quint32 row, int column) const override;

private:
    double m_most = 1; ///< sessions that waited at a time in any piece of any lane
};

} // namespace lockscope::ui
