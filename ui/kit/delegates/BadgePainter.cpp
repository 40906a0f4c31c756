// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/delegates/BadgePainter.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/domain/Framework.h"
#include "ui/kit/models/TableModel.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

ColumnInfo frameworkColumn()
{
    return ColumnInfo{u"framework"_s, u"Framework"_s,
        u"The owner of the lock; with a question mark if another program may use the same one"_s, 96}
        .yield(1);
}

ColumnInfo frameworkLockColumn()
{
    return ColumnInfo{u"framework-lock"_s, u"Its name"_s, u"The framework's name for the lock"_s, 110}
        .wide(1)
        .yield(5);
}

QString frameworkText(const FrameworkMatchPtr& match)
{
    return match ? inOneLine(match->badge()) : QString();
}

QString frameworkLockText(const FrameworkMatchPtr& match)
{
    return match ? match->name : QString();
}

QString frameworkTip(const FrameworkMatch& match)
{
    const QString purpose = match.lockDefinition ? match.lockDefinition->purpose : QString();
    const QString whose = match.certain
        ? u"%1: the framework whose lock this is."_s.arg(match.frameworkName)
        : u"Probably of %1; another program may use the same one."_s.arg(match.frameworkName);
    return inOneLine(sentences(
        {whose, purpose, match.evidence.isEmpty() ? QString() : u"Known by this: "_s + match.evidence}));
}

QVariant frameworkCell(const FrameworkMatchPtr& match, int role)
{
    if (!match)
        return {};
    if (role == TableModel::BadgeRole)
        return match->certain;
    if (role == Qt::ToolTipRole)
        return htmlText(frameworkTip(*match));
    return role == Qt::AccessibleDescriptionRole ? QVariant(frameworkTip(*match)) : QVariant();
}

namespace {
constexpr int widestBadge = 180;
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
    return {std::min(widestBadge, badgeWidth(text(), fontMetrics()) + 2), fontMetrics().height() + 6};
}

void FrameworkBadge::paintEvent(QPaintEvent*)
{
    if (!m_match)
        return;
    QPainter painter(this);
    paintBadge(painter, rect(), text(), m_match->certain, badgeColors(palette(), m_faded));
}

namespace {
constexpr int badgeGap = 6; ///< of the text
constexpr double badgeCorner = 4;
} // namespace

BadgeColors badgeColors(const QPalette& palette, bool faded)
{
    const ThemeColors& colors = theme::colors(palette);
    if (faded)
        return {colors.muted, colors.border, Qt::transparent};
    return {palette.color(QPalette::Text), colors.border, colors.infoFill};
}

BadgeColors badgeColorsOn(const QColor& selectionInk)
{
    return {selectionInk, selectionInk, Qt::transparent};
}

BadgeColors badgeColorsIn(const QColor& fill)
{
    return {Qt::white, fill, fill};
}

int badgeWidth(const QString& text, const QFontMetrics& metrics)
{
    return metrics.horizontalAdvance(text) + 2 * badgeGap;
}

void paintBadge(
    QPainter& painter, const QRectF& space, const QString& text, bool isCertain, const BadgeColors& colors)
{
    const QFontMetrics metrics = painter.fontMetrics();
    const QString shown = metrics.elidedText(
        inOneLine(text), Qt::ElideRight, std::max(0, static_cast<int>(space.width()) - 2 * badgeGap));
    if (shown.isEmpty())
        return;
    const double height = std::min(space.height() - 2, metrics.height() + 2.0);
    const QRectF frame(space.left() + 0.5, space.center().y() - height / 2 + 0.5,
        std::min(space.width() - 1, static_cast<double>(badgeWidth(shown, metrics))), height);
    painter.save();
    theme::paintBox(painter, frame, badgeCorner,
        QPen(colors.frame, 1, isCertain ? Qt::SolidLine : Qt::DashLine), colors.fill);
    painter.setPen(colors.ink);
    painter.drawText(frame, static_cast<int>(Qt::AlignCenter) | Qt::TextSingleLine, shown);
    painter.restore();
}

} // namespace lockscope::ui
