// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/RecordingClient.h"
#include "ui/views/history/BiographyLanes.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QPushButton;

namespace lockscope::ui {

class BiographyView;
class NoticeBar;
class ReportExport;
class ReportModel;
class TableView;

/// The holders of a lock and the waiters for it, drawn and as a list; or the locks that a session held and
/// waited for. A window beside the others; deletes itself when it is closed.
class BiographyDialog : public QDialog {
    Q_OBJECT

public:
    /// `around` is in the middle. Reads the recording by a connection of its own: it may outlive `client`.
    BiographyDialog(const record::RecordingClient& client, const record::BiographySubject& subject,
        ServerTime around, QWidget* parent);
    ~BiographyDialog() override;

    const record::RecordingClient& client() const { return m_client; }

    // For tests:
    BiographyView& view() const { return *m_view; }
    TableView& list() const { return *m_list; }
    QString notes() const;

Q_SIGNALS:
    void timeTravelRequested(lockscope::ServerTime at);
    /// Requests the history of a session in that of a lock, or the other way round.
    void historyRequested(const lockscope::record::BiographySubject& subject, lockscope::ServerTime around);
    void loaded(); ///< an answer is on view

private:
    void arrange();
    void connectParts();
    void read();
    void showBiography(const record::Biography& biography);
    void showFailure(const Error& error);
    void chooseLine(qsizetype line);
    qsizetype listedLine() const; ///< −1: none
    std::optional<record::BiographySubject> otherSubject() const;
    void openOther();
    void updateButtons();

    record::RecordingClient m_client;
    const record::BiographySubject m_subject;
    const ServerTime m_around;
    BiographyPtr m_biography;
    quint64 m_asked = 0; ///< answers to earlier questions are dropped
    QLabel* m_title;
    QComboBox* m_span;
    NoticeBar* m_notice;
    QLabel* m_notes;
    BiographyView* m_view;
    ReportModel* m_model;
    TableView* m_list;
    ReportExport* m_export;
    QPushButton* m_goToTime;
    QPushButton* m_other;
};

} // namespace lockscope::ui
