// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/monitor/ServerMonitor.h"
#include "core/order/OrderWatch.h"

#include <QHash>
#include <QObject>

#include <memory>

namespace lockscope::ui {

/// In which order the locks of each open server were taken since it is watched, on a thread for all of them.
/// GUI thread; nothing here waits.
class OrderWatches : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Each snapshot of `monitor` is looked at from now on, until it goes.
    void follow(monitor::ServerMonitor* monitor);
    /// What is known; null: nothing yet, or it is not followed.
    order::OrderStatePtr stateOf(const monitor::ServerMonitor* monitor) const;

Q_SIGNALS:
    /// What is known of it may be more.
    void changed(const lockscope::monitor::ServerMonitor* monitor);

private:
    void look(monitor::ServerMonitor* monitor);
    void put(monitor::ServerMonitor* monitor, const Result<SnapshotPtr>& taken);

    QHash<const QObject*, std::shared_ptr<order::OrderWatch>> m_watches;
    Worker m_worker;
};

} // namespace lockscope::ui
