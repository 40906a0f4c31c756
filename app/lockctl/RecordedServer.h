// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/ServerWatch.h"

#include <QByteArray>
#include <QList>
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

/// Says how the recording of one server goes on.
struct RecordState {
    QString server;
    record::RecorderState recorder;
    QString trouble{}; ///< the present error of reading or writing
    /// The start of a poll that has not been answered yet.
    std::optional<std::chrono::steady_clock::time_point> asking;
    std::chrono::steady_clock::time_point asked{}; ///< the end of the latest poll
    std::chrono::steady_clock::time_point due{}; ///< the start of the next one
    bool needsPerson = false; ///< a login was refused: nothing is tried again
};

/// Prints the events of one server's recording: each once, and not at each poll.
class RecordedServer {
public:
    /// It has a recorder.
    explicit RecordedServer(const watch::ServerWatch& watch)
        : m_watch(&watch)
    {
    }
    RecordState state() const;
    void reportChanges(const RecordState& state);
    /// A poll was answered, or failed.
    bool isReached() const { return m_watch->monitor().snapshot() || m_watch->monitor().lastError(); }

private:
    const watch::ServerWatch* m_watch;
    QString m_complained;
    qint64 m_writes = 0;
    QString m_setAside;
    QString m_exposure;
    QString m_news;
};

/// Says to the service manager what has become of the recordings.
class Supervision {
public:
    ServiceNotifier& notifier() { return m_notifier; }
    /// Returns the exit code after this signal, 0 for none: `code` where it is no failure, as when a service
    /// is stopped by SIGTERM.
    int exitCode(int signal, int code) const;
    milliseconds tick() const; ///< the pause between two calls of note()
    void note(const QList<RecordState>& states);

private:
    bool isAlive(const RecordState& state) const;

    ServiceNotifier m_notifier;
    QHash<QString, qint64> m_fed; // by the recording's path: writes when the watchdog was fed
    std::chrono::steady_clock::time_point m_lastFed{};
};

} // namespace lockscope::ctl
