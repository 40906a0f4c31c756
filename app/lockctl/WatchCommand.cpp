// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/Locking.h"
#include "app/lockctl/Look.h"
#include "app/lockctl/SnapshotText.h"
#include "app/lockctl/StopOnSignal.h"
#include "app/lockctl/TextTable.h"
#include "core/base/Backoff.h"
#include "core/domain/SnapshotChanges.h"
#include "core/domain/SnapshotJson.h"

#include <semaphore>
#include <utility>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

/// Draws over its own former picture, as top does: only what changed flickers.
class Screen {
public:
    explicit Screen(bool inPlace)
        : m_inPlace(inPlace)
    {
        if (m_inPlace)
            print(u"\x1b[2J\x1b[?25l"_s);
    }
    ~Screen() { restore(m_inPlace); }
    static void restore(bool inPlace)
    {
        if (inPlace)
            print(u"\x1b[?25h"_s);
    }
    Q_DISABLE_COPY_MOVE(Screen)

    void show(const QStringList& lines, int rows)
    {
        if (!m_inPlace) {
            print(lines.join(u'\n') + u"\n\n"_s);
            return;
        }
        QString picture = u"\x1b[H"_s;
        const qsizetype shown = std::min<qsizetype>(lines.size(), rows - 1);
        for (qsizetype i = 0; i < shown; ++i)
            picture += lines.at(i) + u"\x1b[K\n"_s;
        print(picture + u"\x1b[J"_s);
    }

private:
    bool m_inPlace;
};

QStringList pictureOf(const Snapshot& snapshot, int columns)
{
    const SnapshotText text(snapshot, columns, useColours());
    QStringList lines{text.heading(), QString()};
    lines << text.blocking();
    if (const QStringList entries = text.entries(); !entries.isEmpty())
        lines << QString() << entries;
    return lines << text.limitations();
}

QString changeText(const LockChange& change)
{
    QString text = u"%1 %2 "_s.arg(describe(change.who), changeName(change.kind));
    text += change.mode ? u"%1 on %2"_s.arg(change.mode->name(), change.resource)
                        : u"'%1' of %2"_s.arg(change.resource, change.table);
    QStringList blockers;
    for (const SessionId blocker : change.blockers)
        blockers << QString::number(blocker.value);
    if (!blockers.isEmpty())
        text += u" behind "_s + blockers.join(u", "_s);
    if (change.waited)
        text += (change.kind == LockChange::Kind::Waits ? u", since "_s : u" after "_s)
            + change.waited->toString();
    return change.sessionEnded ? text + u": its session has ended"_s : text;
}

QJsonObject changeJson(const LockChange& change)
{
    QJsonArray blockers;
    for (const SessionId blocker : change.blockers)
        blockers.append(blocker.value);
    QJsonObject json{{u"change"_s, changeName(change.kind)}, {u"owner"_s, change.who.owner},
        {u"host"_s, change.who.host}, {u"program"_s, change.who.program},
        {u"process_id"_s, change.who.processId}, {u"session"_s, change.who.session.value},
        {u"table"_s, change.table}, {u"resource"_s, change.resource},
        {u"mode"_s, change.mode ? change.mode->name() : QString()}, {u"blocked_by"_s, blockers},
        {u"session_ended"_s, change.sessionEnded}};
    if (change.waited)
        json[u"waited_ms"_s] = qint64(change.waited->value.count());
    return json;
}

void showChanges(const SnapshotPtr& before, const Snapshot& after, bool json)
{
    const QString at = after.takenAt.toIsoString();
    for (const LockChange& change : changesBetween(before ? *before : Snapshot(), after)) {
        if (json) {
            QJsonObject told = changeJson(change);
            told[u"at"_s] = at;
            printJson(told);
        } else {
            print(u"%1Z  %2\n"_s.arg(at.left(19), printable(changeText(change))));
        }
    }
}

constexpr milliseconds shortestInterval{100};
constexpr milliseconds longestFailurePause{30'000};

int run(const CommandLine& line)
{
    const auto probes = probesFrom(line);
    if (!probes)
        return fail(probes.error());
    const auto interval = line.duration(u"interval"_s);
    if (!interval)
        return fail(interval.error());
    const auto count = line.number(u"n"_s, 0);
    if (!count)
        return fail(count.error());
    const auto server = serverToRead(line);
    if (!server)
        return fail(server.error());

    const auto source = monitor::makeSnapshotSource(*server, *probes);
    std::counting_semaphore<> ended(0);
    const bool changes = line.has(u"changes"_s);
    const bool inPlace = isTerminal(Stream::Out) && !line.json() && !changes;
    SnapshotPtr last;
    const StopOnSignal stop(
        briefly, [&ended] { ended.release(); }, [inPlace] { Screen::restore(inPlace); });
    Screen screen(inPlace);
    bool failed = false;
    Backoff backoff(shortestInterval, longestFailurePause);
    for (qint64 look = 1; stop.signal() == 0; ++look) {
        const auto snapshot = source->take(stop.token());
        if (stop.signal() != 0)
            break;
        failed = !snapshot || (*snapshot)->isIncomplete();
        const ScreenSize size = screenSize();
        if (!snapshot && inPlace)
            screen.show({fitted(u"lockctl: "_s + errorText(snapshot.error()), size.columns)}, size.rows);
        else if (!snapshot)
            complain(errorText(snapshot.error()));
        else if (changes)
            showChanges(std::exchange(last, *snapshot), **snapshot, line.json());
        else if (line.json())
            printJson(toJson(**snapshot));
        else
            screen.show(pictureOf(**snapshot, size.columns), size.rows);
        if (snapshot)
            backoff.reset();
        const milliseconds least = snapshot ? shortestInterval : backoff.next();
        if (look == *count || ended.try_acquire_for(std::max(*interval, least)))
            break;
    }
    return failed ? exitFailed : exitOk;
}

} // namespace

Command watchCommand()
{
    Command command{u"watch"_s, u"the same, again and again, in place"_s, run,
        u"Shows who blocks whom and the lock table, again and again, until Ctrl+C. With --changes a line for "
        "each change instead, by the server's clock: who gave a lock back, got it, stopped waiting or waits; "
        "of locks that somebody waits or has waited for, application locks and names of lock tables. What "
        "came and went between two looks is not seen."_s};
    command.examples =
        QStringList{u"lockctl watch --interval 500ms"_s, u"lockctl watch --changes --json >> locks.log"_s};
    command.addFlag(u"changes"_s, u"Only tell what changes; the first look tells how it stands."_s);
    command.addValue(u"interval"_s, u"TIME"_s, u"Pause between two looks, at least 100ms."_s, u"2s"_s);
    command.addValue(u"n"_s, u"COUNT"_s, u"End after so many looks; 0: never."_s, u"0"_s);
    addLimit(command);
    return command;
}

} // namespace lockscope::ctl
