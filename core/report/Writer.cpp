// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/report/Writer.h"

#include "core/base/ShownText.h"
#include "core/report/Report.h"

#include <QJsonDocument>
#include <QSet>

#include <algorithm>

namespace lockscope::report {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxCodeShown = 4'000; ///< characters, to people
constexpr qsizetype rowsOfTextTable = 1'000; // its width is known when it has them

QString isoText(qint64 us)
{
    return ServerTime{us}.toIsoString();
}

qint64 inMilliseconds(qint64 us)
{
    return std::chrono::floor<milliseconds>(microseconds(us)).count();
}

QJsonValue jsonValue(const Column& column, const Value& value)
{
    if (const auto* text = std::get_if<QString>(&value.data))
        return *text;
    if (const auto* texts = std::get_if<QStringList>(&value.data))
        return QJsonArray::fromStringList(*texts);
    if (const auto* flag = std::get_if<bool>(&value.data))
        return *flag;
    if (const auto* number = std::get_if<double>(&value.data))
        return *number;
    const auto* number = std::get_if<qint64>(&value.data);
    if (!number)
        return {};
    return column.type == Type::Time  ? QJsonValue(isoText(*number))
        : column.type == Type::Length ? QJsonValue(inMilliseconds(*number))
                                      : QJsonValue(*number);
}

/// `name` may lead into objects: "waits.worst.session".
void insert(QJsonObject& object, QStringView name, const QJsonValue& value)
{
    const qsizetype dot = name.indexOf(u'.');
    if (dot < 0) {
        object.insert(name, value);
        return;
    }
    QJsonObject inner = object.value(name.first(dot)).toObject();
    insert(inner, name.sliced(dot + 1), value);
    object.insert(name.first(dot), inner);
}

void insertCell(QJsonObject& object, const Column& column, const Value& value)
{
    insert(object, column.name(), jsonValue(column, value));
    if (column.showsExactness)
        insert(object, column.name() + u"_exact"_s, value.isKnownExactly());
}

/// Objects that hold nothing are null.
QJsonValue withoutEmptyObjects(const QJsonObject& object)
{
    QJsonObject kept = object;
    bool isEmpty = true;
    for (auto it = kept.begin(); it != kept.end(); ++it) {
        if (it->isObject())
            *it = withoutEmptyObjects(it->toObject());
        isEmpty = isEmpty && it->isNull();
    }
    return isEmpty ? QJsonValue() : QJsonValue(kept);
}

QJsonObject rowJson(const Section& section, const ReportRow& row)
{
    QJsonObject object;
    for (std::size_t i = 0; i < section.columns.size(); ++i)
        if (section.columns[i].shown != Shown::ToPeople)
            insertCell(object, section.columns[i], row.cells[i]);
    return withoutEmptyObjects(object).toObject();
}

template <class Json> QString jsonText(const Json& json)
{
    return QString::fromUtf8(harmlessJson(QJsonDocument(json).toJson(QJsonDocument::Compact)));
}

QString markdownRow(const QStringList& cells)
{
    return u"| "_s + cells.join(u" | "_s) + u" |\n"_s;
}

bool isAlarming(const Value& value)
{
    return value.mark == Mark::Warning || value.mark == Mark::Waiter || value.mark == Mark::Alarm
        || value.mark == Mark::Failed;
}

} // namespace

Writer::Writer(Form form, Layout layout, Sink sink)
    : m_form(form)
    , m_layout(layout)
    , m_sink(std::move(sink))
{
}

Writer::~Writer() = default;

void Writer::write(const Report& report)
{
    begin(report);
    QSet<QString> written;
    for (const Section& section : report.sections) {
        if (!isShown(section.shown) || written.contains(section.key))
            continue;
        if (isForPeople()) {
            write(section);
            continue;
        }
        written.insert(section.key);
        begin(section);
        for (const Section& each : report.sections)
            if (each.key == section.key)
                for (const ReportRow& row : each.rows)
                    add(row);
        endSection();
    }
    end();
}

void Writer::write(const Section& section)
{
    begin(section);
    for (const ReportRow& row : section.rows)
        add(row);
    endSection();
}

void Writer::paragraph(const QString& text) const
{
    if (text.isEmpty() && m_form != Form::Text)
        return;
    if (m_form == Form::Markdown)
        m_sink(markdownCell(inOneLine(text)) + u"\n\n"_s);
    else if (m_form == Form::Html)
        m_sink(u"<p>%1</p>\n"_s.arg(htmlText(inOneLine(text))));
    else if (m_form == Form::Text)
        m_sink(wrapped(inOneLine(text), m_layout.width).join(u'\n') + u'\n');
}

void Writer::begin(const Report& report)
{
    m_report = &report;
    m_hasSeveral = std::ranges::any_of(
        report.sections, [&report](const Section& each) { return each.key != report.sections.front().key; });
    if (m_form == Form::Html)
        m_sink(QString::fromUtf8(htmlPageHead(inOneLine(report.title))));
    else if (m_form == Form::Markdown && !report.title.isEmpty())
        m_sink(u"# "_s + markdownCell(inOneLine(report.title)) + u"\n\n"_s);
    else if (m_form == Form::Text && !report.title.isEmpty())
        m_sink(inOneLine(report.title) + u'\n');
    else if (m_form == Form::Json)
        beginJson();
    for (const QString& note : report.notes)
        paragraph(note);
}

void Writer::beginJson()
{
    m_object = {};
    if (isList())
        return;
    for (const Fact& fact : m_report->facts)
        insertCell(m_object, fact.column, fact.value);
    m_object.insert(u"notes"_s, QJsonArray::fromStringList(m_report->notes));
}

void Writer::begin(const Section& section)
{
    m_section = &section;
    m_columns.clear();
    for (std::size_t i = 0; i < section.columns.size(); ++i)
        if (isShown(section.columns[i].shown))
            m_columns.push_back(i);
    m_rows = 0;
    m_array = {};
    if (m_form == Form::Csv)
        beginTable();
    else if (isForPeople() && !section.picture.isEmpty())
        beginPicture();
}

void Writer::heading() const
{
    const QString title = inOneLine(m_section->title);
    const int level = m_section->isList && !m_section->isHead ? 3 : 2;
    if (m_form == Form::Text && (!title.isEmpty() || !m_report->title.isEmpty()))
        m_sink(title.isEmpty() ? u"\n"_s
                               : u"\n%1%2\n"_s.arg(title, m_section->picture.isEmpty() ? u":"_s : u""_s));
    else if (m_form == Form::Markdown && !title.isEmpty())
        m_sink(u"%1 %2\n\n"_s.arg(QString(level, u'#'), markdownCell(title)));
    else if (m_form == Form::Html && !title.isEmpty())
        m_sink(u"<h%1>%2</h%1>\n"_s.arg(QString::number(level), htmlText(title)));
    for (const QString& note : m_section->notes)
        paragraph(note);
    if (!m_section->code.isEmpty())
        code(m_section->code);
}

void Writer::beginPicture()
{
    heading();
    if (m_form == Form::Html && m_section->svg) {
        m_sink(m_section->svg());
        return;
    }
    code(m_section->picture);
}

/// Lines as they are, however narrow the screen is.
void Writer::code(const QStringList& lines) const
{
    // Four blanks make a line code in Markdown, and nothing in it can end that.
    QString text;
    for (const QString& line : lines)
        text += (m_form == Form::Html ? htmlText(inOneLine(line)) : u"    "_s + inOneLine(line)) + u'\n';
    m_sink(m_form == Form::Html        ? u"<pre>%1</pre>\n"_s.arg(text)
            : m_form == Form::Markdown ? text + u'\n'
                                       : text);
}

/// The titles of the columns, and of the table.
void Writer::beginTable()
{
    QStringList names;
    for (const std::size_t i : m_columns) {
        const Column& column = m_section->columns[i];
        if (m_form == Form::Csv) {
            names << csvCell(column.name());
            if (column.showsExactness)
                names << csvCell(column.name() + u"_exact"_s);
        } else if (m_form == Form::Html) {
            names << u"<th%1>%2</th>"_s.arg(
                column.isNumber() ? u" class=\"number\""_s : QString(), htmlText(column.title));
        } else {
            names << markdownCell(column.title);
        }
    }
    if (m_form == Form::Csv) {
        const bool isFirst = m_section == &m_report->sections.front();
        m_sink((m_hasSeveral && !isFirst ? u"\r\n"_s : QString()) + (m_hasSeveral ? u"table,"_s : QString())
            + names.join(u',') + u"\r\n"_s);
    } else if (m_form == Form::Html) {
        m_sink(u"<div class=\"wide\"><table>\n<tr>%1</tr>\n"_s.arg(names.join(QString())));
    } else {
        QStringList rules;
        for (const std::size_t i : m_columns)
            rules << (m_section->columns[i].isNumber() ? u"---:"_s : u"---"_s);
        m_sink(markdownRow(names) + markdownRow(rules));
    }
}

void Writer::add(const ReportRow& row)
{
    if (isForPeople()
        && (!m_section->picture.isEmpty() || (m_layout.maxRows > 0 && m_rows == m_layout.maxRows)))
        return;
    if (isForPeople() && m_rows == 0)
        heading();
    if (isForPeople() && m_section->isList) {
        if (m_form == Form::Html && m_rows == 0)
            m_sink(u"<ul>\n"_s);
        addItem(row);
        ++m_rows;
        return;
    }
    switch (m_form) {
    case Form::Json:
        addJson(row);
        break;
    case Form::Csv:
        addCsv(row);
        break;
    case Form::Text:
        addText(row);
        break;
    case Form::Markdown:
    case Form::Html:
        if (m_rows == 0)
            beginTable();
        m_sink(m_form == Form::Markdown ? markdownRow(cells(row))
                                        : u"<tr>%1</tr>\n"_s.arg(cells(row).join(QString())));
        break;
    }
    ++m_rows;
}

void Writer::addJson(const ReportRow& row)
{
    const QJsonObject object = rowJson(*m_section, row);
    if (isList())
        m_sink((m_rows == 0 ? u'[' : u',') + jsonText(object));
    else
        m_array.append(object);
}

void Writer::addCsv(const ReportRow& row)
{
    QStringList values;
    if (m_hasSeveral)
        values << csvCell(m_section->key);
    for (const std::size_t i : m_columns) {
        const Column& column = m_section->columns[i];
        values << csvCell(programText(column, row.cells[i]));
        if (column.showsExactness)
            values << exactnessText(row.cells[i]);
    }
    m_sink(values.join(u',') + u"\r\n"_s);
}

/// Each with what its form puts round it.
QStringList Writer::cells(const ReportRow& row) const
{
    QStringList texts;
    for (const std::size_t i : m_columns) {
        const QString text = shownText(m_section->columns[i], row.cells[i]);
        if (m_form == Form::Text) {
            texts << text;
        } else if (m_form == Form::Markdown) {
            texts << markdownCell(text);
        } else {
            QStringList classes;
            if (m_section->columns[i].isNumber())
                classes << u"number"_s;
            if (isAlarming(row.cells[i]))
                classes << u"warning"_s;
            texts << u"<td%1>%2</td>"_s.arg(
                classes.isEmpty() ? QString() : u" class=\"%1\""_s.arg(classes.join(u' ')), htmlText(text));
        }
    }
    return texts;
}

void Writer::addText(const ReportRow& row)
{
    if (!m_table) {
        std::vector<TextTable::Column> columns;
        for (const std::size_t i : m_columns) {
            const Column& column = m_section->columns[i];
            columns.push_back({column.title.toUpper(),
                column.share > 0        ? TextTable::Fit::Flexible
                    : column.isNumber() ? TextTable::Fit::Right
                                        : TextTable::Fit::Fixed});
        }
        m_table = std::make_unique<TextTable>(std::move(columns));
    }
    const bool hasFailed =
        std::ranges::any_of(row.cells, [](const Value& cell) { return cell.mark == Mark::Failed; });
    m_table->add(cells(row),
        hasFailed                                        ? TextTone::Alarm
            : std::ranges::any_of(row.cells, isAlarming) ? TextTone::Warning
                                                         : TextTone::Plain);
    if (++m_tabled == rowsOfTextTable)
        flushText();
}

/// Its first value is its head, the second what is said of it; the others have their titles. Code keeps its
/// lines.
void Writer::addItem(const ReportRow& row) const
{
    QStringList lines; // the first one begins with the head
    QStringList code;
    QString head;
    for (const std::size_t i : m_columns) {
        const Column& column = m_section->columns[i];
        const QString text = row.cells[i].isNothing() ? QString() : shownText(column, row.cells[i]);
        if (i == m_columns.front())
            head = text + (column.type == Type::Count ? u". "_s : u": "_s);
        else if (column.type == Type::Code && !text.isEmpty())
            code << std::get<QString>(row.cells[i].data).left(maxCodeShown).split(u'\n');
        else if (lines.isEmpty())
            lines << text;
        else if (!text.isEmpty())
            lines << u"%1: %2"_s.arg(column.title, text);
    }
    if (m_form == Form::Text) {
        const auto hanging = [this](int blanks, const QString& text) {
            const int width = m_layout.width == 0 ? 0 : std::max(m_layout.width - blanks - 2, 20);
            const QString margin(blanks, u' ');
            m_sink(margin + wrapped(text, width).join(u"\n  "_s + margin) + u'\n');
        };
        hanging(2, head + lines.value(0));
        for (const QString& line : lines.mid(1))
            hanging(6, line);
        for (const QString& line : code)
            m_sink(u"      %1\n"_s.arg(inOneLine(line)));
    } else if (m_form == Form::Markdown) {
        m_sink(u"- **%1** %2\n"_s.arg(markdownCell(head.trimmed()), markdownCell(lines.value(0))));
        for (const QString& line : lines.mid(1))
            m_sink(u"  - %1\n"_s.arg(markdownCell(line)));
        for (const QString& line : code)
            m_sink((&line == &code.front() ? u"\n"_s : QString()) + u"        %1\n"_s.arg(inOneLine(line)));
    } else {
        m_sink(u"<li%1><b>%2</b>%3"_s.arg(
            std::ranges::any_of(row.cells, isAlarming) ? u" class=\"warning\""_s : QString(), htmlText(head),
            htmlText(lines.value(0))));
        for (const QString& line : lines.mid(1))
            m_sink(u"<br/><span class=\"note\">%1</span>"_s.arg(htmlText(line)));
        m_sink(
            (code.isEmpty() ? QString() : u"<pre>%1</pre>"_s.arg(htmlText(code.join(u'\n')))) + u"</li>\n"_s);
    }
}

void Writer::flushText()
{
    if (m_table)
        m_sink(m_table->lines(m_layout.width, m_layout.colours).join(u'\n') + u'\n');
    m_table.reset();
    m_tabled = 0;
}

void Writer::endSection()
{
    if (m_form == Form::Json && isList())
        m_sink(m_rows == 0 ? u"[]\n"_s : u"]\n"_s);
    else if (m_form == Form::Json)
        insert(m_object, m_section->key, m_array);
    else if (isForPeople() && m_rows == 0 && m_section->picture.isEmpty() && !m_section->whenEmpty.isEmpty())
        paragraph(m_section->whenEmpty);
    else if (m_form == Form::Text)
        flushText();
    else if (m_form == Form::Html && m_rows > 0)
        m_sink(m_section->isList ? u"</ul>\n"_s : u"</table></div>\n"_s);
    else if (m_form == Form::Markdown && m_rows > 0)
        m_sink(u"\n"_s);
}

void Writer::end()
{
    if (m_form == Form::Text && !m_report->closing.isEmpty() && !m_report->title.isEmpty())
        m_sink(u"\n"_s);
    for (const QString& line : m_report->closing)
        paragraph(line);
    if (m_form == Form::Json && !isList())
        m_sink(jsonText(m_object) + u'\n');
    if (m_form == Form::Html)
        m_sink(QString::fromUtf8(htmlPageEnd({})));
}

QString exactnessText(const Value& value)
{
    return value.isKnownExactly() ? u"true"_s : u"false"_s;
}

QString programText(const Column& column, const Value& value)
{
    const QJsonValue json = jsonValue(column, value);
    return inOneLine( // a terminal may show it
        json.isArray() ? std::get<QStringList>(value.data).join(u", "_s) : json.toVariant().toString());
}

QJsonArray rowsJson(const Section& section)
{
    QJsonArray array;
    for (const ReportRow& row : section.rows)
        array.append(rowJson(section, row));
    return array;
}

QString rendered(const Report& report, Form form, const Writer::Layout& layout)
{
    QString text;
    Writer(form, layout, [&text](const QString& piece) { text += piece; }).write(report);
    return text;
}

} // namespace lockscope::report
