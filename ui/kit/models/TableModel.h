// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/EnumTable.h"
#include "core/base/ServerTime.h"
#include "core/domain/RowDiff.h"
#include "core/domain/Thresholds.h"
#include "ui/kit/models/TableExport.h"

#include <QAbstractTableModel>
#include <QSet>

#include <optional>
#include <variant>

namespace lockscope::ui {

/// The key by which a column sorts: numbers and times as numbers, the rest as text. Rows without a value come
/// last in either direction.
using SortKey = std::variant<std::monostate, qint64, QString>;
/// Returns nothing for what is shown as a dash.
SortKey textKey(const QString& text);
/// Old first when descending: the age grows as the time of its start falls.
SortKey ageKey(const std::optional<ServerTime>& since);
/// Returns nothing for a time that is not known.
report::Value ageValue(const std::optional<ServerTime>& since, ServerTime now, bool exact = true);
/// Returns nothing for what is shown as a dash.
report::Value textValue(const QString& text);

/// The picture beside a word in a cell.
enum class Glyph : quint8 { None, Holder, Waiter, Converting, Free, Warning, Running, Idle, Done, Failed };

/// The weight of a cell. The word or glyph in it says the same without colour.
enum class Tone : quint8 { Normal, Muted, Good, Amber, Red };

inline Tone toneOf(AgeLevel level)
{
    static constexpr EnumTable<AgeLevel, Tone> tones({Tone::Normal, Tone::Amber, Tone::Red});
    return tones[level];
}

/// The one base of all tables: keyed rows, sorted, filtered and optionally in two levels, refreshed by diffs.
///
/// Rows live in a *store* (the order of the snapshot); the model shows a *view* of it. A refresh costs a
/// handful of signals whatever its size: few runs are removed and inserted in place; many are moved to the
/// end by one layout change and go in one range. Only rows whose sort key changed are sorted again. Never
/// resets; persistent indexes, hence selection, current row and scroll position, follow their rows.
///
/// Not a QSortFilterProxyModel above a source model: that one pays 14 ms at 100,000 rows for each signal.
class TableModel : public QAbstractTableModel, public ReportSource {
    Q_OBJECT

public:
    enum Role {
        SortRole = Qt::UserRole, ///< qint64, QString or invalid
        GlyphRole, ///< Glyph: the icon that goes with a word
        ToneRole, ///< Tone: how alarming
        RowToneRole, ///< Tone: lights up the whole row; the same for all its cells
        BarRole, ///< double: how much of the lease is used up; above 1 = stale
        LaneRole, ///< QVariantList of doubles up to 1: heights beside each other; below 0 = not known
        DepthRole, ///< 0, or 1 below a parent
        ExpandedRole, ///< bool for parents that have children on view; invalid for others
        EmphasisRole, ///< bool: bold
        BadgeRole, ///< bool: the text is a name in a frame, and whether that is certain; invalid: it is none
        FillRole, ///< QColor of a badge, dark enough for white words; invalid: the usual ones
    };

    /// The number of rows, and why some are not on view.
    struct Counts {
        int total = 0;
        int shown = 0; ///< pass the filter; those below a collapsed parent count too
        int noise = 0; ///< hidden because they are noise
        int filtered = 0; ///< hidden by the filter box
        bool operator==(const Counts&) const = default;
    };

    explicit TableModel(std::vector<ColumnInfo> columns, QObject* parent = nullptr);

    const std::vector<ColumnInfo>& columns() const override { return m_columns; }
    int columnOf(const QString& id) const { return ui::columnOf(m_columns, id); } ///< -1 if there is none
    /// Finds a column by id or title, ignoring case and blanks; for `column:word` filters. Empty if there is
    /// none.
    QString columnNamed(const QString& prefix) const { return ui::columnNamed(m_columns, prefix); }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    /// −1 = the order of the snapshot.
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;
    report::Value ownValue(const QModelIndex& cell) const final
    {
        return value(storeRow(cell.row()), cell.column());
    }
    int sortColumn() const { return m_sortColumn; }
    Qt::SortOrder sortOrder() const { return m_sortOrder; }

    void setFilter(const RowFilter& filter);
    /// Returns the columns in which a word without a column is searched.
    void setFilterColumns(const QList<int>& visible);
    void setNoiseHidden(bool hidden);
    Counts counts() const { return m_counts; }

    void setExpanded(int viewRow, bool expanded);
    void setAllExpanded(bool expanded);

    quint32 storeRow(int viewRow) const { return m_view[static_cast<size_t>(viewRow)]; }
    int viewRow(quint32 storeRow) const { return m_where[storeRow]; } ///< -1 if not on view

Q_SIGNALS:
    void countsChanged();
    /// Round the signals of one refresh: a view keeps the rows on screen where they are.
    void refreshAboutToStart();
    void refreshed();

protected:
    static constexpr quint32 noParent = ~quint32(0);

    virtual quint32 storeSize() const = 0;
    virtual QVariant cell(quint32 row, int column, int role) const = 0;
    virtual SortKey sortKey(quint32 row, int column) const = 0;
    /// Returns the text that is shown, copied and searched.
    virtual QString text(quint32 row, int column) const = 0;
    /// Returns the same as a value for programs, with the type of its column.
    virtual report::Value value(quint32 row, int column) const { return textValue(text(row, column)); }
    virtual bool isNoise(quint32) const { return false; }
    /// Counted in "118 of 118 rows"; heads of groups are not.
    virtual bool isCounted(quint32) const { return true; }
    /// True if `parentOf` may answer anything but noParent.
    virtual bool isHierarchical() const { return false; }
    virtual quint32 parentOf(quint32) const { return noParent; }
    /// Names a parent for good, so that its collapsed state outlives the row.
    virtual QString nodeId(quint32) const { return {}; }

    /// Takes over the next rows: `swap` puts them into the store, between the signals.
    void applyDiff(const RowDiff& diff, quint32 newSize, const std::function<void()>& swap);
    /// All cells of the rows on view appear otherwise now (thresholds, units).
    void repaintAll();
    /// To be called after the answers of isNoise have changed for other reasons than the rows.
    void refilter();

private:
    struct Verdict {
        bool noise = false;
        bool matches = true;
    };
    using Order = std::vector<quint32>;

    Verdict judge(quint32 row) const;
    bool filterDependsOnTime() const;
    void judgeAll();
    bool isShown(quint32 row) const;
    bool before(quint32 a, quint32 b) const;
    Order sortedFully(Order rows) const;
    Order fullOrder() { return isHierarchical() ? treeOrder() : flatOrder(); }
    Order flatOrder() const;
    Order treeOrder();
    Order refreshedOrder(const RowDiff& diff, const std::vector<quint32>& resort) const;
    /// Survivors of the diff whose relative order or sort key is not what it was, as new store rows.
    std::vector<quint32> rowsToResort(const RowDiff& diff, const std::vector<SortKey>& formerKeys) const;

    void retarget(const Order& next);
    void removeAbsent(const std::vector<char>& isKept);
    void insertMissing(const Order& next);
    void permute(Order next);
    void renumber();
    void emitChanged(const RowDiff& diff);
    void count();

    std::vector<ColumnInfo> m_columns;
    Order m_view; // view row → store row
    std::vector<qint32> m_where; // store row → view row or -1
    std::vector<Verdict> m_verdicts; // by store row
    RowFilter m_filter;
    QList<int> m_filterColumns;
    QSet<QString> m_collapsed; // by nodeId
    std::vector<char> m_hasChildren; // by store row; empty unless hierarchical
    int m_sortColumn = -1;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
    bool m_noiseHidden = false;
    Counts m_counts;
};

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
        for (quint32 i = 0; i < m_rows.size(); ++i)
            if (keyOf(m_rows[i]) == key)
                return viewRow(i);
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

Q_DECLARE_METATYPE(lockscope::ui::Glyph)
Q_DECLARE_METATYPE(lockscope::ui::Tone)
