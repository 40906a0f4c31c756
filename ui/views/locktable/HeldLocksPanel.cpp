// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/locktable/HeldLocksPanel.h"

#include "core/base/ShownText.h"
#include "ui/kit/widgets/HtmlText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/HeldLocks.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

HeldLocksPanel::HeldLocksPanel(HeldLocks& locks, QWidget* parent)
    : QFrame(parent)
    , m_locks(locks)
{
    withoutMargins(new QVBoxLayout(this));
    connect(&locks, &HeldLocks::changed, this, &HeldLocksPanel::rebuild);
    rebuild();
}

void HeldLocksPanel::rebuild()
{
    // A button of the old lines may be what was just clicked.
    if (m_lines)
        m_lines->deleteLater();
    m_lines = new QWidget(this);
    auto* grid = new QGridLayout(m_lines);
    grid->setContentsMargins(8, 4, 8, 4);
    grid->setColumnStretch(3, 1);
    for (int i = 0; i < m_locks.count(); ++i) {
        const HeldLocks::Item& item = m_locks.item(i);
        if (i == 0)
            grid->addWidget(new QLabel(u"Locks of this window:"_s, m_lines), 0, 0);
        auto* name = new QLabel(QStringLiteral("<b>%1</b>").arg(htmlText(inOneLine(item.name))), m_lines);
        auto* server = plain(new QLabel(u"on %1"_s.arg(inOneLine(item.server)), m_lines));
        auto* state = wrapped(new QLabel(inOneLine(item.state), m_lines));
        auto* button = new QPushButton(item.ended ? u"Dismiss"_s : u"Release"_s, m_lines);
        connect(button, &QPushButton::clicked, this, [this, i] { m_locks.release(i); });
        grid->addWidget(name, i, 1);
        grid->addWidget(server, i, 2);
        grid->addWidget(state, i, 3);
        grid->addWidget(button, i, 4);
    }
    layout()->addWidget(m_lines);
    setVisible(m_locks.count() > 0);
}

} // namespace lockscope::ui
