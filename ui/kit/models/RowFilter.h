// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QStringList>

#include <functional>

namespace lockscope::ui {

/// The text that the user typed into a filter box: plain words, all of which must occur, ignoring case; "two
/// words" in quotes belong together, where a quote is written twice; `column:word` searches that column only,
/// `column:=word` for cells that are that word and no more. A minus before it leaves out the rows that have
/// it: `-database:=shop`.
class RowFilter {
public:
    struct Term {
        QString column{}; ///< id of the column, empty = any visible one
        QString needle;
        bool whole = false; ///< the cell is the needle
        bool excluded = false; ///< rows that have it are left out
        bool operator==(const Term&) const = default;
    };

    RowFilter() = default;
    /// `columnOf` gives the id of the column that a prefix names, or nothing: then the colon is plain text.
    static RowFilter parse(const QString& text, const std::function<QString(const QString&)>& columnOf);

    bool isEmpty() const { return m_terms.isEmpty(); }
    const QList<Term>& terms() const { return m_terms; }
    /// Returns the words before a colon that look like the name of a column and are none: "usr" of `usr:ann`.
    const QStringList& unknownColumns() const { return m_unknownColumns; }
    /// Quotes it as a word to search, whatever its characters.
    static QString quoted(const QString& word);
    /// `text` with a term for exactly this value; one for the same column and sense is replaced.
    static QString with(const QString& text, const QString& column, const QString& value, bool excluded);
    /// Returns true if `text` has such a term.
    static bool has(const QString& text, const QString& column, const QString& value);
    /// `text` without such terms for any value.
    static QString without(const QString& text, const QString& column, bool excluded);
    bool operator==(const RowFilter&) const = default;

private:
    QList<Term> m_terms;
    QStringList m_unknownColumns;
};

} // namespace lockscope::ui
