// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/Finding.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"

#include <algorithm>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

/// Begins a sentence with a text about a participant.
QString capitalised(const Deadlock& deadlock, int participant, QString text)
{
    if (deadlock.participant(participant).session.isValid())
        text[0] = text[0].toUpper();
    return text;
}

QString modeOn(const QString& mode, const LockedThing& thing)
{
    return mode.isEmpty() ? thing.name : u"%1 on %2"_s.arg(mode, thing.name);
}

/// Table, or what else is known: short.
QString shortName(const LockedThing& thing)
{
    if (thing.table.isEmpty())
        return thing.name;
    return TablePart{thing.table, thing.part}.name();
}

/// "session 52 (Shop on APP01, user ann)".
QString introduced(const Deadlock& deadlock, int at)
{
    const Participant& one = deadlock.participant(at);
    QStringList about;
    if (!one.program.isEmpty())
        about << (one.host.isEmpty() ? one.program : u"%1 on %2"_s.arg(one.program, one.host));
    if (!one.user.isEmpty())
        about << u"user "_s + one.user;
    const QString name = participantName(deadlock, at);
    return about.isEmpty() ? name : u"%1 (%2)"_s.arg(name, about.join(u", "_s));
}

QString hadSentence(const Deadlock& deadlock, const Link& link)
{
    const LockedThing& thing = deadlock.resource(link.resource);
    const QString who = capitalised(deadlock, link.blocker, introduced(deadlock, link.blocker));
    if (!thing.isLock)
        return u"%1 had not yet done what others wait for: %2."_s.arg(who, thing.name);
    if (link.isQueue)
        return u"%1 stood first in the queue for %2."_s.arg(who, thing.name);
    if (thing.isTransaction)
        return u"%1 had changed something in its transaction, which is still open: %2."_s.arg(
            who, thing.name);
    if (link.held.isEmpty())
        return u"%1 had %2, or stood ahead in the queue for it; the log does not say which."_s.arg(
            who, thing.name);
    return u"%1 had %2."_s.arg(who, modeOn(link.held, thing));
}

QString requestedSentence(const Deadlock& deadlock, const Link& link)
{
    const LockedThing& thing = deadlock.resource(link.resource);
    const QString waiter = beginningWith(deadlock, link.waiter);
    const QString waited = deadlock.participant(link.waiter).waited
        ? u" It waited %1."_s.arg(shortDuration(deadlock.participant(link.waiter).waited->count() * 1000))
        : QString();
    const QString requested = link.converts ? u"requested more, %1,"_s : u"requested %1"_s;
    return u"%1 %2 and had to wait for %3.%4"_s.arg(
        waiter, requested.arg(modeOn(link.awaited, thing)), participantName(deadlock, link.blocker), waited);
}

constexpr qsizetype maxDrawnRings = 4;

QStringList linesOf(const Deadlock& deadlock, const Cycle& ring)
{
    const auto& links = ring.links;
    qsizetype nameWidth = 0;
    qsizetype thingWidth = 0;
    QStringList names;
    QStringList wants;
    for (const Link& link : links) {
        names << deadlock.participant(link.waiter).label()
                + (deadlock.isVictim(link.waiter) ? u" ✗"_s : QString());
        wants << (link.converts ? u"converts to "_s : u"waits for "_s)
                + modeOn(link.awaited, deadlock.resource(link.resource));
        nameWidth = std::max(nameWidth, names.last().size());
        thingWidth = std::max(thingWidth, wants.last().size());
    }
    QStringList lines;
    for (qsizetype i = 0; i < links.size(); ++i) {
        const QString edge = i == 0 ? u"┌─▶ "_s : i + 1 == links.size() ? u"└── "_s : u"│ ↓ "_s;
        const QString blocker = deadlock.participant(links[i].blocker).label();
        const QString held = links[i].isQueue ? u"behind %1 in the queue"_s.arg(blocker)
            : links[i].held.isEmpty()         ? u"blocked by %1"_s.arg(blocker)
                                              : u"held by %1: %2"_s.arg(blocker, links[i].held);
        lines << edge + names[i].leftJustified(nameWidth) + u"  "_s + wants[i].leftJustified(thingWidth)
                + u"  "_s + held;
        const QString statement = shortStatement(deadlock.participant(links[i].waiter).statement);
        if (!statement.isEmpty())
            lines << (i + 1 < links.size() ? u"│   "_s : u"    "_s) + QString(nameWidth + 2, u' ')
                    + statement;
    }
    return lines;
}

} // namespace

QString participantName(const Deadlock& deadlock, int participant)
{
    const Participant& one = deadlock.participant(participant);
    if (!one.session.isValid())
        return one.key;
    const bool isProcess = deadlock.report->engine == Engine::Postgres;
    const QString session = u"%1 %2"_s.arg(isProcess ? u"process"_s : u"session"_s).arg(one.session.value);
    return one.thread.value_or(0) == 0 ? session : u"thread %1 of %2"_s.arg(*one.thread).arg(session);
}

QString beginningWith(const Deadlock& deadlock, int participant)
{
    return capitalised(deadlock, participant, participantName(deadlock, participant));
}

QString sentenceOf(const Deadlock& deadlock, const Link& link)
{
    const LockedThing& thing = deadlock.resource(link.resource);
    const QString start = u"%1 %2 %3"_s.arg(beginningWith(deadlock, link.waiter),
        link.converts ? u"has a lock already and waits for"_s : u"waits for"_s, modeOn(link.awaited, thing));
    const QString blocker = participantName(deadlock, link.blocker);
    if (link.isQueue)
        return u"%1, for which %2 stands ahead in the queue."_s.arg(start, blocker);
    if (link.held.isEmpty())
        return u"%1; %2 blocks it."_s.arg(start, blocker);
    return u"%1, where %2 has %3."_s.arg(start, blocker, link.held);
}

QString shortStatement(const QString& statement)
{
    constexpr qsizetype maximum = 120;
    constexpr qsizetype enough = 2'000; // blanks between its words, too
    const QString bare = bareStatement(statement);
    QString text = bare.left(enough).simplified();
    while (text.endsWith(u';') || text.endsWith(u' '))
        text.chop(1);
    const bool isWhole = text.size() <= maximum && bare.size() <= enough;
    return isWhole ? text : text.left(maximum - 1) + u'…';
}

QString summaryOf(const Deadlock& deadlock)
{
    const auto& links = deadlock.cycle().links;
    QStringList parts;
    for (qsizetype i = 0; i < links.size(); ++i) {
        const Link& before = links[(i + links.size() - 1) % links.size()]; // its blocker is this waiter
        const QString has = shortName(deadlock.resource(before.resource));
        const QString wants = shortName(deadlock.resource(links[i].resource));
        const QString name = participantName(deadlock, links[i].waiter);
        parts << (before.resource == links[i].resource
                ? u"%1 shares %2 and waits for more of it"_s.arg(name, wants)
                : u"%1 has %2 and waits for %3"_s.arg(name, has, wants));
    }
    const QString ring = capitalised(deadlock, links.first().waiter, parts.join(u"; "_s)) + u'.';
    if (deadlock.rings.size() == 1)
        return ring;
    return u"%1 sessions wait for each other in %2 rings. %3"_s.arg(
        QString::number(deadlock.participants.size()), QString::number(deadlock.rings.size()), ring);
}

QStringList sequenceOf(const Deadlock& deadlock)
{
    QList<Link> links = deadlock.links();
    const bool knowsWaits = std::ranges::all_of(
        links, [&](const Link& link) { return deadlock.participant(link.waiter).waited.has_value(); });
    // The longest waiter began first.
    if (knowsWaits)
        std::ranges::stable_sort(links, [&](const Link& one, const Link& other) {
            return deadlock.participant(one.waiter).waited > deadlock.participant(other.waiter).waited;
        });
    QStringList steps;
    for (const Link& link : links)
        if (const QString had = hadSentence(deadlock, link); !steps.contains(had))
            steps << had;
    for (const Link& link : links)
        steps << requestedSentence(deadlock, link);
    steps << (deadlock.rings.size() > 1
            ? u"Their waits form %1 rings: none can ever go on by itself. That is the deadlock."_s.arg(
                deadlock.rings.size())
            : links.size() == 2
            ? u"Each waits for the other: neither can ever go on by itself. That is the deadlock."_s
            : u"Each waits for the next one, and the last one for the first: none can ever go on by itself. That is the deadlock."_s);
    const QStringList victims =
        textOfEach(deadlock.victims, [&](int victim) { return participantName(deadlock, victim); });
    if (!victims.isEmpty())
        steps << (victims.size() == 1
                ? u"The server ended the statement of %1 as the victim and undid its transaction; so the others could go on."_s
                : u"The server ended the statements of %1 as the victims and undid their transactions; so the others could go on."_s)
                     .arg(victims.join(u", "_s));
    else if (deadlock.report->kind == ReportKind::Live)
        steps << u"The server has not ended anybody yet, when this was seen."_s;
    else
        steps << u"The report does not say which session the server ended."_s;
    if (!knowsWaits)
        steps << u"The order in which they began to wait is unknown."_s;
    return steps;
}

QList<Cycle> drawnRings(const Deadlock& deadlock)
{
    QList<Cycle> drawn;
    for (const int ring : deadlock.rings.first(std::min(deadlock.rings.size(), maxDrawnRings)))
        drawn << deadlock.report->cycles[ring];
    return drawn;
}

QString undrawnRings(const Deadlock& deadlock)
{
    const qsizetype more = deadlock.rings.size() - maxDrawnRings;
    return more <= 0 ? QString() : u"And "_s + counted(more, u"ring more.", u"rings more.");
}

QStringList drawingOf(const Deadlock& deadlock)
{
    QStringList lines;
    for (const Cycle& ring : drawnRings(deadlock))
        lines << linesOf(deadlock, ring);
    if (const QString more = undrawnRings(deadlock); !more.isEmpty())
        lines << more;
    return lines;
}

} // namespace lockscope::deadlock
