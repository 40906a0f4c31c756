// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/timetravel/TravelMark.h"

#include "core/base/ServerTime.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/timetravel/TimeTravel.h"
#include "ui/views/page/DateTimeText.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QPushButton>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// Behind white words, in the light and in the dark.
const QColor ground = QColor::fromRgb(0xb3261e);

QString localText(ServerTime time)
{
    const QDateTime local = time.toDateTime().toLocalTime();
    return u"%1 by the server's clock, %2 here"_s.arg(
        dateTimeText(time), QLocale::c().toString(local, u"yyyy-MM-dd HH:mm:ss"_s));
}

} // namespace

TravelMark::TravelMark(QWidget* parent)
    : QFrame(parent)
    , m_time(named("travelMoment", plain(new QLabel(this))))
    , m_more(named("travelMore", plain(new QLabel(this))))
    , m_live(named("goLive", u"Live: back to the present"_s, pushButton(u"● Live"_s, this)))
{
    setObjectName(QStringLiteral("travelMark"));
    m_time->setFont(theme::scaled(1.2, QFont::Bold));
    for (QLabel* label : {m_time, m_more})
        theme::setInk(label, Qt::white);
    m_live->setToolTip(u"Back to the present of the server (Alt+End)"_s);
    connect(m_live, &QPushButton::clicked, this, &TravelMark::liveRequested);
    addAll(*withMargins(new QHBoxLayout(this), {14, 4, 10, 4}, 12), {m_time, {m_more, 1}, m_live});
    hide();
}

void TravelMark::show(const TimeTravel& travel, const QString& ago)
{
    setVisible(travel.isOn() && travel.snapshot());
    if (isHidden())
        return;
    const ServerTime time = travel.clock();
    m_time->setText(u"You are viewing %1"_s.arg(shortDateTimeText(time)));
    QStringList more;
    if (!ago.isEmpty())
        more << u"%1 ago"_s.arg(ago);
    if (travel.speed() > 0)
        more << u"playing %1×"_s.arg(travel.speed());
    if (travel.source().isFile)
        more << (travel.isAtEnd() ? u"the end of this recording"_s : u"a recording"_s);
    m_more->setText(more.join(u" · "_s));
    m_live->setVisible(!travel.source().isFile);
    setToolTip(localText(time));
    setAccessibleName(text());
}

QString TravelMark::text() const
{
    return isHidden() ? QString() : m_time->text() + u" · "_s + m_more->text();
}

void TravelMark::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), ground);
}

} // namespace lockscope::ui
