// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"
#include "core/record/RecordingClient.h"
#include "ui/shell/servers/ServerSession.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <vector>

class QMimeData;
class QWidget;

namespace lockscope::ui {

/// Opens recordings for a window: those that are named, and those that are dropped on it. Reads on other
/// threads; what can't be read is opened all the same, with its error.
class RecordingOpener : public QObject {
    Q_OBJECT

public:
    explicit RecordingOpener(QWidget& window);

    /// A file that says by its name that it is one.
    static bool isRecordingName(const QString& path);
    /// `at`: the time to be shown first, given back with the answer; empty: the last one. `passwords`: of a
    /// history.
    void open(const QString& place, const QString& at = {}, const db::PasswordProvider& passwords = {});

Q_SIGNALS:
    void opening(const QString& place); ///< it is being read
    void opened(const lockscope::ui::OpenedRecording& recording, const QString& at);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    static QStringList recordingsIn(const QMimeData& data);

    std::vector<std::unique_ptr<record::RecordingClient>> m_clients; ///< of those that are being opened
};

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
