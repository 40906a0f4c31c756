// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QStringList>

#include <vector>

namespace lockscope::report {

/// Never the only sign of anything: the words say the same.
enum class TextTone { Plain, Bold, Dim, Warning, Alarm };
QString toned(const QString& text, TextTone tone, bool colours);

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
    void add(QStringList cells, TextTone tone = TextTone::Plain)
    {
        m_rows.push_back({std::move(cells), tone});
    }
    bool isEmpty() const { return m_rows.empty(); }
    /// Returns the lines, with a line of titles. `columns`: 0 = no limit.
    QStringList lines(int columns, bool colours) const;

private:
    struct Row {
        QStringList cells;
        TextTone tone;
    };
    std::vector<int> widths(int columns) const;
    QString line(const QStringList& cells, const std::vector<int>& widths) const;

    std::vector<Column> m_columns;
    std::vector<Row> m_rows;
};

/// Returns the places that the text takes on a terminal: wide characters take two, combining ones none.
int displayWidth(const QString& text);
/// Cut to the width with "…" at its end.
QString fitted(const QString& text, int width);
/// Returns lines of at most that width, broken between words; 0: one line.
QStringList wrapped(const QString& text, int width);

} // namespace lockscope::report
