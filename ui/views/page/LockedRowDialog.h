// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/db/Server.h"
#include "core/domain/Snapshot.h"
#include "core/monitor/DetailQueries.h"

#include <QDialog>

class QLabel;
class QMenu;
class QPlainTextEdit;
class QPushButton;

namespace lockscope::ui {

class Page;

/// Finds the row behind a lock on a key or row. Where the search costs something it says so first, and reads
/// only when told to. All on a connection and a thread of its own, which end with the dialog.
class LockedRowDialog : public QDialog {
    Q_OBJECT

public:
    LockedRowDialog(db::Server server, const Resource& resource, QWidget* parent = nullptr);

private:
    void searchPlace();
    void showPlace(const Result<monitor::LockedRowPlace>& place);
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
