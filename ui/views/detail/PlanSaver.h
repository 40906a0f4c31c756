// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/db/Server.h"
#include "core/domain/Session.h"

#include <QObject>
#include <QPointer>

class QWidget;

namespace lockscope::ui {

/// Fetches the plan of a session's statement on a thread and a connection of its own, then asks where to save
/// it. One at a time: a new request drops the one that is under way.
class PlanSaver : public QObject {
    Q_OBJECT

public:
    explicit PlanSaver(QWidget* window);

    void save(const db::Server& server, const SessionKey& session);
    void forget(); ///< drops the request: another server is on view

Q_SIGNALS:
    /// Emitted for the status line: a request is under way, a file was written, or the reason why there is no
    /// plan.
    void said(const QString& text);

private:
    void show(const SessionKey& session, const Result<QString>& plan);

    QWidget* m_window;
    Worker m_worker;
    int m_request = 0; ///< answers to an earlier one are dropped
};

} // namespace lockscope::ui
