// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/Look.h"
#include "app/lockctl/SnapshotText.h"
#include "app/lockctl/StopOnSignal.h"
#include "app/lockctl/TextTable.h"
#include "core/base/Backoff.h"
#include "core/domain/SnapshotJson.h"

#include <condition_variable>
#include <mutex>

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

constexpr milliseconds shortestInterval{100};
constexpr milliseconds longestFailurePause{30'000};

/// A pause that a signal ends at once.
class Pause {
public:
    void end()
    {
        const std::lock_guard lock(m_mutex);
        m_ended = true;
        m_changed.notify_all();
    }
    /// False once it was ended.
    bool wait(milliseconds time)
    {
        std::unique_lock lock(m_mutex);
        return !m_changed.wait_for(lock, time, [this] { return m_ended; });
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_ended = false;
};

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
    const auto target = Target::from(line);
    if (!target)
        return fail(target.error());

    const auto source = monitor::makeSnapshotSource(target->profile, target->passwords, *probes);
    Pause pause;
    const bool inPlace = isTerminal(Stream::Out) && !line.json();
    const StopOnSignal stop(
        briefly, [&pause] { pause.end(); }, [inPlace] { Screen::restore(inPlace); });
    Screen screen(inPlace);
    bool failed = false;
    Backoff backoff(shortestInterval, longestFailurePause);
    for (qint64 look = 1; stop.signal() == 0; ++look) {
        const auto snapshot = source->take(stop.token());
        if (stop.signal() != 0)
            break;
        failed = !snapshot || (*snapshot)->isIncomplete();
        const ScreenSize size = screenSize();
        if (!snapshot && isTerminal(Stream::Out))
            screen.show({fitted(u"lockctl: "_s + errorText(snapshot.error()), size.columns)}, size.rows);
        else if (!snapshot)
            complain(errorText(snapshot.error()));
        else if (line.json())
            printJson(toJson(**snapshot));
        else
            screen.show(pictureOf(**snapshot, size.columns), size.rows);
        if (snapshot)
            backoff.reset();
        const milliseconds least = snapshot ? shortestInterval : backoff.next();
        if (look == *count || !pause.wait(std::max(*interval, least)))
            break;
    }
    return failed ? exitFailed : exitOk;
}

} // namespace

Command watchCommand()
{
    Command command{u"watch"_s, u"the same, again and again, in place"_s, run,
        u"Shows who blocks whom and the lock table, again and again, until Ctrl+C."_s};
    command.examples = QStringList{u"lockctl watch --interval 500ms"_s};
    command.addValue(u"interval"_s, u"TIME"_s, u"Pause between two looks, at least 100ms."_s, u"2s"_s);
    command.addValue(u"n"_s, u"COUNT"_s, u"End after so many looks; 0: never."_s, u"0"_s);
    addLimit(command);
    return command;
}

} // namespace lockscope::ctl
