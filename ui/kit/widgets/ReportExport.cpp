// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/ReportExport.h"

#include <QClipboard>
#include <QGuiApplication>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

ReportExport::ReportExport(const QString& name, QWidget* parent)
    : ExportMenu(u"exportReport"_s, u"The whole report into a file, or copied"_s, parent)
    , m_name(name)
{
    for (const auto& [text, form] :
        {std::pair(u"As a &page (HTML)…"_s, Form::Html), std::pair(u"As &text…"_s, Form::Text),
            std::pair(u"As &Markdown…"_s, Form::Markdown), std::pair(u"This table as &CSV…"_s, Form::Csv),
            std::pair(u"For programs (&JSON)…"_s, Form::Json)})
        addEntry(text, [this, form = form] { ask(form); });
    addSeparator();
    const auto addCopy = [this](const QString& text, report::Form form) {
        addEntry(text, [this, form] {
            if (!m_report)
                return;
            QGuiApplication::clipboard()->setText(exported(form));
            Q_EMIT statusMessage(u"Copied."_s);
        });
    };
    addCopy(u"Cop&y as text"_s, report::Form::Text);
    addCopy(u"Copy as M&arkdown"_s, report::Form::Markdown);
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

void ReportExport::ask(Form form)
{
    if (!m_report)
        return;
    askWhereTo(form, form == Form::Csv && !m_table.isEmpty() ? m_table : m_name,
        [this, content = exported(reportForm(form)).toUtf8()](
            const QString& path) { write(path, [content]() -> Result<QByteArray> { return content; }); });
}

} // namespace lockscope::ui
