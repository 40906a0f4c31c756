// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/BiographySubject.h"
#include "core/record/RangeTables.h"
#include "core/record/RecordingClient.h"
#include "ui/kit/widgets/NoticeBar.h"

#include <QDialog>

class QLabel;
class QMenu;
class QPushButton;
class QTabWidget;
class QToolButton;

namespace lockscope::ui {

class ReportExport;
class ReportModel;
class TableView;

/// Shows a range of a recording: the most contended locks, blockers, programs and users; compared with
/// another range. A window beside the others; deletes itself when it is closed.
class RangePanel : public QDialog {
    Q_OBJECT

public:
    /// Reads the recording by a connection of its own: it may outlive `client`.
    RangePanel(const record::RecordingClient& client, ServerTime from, ServerTime to, QWidget* parent);
    ~RangePanel() override;

    void compareWith(ServerTime from, ServerTime to);

    const record::RecordingClient& client() const { return m_client; }

    // For tests:
    QTabWidget& tabs() const { return *m_tabs; }
    TableView& table(const QString& tab) const; ///< by its table in the report, "locks", or "changes"
    QString notes() const;

Q_SIGNALS:
    void timeTravelRequested(lockscope::ServerTime at);
    void historyRequested(const lockscope::record::BiographySubject& subject, lockscope::ServerTime around);
    void loaded(); ///< an answer is on view

private:
    struct Tab {
        QString id; ///< of its table in the report
        ReportModel* model;
        TableView* view;
    };
    void addTabs();
    void addTab(const report::Section& section, const QString& title, const QString& emptyTitle,
        const QString& emptyHint);
    void fillCompareMenu(QMenu& menu);
    void askForTime();
    void read();
    void showAnswer(const record::RangeAnswer& answer);
    QString noteText() const;
    void showComparison(const record::RangeComparison& comparison);
    void showFailure(const Error& error);
    void fillRowMenu(QMenu& menu, const Tab& tab);
    const Tab& current() const;
    const report::ReportRow* currentRow() const;
    void goToTime();
    void openHistory();
    void writeRows();
    void updateButtons();

    record::RecordingClient m_client;
    const ServerTime m_from;
    const ServerTime m_to;
    std::shared_ptr<const report::Report> m_report;
    bool m_isRecorded = true;
    std::shared_ptr<const report::Report> m_comparison;
    quint64 m_asked = 0; ///< answers to earlier comparisons are dropped
    QLabel* m_title;
    NoticeBar* m_notice;
    std::optional<BarNotice> m_rangeNotice; ///< on view unless the comparison is
    std::optional<BarNotice> m_comparisonNotice;
    QLabel* m_notes;
    QTabWidget* m_tabs;
    QList<Tab> m_all;
    QLabel* m_words;
    QToolButton* m_compare;
    QPushButton* m_goToTime;
    QPushButton* m_history;
    ReportExport* m_export;
};

} // namespace lockscope::ui
