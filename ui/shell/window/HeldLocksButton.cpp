// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/HeldLocksButton.h"

#include "core/base/Sentences.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/views/page/HeldLocks.h"

#include <QMenu>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

HeldLocksButton::HeldLocksButton(HeldLocks& locks, QWidget* parent)
    : QToolButton(parent)
    , m_locks(locks)
{
    setObjectName(QStringLiteral("heldLocks"));
    setAutoRaise(true);
    setPopupMode(InstantPopup);
    auto* menu = new QMenu(this);
    menu->setToolTipsVisible(true);
    setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, &HeldLocksButton::fillMenu);
    connect(&locks, &HeldLocks::changed, this, &HeldLocksButton::update);
    update();
}

void HeldLocksButton::update()
{
    QStringList lines;
    for (int i = 0; i < m_locks.count(); ++i)
        lines << m_locks.item(i).line();
    const int live = m_locks.liveCount();
    const int ended = m_locks.count() - live;
    setText(live == 0 ? u"Own locks: %1 ended"_s.arg(ended) : counted(live, u"own lock"));
    setToolTip(toolTipText(u"Locks that this window holds or waits for:\n"_s + lines.join(u'\n')));
    setAccessibleName(text());
    setVisible(m_locks.count() > 0);
}

void HeldLocksButton::fillMenu()
{
    menu()->clear();
    for (int i = 0; i < m_locks.count(); ++i) {
        const HeldLocks::Item& item = m_locks.item(i);
        const QString text = (item.ended ? u"Dismiss %1"_s : u"Release %1"_s).arg(item.line());
        QAction* act = menu()->addAction(inMenu(text));
        // A lock that has ended while the menu was open is not dismissed unseen.
        connect(act, &QAction::triggered, this, [this, i, name = item.name, ended = item.ended] {
            if (i < m_locks.count() && m_locks.item(i).name == name && m_locks.item(i).ended == ended)
                m_locks.release(i);
        });
    }
}

} // namespace lockscope::ui
