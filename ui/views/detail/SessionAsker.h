// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/db/Server.h"
#include "core/domain/Session.h"

#include <QObject>

class QWidget;

namespace lockscope::ui {

/// Asks the server about a session, on a person's request: for the plan of its statement, and how far its
/// long command is. Each kind has a thread and a connection of its own, and one request at a time: a new one
/// drops the one that is under way.
class SessionAsker : public QObject {
    Q_OBJECT

public:
    explicit SessionAsker(QWidget* window);

    /// Fetches the plan, then asks where to save it.
    void savePlan(const db::Server& server, const SessionKey& session);
    void askProgress(const db::Server& server, const Session& session);
    void forget(); ///< drops the requests: another server is on view

Q_SIGNALS:
    /// Emitted for the status line: a request is under way, its answer, a file was written, or the reason why
    /// there is no plan.
    void said(const QString& text);

private:
    struct Kind {
        Worker worker;
        int request = 0; ///< answers to an earlier one are dropped
    };
    void askWhereToSavePlan(const SessionKey& session, const QString& plan);

    QWidget* m_window;
    Kind m_plan;
    Kind m_progress;
};

} // namespace lockscope::ui
