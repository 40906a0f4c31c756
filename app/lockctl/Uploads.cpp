// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Uploads.h"

#include "app/lockctl/Console.h"
#include "app/lockctl/Recordings.h"
#include "core/base/Sentences.h"
#include "core/record/postgres/HistoryStore.h"

#include <utility>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

constexpr milliseconds lastChance{5'000};

}

void addInto(Command& command)
{
    command.addValue(u"into"_s, u"URL"_s,
        u"Bring it to a team's history, too: a database of PostgreSQL (lockctl install --history). While that can't be reached, the file keeps it."_s);
}

Result<void> checkMayWriteHistory(const CommandLine& line)
{
    if (line.readOnly())
        return failure(ErrorKind::ReadOnly, u"Can't write a history: lockctl is read-only."_s,
            u"Leave out --read-only and unset LOCKSCOPE_READ_ONLY, or leave out the history."_s);
    return {};
}

Result<Uploads> Uploads::from(const CommandLine& line)
{
    Uploads uploads;
    if (!line.has(u"into"_s))
        return uploads;
    if (auto allowed = checkMayWriteHistory(line); !allowed)
        return Failure(allowed.error());
    auto place = record::HistoryPlace::parse(line.value(u"into"_s));
    if (!place)
        return Failure(place.error());
    if (!place->recording.isEmpty())
        return failure(ErrorKind::BadInput, u"The recording names itself."_s,
            u"Leave out what follows the '#' in --into."_s);
    uploads.m_history = std::make_shared<record::HistoryConnections>(std::move(place->server));
    return uploads;
}

void Uploads::bring(const QString& path, const std::shared_ptr<record::HistoryConnections>& history)
{
    const auto known = m_all.find(path);
    if (known != m_all.end() && known->second.upload->history() == history) {
        known->second.leavesBy.reset();
        return;
    }
    m_all.erase(path);
    if (history)
        m_all.emplace(path, One{std::make_unique<record::HistoryUpload>(path, history)});
}

void Uploads::leaveOthers(const std::function<bool(const QString& path)>& isUploaded)
{
    for (auto& [path, one] : m_all) {
        if (one.leavesBy || isUploaded(path))
            continue;
        one.leavesBy = Clock::now() + lastChance;
        one.upload->check();
    }
}

std::optional<record::UploadState> Uploads::state(const QString& path) const
{
    const auto found = m_all.find(path);
    return found == m_all.end() ? std::nullopt : std::optional(found->second.upload->state());
}

/// Returns all histories and files, whether they are in trouble or not.
std::map<QString, Uploads::Trouble> Uploads::troubles() const
{
    std::map<QString, Trouble> troubles;
    for (const auto& [path, one] : m_all) {
        const auto state = one.upload->state();
        const QString history = one.upload->history()->server().display();
        const QString why = state.error ? errorText(*state.error) : QString();
        const bool isBrought = !state.error && (state.isUpToDate || state.frames > 0);
        Trouble ofFile{.over = u"%1 goes to the history %2 again."_s.arg(path, history), .isOver = isBrought};
        Trouble& ofHistory = troubles[history];
        ofHistory.over = u"The history %1 is back, and gets what the files have kept."_s.arg(history);
        ofHistory.isOver = ofHistory.isOver || isBrought;
        if (state.error && state.isAway) {
            // Not by its text: a network that comes back says something else each second.
            ofHistory.reason = state.isRefused() ? u"refused"_s : u"unreachable"_s;
            ofHistory.message = (state.isRefused()
                    ? u"The history %1 refuses what is to go there, and the files keep it: %2"_s
                    : u"The history %1 can't be reached, and the files keep what is to go there: %2"_s)
                                    .arg(history, why);
        } else if (state.isUnreadable || (state.error && state.isFileThere)) {
            ofFile.reason = why;
            ofFile.message =
                (state.isUnreadable ? u"%1 can't be read, and does not go to the history %2: %3"_s
                                    : u"%1 keeps what is to go to the history %2: %3"_s)
                    .arg(path, history, why);
        }
        troubles[path] = ofFile;
    }
    return troubles;
}

void Uploads::printTroubles()
{
    std::map<QString, QString> reasons;
    for (const auto& [what, trouble] : troubles()) {
        const QString before = m_reasons[what];
        const bool isUnknown = trouble.reason.isEmpty() && !trouble.isOver;
        reasons[what] = isUnknown ? before : trouble.reason;
        if (reasons[what] != before)
            complain(trouble.reason.isEmpty() ? trouble.over : trouble.message);
    }
    m_reasons = std::move(reasons);
}

void Uploads::printChanges()
{
    printTroubles();
    for (auto& [path, one] : m_all) {
        const auto state = one.upload->state();
        if (state.isUpToDate && state.skipped > std::exchange(one.skipped, state.skipped))
            complain(u"%1: %2 from the file before the history took them, which has a gap there."_s.arg(
                path, counted(state.skipped, u"snapshot was dropped", u"snapshots were dropped")));
    }
}

namespace {

void complainOfRest(const QString& path)
{
    complain(
        u"Not all of %1 is in the history yet: the next program that records into it brings it there."_s.arg(
            path));
}

} // namespace

void Uploads::endThoseThatLeave()
{
    std::erase_if(m_all, [](const auto& each) {
        const auto& [path, one] = each;
        if (!one.leavesBy)
            return false;
        const bool isLate = *one.leavesBy < Clock::now();
        if (isLate && !one.upload->isAllThere())
            complainOfRest(path);
        return isLate || one.upload->isAllThere();
    });
}

void Uploads::finish()
{
    const auto until = Clock::now() + lastChance;
    for (const auto& [path, one] : m_all)
        one.upload->check();
    for (const auto& [path, one] : m_all) {
        const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
        if (!one.upload->finish(std::max(left, milliseconds(1))))
            complainOfRest(path);
    }
}

} // namespace lockscope::ctl
