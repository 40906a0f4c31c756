// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/ReadingOrder.h"

#include <QEvent>
#include <QTimer>
#include <QWidget>

#include <algorithm>

namespace lockscope::ui {

namespace {

/// Top to bottom; those that begin above the middle of the first of a row stand in that row.
QList<QWidget*> inRows(QList<QWidget*> widgets)
{
    std::stable_sort(
        widgets.begin(), widgets.end(), [](const QWidget* a, const QWidget* b) { return a->y() < b->y(); });
    for (auto row = widgets.begin(); row != widgets.end();) {
        const int middle = (*row)->geometry().center().y();
        // The first one is of its row, also if it has no height and its middle so lies above it.
        const auto end = std::find_if(
            row + 1, widgets.end(), [middle](const QWidget* widget) { return widget->y() > middle; });
        std::stable_sort(row, end, [](const QWidget* a, const QWidget* b) { return a->x() < b->x(); });
        row = end;
    }
    return widgets;
}

void collect(const QWidget& parent, QList<QWidget*>& stops)
{
    QList<QWidget*> children;
    for (QWidget* child : parent.findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
        if (child->isVisible() && !child->isWindow())
            children << child;
    }
    for (QWidget* child : inRows(children)) {
        if ((child->focusPolicy() & Qt::TabFocus) != 0 && !child->focusProxy())
            stops << child;
        collect(*child, stops);
    }
}

class Keeper : public QObject {
public:
    explicit Keeper(QWidget& root)
        : QObject(&root)
        , m_root(root)
    {
        root.installEventFilter(this);
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Show)
            QTimer::singleShot(0, this, [this] { tabInReadingOrder(m_root); });
        return QObject::eventFilter(watched, event);
    }

private:
    QWidget& m_root;
};

} // namespace

void keepReadingOrder(QWidget& root)
{
    new Keeper(root);
}

void tabInReadingOrder(QWidget& root)
{
    QList<QWidget*> stops;
    collect(root, stops);
    for (qsizetype i = 1; i < stops.size(); ++i)
        QWidget::setTabOrder(stops[i - 1], stops[i]);
}

} // namespace lockscope::ui
