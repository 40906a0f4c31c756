// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/FrameworkMatch.h"
#include "core/domain/Thresholds.h"

#include <QWidget>

class QLabel;

namespace lockscope::ui {

class RankRow;

/// A short list, worst first: name, a line about it, a number with a bar. Rows stay where they are between
/// refreshes; only their contents change. A click says which.
class TopList : public QWidget {
    Q_OBJECT

public:
    struct Row {
        QString name;
        QString detail;
        QString number;
        double part = 0; ///< length of the bar, 0 … 1
        AgeLevel level = AgeLevel::Normal;
        FrameworkMatchPtr framework{}; ///< that it belongs to: a badge before the name
        bool isDetailTime = false; ///< then it is never cut
        bool operator==(const Row&) const = default;
    };

    explicit TopList(int rows, QWidget* parent = nullptr);
    /// `emptyText` is shown if there are none.
    void setRows(const QList<Row>& rows, const QString& emptyText);
    void setMost(int rows); ///< the number of rows that have space, at most that of the constructor
    int most() const { return m_most; }
    int rowHeight() const;
    void setFaded(bool faded); ///< the data is old

Q_SIGNALS:
    void chosen(int row);

private:
    void showRows();

    QList<RankRow*> m_rows;
    QLabel* m_empty;
    int m_filled = 0; ///< the number of rows that were set
    int m_most = 0;
};

} // namespace lockscope::ui
