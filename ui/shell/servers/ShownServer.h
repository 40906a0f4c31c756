// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/shell/servers/ServerSession.h"
#include "ui/shell/timetravel/TimeTravel.h"

#include <QObject>

namespace lockscope::ui {

class AppContext;
class Servers;

/// The open server on view, the time on view, and the signals of that one only. Gives it to the context, from
/// which pages and dialogs take it. GUI thread.
class ShownServer : public QObject {
    Q_OBJECT

public:
    ShownServer(AppContext& context, Servers& servers, QObject* parent = nullptr);

    ServerSession* session() const { return m_session; } ///< null if none is on view
    /// Returns the snapshot on view; null if there is none yet.
    SnapshotPtr snapshot() const;
    TimeTravel& travel() { return m_travel; }
    const TimeTravel& travel() const { return m_travel; }
    bool isLive() const { return m_session && !m_travel.isOn(); }
    void show(ServerSession* session);

    void refresh(); ///< asks it at once
    void setPaused(bool paused);
    void togglePaused();

Q_SIGNALS:
    void changed(); ///< to another one, or none
    void snapshotChanged(); ///< of another time, too
    void healthChanged();
    void polled(); ///< the server, whichever time of it is on view

private:
    void updatePastTime();
    void follow(ServerSession* session);
    void takePoll();

    AppContext& m_context;
    TimeTravel m_travel;
    ServerSession* m_session = nullptr;
};

} // namespace lockscope::ui
