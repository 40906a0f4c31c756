// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/StartPage.h"

#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QAbstractButton>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// A card with an icon, a title and two lines of explanation.
class StartChoice : public QAbstractButton {
public:
    StartChoice(const QString& iconName, const QString& title, const QString& explanation, QWidget* parent)
        : QAbstractButton(parent)
        , m_iconName(iconName)
        , m_explanation(explanation)
    {
        setText(title);
        setAccessibleDescription(explanation);
        setCursor(Qt::PointingHandCursor);
        setFocusPolicy(Qt::StrongFocus);
        setAttribute(Qt::WA_Hover);
        setMinimumSize(150, 210);
        setMaximumSize(320, 230);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const ThemeColors& colors = theme::colors(palette());
        QPainter painter(this);
        const bool hot = underMouse() || hasFocus();
        theme::paintBox(painter, QRectF(rect()).adjusted(1, 1, -1, -1), 8,
            QPen(hot ? colors.accent : colors.border, hot ? 2 : 1), isDown() ? colors.infoFill : colors.card);
        const QRect area = rect().adjusted(22, 22, -22, -18);
        theme::icon(m_iconName, colors.accent).paint(&painter, QRect(area.topLeft(), QSize(34, 34)));
        painter.setPen(palette().color(QPalette::WindowText));
        painter.setFont(theme::scaled(1.25, QFont::DemiBold));
        const QRect title(area.left(), area.top() + 46, area.width(), painter.fontMetrics().height());
        painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, text());
        painter.setFont(theme::scaled(1.0));
        painter.setPen(colors.muted);
        painter.drawText(
            QRect(area.left(), title.bottom() + 8, area.width(), area.bottom() - title.bottom() - 8),
            static_cast<int>(Qt::AlignLeft) | Qt::AlignTop | Qt::TextWordWrap, m_explanation);
    }

private:
    QString m_iconName;
    QString m_explanation;
};

} // namespace

StartPage::StartPage(QWidget* parent)
    : QWidget(parent)
{
    auto* title = demiBold(2.1, new QLabel(u"Who holds the lock?"_s, this));
    QLabel* subtitle = faint(wrapped(new QLabel(
        u"Lockscope shows who holds which database lock, who waits, since when, and who blocks whom — and frees a stuck one safely."_s,
        this)));
    subtitle->setFont(theme::scaled(1.1));

    auto* tryIt = named("tryItHere",
        new StartChoice(QStringLiteral("play"), u"Try it here"_s,
            u"Starts a private PostgreSQL server on this machine, with sessions that contend for real locks. Stops with the window."_s,
            this));
    auto* server = named("connectToServer",
        new StartChoice(QStringLiteral("server"), u"Connect to a server…"_s,
            u"Watch PostgreSQL or SQL Server. Works with any login; each page says what more rights would show."_s,
            this));
    auto* file = named("openFile",
        new StartChoice(QStringLiteral("file"), u"Open a file…"_s,
            u"A lock table in an SQLite file, to watch it; or a recording (.lockscope), to view any time of it."_s,
            this));
    connect(tryIt, &QAbstractButton::clicked, this, &StartPage::tryItHere);
    connect(server, &QAbstractButton::clicked, this, &StartPage::connectToServer);
    connect(file, &QAbstractButton::clicked, this, &StartPage::openFile);

    QHBoxLayout* choices = withSpacing(rowOf({tryIt, server, file}), 18);

    QLabel* recorded = named("recordedByDefault",
        faint(wrapped(new QLabel(
            u"Each server is recorded on this computer, statements too, passwords never: by default for 7 days and up to 1 GB. A button in the status line turns that off."_s,
            this))));

    QVBoxLayout* block = withSpacing(
        columnOf({stretch(2), title, subtitle, spacer(18), choices, spacer(18), recorded, stretch(3)}), 10);
    addAll(*new QHBoxLayout(this), {stretch(1), {block, 8}, stretch(1)});
}

} // namespace lockscope::ui
