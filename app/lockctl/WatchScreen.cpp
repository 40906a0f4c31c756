// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/WatchScreen.h"

#include "app/lockctl/Acts.h"
#include "app/lockctl/Console.h"
#include "core/base/EnumTable.h"
#include "core/db/Dialect.h"

#include <algorithm>
#include <utility>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;
using Order = SnapshotText::Order;

namespace {

constexpr int briefBelow = 120; // columns
constexpr int withoutTerminal = 80;

constexpr EnumTable<Order> orderNames({u"worst", u"wait", u"name"});

/// Applies a key to a text that is being typed. Returns false if it is no key of a text.
bool typeInto(QString& text, const Key& key)
{
    if (key.name == Key::Name::Character)
        text += QString::fromUcs4(&key.character, 1);
    else if (key.name == Key::Name::Backspace)
        text.chop(!text.isEmpty() && text.back().isLowSurrogate() ? 2 : 1);
    return key.name == Key::Name::Character || key.name == Key::Name::Backspace;
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
    if (m_question)
        return pressInQuestion(key);
    if (m_isTyping)
        return pressWhileTyping(key);
    m_notice.clear();
    KeyRequest request = KeyRequest::Nothing;
    switch (key.name == Key::Name::Character ? key.character : 0) {
    case 'q':
    case 'Q':
        return KeyRequest::Quit;
    case 's':
        m_choice.order = Order((size_t(m_choice.order) + 1) % enumeratorCount<Order>);
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
    case 'j':
        moveSelection(1);
        break;
    case 'k':
        moveSelection(-1);
        break;
    case 'e':
    case 'c':
        ask(key.character == 'c');
        break;
    default:
        if (!m_heads.empty() && (key.name == Key::Name::Up || key.name == Key::Name::Down))
            moveSelection(key.name == Key::Name::Up ? -1 : 1);
        else
            turn(key);
    }
    drawLocked();
    return request;
}

void WatchScreen::moveSelection(int by)
{
    const auto found = std::ranges::find(m_heads, m_selected);
    if (found == m_heads.end())
        return;
    const qsizetype next = std::clamp<qsizetype>(found - m_heads.begin() + by, 0, std::ssize(m_heads) - 1);
    m_selected = m_heads[size_t(next)];
    const qsizetype line = SnapshotText::firstHead + next;
    m_top = next == 0 ? 0 : std::clamp(m_top, std::max<qsizetype>(0, line - m_page + 1), line);
}

QString WatchScreen::reasonAgainst(bool isCancel, const Session* session) const
{
    if (!m_whyNoActs.isEmpty())
        return m_whyNoActs;
    const db::Capability act = isCancel ? db::Capability::CancelStatement : db::Capability::EndSession;
    if (const QString reason = db::Dialect::of(m_snapshot->engine).reasonAgainst(act); !reason.isEmpty())
        return reason;
    return session ? reasonAgainstEnding(m_snapshot->engine, *session)
                   : u"That session is not seen any more."_s;
}

/// Shows what would be acted on, and asks for a reason.
void WatchScreen::ask(bool isCancel)
{
    if (!m_snapshot || !m_selected || m_heads.empty()) {
        m_notice = u"Nobody blocks anybody: there is no head to act on."_s;
        return;
    }
    const Session* const session = m_snapshot->session(m_selected->id);
    m_notice = reasonAgainst(isCancel, session);
    if (!m_notice.isEmpty())
        return;
    const auto describe = isCancel ? describeCancel : describeEnd;
    DangerText text = describe(*session, m_snapshot.get(), m_snapshot->takenAt);
    ConfirmedAct act{.session = *session, .isCancel = isCancel, .afterwards = text.afterwards};
    m_question = Question{.act = std::move(act), .text = std::move(text)};
    m_top = 0;
}

WatchScreen::KeyRequest WatchScreen::pressInQuestion(const Key& key)
{
    KeyRequest request = KeyRequest::Nothing;
    QString& reason = m_question->act.reason;
    if (m_question->hasReason) {
        const bool isYes = key == Key{Key::Name::Character, U'y'} || key == Key{Key::Name::Character, U'Y'};
        m_notice = isYes ? u"Asking the server…"_s : u"Nothing was done."_s;
        if (isYes) {
            m_confirmed = std::move(m_question->act);
            request = KeyRequest::Act;
        }
        m_question.reset();
    } else if (key.name == Key::Name::Escape) {
        m_notice = u"Nothing was done."_s;
        m_question.reset();
    } else if (key.name == Key::Name::Enter) {
        reason = reason.trimmed();
        m_question->hasReason = !reason.isEmpty();
    } else if (!typeInto(reason, key)) {
        turn(key);
    }
    drawLocked();
    return request;
}

WatchScreen::ConfirmedAct WatchScreen::confirmed() const
{
    const MutexLock guard(m_mutex);
    return m_confirmed;
}

void WatchScreen::showOutcome(const QString& text)
{
    const MutexLock guard(m_mutex);
    m_notice = text;
    drawLocked();
}

void WatchScreen::refuseActs(const QString& reason)
{
    const MutexLock guard(m_mutex);
    m_whyNoActs = reason;
}

WatchScreen::KeyRequest WatchScreen::pressWhileTyping(const Key& key)
{
    if (key.name == Key::Name::Enter || key.name == Key::Name::Escape) {
        m_isTyping = false;
        if (key.name == Key::Name::Escape)
            m_choice.filter = m_filterBefore;
    } else if (!typeInto(m_choice.filter, key)) {
        turn(key);
    }
    drawLocked();
    return KeyRequest::Nothing;
}

void WatchScreen::turn(const Key& key)
{
    using enum Key::Name;
    const qsizetype last = std::max<qsizetype>(0, m_lines - m_page);
    const std::pair<Key::Name, qsizetype> tops[] = {{PageUp, m_top - m_page}, {PageDown, m_top + m_page},
        {Up, m_top - 1}, {Down, m_top + 1}, {Home, 0}, {End, last}};
    for (const auto& [name, top] : tops)
        if (key.name == name)
            m_top = top;
    if (key.name == Escape && !m_isTyping)
        m_choice.filter.clear();
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
        lines << toned(
            fitted(u"PAUSED: this is how it stood then."_s, columns), TextTone::Warning, useColours());
    if (!m_choice.filter.isEmpty() && !m_isTyping)
        lines << toned(fitted(u"Filter: \"%1\". Esc clears it."_s.arg(m_choice.filter), columns),
            TextTone::Warning, useColours());
    for (const QString& line : m_notice.isEmpty() ? QStringList() : wrapped(printable(m_notice), columns))
        lines << toned(line, TextTone::Bold, useColours());
    return lines << QString();
}

QStringList WatchScreen::body(int columns)
{
    if (m_question)
        return dangerLines(m_question->text, columns, useColours());
    if (!m_error.isEmpty())
        return wrapped(u"lockctl: "_s + printable(m_error).simplified(), columns);
    if (!m_snapshot)
        return {};
    SnapshotText text = this->text(columns);
    SnapshotText::Choice choice = m_choice;
    choice.brief = columns > 0 && columns < briefBelow;
    choice.hasKeys = m_hasKeys;
    text.choose(choice);
    m_heads = text.headKeys();
    if (m_hasKeys && !m_heads.empty()) {
        if (std::ranges::find(m_heads, m_selected) == m_heads.end())
            m_selected = m_heads.front();
        text.select(*m_selected);
    }
    QStringList lines = text.heads();
    if (!lines.isEmpty())
        lines << QString();
    lines << text.blocking();
    if (const QStringList entries = text.entries(); !entries.isEmpty())
        lines << QString() << entries;
    return lines << text.limitations();
}

/// Returns at most 80 places with the usual numbers.
QString WatchScreen::keyLine(int columns) const
{
    if (m_question && m_question->hasReason)
        return fitted(u"%1? [y/N]"_s.arg(printable(m_question->text.title)), columns);
    if (m_question)
        return fitted(u"Reason: %1_   Enter: go on   Esc: do nothing"_s.arg(m_question->act.reason), columns);
    if (m_isTyping)
        return fitted(u"filter: %1_   Enter: keep it   Esc: as before"_s.arg(m_choice.filter), columns);
    QString text = u"q quit  "_s;
    if (!m_heads.empty())
        text += u"jk head  e end  c cancel  "_s;
    text +=
        u"s sort: %1  / filter  p %2"_s.arg(orderNames[m_choice.order], m_isPaused ? u"go on"_s : u"pause"_s);
    if (m_lines > m_page) {
        const qsizetype last = std::min(m_top + m_page, m_lines);
        const QString page = u"  PgUp PgDn: %1-%2 of %3"_s.arg(m_top + 1).arg(last).arg(m_lines);
        const bool isSpace = displayWidth(text + page) <= columns;
        text += isSpace ? page : u"  %1-%2/%3"_s.arg(m_top + 1).arg(last).arg(m_lines);
    }
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
        picture +=
            u"\x1b[%1;1H"_s.arg(size.rows) + toned(keyLine(size.columns), TextTone::Bold, useColours());
    print(picture);
}

} // namespace lockscope::ctl
