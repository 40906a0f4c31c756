// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/models/ColumnInfo.h"

#include <QHash>
#include <QObject>
#include <QSet>
#include <QTimer>

#include <vector>

class QHeaderView;
class QMenu;
class QSettings;

namespace lockscope::ui {

struct ColumnShare {
    int width = 0; ///< the width that it needs
    int stretch = 0; ///< share of the space that is left over or missing; 0 = keeps its width
    int least = 0; ///< never narrower than this, nor than half of what it needs
    int whole = 0; ///< of names: the width of the longest one; 0 = of no names
};

/// Returns widths that fill `space` exactly. Names are whole before other columns get more than they need.
/// If it is too narrow, columns with a stretch give way down to their least, those of names last; the
/// missing rest is left to scrolling. Without any such column the last one grows.
std::vector<int> fitColumns(const std::vector<ColumnShare>& columns, int space);

/// The user's columns of a table or a tree: which ones, in which order, how wide. Until one is sized by hand
/// they fill the width: numbers, ages and other short texts get the width in which they can be read whole,
/// longer texts share the rest; where that is too little to read, the least important columns give way until
/// there is space again. All of it by mouse on the header and by a menu, thus by keyboard, too.
class ColumnLayout : public QObject {
    Q_OBJECT

public:
    /// `header` belongs to an item view and owns this; `columns` outlives it.
    ColumnLayout(QHeaderView& header, const std::vector<ColumnInfo>& columns);

    QList<int> visible() const; ///< model columns in visual order
    QList<int> chosenColumns() const; ///< these, and those that give way for lack of space, in visual order
    QList<int> searched() const; ///< and then those that are hidden by themselves (setSilent)
    /// A column that exists only at times (the groups); the user can't choose it.
    void setOffered(int column, bool offered);
    void setShown(int column, bool shown);
    int neededWidth() const; ///< of all chosen columns, so that each can be read
    void reset(); ///< as at first
    void fit(); ///< after the view was resized or got another font
    /// After other rows are on view, or the same say something else. Columns grow with what is in them and
    /// don't shrink again, so that nothing jumps. `agesOnly`: only time has passed.
    void fitContents(bool agesOnly = false);
    /// The same, once for all rows that come now by other ways than a refresh.
    void fitContentsSoon() { m_fitSoon.start(); }
    /// Hides a column that has nothing to say at present, if the user did not choose it by hand; it comes
    /// back as it was.
    enum class Silent : quint8 { Empty = 1, Implied = 2 };
    void setSilent(int column, Silent why, bool silent);

    /// Below `group`.
    void save(QSettings& settings, const QString& group) const;
    void restore(QSettings& settings, const QString& group);

    /// Choice, order and, if the header shows a sort indicator, the sort.
    void addTo(QMenu& menu);

Q_SIGNALS:
    void visibleChanged(); ///< other columns, or another order

private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    const ColumnInfo& info(int column) const { return m_columns[static_cast<size_t>(column)]; }
    int count() const { return static_cast<int>(m_columns.size()); }
    bool isNotOffered(int column) const { return m_notOffered.contains(column); }
    bool isShownByUser(int column) const;
    void fitHeight();
    void showAsChosen(int column, bool shown);
    int contentWidth(int column) const;
    int titleWidth(int column) const;
    ColumnShare shareOf(int column) const;
    void giveWay(int space);
    int scaledWidth(int column) const;
    void move(int column, int places);
    void addSorting(QMenu& menu);
    void addMoves(QMenu& menu, const QString& title, int places);

    QHeaderView& m_header;
    const std::vector<ColumnInfo>& m_columns;
    QSet<int> m_notOffered;
    QHash<int, quint8> m_silent; ///< why, by column
    QSet<int> m_hiddenBySilence; ///< of these, those that the user chose to show
    QSet<int> m_gaveWay; ///< hidden for lack of space
    mutable std::vector<int> m_titles; ///< by column: the width of its title; 0 = not measured, or hidden
    QSet<int> m_chosen; ///< shown or hidden by hand
    std::vector<int> m_needed; ///< by column: the widest that was on view
    QTimer m_fitSoon;
    bool m_fitted = true; ///< no column was sized by the user: they fill the width
    bool m_arranging = false; ///< sections are being sized by us
};

} // namespace lockscope::ui
