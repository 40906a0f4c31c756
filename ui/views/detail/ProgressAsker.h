// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/db/Server.h"
#include "core/domain/Session.h"

#include <QObject>

namespace lockscope::ui {

/// Asks the server how far a session's long command is, on a person's request.
class ProgressAsker : public QObject {
    Q_OBJECT

public:
    explicit ProgressAsker(QObject* parent);

    void ask(const db::Server& server, const Session& session);
    void forget(); ///< drops the request: another server is on view

Q_SIGNALS:
    void said(const QString& text); ///< for the status line

private:
    Worker m_worker;
    int m_request = 0; ///< answers to an earlier one are dropped
};

} // namespace lockscope::ui
