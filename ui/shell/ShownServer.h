// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/ServerSession.h"

#include <QObject>

namespace lockscope::ui {

class AppContext;
class Servers;

/// Which of the open servers is on view, and what is told of that one only. Gives it to the context, from
/// which pages and dialogs take it. GUI thread.
class ShownServer : public QObject {
    Q_OBJECT

public:
    ShownServer(AppContext& context, Servers& servers, QObject* parent = nullptr);
    ~ShownServer() override;

    ServerSession* session() const { return m_session; } ///< null if none is on view
    SnapshotPtr snapshot() const; ///< null if there is none yet
    void show(ServerSession* session);

    void refresh(); ///< asks it at once
    void setPaused(bool paused);
    void togglePaused();

Q_SIGNALS:
    void changed(); ///< to another one, or none
    void snapshotChanged();
    void healthChanged();

private:
    AppContext& m_context;
    ServerSession* m_session = nullptr;
};

} // namespace lockscope::ui
