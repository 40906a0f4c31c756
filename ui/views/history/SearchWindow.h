// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/RecordingSearch.h"
#include "ui/views/history/RecordingWindow.h"

class QLabel;
class QLineEdit;

namespace lockscope::ui {

class ReportTable;

/// Finds texts, users, programs, tables and locks in a recording, with when
/// they were seen first and last.
class SearchWindow : public RecordingWindow {
    Q_OBJECT

public:
    SearchWindow(const record::RecordingClient& shown, QWidget* parent);

private:
    void search();
    void showFound(const Result<record::FoundTexts>& found);
    const record::FoundText* current() const;
    void goTo(ServerTime record::FoundText::*time);
    void openHistory();
    void updateButtons();

    quint64 m_generation = 0; ///< answers to earlier texts are dropped
    QList<record::FoundText> m_found;
    QLineEdit* m_text;
    QPushButton* m_search;
    ReportTable* m_view;
    QLabel* m_state;
    QPushButton* m_history;
    QPushButton* m_first;
    QPushButton* m_last;
};

} // namespace lockscope::ui
