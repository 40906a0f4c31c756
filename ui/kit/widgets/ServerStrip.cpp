// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/ServerStrip.h"

#include "core/base/EnumTable.h"
#include "core/base/ShownText.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QCloseEvent>
#include <QDialog>
#include <QLayout>
#include <QPainter>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int sideMargin = 20;
constexpr int partGap = 12;

} // namespace

QColor environmentColor(db::Environment environment)
{
    static const EnumTable<db::Environment, QColor> colors(
        {QColor(), QColor::fromRgb(0x1a7f47), QColor::fromRgb(0x1f5fbf), QColor::fromRgb(0xb3261e)});
    return colors[environment];
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

namespace {

constexpr double stripLetters = 1.5; ///< to be read from the first rows; the hall sees the parts below

} // namespace

Presentation::Presentation(QWidget& place, const std::optional<db::ServerProfile>& server)
    : QWidget(&place, Qt::Window)
{
    setObjectName(QStringLiteral("presentation"));
    setWindowTitle(u"Lockscope – presentation"_s);
    auto* column = withMargins(new QVBoxLayout(this), {24, 20, 24, 16});
    if (server)
        column->setMenuBar(new ServerStrip(*server, this, stripLetters)); // from edge to edge
    // Not at once: what ends this window is one of its own actions.
    addKey(
        *this, u"Presentation"_s, u"Leave the presentation"_s, {Qt::Key_Escape, Qt::Key_F11},
        [this] { QMetaObject::invokeMethod(this, &Presentation::left, Qt::QueuedConnection); },
        Qt::WindowShortcut);
}

void Presentation::present(QWidget& content, QWidget& focus)
{
    layout()->addWidget(&content);
    m_focus = &focus;
    showFullScreen();
    activateWindow();
}

bool Presentation::event(QEvent* event)
{
    const bool isHandled = QWidget::event(event);
    if (event->type() == QEvent::WindowActivate && m_focus)
        m_focus->setFocus();
    return isHandled;
}

void Presentation::closeEvent(QCloseEvent* event)
{
    event->ignore();
    QMetaObject::invokeMethod(this, &Presentation::left, Qt::QueuedConnection);
}

} // namespace lockscope::ui
