// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/FaultView.h"

#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QDir>
#include <QLabel>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

FaultView::FaultView(QWidget* parent)
    : QScrollArea(parent)
    , m_text(named("faults", selectable(new QLabel(this))))
{
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_text->setMargin(16);
    m_text->setTextFormat(Qt::RichText);
    setWidget(m_text);
}

void FaultView::show(const scenario::FileFaults& faults)
{
    QString html =
        QStringLiteral("<h3>%1</h3><p>%2</p>")
            .arg(u"This file can't be run"_s, htmlText(QDir::toNativeSeparators(faults.front().file)));
    for (const scenario::FileFault& fault : faults) {
        const QString place =
            fault.line > 0 ? u"Line %1, column %2: "_s.arg(fault.line).arg(fault.column) : QString();
        html += QStringLiteral("<p><b>%1</b>%2").arg(place, htmlText(inOneLine(fault.what)));
        if (!fault.expected.isEmpty())
            html += QLatin1Char(' ') + htmlText(u"Expected: %1."_s.arg(fault.expected));
        html += QStringLiteral("</p>");
    }
    html += QStringLiteral("<p>%1</p>")
                .arg(u"Correct it and press “Reload files”. All other scenarios can be run meanwhile."_s);
    m_text->setText(html);
}

} // namespace lockscope::ui
