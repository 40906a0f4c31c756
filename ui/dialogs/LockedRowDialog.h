// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/BackgroundThread.h"
#include "core/monitor/sqlserver/LockedRow.h"
#include "ui/ServerReach.h"

#include <QDialog>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace lockscope::ui {

/// Finds the row behind a key lock: says first what the search costs, reads only when told to, shows the row.
/// All on a connection and a thread of its own, which end with the dialog.
class LockedRowDialog : public QDialog {
    Q_OBJECT

public:
    LockedRowDialog(ServerReach reach, const Resource& resource, QWidget* parent = nullptr);

private:
    void lookForPlace();
    void showPlace(const Result<monitor::LockedRowPlace>& place);
    void read();
    void showRows(const Result<QStringList>& rows);
    void showError(const Error& error);

    const ServerReach m_reach;
    const Resource m_resource;
    monitor::LockedRowPlace m_place;
    QLabel* m_text;
    QPlainTextEdit* m_rows;
    QPushButton* m_read;
    BackgroundThread m_thread;
};

} // namespace lockscope::ui
