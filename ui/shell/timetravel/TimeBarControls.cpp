// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/timetravel/TimeBarControls.h"

#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/DateTimeText.h"

#include <QActionGroup>
#include <QGridLayout>
#include <QIcon>
#include <QMenu>
#include <QToolButton>

#include <algorithm>
#include <array>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

struct Length {
    QStringView text;
    std::optional<microseconds> length;
};
constexpr std::array lengths{Length{u"Last 15 min", 15min}, Length{u"Last hour", 1h},
    Length{u"Last 24 hours", 24h}, Length{u"All", {}}};

QString speedText(double speed)
{
    return u"%1×"_s.arg(speed);
}

} // namespace

const QList<double>& TimeBarControls::speeds()
{
    static const QList<double> all{1, 2, 5, 10, 50, 100};
    return all;
}

TimeBarControls::TimeBarControls(QWidget* parent)
    : QWidget(parent)
    , m_previous(button(u"previousLandmark"_s, u"previous-incident"_s, u"Previous"_s, {}))
    , m_play(button(u"playTime"_s, u"play"_s, u"Play"_s, {}))
    , m_next(button(u"nextLandmark"_s, u"next-incident"_s, u"Next"_s, {}))
    , m_speedButton(button(u"playSpeed"_s, {}, u"Speed"_s, u"How fast it plays (comma, period)"_s))
    , m_length(button(u"timeOnView"_s, u"time-shown"_s, u"Show"_s, u"How much time is on view"_s))
    , m_speedChoice(new QActionGroup(this))
{
    QToolButton* const further =
        button(u"zoomOut"_s, u"zoom-out"_s, u"Further away"_s, u"More time on view (−, or the wheel)"_s);
    QToolButton* const closer =
        button(u"zoomIn"_s, u"zoom-in"_s, u"Closer"_s, u"Less time on view (+, or the wheel)"_s);
    setTabOrder(m_speedButton, further);
    setTabOrder(further, closer);
    setTabOrder(closer, m_length);
    auto* grid = withoutMargins(new QGridLayout(this), 1);
    grid->addWidget(m_previous, 0, 0);
    grid->addWidget(m_play, 0, 1);
    grid->addWidget(m_next, 0, 2);
    grid->addWidget(m_speedButton, 0, 3);
    grid->addWidget(further, 1, 0);
    grid->addWidget(closer, 1, 1);
    grid->addWidget(m_length, 1, 2, 1, 2);

    connect(m_previous, &QToolButton::clicked, this, [this] { Q_EMIT landmarkRequested(false); });
    connect(m_next, &QToolButton::clicked, this, [this] { Q_EMIT landmarkRequested(true); });
    connect(m_play, &QToolButton::clicked, this, &TimeBarControls::togglePlay);
    connect(further, &QToolButton::clicked, this, [this] { Q_EMIT zoomRequested(false); });
    connect(closer, &QToolButton::clicked, this, [this] { Q_EMIT zoomRequested(true); });
    auto* const choice = new QMenu(this);
    for (const double speed : speeds()) {
        QAction* const action = choice->addAction(speedText(speed), this, [this, speed] {
            setSpeed(speed);
            if (m_isPlaying)
                Q_EMIT playRequested(speed);
        });
        action->setCheckable(true);
        action->setData(speed);
        m_speedChoice->addAction(action);
    }
    m_speedButton->setMenu(choice);
    auto* menu = new QMenu(this);
    for (const Length& each : lengths)
        menu->addAction(
            each.text.toString(), this, [this, length = each.length] { Q_EMIT lastRequested(length); });
    menu->addSeparator();
    menu->addAction(u"&Go to time… (Ctrl+G)"_s, this, &TimeBarControls::timeRequested);
    menu->addAction(u"&Search… (Ctrl+Shift+F)"_s, this, &TimeBarControls::searchRequested);
    addLandmarks(*menu);
    m_length->setMenu(menu);
    for (QToolButton* each : {m_speedButton, m_length}) {
        each->setPopupMode(QToolButton::InstantPopup);
        each->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }
    m_speedButton->setToolButtonStyle(Qt::ToolButtonTextOnly);
    setSpeed(1);
    setPlaying(0);
    setNarrow(false);
}

void TimeBarControls::addLandmarks(QMenu& menu)
{
    QMenu* const choice = named("landmarks", menu.addMenu(u"&N and P lead to"_s));
    for (const auto& [kind, name] : landmarkNames()) {
        QAction* const action = choice->addAction(name);
        action->setCheckable(true);
        action->setData(int(kind));
        m_landmarks << action;
        connect(action, &QAction::triggered, this, [this] {
            record::Landmarks kinds;
            for (const QAction* each : std::as_const(m_landmarks)) {
                if (each->isChecked())
                    kinds |= record::Landmark(each->data().toInt());
            }
            setLandmarks(kinds);
            Q_EMIT landmarksChosen(kinds);
        });
    }
    setLandmarks(record::LandmarkChoice().kinds);
}

void TimeBarControls::setLandmarks(record::Landmarks kinds)
{
    for (QAction* each : std::as_const(m_landmarks))
        each->setChecked(kinds & record::Landmark(each->data().toInt()));
    const QString text = landmarksText(kinds);
    m_previous->setEnabled(kinds != 0);
    m_next->setEnabled(kinds != 0);
    m_previous->setToolTip(u"To the previous of: %1 (P)"_s.arg(text));
    m_next->setToolTip(u"To the next of: %1 (N)"_s.arg(text));
}

QToolButton* TimeBarControls::button(
    const QString& name, const QString& iconName, const QString& text, const QString& tip)
{
    QToolButton* made = flatButton(text, tip, this);
    made->setObjectName(name);
    made->setAccessibleName(text);
    if (!iconName.isEmpty())
        made->setIcon(theme::icon(iconName));
    made->setIconSize({18, 18});
    made->setToolButtonStyle(Qt::ToolButtonIconOnly);
    return made;
}

void TimeBarControls::setSpeed(double speed)
{
    m_speed = speed;
    m_speedButton->setText(speedText(speed));
    m_speedButton->setAccessibleName(u"Speed %1"_s.arg(speedText(speed)));
    for (QAction* action : m_speedChoice->actions())
        action->setChecked(action->data().toDouble() == speed);
}

void TimeBarControls::setPlaying(double speed)
{
    m_isPlaying = speed > 0;
    if (m_isPlaying)
        setSpeed(speed);
    m_play->setText(m_isPlaying ? u"Stop"_s : u"Play"_s);
    m_play->setAccessibleName(m_play->text());
    m_play->setToolTip(m_isPlaying ? u"Stop here (Space)"_s : u"Play from here on (Space)"_s);
    m_play->setIcon(theme::icon(m_isPlaying ? u"pause"_s : u"play"_s));
}

void TimeBarControls::changeSpeed(int steps)
{
    const qsizetype place = speeds().indexOf(m_speed);
    const qsizetype next = std::clamp<qsizetype>(place + steps, 0, speeds().size() - 1);
    if (next == place)
        return;
    setSpeed(speeds()[next]);
    if (m_isPlaying)
        Q_EMIT playRequested(m_speed);
}

void TimeBarControls::setNarrow(bool narrow)
{
    m_length->setToolButtonStyle(narrow ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
}

} // namespace lockscope::ui
