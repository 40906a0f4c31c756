// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/CommandLine.h"
#include "core/record/postgres/HistoryUpload.h"
#include "core/watch/ServerWatch.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>

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

/// --into, of the command that records.
void addInto(Command& command);

/// ReadOnly: the user has chosen that lockctl changes nothing.
Result<void> checkMayWriteHistory(const CommandLine& line);

/// Brings recordings to team's histories, those of a history by a few connections.
class Uploads {
public:
    /// Knows the history that --into names; without it, none.
    static Result<Uploads> from(const CommandLine& line);

    /// A file that is or will be a recording: to the history that --into names, if any.
    void add(const QString& path) { bring(path, m_history); }
    /// Brings it to that history from now on, and to no other; null: to none.
    void bring(const QString& path, const std::shared_ptr<record::HistoryConnections>& history);
    /// Ends with each other file once what is in it now is there, or after some seconds.
    void leaveOthers(const std::function<bool(const QString& path)>& isUploaded);
    /// Nothing: it is brought to no history.
    std::optional<record::UploadState> state(const QString& path) const;
    /// Says on stderr which histories and files are in trouble, once for each, and when that is over; and
    /// what recordings have lost. Call it now and then.
    void printChanges();
    /// Ends with those of leaveOthers() that are there, or late. Call it now and then.
    void endThoseThatLeave();
    /// Waits some seconds for the files to be uploaded, and reports those that are not.
    void finish();

private:
    using Clock = std::chrono::steady_clock;
    struct One {
        std::unique_ptr<record::HistoryUpload> upload;
        qint64 skipped = 0; ///< frames left out, as reported
        std::optional<Clock::time_point> leavesBy{};
    };
    struct Trouble {
        QString over{}; ///< the message when it is over
        bool isOver = false; ///< something goes there now
        QString reason{}; ///< of a trouble; another reason is reported, too
        QString message{};
    };
    std::map<QString, Trouble> troubles() const;
    void printTroubles();

    std::shared_ptr<record::HistoryConnections> m_history;
    std::map<QString, One> m_all; ///< by path
    std::map<QString, QString> m_reasons; ///< that were reported, by history or file
};

} // namespace lockscope::ctl
