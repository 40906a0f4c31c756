// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>

#include <functional>

namespace lockscope::ui {

/// What the user typed into a filter box: plain words, all of which must occur, ignoring case; "two words" in
/// quotes belong together; `column:word` looks into that column only.
class RowFilter {
public:
    struct Term {
        QString column; ///< id of the column, empty = any visible one
        QString needle;
        bool operator==(const Term&) const = default;
    };

    RowFilter() = default;
    /// `columnOf` gives the id of the column that a prefix names, or nothing: then the colon is plain text.
    static RowFilter parse(const QString& text, const std::function<QString(const QString&)>& columnOf);

    bool isEmpty() const { return m_terms.isEmpty(); }
    const QList<Term>& terms() const { return m_terms; }
    bool operator==(const RowFilter&) const = default;

private:
    QList<Term> m_terms;
};

} // namespace lockscope::ui
