// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/report/Report.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QStringList>

#include <functional>
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

enum class Form : quint8 { Text, Json, Csv, Markdown, Html };
inline constexpr QStringView formNames = u"text|json|csv|markdown|html"; ///< in the order of Form

/// Writes a report in one form. Text is for a terminal; JSON is one object in a line, or the array of the
/// rows of a section without a key; CSV has the tables alone, each with its name in the first column if there
/// are several. Nothing that others wrote can steer a terminal, become a formula or markup.
class Writer {
public:
    using Sink = std::function<void(const QString& text)>;
    struct Layout {
        int width = 0; ///< of a terminal; 0: no limit
        bool colours = false;
        qsizetype maxRows = 0; ///< of each table for people; 0: all
    };

    Writer(Form form, Layout layout, Sink sink);
    ~Writer();
    Q_DISABLE_COPY_MOVE(Writer)

    void write(const Report& report);

    void write(const Section& section);

    // The same piece by piece, for rows that are too many to be kept. The report and the section must outlive
    // the writing; their own rows are not written.
    void begin(const Report& report);
    void begin(const Section& section);
    void add(const ReportRow& row);
    void endSection();
    void end();

private:
    void beginJson();
    void beginTable();
    void beginPicture();
    void heading() const;
    void addJson(const ReportRow& row);
    void addCsv(const ReportRow& row);
    void addText(const ReportRow& row);
    void addItem(const ReportRow& row) const;
    void flushText();
    void paragraph(const QString& text) const;
    void code(const QStringList& lines) const;
    QStringList cells(const ReportRow& row) const;
    bool isForPeople() const { return m_form != Form::Json && m_form != Form::Csv; }
    bool isShown(Shown shown) const
    {
        return isForPeople() ? shown == Shown::Always || shown == Shown::ToPeople : shown != Shown::ToPeople;
    }
    bool isList() const { return m_report->sections.size() == 1 && m_report->sections.front().key.isEmpty(); }

    const Form m_form;
    const Layout m_layout;
    const Sink m_sink;
    const Report* m_report = nullptr;
    const Section* m_section = nullptr;
    std::vector<std::size_t> m_columns; ///< of the section, that this form has
    qsizetype m_rows = 0; ///< written of the section
    bool m_hasSeveral = false; ///< tables, for programs
    std::unique_ptr<TextTable> m_table; ///< not printed yet
    qsizetype m_tabled = 0; ///< rows in it
    QJsonObject m_object;
    QJsonArray m_array;
};

/// Returns the rows of a section as programs get them.
QJsonArray rowsJson(const Section& section);
/// Returns a value as CSV has it, before its quotes.
QString programText(const Column& column, const Value& value);
/// Returns the cell of a column that says whether the value is exact.
QString exactnessText(const Value& value);
QString rendered(const Report& report, Form form, const Writer::Layout& layout = {});

} // namespace lockscope::report
