// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/KeyAction.h"

#include <QVariant>
#include <QWidget>

namespace lockscope::ui {

namespace {
constexpr auto groupProperty = "keyGroup";
}

QAction* addKey(QWidget& place, const QString& group, const QString& text, const QList<QKeySequence>& keys,
    std::function<void()> act, Qt::ShortcutContext context)
{
    auto* action = new QAction(text, &place);
    action->setShortcuts(keys);
    action->setShortcutContext(context);
    action->setProperty(groupProperty, group);
    QObject::connect(action, &QAction::triggered, &place, std::move(act));
    place.addAction(action);
    return action;
}

QString keyGroupOf(const QAction& action)
{
    return action.property(groupProperty).toString();
}

} // namespace lockscope::ui
