// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/WatchScreen.h"

#include "app/lockctl/Console.h"

#include <algorithm>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;
using Order = SnapshotText::Order;

namespace {

constexpr int briefBelow = 120; // columns
constexpr int withoutTerminal = 80;

QString orderName(Order order)
{
    switch (order) {
    case Order::Worst:
        return u"worst"_s;
    case Order::Wait:
        return u"wait"_s;
    case Order::Name:
        return u"name"_s;
    }
    return {};
}

Order nextOf(Order order)
{
    return order == Order::Worst ? Order::Wait : order == Order::Wait ? Order::Name : Order::Worst;
}

} // namespace

WatchScreen::WatchScreen(bool inPlace, bool hasKeys)
    : m_inPlace(inPlace)
    , m_hasKeys(hasKeys)
{
}

void WatchScreen::show(const SnapshotPtr& snapshot)
{
    const MutexLock guard(m_mutex);
    if (m_isPaused)
        return;
    m_snapshot = snapshot;
    if (snapshot->locksRead)
        m_counted = snapshot;
    m_error.clear();
    drawLocked();
}

void WatchScreen::showError(const QString& error)
{
    const MutexLock guard(m_mutex);
    if (m_isPaused)
        return;
    m_error = error;
    if (m_inPlace)
        drawLocked();
    else
        complain(error);
}

void WatchScreen::draw()
{
    const MutexLock guard(m_mutex);
    drawLocked();
}

bool WatchScreen::isPaused() const
{
    const MutexLock guard(m_mutex);
    return m_isPaused;
}

WatchScreen::KeyRequest WatchScreen::press(const Key& key)
{
    const MutexLock guard(m_mutex);
    if (m_isTyping)
        return pressWhileTyping(key);
    KeyRequest request = KeyRequest::Nothing;
    switch (key.name == Key::Name::Character ? key.character : 0) {
    case 'q':
    case 'Q':
        return KeyRequest::Quit;
    case 's':
        m_choice.order = nextOf(m_choice.order);
        m_top = 0;
        break;
    case '/':
        m_isTyping = true;
        m_filterBefore = m_choice.filter;
        break;
    case 'p':
    case ' ':
        m_isPaused = !m_isPaused;
        request = KeyRequest::PauseOrGoOn;
        break;
    default:
        turn(key);
    }
    drawLocked();
    return request;
}

WatchScreen::KeyRequest WatchScreen::pressWhileTyping(const Key& key)
{
    switch (key.name) {
    case Key::Name::Enter:
        m_isTyping = false;
        break;
    case Key::Name::Escape:
        m_isTyping = false;
        m_choice.filter = m_filterBefore;
        break;
    case Key::Name::Backspace:
        m_choice.filter.chop(!m_choice.filter.isEmpty() && m_choice.filter.back().isLowSurrogate() ? 2 : 1);
        break;
    case Key::Name::Character:
        m_choice.filter += QString::fromUcs4(&key.character, 1);
        break;
    default:
        turn(key);
    }
    drawLocked();
    return KeyRequest::Nothing;
}

void WatchScreen::turn(const Key& key)
{
    const qsizetype last = std::max<qsizetype>(0, m_lines - m_page);
    switch (key.name) {
    case Key::Name::PageUp:
        m_top -= m_page;
        break;
    case Key::Name::PageDown:
        m_top += m_page;
        break;
    case Key::Name::Up:
        --m_top;
        break;
    case Key::Name::Down:
        ++m_top;
        break;
    case Key::Name::Home:
        m_top = 0;
        break;
    case Key::Name::End:
        m_top = last;
        break;
    case Key::Name::Escape:
        if (!m_isTyping)
            m_choice.filter.clear();
        break;
    default:
        break;
    }
    m_top = std::clamp<qsizetype>(m_top, 0, last);
}

SnapshotText WatchScreen::text(int columns) const
{
    SnapshotText text(*m_snapshot, columns, useColours());
    text.setCounted(m_counted.get());
    return text;
}

QStringList WatchScreen::head(int columns) const
{
    QStringList lines;
    if (m_snapshot && m_error.isEmpty())
        lines << text(columns).headingLines();
    if (m_isPaused)
        lines << toned(fitted(u"PAUSED: this is how it stood then."_s, columns), Tone::Warning, useColours());
    if (!m_choice.filter.isEmpty() && !m_isTyping)
        lines << toned(fitted(u"Filter: \"%1\". Esc clears it."_s.arg(m_choice.filter), columns),
            Tone::Warning, useColours());
    return lines << QString();
}

QStringList WatchScreen::body(int columns) const
{
    if (!m_error.isEmpty())
        return wrapped(u"lockctl: "_s + printable(m_error).simplified(), columns);
    if (!m_snapshot)
        return {};
    SnapshotText text = this->text(columns);
    SnapshotText::Choice choice = m_choice;
    choice.brief = columns > 0 && columns < briefBelow;
    text.choose(choice);
    QStringList lines = text.blocking();
    if (const QStringList entries = text.entries(); !entries.isEmpty())
        lines << QString() << entries;
    return lines << text.limitations();
}

/// Returns at most 80 places with the usual numbers.
QString WatchScreen::keyLine(int columns) const
{
    if (m_isTyping)
        return fitted(u"filter: %1_   Enter: keep it   Esc: as before"_s.arg(m_choice.filter), columns);
    QString text = u"q quit  s sort: %1  / filter  p %2"_s.arg(
        orderName(m_choice.order), m_isPaused ? u"go on"_s : u"pause"_s);
    if (m_lines > m_page)
        text +=
            u"  PgUp PgDn: %1-%2 of %3"_s.arg(m_top + 1).arg(std::min(m_top + m_page, m_lines)).arg(m_lines);
    return fitted(text, columns);
}

void WatchScreen::drawLocked()
{
    if (!m_inPlace) {
        if (m_snapshot)
            print((QStringList{text(screenSize().columns).heading(), {}} + body(screenSize().columns))
                      .join(u'\n')
                + u"\n\n"_s);
        return;
    }
    ScreenSize size = screenSize();
    if (size.columns <= 0)
        size.columns = withoutTerminal;
    // One more line and the screen would scroll; the last row is that of the keys.
    const qsizetype space = std::max(1, size.rows - 1);
    const QStringList top = head(size.columns).mid(0, space - 1);
    const QStringList lines = body(size.columns);
    m_lines = lines.size();
    m_page = space - top.size();
    m_top = std::clamp<qsizetype>(m_top, 0, std::max<qsizetype>(0, m_lines - m_page));
    QString picture = u"\x1b[H"_s;
    for (const QString& line : top + lines.mid(m_top, m_page))
        picture += line + u"\x1b[K\r\n"_s;
    picture += u"\x1b[J"_s;
    if (m_hasKeys) // the last row, without an end of line that would scroll
        picture += u"\x1b[%1;1H"_s.arg(size.rows) + toned(keyLine(size.columns), Tone::Bold, useColours());
    print(picture);
}

} // namespace lockscope::ctl
