// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/fleet/FleetTile.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "ui/kit/delegates/CellDelegate.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ServerStrip.h"

#include <QPainter>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double reasonLetters = 0.6; ///< of the name's
constexpr double lineHeight = 1.25;
constexpr int reasonLines = 2;

} // namespace

QSize FleetTile::sizeFor(int letters)
{
    const double lines = 2 + (1 + reasonLines) * reasonLetters;
    return {letters * 12, int(letters * lineHeight * lines) + letters};
}

QFont FleetTile::font(double factor, QFont::Weight weight) const
{
    QFont sized = theme::scaled(1, weight);
    sized.setPixelSize(std::max(8, int(m_letters * factor)));
    return sized;
}

QString FleetTile::waitText() const
{
    const watch::ServerStanding& standing = m_row.standing;
    if (!standing.waiting) {
        const auto age = knownFor(m_row);
        return age ? u"known %1 ago"_s.arg(durationInWords(*age)) : u"nothing is known"_s;
    }
    if (*standing.waiting == 0)
        return u"nobody waits"_s;
    const QString count = counted(*standing.waiting, u"waits", u"wait");
    return standing.longestWait ? u"%1, %2"_s.arg(count, standing.longestWait->toString()) : count;
}

void FleetTile::show(const FleetRow& row, int letters)
{
    m_row = row;
    m_letters = letters;
    setAccessibleName(
        inOneLine(u"%1: %2, %3"_s.arg(markedName(row.profile), stateName(row.standing.state), waitText())));
    setAccessibleDescription(inOneLine(row.standing.reason));
    setVisible(true);
    update();
}

/// The environment, at the right end of the line, which becomes as much shorter.
void FleetTile::paintMark(QPainter& painter, QRect& line) const
{
    const QString mark = serverMark(m_row.profile);
    if (mark.isEmpty())
        return;
    painter.setFont(font(0.45, QFont::DemiBold));
    const int gap = m_letters / 4;
    const int width = painter.fontMetrics().horizontalAdvance(mark) + 2 * gap;
    const int height = painter.fontMetrics().height() + gap;
    const QRect badge(line.right() - width + 1, line.center().y() - height / 2, width, height);
    const QColor fill = environmentColor(m_row.profile.environment);
    const QColor ink = palette().color(QPalette::WindowText);
    theme::paintBox(painter, badge, gap / 2.0, fill.isValid() ? fill : ink,
        fill.isValid() ? QBrush(fill) : QBrush(Qt::NoBrush));
    painter.setPen(fill.isValid() ? QColor(Qt::white) : ink);
    painter.drawText(badge, Qt::AlignCenter, mark);
    line.setRight(badge.left() - gap);
}

void FleetTile::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const auto [glyph, tone, sign] = appearanceOf(m_row.standing.state);
    const QColor ink = toneColor(tone, palette());
    const QBrush fill = toneFill(tone, palette());
    theme::paintBox(painter, QRectF(rect()).adjusted(1, 1, -1, -1), m_letters / 5.0,
        QPen(ink, tone == Tone::Muted ? 1 : 2, tone == Tone::Muted ? Qt::DashLine : Qt::SolidLine),
        fill == QBrush() ? QBrush(theme::colors(palette()).card) : fill);
    const int margin = m_letters / 2;
    QRect line(margin, margin / 2, width() - 2 * margin, int(m_letters * lineHeight));
    QRect name = line;
    paintMark(painter, name);
    painter.setFont(font(0.9, QFont::Bold));
    painter.setPen(palette().color(QPalette::WindowText));
    theme::paintText(painter, name, m_row.profile.display(), Qt::ElideMiddle);

    line.moveTop(line.bottom() + 1);
    painter.setFont(font(0.75, QFont::DemiBold));
    painter.setPen(ink);
    theme::paintText(painter, line, u"%1 %2 · %3"_s.arg(sign, stateName(m_row.standing.state), waitText()));

    painter.setFont(font(reasonLetters));
    painter.setPen(palette().color(QPalette::WindowText));
    const QRect reason(line.left(), line.bottom() + 1, line.width(), height() - line.bottom() - margin / 2);
    painter.setClipRect(reason);
    painter.drawText(reason, static_cast<int>(Qt::AlignLeft | Qt::AlignTop) | Qt::TextWordWrap,
        inOneLine(m_row.standing.reason));
}

} // namespace lockscope::ui
