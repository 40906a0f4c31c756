// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/db/Server.h"
#include "core/domain/Session.h"
#include "core/domain/Snapshot.h"
#include "core/monitor/DetailQueries.h"
#include "core/record/RecordedLock.h"
#include "ui/views/page/Actions.h"

#include <QDialog>
#include <QList>

#include <functional>
#include <optional>

class QLabel;
class QMenu;
class QPlainTextEdit;
class QPushButton;
class QString;
class QWidget;

namespace lockscope::ui {

class AppContext;
class Page;

/// Returns an empty text if `session` (null = no row is selected) may be acted on; else why not.
QString reasonAgainstSessionAct(const AppContext& context, const Session* session);
/// The same for cancelling its statement: not every engine can.
QString reasonAgainstCancel(const AppContext& context, const Session* session);
/// Requests the end of `session`; of none, or one that may not be acted on, the page says why not.
void askToEnd(Page& page, const Session* session);
/// Cancel and end, with the reason as tooltip where they are not possible. They are asked of `page`.
void addSessionActs(QMenu& menu, Page& page, const Session& session);
/// Returns those of several sessions whose statements can be cancelled, in one act.
QList<Session> cancellableAmong(const AppContext& context, const QList<Session>& sessions);
/// Cancels all of them, if there are several.
void addCancelAll(QMenu& menu, Page& page, const QList<Session>& selected);

/// The reason where a server has no recording.
QString reasonAgainstHistories();

/// Things of one selected row that have a history.
struct HistorySubjects {
    std::optional<record::RecordedLock> lock; ///< of a session: what it waits for
    std::optional<record::RecordedSession> session;
};
/// `snapshot` may be null: there is none.
HistorySubjects historiesOf(const DetailSubject& subject, const Snapshot* snapshot);

/// "History of this lock…" and "History of this session…" in the menu of a page's row; they ask by
/// Page::historyRequested. Grey with the reason where nothing is recorded.
void addHistories(QMenu& menu, Page& page, const HistorySubjects& subjects);
/// The keys for the same, of the rows' widget; what `subjects` returns is asked when a key is pressed.
void addHistoryKeys(QWidget& rows, Page& page, const std::function<HistorySubjects()>& subjects);

/// Finds the row behind a lock on a key or row. Where the search costs something it says so first, and reads
/// only when told to. All on a connection and a thread of its own, which end with the dialog.
class LockedRowDialog : public QDialog {
    Q_OBJECT

public:
    LockedRowDialog(db::Server server, const Resource& resource, QWidget* parent = nullptr);

private:
    void searchPlace();
    void read();
    void showRows(const Result<QStringList>& rows);
    void showError(const Error& error);

    const db::Server m_server;
    const Resource m_resource;
    monitor::LockedRowPlace m_place;
    QLabel* m_text;
    QPlainTextEdit* m_rows;
    QPushButton* m_read;
    Worker m_worker;
};

/// Adds "Find the row behind this lock…", and a separator, to the menu of a row that shows `request`. Absent
/// where no server could find it. Of a wait for a transaction it is the row that is waited for.
void addRowSearch(QMenu& menu, Page& page, const Snapshot& snapshot, const LockRequest& request);

} // namespace lockscope::ui
