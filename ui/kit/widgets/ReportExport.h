// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/Writer.h"
#include "ui/kit/widgets/ExportMenu.h"

namespace lockscope::ui {

/// Writes a report into a file in any of its forms, or copies it. GUI thread.
class ReportExport : public ExportMenu {
    Q_OBJECT

public:
    /// `name` is proposed for files, without an ending.
    ReportExport(const QString& name, QWidget* parent);

    /// Exports this report from now on; as CSV only its table `table`, unless that is empty. Null: nothing.
    void show(std::shared_ptr<const report::Report> report, const QString& table = {});
    /// The report in a form, as it is exported.
    QString exported(report::Form form) const;

private:
    void ask(Form form);

    const QString m_name;
    std::shared_ptr<const report::Report> m_report;
    QString m_table;
};

} // namespace lockscope::ui
