// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/RangeReport.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/views/history/RecordingWindow.h"

class QLabel;
class QMenu;
class QTabWidget;
class QToolButton;

namespace lockscope::ui {

class ReportExport;
class ReportTable;
class TableView;

/// Shows a range of a recording: the most contended locks, blockers, programs and users; compared with
/// another range.
class RangePanel : public RecordingWindow {
    Q_OBJECT

public:
    RangePanel(const record::RecordingClient& client, ServerTime from, ServerTime to, QWidget* parent);
    ~RangePanel() override;

    void compareWith(ServerTime from, ServerTime to);

    // For tests:
    QTabWidget& tabs() const { return *m_tabs; }
    TableView& table(const QString& tab) const; ///< by its table in the report, "locks", or "changes"
    QString notes() const;

private:
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
    void fillRowMenu(QMenu& menu, const ReportTable& table);
    ReportTable& current() const;
    void goToTime();
    void openHistory();
    void writeRows();
    void updateButtons();

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
    QList<ReportTable*> m_all; ///< each is named as its table in the report
    QLabel* m_words;
    QToolButton* m_compare;
    QPushButton* m_goToTime;
    QPushButton* m_history;
    ReportExport* m_export;
};

} // namespace lockscope::ui
