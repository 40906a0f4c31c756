// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/BiographySubject.h"
#include "core/record/RecordingClient.h"
#include "core/record/RecordingSearch.h"

#include <QDialog>

class QLabel;
class QLineEdit;
class QPushButton;

namespace lockscope::ui {

class ReportModel;
class TableView;

/// Finds texts, users, programs, tables and locks in a recording, with when
/// they were seen first and last. A window beside the others; deletes itself
/// when it is closed.
class SearchWindow : public QDialog {
    Q_OBJECT

public:
    /// Reads the recording by a connection of its own: it may outlive `shown`.
    SearchWindow(const record::RecordingClient& shown, QWidget* parent);

    const record::RecordingClient& client() const { return m_client; }

Q_SIGNALS:
    void timeTravelRequested(lockscope::ServerTime at);
    void historyRequested(const lockscope::record::BiographySubject& subject, lockscope::ServerTime around);

private:
    void search();
    void showFound(const Result<record::FoundTexts>& found);
    const record::FoundText* current() const;
    void goTo(ServerTime record::FoundText::*time);
    void openHistory();
    void updateButtons();

    record::RecordingClient m_client;
    quint64 m_generation = 0; ///< answers to earlier texts are dropped
    QList<record::FoundText> m_found;
    QLineEdit* m_text;
    QPushButton* m_search;
    ReportModel* m_model;
    TableView* m_view;
    QLabel* m_state;
    QPushButton* m_history;
    QPushButton* m_first;
    QPushButton* m_last;
};

} // namespace lockscope::ui
