// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Snapshot.h"
#include "ui/views/page/Page.h"

#include <QSet>
#include <QWidget>

namespace lockscope::ui {

class AppContext;
class NoticeBar;
class ServerSession;
class TimeTravel;

/// Notices about every page of a server: that its data is old, and which parts could not be read.
class ServerNotices : public QWidget {
    Q_OBJECT

public:
    explicit ServerNotices(QWidget* parent = nullptr);

    void showHealth(const ServerSession& session);
    /// Shows that a past time can't be read, or that it lies in a gap.
    void showPastView(const TimeTravel& travel);
    /// Shows those that matter on `page`. One that was dismissed on a server stays so.
    void showLimitations(const Snapshot& snapshot, const Page& page, const AppContext& context);
    /// Shows what was done here until it is dismissed, something else is done or another server is shown; of
    /// a lock that was released also who has it since.
    void showDone(const QString& message, qint64 auditId, const QList<LockTableEntry>& released);
    void showSince(const Snapshot& snapshot);
    /// Shows that snapshots are recorded without anybody having asked for it: until the notice was read.
    void showRecorded(bool shown);
    void clearHealth();
    void clear();

Q_SIGNALS:
    void installRequested();
    void logInRequested();
    void auditRequested(qint64 id);
    void recordedDismissed(); ///< once and for all
    void recordingSettingsRequested();

private:
    void showOneOfTheFirst();

    NoticeBar* m_done;
    NoticeBar* m_health;
    NoticeBar* m_limitations;
    NoticeBar* m_recorded;
    QString m_doneText;
    qint64 m_doneId = 0; ///< in the audit
    QList<LockTableEntry> m_released;
    QString m_healthShown; ///< the server and state that a dismissal is about
    QString m_healthDismissed;
    QString m_limitationShown;
    bool m_isLimited = false; ///< by more than a missing schema, which is optional
    bool m_announcesRecording = false;
    QSet<QString> m_limitationsDismissed;
};

} // namespace lockscope::ui
