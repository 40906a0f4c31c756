// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/timetravel/TimeBar.h"

#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/KeyAction.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QIcon>
#include <QMenu>
#include <QMetaMethod>
#include <QToolButton>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int withIcons = 700; ///< texts become icons
constexpr int smallStep = 20; ///< so many of them are what is on view
constexpr int largeStep = 5;

} // namespace

TimeBar::TimeBar(QWidget* parent)
    : QWidget(parent)
    , m_controls(new TimeBarControls(this))
    , m_strip(new TimeBarStrip(this))
    , m_live(named("live", u"Live"_s, new QToolButton(this)))
{
    setObjectName(QStringLiteral("timeBar"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFocusProxy(m_strip);
    m_live->setText(u"Live"_s);
    m_live->setCheckable(true);
    m_live->setIconSize({18, 18});
    m_live->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);

    addAll(*withMargins(new QHBoxLayout(this), {6, 3, 6, 3}, 6),
        {{m_controls, 0, Qt::AlignVCenter}, {m_strip, 1}, m_live});

    connect(m_strip, &TimeBarStrip::visibleRangeChanged, this, &TimeBar::visibleRangeChanged);
    connect(m_strip, &TimeBarStrip::positionChosen, this, &TimeBar::positionChosen);
    connect(m_strip, &TimeBarStrip::liveRequested, this, &TimeBar::liveRequested);
    connect(m_strip, &TimeBarStrip::rangeChanged, this, &TimeBar::rangeChanged);
    connect(m_strip, &TimeBarStrip::menuRequested, this, &TimeBar::showMenu);
    connect(m_controls, &TimeBarControls::landmarkRequested, this, &TimeBar::landmarkRequested);
    connect(m_controls, &TimeBarControls::landmarksChosen, this, &TimeBar::landmarksChosen);
    connect(m_controls, &TimeBarControls::timeRequested, this, &TimeBar::timeRequested);
    connect(m_controls, &TimeBarControls::searchRequested, this, &TimeBar::searchRequested);
    connect(m_controls, &TimeBarControls::playRequested, this, &TimeBar::togglePlay);
    connect(m_controls, &TimeBarControls::zoomRequested, this,
        [this](bool closer) { m_strip->zoom(closer ? zoomStep : 1 / zoomStep); });
    connect(m_controls, &TimeBarControls::lastRequested, m_strip, &TimeBarStrip::showLast);
    // The owner of the bar sets the check mark.
    connect(m_live, &QToolButton::clicked, this, [this] {
        m_live->setChecked(!m_strip->position());
        m_strip->showEnd();
        if (m_strip->position())
            Q_EMIT liveRequested();
    });
    addKeys();
    showState();
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
    add(u"Play, stop"_s, {Qt::Key_Space}, [this] { m_controls->togglePlay(); });
    add(u"Slower"_s, {Qt::Key_Comma}, [this] { m_controls->changeSpeed(-1); });
    add(u"Faster"_s, {Qt::Key_Period}, [this] { m_controls->changeSpeed(1); });
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

void TimeBar::togglePlay(double speed)
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
    m_controls->setPlaying(0);
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
    m_controls->setEnabled(!isEmpty);
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
    m_controls->setNarrow(isNarrow);
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
