// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/report/Writer.h"

#include "core/base/ShownText.h"
#include "core/report/Cells.h"
#include "core/report/TextTable.h"

#include <QJsonDocument>

#include <algorithm>

namespace lockscope::report {

using namespace Qt::StringLiterals;

namespace {

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

void insert(QJsonObject& object, const Column& column, const Value& value)
{
    insert(object, column.name(), jsonValue(column, value));
    if (column.tellsExact)
        insert(object, column.name() + u"_exact"_s, value.isExact && !value.isNothing());
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

QJsonObject rowJson(const Section& section, const Row& row)
{
    QJsonObject object;
    for (std::size_t i = 0; i < section.columns.size(); ++i)
        insert(object, section.columns[i], row.cells[i]);
    return withoutEmptyObjects(object).toObject();
}

template <class Json> QString jsonText(const Json& json)
{
    return QString::fromUtf8(harmlessJson(QJsonDocument(json).toJson(QJsonDocument::Compact)));
}

QString csvValue(const Column& column, const Value& value)
{
    const QJsonValue json = jsonValue(column, value);
    const QString text =
        json.isArray() ? std::get<QStringList>(value.data).join(u", "_s) : json.toVariant().toString();
    return csvCell(inOneLine(text)); // a terminal may show it
}

QString markdownRow(const QStringList& cells)
{
    return u"| "_s + cells.join(u" | "_s) + u" |\n"_s;
}

bool isAlarming(const Value& value)
{
    return value.mark == Mark::Warning || value.mark == Mark::Waiter || value.mark == Mark::Alarm;
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
    for (const Section& section : report.sections) {
        if (isForPeople() && section.shown != Shown::Always)
            continue;
        begin(section);
        for (const Row& row : section.rows)
            add(row);
        endSection();
    }
    end();
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
        insert(m_object, fact.column, fact.value);
    m_object.insert(u"notes"_s, QJsonArray::fromStringList(m_report->notes));
}

void Writer::begin(const Section& section)
{
    m_section = &section;
    m_columns.clear();
    for (std::size_t i = 0; i < section.columns.size(); ++i)
        if (!isForPeople() || section.columns[i].shown == Shown::Always)
            m_columns.push_back(i);
    m_rows = 0;
    m_array = {};
    if (m_form == Form::Csv)
        beginTable();
}

/// The titles of the columns, and of the table.
void Writer::beginTable()
{
    const QString& title = m_section->title;
    QStringList names;
    for (const std::size_t i : m_columns) {
        const Column& column = m_section->columns[i];
        if (m_form == Form::Csv) {
            names << csvCell(column.name());
            if (column.tellsExact)
                names << csvCell(column.name() + u"_exact"_s);
        } else if (m_form == Form::Html) {
            names << u"<th%1>%2</th>"_s.arg(
                column.isNumber() ? u" class=\"number\""_s : QString(), htmlText(column.title));
        } else {
            names << markdownCell(column.title);
        }
    }
    if (m_form == Form::Csv) {
        const bool hasSeveral = m_report->sections.size() > 1;
        const bool isFirst = m_section == &m_report->sections.front();
        m_sink((hasSeveral && !isFirst ? u"\r\n"_s : QString()) + (hasSeveral ? u"table,"_s : QString())
            + names.join(u',') + u"\r\n"_s);
    } else if (m_form == Form::Html) {
        m_sink((title.isEmpty() ? QString() : u"<h2>%1</h2>\n"_s.arg(htmlText(title)))
            + u"<div class=\"wide\"><table>\n<tr>%1</tr>\n"_s.arg(names.join(QString())));
    } else {
        QStringList rules;
        for (const std::size_t i : m_columns)
            rules << (m_section->columns[i].isNumber() ? u"---:"_s : u"---"_s);
        m_sink((title.isEmpty() ? QString() : u"## "_s + markdownCell(title) + u"\n\n"_s) + markdownRow(names)
            + markdownRow(rules));
    }
}

void Writer::add(const Row& row)
{
    if (isForPeople() && m_layout.maxRows > 0 && m_rows == m_layout.maxRows)
        return;
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

void Writer::addJson(const Row& row)
{
    const QJsonObject object = rowJson(*m_section, row);
    if (isList())
        m_sink((m_rows == 0 ? u'[' : u',') + jsonText(object));
    else
        m_array.append(object);
}

void Writer::addCsv(const Row& row)
{
    QStringList values;
    if (m_report->sections.size() > 1)
        values << csvCell(m_section->key);
    for (const std::size_t i : m_columns) {
        const Column& column = m_section->columns[i];
        values << csvValue(column, row.cells[i]);
        if (column.tellsExact)
            values << (row.cells[i].isExact ? u"true"_s : u"false"_s);
    }
    m_sink(values.join(u',') + u"\r\n"_s);
}

/// Each with what its form puts round it.
QStringList Writer::cells(const Row& row) const
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

void Writer::addText(const Row& row)
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
    if (m_rows == 0 && !m_section->title.isEmpty())
        m_sink(u'\n' + m_section->title + u":\n"_s);
    else if (m_rows == 0 && !m_report->title.isEmpty())
        m_sink(u"\n"_s);
    m_table->add(cells(row), std::ranges::any_of(row.cells, isAlarming) ? Tone::Warning : Tone::Plain);
    if (++m_tabled == rowsOfTextTable)
        flushText();
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
    else if (isForPeople() && m_rows == 0 && !m_section->whenEmpty.isEmpty())
        paragraph(m_section->whenEmpty);
    else if (m_form == Form::Text)
        flushText();
    else if (m_form == Form::Html && m_rows > 0)
        m_sink(u"</table></div>\n"_s);
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

QJsonArray rowsJson(const Section& section)
{
    QJsonArray array;
    for (const Row& row : section.rows)
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
