// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/fleet/FleetTiles.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "ui/kit/delegates/CellDelegate.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QLabel>
#include <QPainter>

#include <algorithm>

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

namespace {

/// Letters of a 28th of the height are 23 mm high on a screen of 65 cm: enough for four metres.
constexpr int lettersInHeight = 28;
constexpr int fewestLetters = 24; // pixels
constexpr int tileGap = 12;

} // namespace

QString moreText(const std::vector<FleetRow>& rows, size_t from)
{
    if (from >= rows.size())
        return {};
    const auto counts = countStates(rows, from);
    const QString count = QString::number(rows.size() - from);
    if (counts.size() > 1)
        return u"and %1 more: %2"_s.arg(count, countsText(counts));
    const QString state = stateName(counts.begin()->first);
    return rows.size() - from == 1 ? u"and 1 more, %1"_s.arg(state)
                                   : u"and %1 more, all %2"_s.arg(count, state);
}

FleetTiles::FleetTiles(QWidget* parent)
    : QWidget(parent)
    , m_counts(named("tileCounts", plain(new QLabel(this))))
    , m_more(named("moreTiles", plain(new QLabel(this))))
{
    setObjectName(u"fleetTiles"_s);
    setAccessibleName(u"Servers as tiles, the worst first"_s);
    setFocusPolicy(Qt::StrongFocus);
    m_more->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
}

void FleetTiles::showServers(const std::vector<FleetRow>& rows, const QString& only)
{
    m_rows = rows;
    m_only = only;
    arrange();
}

void FleetTiles::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void FleetTiles::arrange()
{
    const int letters = std::max(fewestLetters, height() / lettersInHeight);
    const int lineHeight = letters * 3 / 2;
    QFont font = theme::scaled(1, QFont::DemiBold);
    font.setPixelSize(letters * 3 / 4);
    m_counts->setFont(font);
    m_more->setFont(font);
    const QSize least = FleetTile::sizeFor(letters);
    const int columns = std::max(1, (width() + tileGap) / (least.width() + tileGap));
    const int lines = std::max(1, (height() - 2 * lineHeight) / (least.height() + tileGap));
    const size_t shown = std::min(m_rows.size(), size_t(columns) * size_t(lines));
    while (m_tiles.size() < shown)
        m_tiles.push_back(new FleetTile(this));
    const QSize size((width() + tileGap) / columns - tileGap, (height() - 2 * lineHeight) / lines - tileGap);
    for (size_t i = 0; i < m_tiles.size(); ++i) {
        FleetTile& tile = *m_tiles[i];
        tile.setVisible(i < shown);
        if (i >= shown)
            continue;
        const int column = int(i) % columns;
        const int line = int(i) / columns;
        tile.setGeometry(column * (size.width() + tileGap), lineHeight + line * (size.height() + tileGap),
            size.width(), std::min(size.height(), least.height() * 3 / 2));
        tile.show(m_rows[i], letters);
    }
    const QString counts = m_rows.empty() ? u"No server"_s : countsText(countStates(m_rows));
    m_counts->setText(inOneLine(m_only.isEmpty() ? counts : u"%1 · only %2"_s.arg(counts, m_only)));
    m_counts->setGeometry(0, 0, width(), lineHeight);
    m_more->setText(moreText(m_rows, shown));
    m_more->setGeometry(0, height() - lineHeight, width(), lineHeight);
}

} // namespace lockscope::ui
