// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/MakeRoom.h"

#include <QDialog>
#include <QLayout>
#include <QResizeEvent>
#include <QScreen>

#include <algorithm>

namespace lockscope::ui {

namespace {

class UpwardGrowth : public QObject {
public:
    explicit UpwardGrowth(QDialog& dialog)
        : QObject(&dialog)
        , m_dialog(dialog)
    {
        dialog.installEventFilter(this);
    }

    bool eventFilter(QObject* watched, QEvent* event) override
    {
        // Those of the window system are spontaneous.
        if (event->type() == QEvent::Resize && !event->spontaneous() && m_dialog.isVisible()) {
            const auto* resized = static_cast<QResizeEvent*>(event);
            if (resized->oldSize().isValid())
                moveUp(resized->size().height() - resized->oldSize().height());
        }
        return QObject::eventFilter(watched, event);
    }

private:
    void moveUp(int grown)
    {
        const int space = m_dialog.frameGeometry().top() - m_dialog.screen()->availableGeometry().top();
        if (grown > 0 && space > 0)
            m_dialog.move(m_dialog.pos() - QPoint(0, std::min(grown, space)));
    }

    QDialog& m_dialog;
};

} // namespace

void makeRoom(QDialog& dialog)
{
    QLayout& layout = *dialog.layout();
    layout.invalidate(); // a form keeps the height that it had for this width
    layout.activate();
    const int width = dialog.width();
    const int least = dialog.isVisible() ? dialog.height() : 0;
    dialog.resize(width, std::max(least, layout.totalHeightForWidth(width)));
}

void keepButtonsInPlace(QDialog& dialog)
{
    new UpwardGrowth(dialog);
}

} // namespace lockscope::ui
