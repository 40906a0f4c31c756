// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/fleet/FleetTiles.h"

#include "core/base/ShownText.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/fleet/FleetTile.h"

#include <QLabel>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

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
