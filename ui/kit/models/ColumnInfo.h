// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/Report.h"

#include <QList>
#include <QStringList>
#include <QVariant>

#include <functional>
#include <vector>

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

/// A column of a table or tree: its key, title, tooltip and width, then by functions what differs from the
/// usual column, `ColumnInfo{u"lock"_s, u"Lock"_s, tip, 170}.wide(1).whole()`.
struct ColumnInfo {
    QString id; ///< stable: settings, filters and CSV use it
    QString title;
    QString tip{};
    int width = 120; ///< at first, in pixels at 96 dpi
    bool shown = true; ///< at first
    bool number = false; ///< right-aligned, digits of equal width
    bool age = false; ///< its text changes while time passes: repainted by the ticker, not filtered
    int stretch = 0; ///< share of the space that is left over or missing; 0 = always of its width
    int yields = 0; ///< gives way where space is short, the greatest first; 0 = never
    bool isName = false; ///< says what a row is about: is whole before others get more than they need
    /// Words with commas between: a filter takes each by itself, from a word's beginning.
    bool isList = false;
    report::Type type = report::Type::Text; ///< of what leaves the window; ages are lengths

    // For tables of columns in a line each.
    ColumnInfo hidden() const { return with(&ColumnInfo::shown, false); }
    ColumnInfo ofNumbers() const { return with(&ColumnInfo::number, true); }
    ColumnInfo ticking() const { return with(&ColumnInfo::age, true); }
    ColumnInfo ofAges() const { return ofNumbers().ticking(); }
    ColumnInfo ofWords() const { return with(&ColumnInfo::isList, true); }
    ColumnInfo ofType(report::Type what) const { return with(&ColumnInfo::type, what); }
    ColumnInfo wide(int part) const { return with(&ColumnInfo::stretch, part); }
    ColumnInfo yield(int rank) const { return with(&ColumnInfo::yields, rank); }
    ColumnInfo whole() const { return with(&ColumnInfo::isName, true); }

private:
    template <class Field> ColumnInfo with(Field ColumnInfo::*field, Field value) const
    {
        ColumnInfo changed = *this;
        changed.*field = value;
        return changed;
    }
};

/// Returns a model's data for the column's header.
QVariant headerOf(const ColumnInfo& column, int role);
int columnOf(const std::vector<ColumnInfo>& columns, const QString& id); ///< -1 if there is none
/// Finds a column by id or title, ignoring case and blanks; for `column:word` filters. Empty if there is
/// none.
QString columnNamed(const std::vector<ColumnInfo>& columns, const QString& prefix);
/// Says that a column which the filter names is none, and which there are; empty if there is nothing to say.
QString unknownColumnText(const RowFilter& filter, const std::vector<ColumnInfo>& columns);
/// `text` returns the text in a column of the row; words without a column are searched in `visible`.
bool matches(const RowFilter& filter, const std::vector<ColumnInfo>& columns, const QList<int>& visible,
    const std::function<QString(int column)>& text);

} // namespace lockscope::ui
