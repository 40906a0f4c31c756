// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/TopBar.h"

#include "core/base/ShownText.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QComboBox>
#include <QLabel>
#include <QMenu>

#include <array>
#include <initializer_list>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::array intervals{250, 500, 1'000, 2'000, 5'000, 10'000, 30'000, 60'000};

QString intervalText(int ms)
{
    return ms < 1'000 ? u"every %1 ms"_s.arg(ms) : u"every %1 s"_s.arg(ms / 1'000);
}

QWidget* gap(QWidget* parent, int width)
{
    auto* widget = new QWidget(parent);
    if (width > 0)
        widget->setFixedWidth(width);
    else
        widget->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    return widget;
}

} // namespace

TopBar::TopBar(QWidget* parent)
    : QToolBar(u"Tools"_s, parent)
    , m_server(named("server", demiBold(1.05, flatButton({}, {}, this))))
    , m_servers(named("serverMenu", new QMenu(this)))
    , m_mark(named("serverMark", new QLabel(this)))
    , m_pause(named("pause", flatButton({}, {}, this)))
    , m_refresh(named("refresh", flatButton(u"Now"_s, {}, this)))
    , m_interval(named("interval", u"Polling interval"_s, new QComboBox(this)))
    , m_clock(named("clock", new QLabel(this)))
    , m_search(named("filterButton", flatButton(u"Filter"_s, {}, this)))
    , m_time(named("timeBarButton", flatButton(u"Time"_s, {}, this)))
    , m_detail(flatButton(u"Detail"_s, u"Show or hide the detail pane (Ctrl+D)"_s, this))
    , m_settings(named("settings", u"Settings"_s, flatButton({}, u"Settings…"_s, this)))
    , m_help(named("help", u"Help"_s, flatButton({}, u"Help (F1)"_s, this)))
{
    setObjectName(QStringLiteral("topBar"));
    setMovable(false);
    setContextMenuPolicy(Qt::PreventContextMenu);
    setIconSize({18, 18});
    for (QToolButton* button : {m_pause, m_refresh, m_search, m_time, m_detail})
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    connect(m_server, &QToolButton::clicked, this,
        [this] { m_servers->popup(m_server->mapToGlobal(QPoint(0, m_server->height()))); });
    m_server->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_server->setMinimumWidth(120);

    m_pause->setCheckable(true);
    setPaused(false);
    connect(m_pause, &QToolButton::toggled, this, &TopBar::pauseToggled);
    m_refresh->setIcon(theme::icon(u"refresh"_s));
    connect(m_refresh, &QToolButton::clicked, this, &TopBar::refreshRequested);
    for (const int ms : intervals)
        m_interval->addItem(intervalText(ms), ms);
    m_interval->setFocusPolicy(Qt::TabFocus);
    connect(m_interval, &QComboBox::activated, this,
        [this] { Q_EMIT intervalChosen(milliseconds(m_interval->currentData().toInt())); });

    setUpMark();
    m_clock->setTextFormat(Qt::RichText);
    setUpRight();
    arrange();
    showFilterState();
    theme::whenRecolored(*this, [this] {
        inkServer(m_serverLevel);
        showMark(m_profile, m_isRecording);
        if (const auto shown = m_shownClock)
            showClock(shown->word, shown->level, shown->time);
    });
}

void TopBar::setUpMark()
{
    m_mark->setFont(theme::scaled(0.85, QFont::DemiBold));
    m_mark->setContentsMargins(8, 3, 8, 3);
    m_mark->setAutoFillBackground(true);
    // A tool bar has its children take the colours of buttons.
    m_mark->setBackgroundRole(QPalette::Window);
    m_mark->setForegroundRole(QPalette::WindowText);
}

/// Sets up the buttons at the right end.
void TopBar::setUpRight()
{
    connect(m_search, &QToolButton::clicked, this, &TopBar::searchRequested);
    m_time->setCheckable(true);
    m_time->setChecked(true);
    connect(m_time, &QToolButton::toggled, this, &TopBar::timeBarToggled);
    setReasonAgainstTimeBar({});
    m_detail->setCheckable(true);
    connect(m_detail, &QToolButton::toggled, this, &TopBar::detailToggled);
    connect(m_settings, &QToolButton::clicked, this, &TopBar::settingsRequested);
    m_help->setPopupMode(QToolButton::InstantPopup);
    m_search->setIcon(theme::icon(u"search"_s));
    m_time->setIcon(theme::icon(u"time"_s));
    m_detail->setIcon(theme::icon(u"detail"_s));
    m_settings->setIcon(theme::icon(u"settings"_s));
    m_help->setIcon(theme::icon(u"help"_s));
}

void TopBar::arrange()
{
    addWidget(gap(this, 6));
    addWidget(m_server);
    m_markShown = addWidget(m_mark);
    m_markShown->setVisible(false);
    addSeparator();
    for (QWidget* each :
        std::initializer_list<QWidget*>{m_pause, m_refresh, gap(this, 4), m_interval, gap(this, 0), m_clock,
            gap(this, 0), m_search, m_time, m_detail, m_settings, m_help, gap(this, 4)})
        addWidget(each);
}

void TopBar::showServer(const QString& name, const QString& health, AgeLevel level)
{
    m_server->setText(QStringLiteral("%1 %2  ▾").arg(theme::levelSign(level), inMenu(name)));
    m_server->setToolTip(QStringLiteral("%1: %2").arg(inOneLine(name), inLines(health)));
    inkServer(level);
}

void TopBar::inkServer(AgeLevel level)
{
    m_serverLevel = level;
    const ThemeColors& colors = theme::colors(palette());
    theme::setInk(m_server,
        level == AgeLevel::Normal ? palette().color(QPalette::ButtonText) : colors.text(level, palette()),
        QPalette::ButtonText);
}

void TopBar::showMark(const db::ServerProfile& profile, bool isRecording)
{
    m_profile = profile;
    m_isRecording = isRecording;
    const QString mark = isRecording ? u"RECORDING"_s : serverMark(profile);
    const QColor fill = environmentColor(profile.environment);
    m_mark->setText(mark);
    m_mark->setToolTip(profile.readOnly ? u"%1: nothing is released or ended from here"_s.arg(mark) : mark);
    theme::setInk(m_mark, fill.isValid() ? fill : palette().color(QPalette::Mid), QPalette::Window);
    theme::setInk(m_mark, fill.isValid() ? QColor(Qt::white) : palette().color(QPalette::WindowText));
    m_markShown->setVisible(!mark.isEmpty());
}

void TopBar::showClock(const QString& word, AgeLevel level, const QString& time)
{
    m_shownClock = {word, level, time};
    const QColor ink = theme::colors(palette()).sign(level);
    m_clock->setText(QStringLiteral("<span style='color:%1;font-weight:600'>%2 %3</span>&nbsp;&nbsp;%4")
                         .arg(ink.name(), theme::levelSign(level), htmlText(word), htmlText(time)));
    m_clock->setToolTip(u"The server's clock, UTC"_s);
}

void TopBar::setPaused(bool paused)
{
    const QSignalBlocker quiet(m_pause);
    m_pause->setChecked(paused);
    m_pause->setText(paused ? u"Resume"_s : u"Pause"_s);
    m_pause->setIcon(theme::icon(paused ? QStringLiteral("play") : QStringLiteral("pause")));
}

void TopBar::setInterval(milliseconds interval)
{
    const int ms = static_cast<int>(interval.count());
    int place = m_interval->findData(ms);
    if (place < 0) {
        m_interval->addItem(ms % 1'000 ? u"every %1 ms"_s.arg(ms) : intervalText(ms), ms);
        place = m_interval->count() - 1;
    }
    m_interval->setCurrentIndex(place);
}

void TopBar::setServerName(int row, const SideBar::ServerItem& server)
{
    const QString sign = server.open ? theme::levelSign(server.level) : QStringLiteral("○");
    const QString mark = server.mark.isEmpty() ? QString() : u" · "_s + server.mark;
    const QString text = u"%1 %2%3 – %4"_s.arg(sign, server.name, mark, server.health);
    if (row < m_servers->actions().size())
        m_servers->actions()[row]->setText(inMenu(text));
}

void TopBar::setServerNames(const QList<SideBar::ServerItem>& servers)
{
    m_servers->clear();
    for (int row = 0; row < servers.size(); ++row) {
        m_servers->addAction(QString(), this, [this, row] { Q_EMIT serverChosen(row); });
        setServerName(row, servers[row]);
    }
    m_servers->addSeparator();
    m_addServerActs(*m_servers);
}

void TopBar::setDetailShown(bool shown)
{
    const QSignalBlocker quiet(m_detail);
    m_detail->setChecked(shown);
}

void TopBar::setEnabledForServer(bool enabled)
{
    m_detail->setEnabled(enabled);
    m_hasServer = enabled;
    showPollingState();
    showFilterState();
    if (!enabled) {
        m_shownClock.reset();
        m_clock->clear();
        inkServer(AgeLevel::Normal);
        m_server->setText(u"No server  ▾"_s);
    }
}

void TopBar::setReasonAgainstPolling(const QString& reason)
{
    m_reasonAgainstPolling = reason;
    showPollingState();
}

void TopBar::showPollingState()
{
    const bool can = m_hasServer && m_reasonAgainstPolling.isEmpty();
    const auto show = [&](QWidget* widget, const QString& what) {
        widget->setEnabled(can);
        widget->setToolTip(m_reasonAgainstPolling.isEmpty() ? what : m_reasonAgainstPolling);
    };
    show(m_pause, u"Stop polling, keep what is shown (Space)"_s);
    show(m_refresh, u"Poll at once (F5)"_s);
    show(m_interval, u"The time between two polls. A slow server is polled less often by itself."_s);
}

void TopBar::setReasonAgainstTimeBar(const QString& reason)
{
    m_time->setEnabled(reason.isEmpty());
    m_time->setToolTip(reason.isEmpty() ? u"Show or hide the time bar (Ctrl+T)"_s : reason);
}

void TopBar::setReasonAgainstFilter(const QString& reason)
{
    m_reasonAgainstFilter = reason;
    showFilterState();
}

void TopBar::showFilterState()
{
    m_search->setEnabled(m_hasServer && m_reasonAgainstFilter.isEmpty());
    m_search->setToolTip(
        m_reasonAgainstFilter.isEmpty() ? u"Filter the rows of this page (Ctrl+F)"_s : m_reasonAgainstFilter);
}

} // namespace lockscope::ui
