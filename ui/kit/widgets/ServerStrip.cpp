// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/ServerStrip.h"

#include "core/base/ShownText.h"
#include "ui/kit/theme/Theme.h"

#include <QDialog>
#include <QLayout>
#include <QPainter>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int sideMargin = 20;
constexpr int partGap = 12;

} // namespace

QColor environmentColor(db::Environment environment)
{
    switch (environment) {
    case db::Environment::Production:
        return QColor::fromRgb(0xb3261e);
    case db::Environment::Test:
        return QColor::fromRgb(0x1f5fbf);
    case db::Environment::Development:
        return QColor::fromRgb(0x1a7f47);
    case db::Environment::Unmarked:
        break;
    }
    return {};
}

QString serverMark(const db::ServerProfile& profile)
{
    QStringList words;
    if (profile.environment != db::Environment::Unmarked)
        words << db::environmentName(profile.environment).toUpper();
    if (profile.readOnly)
        words << u"READ-ONLY"_s;
    return words.join(QStringLiteral(" · "));
}

QString markedName(const db::ServerProfile& profile)
{
    const QString mark = serverMark(profile);
    const QString name = inOneLine(profile.display());
    return mark.isEmpty() ? name : name + QStringLiteral(" · ") + mark;
}

ServerStrip::ServerStrip(const db::ServerProfile& profile, QWidget* parent, double scale)
    : QFrame(parent)
    , m_profile(profile)
    , m_scale(scale)
{
    setObjectName(QStringLiteral("serverStrip"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(markedName(profile));
    setToolTip(inOneLine(profile.url.display()));
}

QFont ServerStrip::nameFont() const
{
    return theme::scaled(m_scale, QFont::DemiBold);
}

QFont ServerStrip::markFont() const
{
    return theme::scaled(0.85 * m_scale, QFont::DemiBold);
}

QSize ServerStrip::sizeHint() const
{
    const QFontMetrics name(nameFont());
    const int words = name.horizontalAdvance(inOneLine(m_profile.display()))
        + QFontMetrics(markFont()).horizontalAdvance(serverMark(m_profile));
    return {words + 2 * sideMargin + partGap, name.height() + 12};
}

void ServerStrip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const ThemeColors& colors = theme::colors(palette());
    const QColor fill = environmentColor(m_profile.environment);
    painter.fillRect(rect(), fill.isValid() ? fill : colors.sideBar);
    painter.setPen(fill.isValid() ? QColor(Qt::white) : palette().color(QPalette::WindowText));
    const QRect area = rect().adjusted(sideMargin, 0, -sideMargin, 0);
    const QString mark = serverMark(m_profile);
    painter.setFont(markFont());
    painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, mark);
    const int taken = mark.isEmpty() ? 0 : painter.fontMetrics().horizontalAdvance(mark) + partGap;
    painter.setFont(nameFont());
    theme::paintText(painter, area.adjusted(0, 0, -taken, 0), m_profile.display(), Qt::ElideMiddle);
    if (!fill.isValid()) {
        painter.setPen(colors.border);
        painter.drawLine(rect().bottomLeft(), rect().bottomRight());
    }
}

void addServerStrip(QDialog& dialog, const db::ServerProfile& profile)
{
    // From edge to edge, whatever the layout's margins and kind are.
    dialog.layout()->setMenuBar(new ServerStrip(profile, &dialog));
}

} // namespace lockscope::ui
