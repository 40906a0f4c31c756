// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/timetravel/TimeBar.h"

#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/timetravel/TimeTravel.h"
#include "ui/views/page/AppContext.h"

#include <QActionGroup>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QIcon>
#include <QMenu>
#include <QMetaMethod>
#include <QToolButton>

#include <algorithm>
#include <array>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int withIcons = 700; ///< texts become icons
constexpr int smallStep = 20; ///< so many of them are what is on view
constexpr int largeStep = 5;
constexpr std::array<double, 6> speeds{1, 2, 5, 10, 50, 100};

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

TimeBar::TimeBar(QWidget* parent)
    : QWidget(parent)
    , m_buttons(new QWidget(this))
    , m_previous(button(u"previousLandmark"_s, u"previous-incident"_s, u"Previous"_s, {}))
    , m_play(button(u"playTime"_s, u"play"_s, u"Play"_s, {}))
    , m_next(button(u"nextLandmark"_s, u"next-incident"_s, u"Next"_s, {}))
    , m_speedButton(button(u"playSpeed"_s, {}, u"Speed"_s, u"How fast it plays (comma, period)"_s))
    , m_length(button(u"timeOnView"_s, u"time-shown"_s, u"Show"_s, u"How much time is on view"_s))
    , m_strip(new TimeBarStrip(this))
    , m_live(named("live", u"Live"_s, new QToolButton(this)))
    , m_speedChoice(new QActionGroup(this))
{
    setObjectName(QStringLiteral("timeBar"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFocusProxy(m_strip);
    m_live->setText(u"Live"_s);
    m_live->setCheckable(true);
    m_live->setIconSize({18, 18});
    m_live->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);

    addAll(*withMargins(new QHBoxLayout(this), {6, 3, 6, 3}, 6),
        {{m_buttons, 0, Qt::AlignVCenter}, {m_strip, 1}, m_live});

    connect(m_strip, &TimeBarStrip::visibleRangeChanged, this, &TimeBar::visibleRangeChanged);
    connect(m_strip, &TimeBarStrip::positionChosen, this, &TimeBar::positionChosen);
    connect(m_strip, &TimeBarStrip::liveRequested, this, &TimeBar::liveRequested);
    connect(m_strip, &TimeBarStrip::rangeChanged, this, &TimeBar::rangeChanged);
    connect(m_strip, &TimeBarStrip::menuRequested, this, &TimeBar::showMenu);
    // The owner of the bar sets the check mark.
    connect(m_live, &QToolButton::clicked, this, [this] {
        m_live->setChecked(!m_strip->position());
        m_strip->showEnd();
        if (m_strip->position())
            Q_EMIT liveRequested();
    });
    placeButtons();
    addSpeeds();
    addKeys();
    setPlaying(0);
    showState();
}

QToolButton* TimeBar::button(
    const QString& name, const QString& iconName, const QString& text, const QString& tip)
{
    QToolButton* made = flatButton(text, tip, m_buttons);
    made->setObjectName(name);
    made->setAccessibleName(text);
    if (!iconName.isEmpty())
        made->setIcon(theme::icon(iconName));
    made->setIconSize({18, 18});
    made->setToolButtonStyle(Qt::ToolButtonIconOnly);
    return made;
}

void TimeBar::placeButtons()
{
    QToolButton* const further =
        button(u"zoomOut"_s, u"zoom-out"_s, u"Further away"_s, u"More time on view (−, or the wheel)"_s);
    QToolButton* const closer =
        button(u"zoomIn"_s, u"zoom-in"_s, u"Closer"_s, u"Less time on view (+, or the wheel)"_s);
    setTabOrder(m_speedButton, further);
    setTabOrder(further, closer);
    setTabOrder(closer, m_length);
    auto* grid = withoutMargins(new QGridLayout(m_buttons), 1);
    grid->addWidget(m_previous, 0, 0);
    grid->addWidget(m_play, 0, 1);
    grid->addWidget(m_next, 0, 2);
    grid->addWidget(m_speedButton, 0, 3);
    grid->addWidget(further, 1, 0);
    grid->addWidget(closer, 1, 1);
    grid->addWidget(m_length, 1, 2, 1, 2);
    connect(m_previous, &QToolButton::clicked, this, [this] { Q_EMIT landmarkRequested(false); });
    connect(m_next, &QToolButton::clicked, this, [this] { Q_EMIT landmarkRequested(true); });
    connect(m_play, &QToolButton::clicked, this, &TimeBar::togglePlay);
    connect(further, &QToolButton::clicked, this, [this] { m_strip->zoom(1 / zoomStep); });
    connect(closer, &QToolButton::clicked, this, [this] { m_strip->zoom(zoomStep); });
    auto* menu = new QMenu(this);
    for (const Length& each : lengths)
        menu->addAction(
            each.text.toString(), this, [this, length = each.length] { m_strip->showLast(length); });
    menu->addSeparator();
    menu->addAction(u"&Go to time… (Ctrl+G)"_s, this, &TimeBar::timeRequested);
    menu->addAction(u"&Search… (Ctrl+Shift+F)"_s, this, &TimeBar::searchRequested);
    addLandmarks(*menu);
    m_length->setMenu(menu);
    m_length->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_speedButton->setToolButtonStyle(Qt::ToolButtonTextOnly);
    for (QToolButton* each : {m_speedButton, m_length}) {
        each->setPopupMode(QToolButton::InstantPopup);
        each->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }
}

void TimeBar::addSpeeds()
{
    auto* const choice = new QMenu(this);
    for (const double speed : speeds) {
        QAction* const action = choice->addAction(speedText(speed), this, [this, speed] {
            setSpeed(speed);
            if (m_isPlaying)
                play(speed);
        });
        action->setCheckable(true);
        action->setData(speed);
        m_speedChoice->addAction(action);
    }
    m_speedButton->setMenu(choice);
    setSpeed(m_speed);
}

void TimeBar::addLandmarks(QMenu& menu)
{
    QMenu* const choice = named("landmarks", menu.addMenu(u"&N and P lead to"_s));
    for (const auto& [kind, name] : landmarkNames()) {
        QAction* const action = choice->addAction(name);
        action->setCheckable(true);
        action->setData(int(kind));
        m_landmarks << action;
        connect(action, &QAction::triggered, this, [this] {
            record::Landmarks kinds;
            for (const QAction* each : std::as_const(m_landmarks))
                if (each->isChecked())
                    kinds |= record::Landmark(each->data().toInt());
            setLandmarks(kinds);
            Q_EMIT landmarksChosen(kinds);
        });
    }
    setLandmarks(record::LandmarkChoice().kinds);
}

void TimeBar::setLandmarks(record::Landmarks kinds)
{
    for (QAction* each : std::as_const(m_landmarks))
        each->setChecked(kinds & record::Landmark(each->data().toInt()));
    const QString text = landmarksText(kinds);
    m_previous->setEnabled(kinds != 0);
    m_next->setEnabled(kinds != 0);
    m_previous->setToolTip(u"To the previous of: %1 (P)"_s.arg(text));
    m_next->setToolTip(u"To the next of: %1 (N)"_s.arg(text));
}

void TimeBar::addKeys()
{
    const auto add = [this](const QString& text, const QList<QKeySequence>& keys, std::function<void()> act) {
        m_keys.append(addKey(*m_strip, u"Time bar"_s, text, keys, std::move(act)));
    };
    const auto step = [this](int part) {
        const auto [from, to] = visibleRange();
        m_strip->choose(m_strip->shownTime() + (to - from) / part);
    };
    add(u"One snapshot earlier"_s, {Qt::Key_Left}, [this] { Q_EMIT stepRequested(-1); });
    add(u"One snapshot later"_s, {Qt::Key_Right}, [this] { Q_EMIT stepRequested(1); });
    add(u"A little earlier"_s, {Qt::SHIFT | Qt::Key_Left}, [step] { step(-smallStep); });
    add(u"A little later"_s, {Qt::SHIFT | Qt::Key_Right}, [step] { step(smallStep); });
    add(u"Much earlier"_s, {Qt::CTRL | Qt::Key_Left, Qt::Key_PageUp}, [step] { step(-largeStep); });
    add(u"Much later"_s, {Qt::CTRL | Qt::Key_Right, Qt::Key_PageDown}, [step] { step(largeStep); });
    add(u"The first snapshot"_s, {Qt::Key_Home},
        [this] { m_strip->choose(m_strip->visibleRange().first()); });
    add(u"The last snapshot"_s, {Qt::Key_End}, [this] { m_strip->choose(m_strip->visibleRange().last()); });
    add(u"Back to live"_s, {Qt::Key_Escape}, [this] {
        if (m_strip->isLiveAvailable())
            m_live->click();
    });
    add(u"The previous wait, deadlock, alert … as chosen below Show"_s, {Qt::Key_P},
        [this] { Q_EMIT landmarkRequested(false); });
    add(u"The next wait, deadlock, alert … as chosen below Show"_s, {Qt::Key_N},
        [this] { Q_EMIT landmarkRequested(true); });
    add(u"Play, stop"_s, {Qt::Key_Space}, [this] { togglePlay(); });
    add(u"Slower"_s, {Qt::Key_Comma}, [this] { changeSpeed(-1); });
    add(u"Faster"_s, {Qt::Key_Period}, [this] { changeSpeed(1); });
    add(u"Closer"_s, {Qt::Key_Plus, Qt::Key_Equal}, [this] { m_strip->zoom(zoomStep); });
    add(u"Further away"_s, {Qt::Key_Minus}, [this] { m_strip->zoom(1 / zoomStep); });
    add(u"All there is"_s, {Qt::Key_0}, [this] { m_strip->showLast({}); });
    add(u"The incident as a whole"_s, {Qt::Key_I}, [this] { m_strip->showIncidentAt(m_strip->shownTime()); });
    add(u"The range begins here"_s, {Qt::Key_BracketLeft},
        [this] { m_strip->markRangeBegin(m_strip->shownTime()); });
    add(u"The range ends here"_s, {Qt::Key_BracketRight},
        [this] { m_strip->markRangeEnd(m_strip->shownTime()); });
    add(u"Note at this time"_s, {Qt::Key_M},
        [this] { Q_EMIT noteRequested(m_strip->position().value_or(ServerTime())); });
    add(u"Compare with another time"_s, {Qt::Key_C},
        [this] { Q_EMIT differencesRequested(m_strip->shownTime()); });
    add(u"What happened in the range"_s, {Qt::Key_Return, Qt::Key_Enter}, [this] {
        if (m_strip->range())
            Q_EMIT rangeReportRequested();
    });
    add(u"What can be done with the range"_s, {Qt::SHIFT | Qt::Key_F10, Qt::Key_Menu}, [this] {
        showMenu(m_strip->mapToGlobal(m_strip->rangeLabelNow().bottomLeft()), m_strip->shownTime());
    });
}

void TimeBar::showMenu(const QPoint& place, ServerTime at)
{
    auto* menu = deletedOnClose(named("timeMenu", new QMenu(this)));
    if (const auto marked = m_strip->range()) {
        // Only what somebody answers.
        if (isSignalConnected(QMetaMethod::fromSignal(&TimeBar::rangeReportRequested)))
            menu->addAction(u"&What happened in this range"_s, this, &TimeBar::rangeReportRequested);
        menu->addAction(
            u"&Zoom to it"_s, this, [this, marked] { m_strip->showRange(marked->first, marked->second); });
        if (isSignalConnected(QMetaMethod::fromSignal(&TimeBar::clipRequested)))
            menu->addAction(u"&Save as a clip…"_s, this, &TimeBar::clipRequested);
        if (isSignalConnected(QMetaMethod::fromSignal(&TimeBar::compareRequested)))
            menu->addAction(u"&Compare with another range"_s, this, &TimeBar::compareRequested);
        menu->addAction(u"&Remove the range"_s, this, [this] { setRange({}); });
        menu->addSeparator();
    }
    menu->addAction(u"&Go to time… (Ctrl+G)"_s, this, &TimeBar::timeRequested);
    menu->addAction(u"&Search… (Ctrl+Shift+F)"_s, this, &TimeBar::searchRequested);
    menu->addAction(u"&Note at this time… (M)"_s, this, [this, at] { Q_EMIT noteRequested(at); });
    menu->addAction(
        u"Compare with &another time… (C)"_s, this, [this, at] { Q_EMIT differencesRequested(at); });
    menu->addAction(u"The range &begins here"_s, this, [this, at] { m_strip->markRangeBegin(at); });
    menu->addAction(u"The range &ends here"_s, this, [this, at] { m_strip->markRangeEnd(at); });
    if (m_strip->isIncidentAt(at))
        menu->addAction(u"Zoom to the &incident"_s, this, [this, at] { m_strip->showIncidentAt(at); });
    menu->popup(place);
}

void TimeBar::setSpeed(double speed)
{
    m_speed = speed;
    m_speedButton->setText(speedText(speed));
    m_speedButton->setAccessibleName(u"Speed %1"_s.arg(speedText(speed)));
    for (QAction* action : m_speedChoice->actions())
        action->setChecked(action->data().toDouble() == speed);
}

void TimeBar::setPlaying(double speed)
{
    m_isPlaying = speed > 0;
    if (m_isPlaying)
        setSpeed(speed);
    m_play->setText(m_isPlaying ? u"Stop"_s : u"Play"_s);
    m_play->setAccessibleName(m_play->text());
    m_play->setToolTip(m_isPlaying ? u"Stop here (Space)"_s : u"Play from here on (Space)"_s);
    m_play->setIcon(theme::icon(m_isPlaying ? u"pause"_s : u"play"_s));
}

void TimeBar::changeSpeed(int steps)
{
    const auto* const place = std::ranges::find(speeds, m_speed);
    const auto next = std::clamp<qsizetype>(place - speeds.begin() + steps, 0, std::ssize(speeds) - 1);
    if (speeds[static_cast<std::size_t>(next)] == m_speed)
        return;
    setSpeed(speeds[static_cast<std::size_t>(next)]);
    if (m_isPlaying)
        play(m_speed);
}

void TimeBar::play(double speed)
{
    // Live has no "from here on": what is on view is played.
    if (speed > 0 && !m_strip->position())
        m_strip->choose({m_strip->visibleRange().scale().from});
    Q_EMIT playRequested(speed);
}

void TimeBar::setSpan(ServerTime first, ServerTime last)
{
    m_strip->setSpan(first, last);
    showState();
}

void TimeBar::clear()
{
    m_strip->clear();
    setPlaying(0);
    showState();
}

void TimeBar::setPosition(std::optional<ServerTime> position, std::optional<ServerTime> shown)
{
    m_strip->setPosition(position, shown);
    showState();
}

void TimeBar::setLiveAvailable(bool available)
{
    m_strip->setLiveAvailable(available);
    showState();
}

std::pair<ServerTime, ServerTime> TimeBar::visibleRange() const
{
    return {{m_strip->visibleRange().scale().from}, {m_strip->visibleRange().scale().to}};
}

/// Enables the buttons and keys that are of use.
void TimeBar::showState()
{
    const bool isEmpty = m_strip->visibleRange().isEmpty();
    const bool isLive = !m_strip->position();
    m_buttons->setEnabled(!isEmpty);
    for (QAction* key : std::as_const(m_keys))
        key->setEnabled(!isEmpty);
    m_live->setVisible(m_strip->isLiveAvailable());
    m_live->setEnabled(!isEmpty || !isLive);
    if (m_live->isChecked() != isLive || m_live->icon().isNull()) {
        m_live->setChecked(isLive);
        m_live->setIcon(theme::icon(u"live"_s, isLive ? theme::colors(palette()).ok : QColor()));
        m_live->setToolTip(isLive ? u"The present is on view"_s : u"Back to the present (Esc)"_s);
    }
}

void TimeBar::resizeEvent(QResizeEvent* event)
{
    const bool isNarrow = width() < withIcons;
    m_length->setToolButtonStyle(isNarrow ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    m_live->setToolButtonStyle(isNarrow ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextUnderIcon);
    QWidget::resizeEvent(event);
}

void TimeBar::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange) {
        m_live->setIcon({});
        showState();
    }
    QWidget::changeEvent(event);
}

} // namespace lockscope::ui
