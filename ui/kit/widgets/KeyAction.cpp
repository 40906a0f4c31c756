// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/KeyAction.h"

#include "ui/kit/widgets/WidgetParts.h"

#include <QToolButton>
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

QToolButton* buttonOf(QAction& action, const QString& sign, QWidget* parent)
{
    const QString key = action.shortcut().toString(QKeySequence::NativeText);
    QToolButton* button = flatButton(sign, QStringLiteral("%1 (%2)").arg(action.text(), key), parent);
    button->setAccessibleName(button->toolTip());
    button->setFocusPolicy(Qt::TabFocus);
    const auto enable = [button, &action] { button->setEnabled(action.isEnabled()); };
    QObject::connect(&action, &QAction::changed, button, enable);
    QObject::connect(button, &QToolButton::clicked, &action, &QAction::trigger);
    enable();
    return button;
}

QString keyGroupOf(const QAction& action)
{
    return action.property(groupProperty).toString();
}

} // namespace lockscope::ui
