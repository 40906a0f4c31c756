// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/Console.h"

#include <QStringList>

#include <functional>
#include <vector>

namespace lockscope::ctl {

/// Aligned columns that fit the screen: when they don't, the columns marked as flexible give way, widest
/// first.
class TextTable {
public:
    enum class Fit { Fixed, Right, Flexible };
    struct Column {
        QString title;
        Fit fit = Fit::Fixed;
    };

    explicit TextTable(std::vector<Column> columns)
        : m_columns(std::move(columns))
    {
    }
    void add(QStringList cells, Tone tone = Tone::Plain) { m_rows.push_back({std::move(cells), tone}); }
    bool isEmpty() const { return m_rows.empty(); }
    /// With a line of titles. `columns`: 0 = no limit.
    QStringList lines(int columns, bool colours) const;

private:
    struct Row {
        QStringList cells;
        Tone tone;
    };
    std::vector<int> widths(int columns) const;
    QString line(const QStringList& cells, const std::vector<int>& widths) const;

    std::vector<Column> m_columns;
    std::vector<Row> m_rows;
};

/// What the text takes up on a terminal: wide characters take two places, combining ones none.
int displayWidth(const QString& text);
/// Cut to the width with "…" at its end, and printable.
QString fitted(const QString& text, int width);
/// inOneLine(): what a client writes into its program name must not steer our terminal.
QString printable(const QString& text);
/// In lines of at most that width, broken between words; 0: in one line.
QStringList wrapped(const QString& text, int width);
/// Each character that steersCode(), of one or two units, becomes what `by` makes of it.
QString steeringReplaced(const QString& text, const std::function<QString(QStringView)>& by);

} // namespace lockscope::ctl
