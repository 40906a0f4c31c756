// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"

#include <QObject>
#include <QTimer>

class QWidget;

namespace lockscope::ui {

/// Says when to open the servers again that were open when the window was closed the last time: one by one
/// and not before the window is painted, so that it answers meanwhile and they are not all polled at once.
class Reopener : public QObject {
    Q_OBJECT

public:
    explicit Reopener(QWidget& window);

    /// `profiles`: the one that was on view last; it is the first to be opened.
    void start(const QList<db::ServerProfile>& profiles);
    /// Returns those that are not due yet, in the order of start().
    const QList<db::ServerProfile>& rest() const { return m_rest; }

    bool eventFilter(QObject* watched, QEvent* event) override;

Q_SIGNALS:
    void due(const lockscope::db::ServerProfile& profile, bool isOnView);

private:
    void openNext();

    QWidget& m_window;
    QList<db::ServerProfile> m_rest;
    bool m_isFirst = true;
    QTimer m_next;
};

} // namespace lockscope::ui
