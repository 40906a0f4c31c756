// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/IncidentExportButton.h"

#include "core/report/Writer.h"
#include "core/watch/IncidentReport.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// Blocks for the disk, as it reads the recording.
QByteArray incidentContent(
    const alert::Incident& incident, const IncidentPast& past, report::Form form, bool withStatements)
{
    watch::IncidentFile file;
    file.incident = incident;
    file.steps = past.steps;
    for (const IncidentPast::Similar& each : past.similar)
        file.similar << each.incident;
    file.version = QStringLiteral(LOCKSCOPE_VERSION);
    watch::addOwnRecording(file);
    return rendered(watch::toReport(file, withStatements), form).toUtf8();
}

} // namespace

IncidentExportButton::IncidentExportButton(QWidget* parent)
    : ExportMenu(u"exportIncident"_s,
        u"One file for colleagues: timeline, chain, head blocker, actions, similar ones"_s, parent)
{
    addEntry(u"&Page (HTML)…"_s, [this] { ask(Form::Html, true); });
    addEntry(u"Page &without statements (HTML)…"_s, [this] { ask(Form::Html, false); });
    addSeparator();
    addEntry(u"For a ticket, without statements (&Markdown)…"_s, [this] { ask(Form::Markdown, false); });
    addEntry(u"For programs, without statements (&JSON)…"_s, [this] { ask(Form::Json, false); });
}

void IncidentExportButton::show(
    const std::optional<alert::Incident>& incident, const std::optional<IncidentPast>& past)
{
    m_incident = incident;
    m_past = past.value_or(IncidentPast());
    setEnabled(incident && past);
}

void IncidentExportButton::ask(Form form, bool withStatements)
{
    if (!m_incident)
        return;
    // That one, though another may be selected by the time of the answer.
    askWhereTo(form, u"incident-%1"_s.arg(m_incident->id),
        [this, made = content(form, withStatements)](const QString& path) { write(path, made); });
}

void IncidentExportButton::exportTo(Form form, bool withStatements, const QString& path)
{
    if (m_incident)
        write(path, content(form, withStatements));
}

ExportMenu::Content IncidentExportButton::content(Form form, bool withStatements) const
{
    return [form, withStatements, incident = *m_incident, past = m_past]() -> Result<QByteArray> {
        return incidentContent(incident, past, reportForm(form), withStatements);
    };
}

} // namespace lockscope::ui
