// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/BiographySubject.h"
#include "ui/kit/models/CellStyle.h"
#include "ui/kit/models/KeyedTableModel.h"

namespace lockscope::ui {

/// A cell of a table that is worked out at once, of a recording.
struct ReportCell {
    QString text;
    SortKey sort; ///< nothing: its text
    Tone tone = Tone::Normal;
    Glyph glyph = Glyph::None;
    bool operator==(const ReportCell&) const = default;
};
/// Text of others, in one line.
ReportCell textCell(const QString& text);

struct ReportRow {
    QString key;
    std::vector<ReportCell> cells;
    QString tip; ///< of the whole row
    std::optional<ServerTime> moment; ///< to look at
    std::optional<record::BiographySubject> subject; ///< that has a history
};

/// Rows of a report: as they are, sorted and exported like all tables.
class ReportModel : public KeyedTableModel<ReportRow, QString> {
    Q_OBJECT

public:
    explicit ReportModel(std::vector<ColumnInfo> columns, QObject* parent = nullptr)
        : KeyedTableModel(std::move(columns), parent)
    {
    }
    void show(std::vector<ReportRow> rows) { setRows(std::move(rows)); }

protected:
    QString keyOf(const ReportRow& row) const override { return row.key; }
    bool same(const ReportRow& before, const ReportRow& after) const override
    {
        return before.cells == after.cells && before.tip == after.tip;
    }
    QString text(quint32 row, int column) const override { return cellAt(row, column).text; }
    SortKey sortKey(quint32 row, int column) const override;
    QVariant cell(quint32 row, int column, int role) const override;

private:
    const ReportCell& cellAt(quint32 row, int column) const
    {
        return rows()[row].cells[static_cast<std::size_t>(column)];
    }
};

} // namespace lockscope::ui
