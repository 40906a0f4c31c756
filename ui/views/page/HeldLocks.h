// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/locks/LockHolder.h"

#include <QObject>

#include <functional>
#include <memory>
#include <vector>

namespace lockscope::ui {

/// The locks that this window has taken or waits for, on whatever server. Each has a connection of its own:
/// it is held until it is released or lost, also while another server is on view. They end with the window.
class HeldLocks : public QObject {
    Q_OBJECT

public:
    /// Makes a lock on the server on view that has not been started; null if there is none.
    using Factory = std::function<std::unique_ptr<locks::HeldLock>(const locks::LockOptions&)>;

    struct Item {
        QString name;
        QString server; ///< as shown
        QString state; ///< "held, fencing 17", "waits; ann on app01 has it"
        bool ended = false; ///< nothing to release any more; dismissed by release()

        QString line() const; ///< "“jobs” on db1: held, fencing 17"
    };

    using QObject::QObject;

    /// Takes locks on `server`, with that name, from now on.
    void setFactory(Factory factory, const QString& server = {});
    bool canAcquire() const { return static_cast<bool>(m_factory); }
    void acquire(const locks::LockOptions& options);
    int count() const { return static_cast<int>(m_held.size()); }
    const Item& item(int index) const { return m_held[static_cast<size_t>(index)].item; }
    /// Releases a held one, gives up a waiting one, dismisses an ended one.
    void release(int index);
    /// Counts those that have not ended yet: held, waiting or connecting.
    int liveCount() const;
    void releaseAll();

Q_SIGNALS:
    void changed();

private:
    struct Held {
        std::unique_ptr<locks::HeldLock> lock;
        Item item;
    };
    void tell(const locks::HeldLock* lock, const QString& state, bool ended);

    Factory m_factory;
    QString m_server;
    std::vector<Held> m_held;
};

} // namespace lockscope::ui
