// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

#include <chrono>

namespace lockscope::ctl {

/// Reports our state to the service manager that started us: sd_notify(3), datagrams to $NOTIFY_SOCKET.
/// Without one nothing happens. The variables are taken out of the environment: they are not for programs
/// that we start. Never blocks. One thread.
class ServiceNotifier {
public:
    ServiceNotifier();
    ~ServiceNotifier();
    Q_DISABLE_COPY(ServiceNotifier)

    bool isService() const { return m_socket >= 0; }
    /// Returns the longest time between two signs of life that the service manager accepts; 0: any.
    std::chrono::microseconds watchdog() const { return m_watchdog; }

    void ready(); ///< once
    void alive();
    void stopping();
    /// Sets a sentence for `systemctl status`; sent when it changes.
    void status(const QString& text);

private:
    bool send(const QByteArray& state) const;

    QByteArray m_address;
    int m_socket = -1;
    std::chrono::microseconds m_watchdog{0};
    bool m_isReady = false;
    QString m_status;
};

} // namespace lockscope::ctl
