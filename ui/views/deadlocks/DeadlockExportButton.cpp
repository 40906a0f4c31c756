// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/DeadlockExportButton.h"

#include "core/deadlock/DeadlockTable.h"
#include "core/deadlock/Words.h"
#include "core/report/Writer.h"
#include "ui/views/deadlocks/DeadlockPicture.h"
#include "ui/views/scenarios/ScenarioExport.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

DeadlockExportButton::DeadlockExportButton(QWidget* parent)
    : ExportMenu(u"exportDeadlock"_s,
        u"The selected deadlock as a page, a picture or a file for other tools"_s, parent)
{
    const auto add = [this](const QString& text, Form form) { addEntry(text, [this, form] { ask(form); }); };
    add(u"&Page without values, users and hosts (HTML)…"_s, Form::Html);
    add(u"Picture as &SVG…"_s, Form::Svg);
    add(u"Picture as P&NG…"_s, Form::Png);
    addSeparator();
    add(u"Deadlock graph (&XDL)…"_s, Form::Xdl);
    add(u"As &text…"_s, Form::Text);
    add(u"As &Markdown…"_s, Form::Markdown);
    add(u"Tables (&CSV)…"_s, Form::Csv);
    add(u"For programs (&JSON)…"_s, Form::Json);
}

void DeadlockExportButton::show(const std::optional<deadlock::Deadlock>& deadlock)
{
    m_deadlock = deadlock;
    setEnabled(deadlock.has_value());
}

void DeadlockExportButton::ask(Form form)
{
    if (!m_deadlock)
        return;
    // That one, though another may be selected by the time of the answer.
    askWhereTo(form, u"deadlock"_s,
        [this, made = content(form, *m_deadlock)](const QString& path) { write(path, made); });
}

void DeadlockExportButton::exportTo(Form form, const QString& path)
{
    if (m_deadlock)
        write(path, content(form, *m_deadlock));
}

/// Pictures are drawn here, with the fonts and colours of the window; all else is made where it is written.
ExportMenu::Content DeadlockExportButton::content(Form form, const deadlock::Deadlock& shown) const
{
    const QSize size = DeadlockPicture::paperSize(shown);
    const auto paint = [&](QPainter& painter) {
        DeadlockPicture::paint(painter, QRectF(QPointF(), size), shown, palette());
    };
    if (form == Form::Svg)
        return [svg = drawingSvg(size, deadlock::summaryOf(shown), paint)]() -> Result<QByteArray> {
            return svg;
        };
    if (form == Form::Png)
        return [png = drawingPng(size, palette().color(QPalette::Base), paint)]() -> Result<QByteArray> {
            if (!png.isEmpty())
                return png;
            return failure(
                ErrorKind::Unsupported, u"The ring is too large for a picture."_s, u"Export an SVG."_s);
        };
    if (form == Form::Html)
        return [shown, proof = m_proof ? m_proof() : std::nullopt]() -> Result<QByteArray> {
            const QList<deadlock::ProofSection> proofs =
                proof ? QList<deadlock::ProofSection>{*proof} : QList<deadlock::ProofSection>();
            return deadlock::toHtml({shown.report}, deadlock::Disclosure::Redacted, proofs);
        };
    if (form == Form::Xdl)
        return [shown] { return deadlock::toXdl({shown.report}); };
    return [shown, form]() -> Result<QByteArray> {
        return rendered(deadlock::toReport({shown.report}), reportForm(form)).toUtf8();
    };
}

} // namespace lockscope::ui
