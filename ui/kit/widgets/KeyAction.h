// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>

#include <functional>

class QToolButton;
class QWidget;

namespace lockscope::ui {

/// An action of `place` that has keys and no menu. It acts while `place` has the focus or, if `context` says
/// so, anything in its window. `group` is where the help lists it: "Table".
QAction* addKey(QWidget& place, const QString& group, const QString& text, const QList<QKeySequence>& keys,
    std::function<void()> act, Qt::ShortcutContext context = Qt::WidgetShortcut);

/// A flat button for an action of a view beside it: says its text and key in a tooltip, shows `sign`, and is
/// enabled when the action is.
QToolButton* buttonOf(QAction& action, const QString& sign, QWidget* parent);

/// Returns the group that `addKey` was given; empty for any other action.
QString keyGroupOf(const QAction& action);

} // namespace lockscope::ui
