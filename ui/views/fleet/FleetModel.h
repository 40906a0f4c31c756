// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"
#include "core/monitor/History.h"
#include "core/watch/ServerStanding.h"
#include "ui/kit/models/KeyedTableModel.h"

namespace lockscope::ui {

/// One server, and how it is.
struct FleetRow {
    QString key; ///< names the server for good
    db::ServerProfile profile;
    watch::ServerStanding standing;
    QList<double> waiters; ///< lanes::of(); empty: nothing is known

    bool operator==(const FleetRow&) const = default;
};

/// The lane of the last minutes in a cell.
namespace lanes {
inline constexpr int pieces = 60;
inline constexpr std::chrono::minutes length{15};
/// The most that waited in each piece of the time before `now`, the oldest first; below 0: not polled.
QList<double> of(const monitor::History& history, ServerTime now);
} // namespace lanes

/// All servers of the window, the worst first unless a column sorts them.
class FleetModel : public KeyedTableModel<FleetRow, QString> {
    Q_OBJECT

public:
    enum Column { State, Server, Reason, Waiting, Longest, Lane, Incidents, Role, Known, Polls, Environment };

    explicit FleetModel(QObject* parent = nullptr);

    void showServers(std::vector<FleetRow> rows);

protected:
    QString keyOf(const FleetRow& row) const override { return row.key; }
    bool same(const FleetRow& before, const FleetRow& after) const override { return before == after; }
    QVariant cell(quint32 row, int column, int role) const override;
    SortKey sortKey(quint32 row, int column) const override;
    QString text(quint32 row, int column) const override;

private:
    double m_most = 1; ///< that waited in any piece of any lane
};

} // namespace lockscope::ui
