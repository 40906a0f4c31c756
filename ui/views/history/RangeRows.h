// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/RangeComparison.h"
#include "ui/kit/models/ReportModel.h"

namespace lockscope::ui {

// What a range tells, as rows of tables. Pure.

std::vector<ColumnInfo> lockColumns();
std::vector<ReportRow> lockRows(const record::RangeReport& report);
std::vector<ColumnInfo> statementColumns();
std::vector<ReportRow> statementRows(const record::RangeReport& report);
std::vector<ColumnInfo> tableColumns();
std::vector<ReportRow> tableRows(const record::RangeReport& report);
std::vector<ColumnInfo> partyColumns(const QString& what); ///< "Program"
std::vector<ReportRow> partyRows(const QList<record::RangeParty>& parties);
std::vector<ColumnInfo> holderColumns();
std::vector<ReportRow> holderRows(const record::RangeReport& report);
std::vector<ColumnInfo> changeColumns();
std::vector<ReportRow> changeRows(const record::RangeComparison& comparison);

} // namespace lockscope::ui
