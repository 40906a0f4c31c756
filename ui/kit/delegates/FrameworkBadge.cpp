// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/delegates/FrameworkBadge.h"

#include "ui/kit/delegates/BadgePainter.h"
#include "ui/kit/models/FrameworkCells.h"
#include "ui/kit/widgets/ToolTipText.h"

#include <QPainter>

#include <algorithm>

namespace lockscope::ui {

namespace {
constexpr int widest = 180;
}

FrameworkBadge::FrameworkBadge(QWidget* parent)
    : QWidget(parent)
{
    setObjectName(QStringLiteral("frameworkBadge"));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    hide();
}

void FrameworkBadge::say(const FrameworkMatchPtr& match)
{
    m_match = match;
    setVisible(match != nullptr);
    setAccessibleName(frameworkText(match));
    setAccessibleDescription(match ? frameworkTip(*match) : QString());
    setToolTip(match ? toolTipText(frameworkTip(*match)) : QString());
    updateGeometry();
    update();
}

void FrameworkBadge::setFaded(bool faded)
{
    m_faded = faded;
    update();
}

QString FrameworkBadge::text() const
{
    return frameworkText(m_match);
}

QSize FrameworkBadge::sizeHint() const
{
    return {std::min(widest, badgeWidth(text(), fontMetrics()) + 2), fontMetrics().height() + 6};
}

void FrameworkBadge::paintEvent(QPaintEvent*)
{
    if (!m_match)
        return;
    QPainter painter(this);
    paintBadge(painter, rect(), text(), m_match->certain, badgeColors(palette(), m_faded));
}

} // namespace lockscope::ui
