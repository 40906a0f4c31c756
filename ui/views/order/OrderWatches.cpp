// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/order/OrderWatches.h"

#include <QPointer>

namespace lockscope::ui {

void OrderWatches::follow(monitor::ServerMonitor* monitor)
{
    if (m_watches.contains(monitor))
        return;
    m_watches.insert(monitor, std::make_shared<order::OrderWatch>());
    connect(monitor, &monitor::ServerMonitor::snapshotChanged, this, [this, monitor] { look(monitor); });
    // What comes after a look that failed follows on nothing.
    connect(monitor, &monitor::ServerMonitor::healthChanged, this, [this, monitor] {
        if (const auto error = monitor->lastError())
            put(monitor, Failure(*error));
    });
    connect(monitor, &QObject::destroyed, this, [this](const QObject* gone) { m_watches.remove(gone); });
    look(monitor);
}

void OrderWatches::look(monitor::ServerMonitor* monitor)
{
    if (const SnapshotPtr snapshot = monitor->snapshot())
        put(monitor, snapshot);
}

/// Looks that come while the thread is at others wait for each other, and are worked out together.
void OrderWatches::put(monitor::ServerMonitor* monitor, const Result<SnapshotPtr>& taken)
{
    const std::shared_ptr<order::OrderWatch> watch = m_watches.value(monitor);
    if (!watch->put(taken))
        return;
    m_worker.ask(
        this,
        [watch](const std::stop_token&) {
            watch->work();
            return true;
        },
        [this, monitor = QPointer(monitor)](bool) {
            if (monitor)
                Q_EMIT changed(monitor);
        });
}

order::OrderStatePtr OrderWatches::stateOf(const monitor::ServerMonitor* monitor) const
{
    const auto watch = m_watches.value(monitor);
    return watch ? watch->state() : nullptr;
}

} // namespace lockscope::ui
