// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/page/TablePage.h"

namespace lockscope::ui {

class ReportModel;

/// "audit": what was done to locks and sessions. Read on showing, on demand and after each act; it is no part
/// of the snapshots.
class AuditPage : public TablePage {
    Q_OBJECT

public:
    static inline const PageName pageName{QStringLiteral("audit"), QStringLiteral("Audit")};

    explicit AuditPage(AppContext& context, QWidget* parent = nullptr);

    bool reveal(const DetailSubject& subject) override;
    QString countText() const override;
    /// The audit is read on its own; how the monitor fares says nothing about these rows.
    void showHealth(monitor::Health, const std::optional<Error>&, milliseconds) override { }
    void reload();
    /// Shows the result of a reading; also for tests.
    void showResult(const Result<QList<admin::AuditRecord>>& result);

protected:
    void showRows(const SnapshotPtr& snapshot) override;
    DetailSubject subjectAt(int viewRow) const override;
    EmptyText emptyText() const override;
    void showEvent(QShowEvent* event) override;

private:
    void showRecords();

    ReportModel* m_model;
    QList<admin::AuditRecord> m_records; ///< all that were read
    std::optional<AppContext::PastTime> m_shownTime;
    QPushButton* m_reload = nullptr;
    std::optional<Error> m_failure;
    bool m_wasRead = false; ///< of this server, with or without success
    quint64 m_asked = 0; ///< answers to earlier questions are dropped
};

} // namespace lockscope::ui
