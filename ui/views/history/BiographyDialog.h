// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/history/BiographyView.h"
#include "ui/views/history/RecordingWindow.h"

class QComboBox;
class QLabel;

namespace lockscope::ui {

class NoticeBar;
class ReportExport;
class ReportTable;
class TableView;

/// The holders of a lock and the waiters for it, drawn and as a list; or the locks that a session held and
/// waited for.
class BiographyDialog : public RecordingWindow {
    Q_OBJECT

public:
    /// `around` is in the middle.
    BiographyDialog(const record::RecordingClient& client, const record::BiographySubject& subject,
        ServerTime around, QWidget* parent);
    ~BiographyDialog() override;

    // For tests:
    BiographyView& view() const { return *m_view; }
    TableView& list() const;
    QString notes() const;

private:
    void arrange();
    void connectParts();
    void read();
    void showBiography(const record::Biography& biography);
    qsizetype listedLine() const; ///< −1: none
    std::optional<record::BiographySubject> otherSubject() const;
    void openOther();
    void updateButtons();

    const record::BiographySubject m_subject;
    const ServerTime m_around;
    BiographyPtr m_biography;
    quint64 m_asked = 0; ///< answers to earlier questions are dropped
    QLabel* m_title;
    QComboBox* m_span;
    NoticeBar* m_notice;
    QLabel* m_notes;
    BiographyView* m_view;
    ReportTable* m_list;
    ReportExport* m_export;
    QPushButton* m_goToTime;
    QPushButton* m_other;
};

} // namespace lockscope::ui
