// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/ReportExport.h"

#include <QClipboard>
#include <QGuiApplication>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

ExportMenu::Form fileFormOf(report::Form form)
{
    switch (form) {
    case report::Form::Json:
        return ExportMenu::Form::Json;
    case report::Form::Csv:
        return ExportMenu::Form::Csv;
    case report::Form::Markdown:
        return ExportMenu::Form::Markdown;
    case report::Form::Html:
        return ExportMenu::Form::Html;
    case report::Form::Text:
        break;
    }
    return ExportMenu::Form::Text;
}

} // namespace

ReportExport::ReportExport(const QString& name, QWidget* parent)
    : ExportMenu(u"exportReport"_s, u"The whole report into a file, or copied"_s, parent)
    , m_name(name)
{
    using report::Form;
    for (const auto& [text, form] :
        {std::pair(u"As a &page (HTML)…"_s, Form::Html), std::pair(u"As &text…"_s, Form::Text),
            std::pair(u"As &Markdown…"_s, Form::Markdown), std::pair(u"This table as &CSV…"_s, Form::Csv),
            std::pair(u"For programs (&JSON)…"_s, Form::Json)})
        addEntry(text, [this, form = form] { ask(form); });
    addSeparator();
    const auto addCopy = [this](const QString& text, Form form) {
        addEntry(text, [this, form] {
            if (!m_report)
                return;
            QGuiApplication::clipboard()->setText(exported(form));
            Q_EMIT statusMessage(u"Copied."_s);
        });
    };
    addCopy(u"Cop&y as text"_s, Form::Text);
    addCopy(u"Copy as M&arkdown"_s, Form::Markdown);
}

void ReportExport::show(std::shared_ptr<const report::Report> report, const QString& table)
{
    m_report = std::move(report);
    m_table = table;
    setEnabled(m_report != nullptr);
}

QString ReportExport::exported(report::Form form) const
{
    if (form != report::Form::Csv || m_table.isEmpty())
        return rendered(*m_report, form);
    report::Report table{.title = {}};
    if (const report::Section* section = m_report->section(m_table))
        table.sections = {*section};
    return rendered(table, form);
}

void ReportExport::ask(report::Form form)
{
    if (!m_report)
        return;
    askWhereTo(fileFormOf(form), form == report::Form::Csv && !m_table.isEmpty() ? m_table : m_name,
        [this, content = exported(form).toUtf8()](
            const QString& path) { write(path, [content]() -> Result<QByteArray> { return content; }); });
}

} // namespace lockscope::ui
