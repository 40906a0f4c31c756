// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/models/TableModel.h"

namespace lockscope::ui {

/// TableModel with a store: rows of one type, each with a key that stays the same from refresh to refresh.
/// `Anchor` keeps alive what rows point into, usually the snapshot.
template <class Row, class Key, class Anchor = std::monostate> class KeyedTableModel : public TableModel {
public:
    using TableModel::TableModel;

    const std::vector<Row>& rows() const { return m_rows; }
    const Row& rowAt(int viewRow) const { return m_rows[storeRow(viewRow)]; }
    const Anchor& anchor() const { return m_anchor; }

    /// View row of a key, -1 if it is not on view.
    int find(const Key& key) const
    {
        for (quint32 i = 0; i < m_rows.size(); ++i) {
            if (keyOf(m_rows[i]) == key)
                return viewRow(i);
        }
        return -1;
    }

protected:
    virtual Key keyOf(const Row& row) const = 0;
    /// True if nothing on view distinguishes them.
    virtual bool same(const Row& before, const Row& after) const = 0;

    void setRows(std::vector<Row> rows, Anchor anchor = {})
    {
        const RowDiff diff = diffRows(
            m_rows, rows, [this](const Row& row) { return keyOf(row); },
            [this](const Row& a, const Row& b) { return same(a, b); });
        const auto size = static_cast<quint32>(rows.size());
        applyDiff(diff, size, [&] {
            // The former rows and what they point into live on until the last signal was handled.
            m_rows.swap(rows);
            std::swap(m_anchor, anchor);
        });
    }

    quint32 storeSize() const override { return static_cast<quint32>(m_rows.size()); }

private:
    std::vector<Row> m_rows;
    Anchor m_anchor{};
};

} // namespace lockscope::ui
