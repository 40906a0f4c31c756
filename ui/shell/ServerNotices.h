// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Snapshot.h"
#include "ui/pages/Page.h"

#include <QWidget>

namespace lockscope::ui {

class NoticeBar;
class ServerSession;

/// What concerns every page of a server: that its data is old, and what could not be read.
class ServerNotices : public QWidget {
    Q_OBJECT

public:
    explicit ServerNotices(QWidget* parent = nullptr);

    void showHealth(const ServerSession& session);
    /// Those that matter on `page`. `reasonAgainstActing`: why the schema can't be installed from here.
    void showLimitations(const Snapshot& snapshot, const Page& page, const QString& reasonAgainstActing);
    void clearHealth();
    void clear();

Q_SIGNALS:
    void installRequested();

private:
    NoticeBar* m_health;
    NoticeBar* m_limitations;
};

} // namespace lockscope::ui
