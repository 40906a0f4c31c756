// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <any>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

namespace lockscope::report {

/// The kind of a column's values. It decides how they are written, and the unit in the names that programs
/// read.
enum class Type : quint8 {
    Text,
    Texts, ///< a list
    Code, ///< of several lines, as a statement: in lists the lines stay
    Count, ///< a whole number
    Number,
    Bytes, ///< programs get their number; the key says that they are bytes
    Length, ///< of time, in microseconds; programs get milliseconds, "…_ms"
    Time, ///< by the server's clock; programs get ISO 8601
    Flag,
};

enum class Mark : quint8 { None, Muted, Good, Warning, Holder, Waiter, Done, Alarm, Failed };

/// One value; nothing: it is not known, or there is none.
struct Value {
    std::variant<std::monostate, QString, QStringList, qint64, double, bool> data;
    bool isExact = true; ///< false: it is the bound that its column names
    Mark mark = Mark::None;
    std::optional<qint64> order{}; ///< of a text: sorted by this instead

    Value() = default;
    Value(const QString& text, Mark meant = Mark::None) // NOLINT(google-explicit-constructor)
        : data(text)
        , mark(meant)
    {
    }
    Value(const QStringList& texts) // NOLINT(google-explicit-constructor)
        : data(texts)
    {
    }
    Value(qint64 number) // NOLINT(google-explicit-constructor)
        : data(number)
    {
    }
    Value(bool) = delete; // a pointer would become one
    Value(std::optional<double> number); // NOLINT(google-explicit-constructor)
    /// Returns nothing for a time that is not valid.
    Value(ServerTime time, bool exact = true); // NOLINT(google-explicit-constructor)
    explicit Value(microseconds length, bool exact = true)
        : data(qint64(length.count()))
        , isExact(exact)
    {
    }
    static Value flag(bool is);
    static Value atLeast(microseconds length) { return Value(length, false); }

    bool operator==(const Value&) const = default;
    bool isNothing() const { return std::holds_alternative<std::monostate>(data); }
    /// False for nothing, of which nothing is exact, and for a bound.
    bool isKnownExactly() const { return isExact && !isNothing(); }
};

enum class Bound : quint8 { AtLeast, AtMost };

/// The readers who get a column or a table.
enum class Shown : quint8 {
    Always,
    OnRequest, ///< not at first in a window; in no text, Markdown or HTML
    ToPrograms, ///< in JSON and CSV alone
    ToPeople, ///< not in these
};

struct Column {
    QString key; ///< for programs, without its unit; "waits.p50" is "p50" of the object "waits"
    QString title;
    QString meaning; ///< of the title, if that needs it
    Type type = Type::Text;
    Shown shown = Shown::Always;
    int share = 0; ///< of the width that is left over or missing; 0: as wide as its values
    int yields = 0; ///< in a narrow window the greatest is hidden first; 0: never
    bool isWhole = false; ///< others are hidden before its texts are cut, as far as they may be
    Bound bound = Bound::AtLeast; ///< of values that are not exact
    bool showsExactness = false; ///< programs get "…_exact" beside it

    /// Without a title it is for programs alone.
    Column(Type what, const QString& name, const QString& heading = {}, const QString& explanation = {});
    Column(const QString& name, const QString& heading = {}, // NOLINT(google-explicit-constructor)
        const QString& explanation = {})
        : Column(Type::Text, name, heading, explanation)
    {
    }

    // For tables of columns in a line each.
    Column show(Shown to) const { return with(&Column::shown, to); }
    Column wide(int part) const { return with(&Column::share, part); }
    Column yield(int rank) const { return with(&Column::yields, rank); }
    Column whole() const { return with(&Column::isWhole, true); }
    Column atMost() const { return with(&Column::bound, Bound::AtMost); }
    Column withExact() const { return with(&Column::showsExactness, true); }

    /// As programs read it: with its unit.
    QString name() const;
    bool isNumber() const { return type >= Type::Count && type <= Type::Length; }

private:
    template <class Field> Column with(Field Column::*field, Field value) const
    {
        Column changed = *this;
        changed.*field = value;
        return changed;
    }
};

struct ReportRow {
    std::vector<Value> cells; ///< one for each column
    QString key{}; ///< the same row of a later report has the same
    QStringList more{}; ///< for a person who asks about the row; each is one line, whatever stands in it
    std::optional<ServerTime> rowTime{}; ///< at which it is best seen
    std::any about{}; ///< for who made the report: what the row is about
};

/// A table of a report. Several with one key and the same columns are one for programs.
struct Section {
    QString key{}; ///< for programs; empty: the rows alone are what programs get
    QString title{};
    std::vector<Column> columns{};
    std::vector<ReportRow> rows{};
    QString whenEmpty{}; ///< a sentence in place of a table without rows; empty: nothing is in its place
    Shown shown = Shown::Always;
    bool isList = false; ///< for people each row is an item with its values below each other
    bool isHead = false; ///< its title is that of the sections behind it, too
    QStringList notes{}; ///< for people, below the title
    QStringList code{}; ///< for people, below the notes: lines to copy, which no width of a screen breaks
    QStringList picture{}; ///< for people, in place of the rows: lines of text
    std::function<QString()> svg{}; ///< the same for a page, as it is: texts of others are escaped in it
};

/// A value for programs; the notes have it for people.
struct Fact {
    Column column;
    Value value;
};

/// The answer to a question, for Writer and for models: all forms of it have the same numbers.
struct Report {
    QString title{}; ///< in one line; empty: none
    QStringList notes{}; ///< sentences: what must be known to read it
    std::vector<Fact> facts{};
    std::vector<Section> sections{};
    QStringList closing{}; ///< lines behind the tables; an empty one sets them apart

    const Section* section(const QString& key) const; ///< null: there is none
};

/// "2026-11-21T03:12:07Z", or as people write it "2026-11-21 03:12:07 UTC".
enum class TimeForm : quint8 { Iso, Spaced };
/// A dash for a time that is not valid.
QString timeText(ServerTime time, TimeForm form = TimeForm::Iso);
/// Returns a value as people read it, in one line: "≥ 12.4 s". A dash for nothing.
QString shownText(const Column& column, const Value& value, TimeForm form = TimeForm::Iso);

/// Keeps a server's text from becoming a formula in somebody's spreadsheet: a text that begins with = + - @
/// (also in full width, also behind blanks), a tab or a line break gets an apostrophe before it, as OWASP
/// advises ("CSV Injection"). Numbers stay numbers.
QString spreadsheetSafe(const QString& text);
/// A cell as RFC 4180 has it, quoted where needed, and spreadsheetSafe().
QString csvCell(QString text);
/// A cell of a table of Markdown: nothing in it can format, link or end it.
QString markdownCell(QString text);
/// Text of others as a part of HTML: no tags, and nothing in it deceives who reads it; line ends stay.
QString htmlText(const QString& text);

/// Each character that steersCode(), of one or two units, becomes what `by` makes of it.
QString steeringReplaced(const QString& text, const std::function<QString(QStringView)>& by);
/// A piece of JSON in which those characters are escaped: it can be printed to a terminal.
QByteArray harmlessJson(const QByteArray& json);

/// A page of HTML up to its heading, which is its title. It loads nothing and runs nothing.
QByteArray htmlPageHead(const QString& title);
/// The end of the page; `note` is HTML.
QByteArray htmlPageEnd(const QByteArray& note);

} // namespace lockscope::report
