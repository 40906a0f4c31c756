// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"
#include "core/base/ServerTime.h"
#include "core/db/Server.h"
#include "core/domain/Snapshot.h"
#include "core/domain/Thresholds.h"
#include "core/locks/LockHolder.h"

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QTimer>

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

class QDialog;
class QSettings;

namespace lockscope::db {
class Dialect;
enum class Capability;
} // namespace lockscope::db
namespace lockscope::admin {
class ServerAdminClient;
}
namespace lockscope::record {
class RecordingClient;
struct Span;
} // namespace lockscope::record
namespace lockscope::watch {
class ServerWatch;
}

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

/// Shared by all pages of one window: the server being shown, the way to act on it, the thresholds and the
/// server's clock. GUI thread only. The watch and the client are borrowed, may be null (no server yet) and
/// change with setServer.
class AppContext : public QObject {
    Q_OBJECT

public:
    using SteadyClock = std::function<std::chrono::steady_clock::time_point()>;

    explicit AppContext(
        QSettings& settings, QObject* parent = nullptr, SteadyClock clock = &std::chrono::steady_clock::now);
    ~AppContext() override;

    QSettings& settings() const { return m_settings; }

    /// Pages keep their rows until the next snapshot arrives; they never reset.
    void setServer(
        const db::ServerProfile& profile, watch::ServerWatch* watch, admin::ServerAdminClient* admin);
    bool hasServer() const { return m_watch != nullptr || m_admin != nullptr; }
    const db::ServerProfile& profile() const { return m_profile; }
    watch::ServerWatch* watch() const { return m_watch; }
    QString place() const; ///< record::serverPlace() of the server on view
    admin::ServerAdminClient* admin() const { return m_admin; }
    /// Returns an empty text if the act is possible; else the reason why its button is disabled, for a
    /// tooltip.
    QString reasonAgainst(db::Capability capability) const;
    /// Returns an empty text unless acts are refused on our side: no server, one that can't be reached, a
    /// read-only profile, a past time on view.
    QString reasonAgainstActing() const;
    /// Returns an empty text unless the server is not to be asked about what is on view, because that is no
    /// longer so.
    QString reasonAgainstAsking() const;

    /// Why the server on view can't be reached, as a sentence; empty: it can.
    void setUnreachable(const QString& why);

    /// The time on view if it is not the present.
    struct PastTime {
        ServerTime at; ///< invalid: none could be read
        ServerTime clock; ///< ages count to it: `at`, or later while it plays
        bool ofFile = false; ///< of a recording that was opened, which has no present

        bool operator==(const PastTime&) const = default;
    };
    /// Nothing: the present.
    const std::optional<PastTime>& pastTime() const { return m_pastTime; }
    /// Stops the clock at that time until another one comes, or the present: then noteSnapshot and
    /// setClockStopped are to follow.
    void setPastTime(const std::optional<PastTime>& pastTime);
    /// Returns the recording of the server on view; null if there is none. For requests that may take long;
    /// borrowed, changes with the server.
    record::RecordingClient* recording() const { return m_recording; }
    void setRecording(record::RecordingClient* recording) { m_recording = recording; }
    /// Returns whether acts there are done and recorded in a local file if the server has no audit: as the
    /// user said of this server, else as for all.
    bool allowsLocalAudit() const;
    /// Says so of the server on view.
    void allowLocalAudit();

    /// Returns the locks of this window; setting the server includes setting the factory for locks there.
    HeldLocks& heldLocks() { return m_heldLocks; }

    /// Returns the server for requests that take long, on threads of their own; none if there is no server to
    /// ask.
    const std::optional<db::Server>& server() const { return m_server; }
    void setServerToAsk(std::optional<db::Server> server) { m_server = std::move(server); }

    const LockThresholds& thresholds() const { return m_thresholds; }
    void setThresholds(const LockThresholds& thresholds);

    /// Anchors the server's clock: call once for each new snapshot, before the pages see it. `age`: how long
    /// ago it was taken, by our clock.
    void noteSnapshot(const Snapshot& snapshot, milliseconds age = milliseconds(0));
    /// Ages stand still while the data is old (paused, failed, silent): we don't know that the locks still
    /// exist.
    void setClockStopped(bool stopped);
    /// The server's time now: the latest snapshot's plus what has passed since on the steady clock.
    ServerTime serverNow() const;

Q_SIGNALS:
    void serverChanged();
    void localAuditAllowed(); ///< for the server on view
    void pastTimeChanged(); ///< the reasons against acting and asking, too
    void thresholdsChanged();
    /// Twice a second while the clock runs: repaint the ages on view, nothing else.
    void tick();

private:
    QSettings& m_settings;
    SteadyClock m_clock;
    db::ServerProfile m_profile;
    const db::Dialect* m_dialect = nullptr;
    watch::ServerWatch* m_watch = nullptr;
    admin::ServerAdminClient* m_admin = nullptr;
    std::optional<db::Server> m_server;
    QString m_unreachable;
    std::optional<PastTime> m_pastTime;
    record::RecordingClient* m_recording = nullptr;
    LockThresholds m_thresholds;
    ServerTime m_anchor;
    std::chrono::steady_clock::time_point m_anchoredAt;
    bool m_stopped = false;
    QTimer m_ticker;
    HeldLocks m_heldLocks;
};

/// Rejects the dialog when another server or a past time comes on view: its act was meant for the present
/// rows. `context` outlives it.
void closeWithPresent(QDialog& dialog, const AppContext& context);

/// "12:04:31 UTC", with the date if it is not of today: "22 Nov 12:04:31 UTC". By the server's clock.
QString shortDateTimeText(ServerTime time, const QDateTime& now = QDateTime::currentDateTimeUtc());
/// "12:00 to 13:04 UTC", "22 Nov 12:00 to 23 Nov 13:04 UTC".
QString spanText(const record::Span& span, const QDateTime& now = QDateTime::currentDateTimeUtc());

} // namespace lockscope::ui
