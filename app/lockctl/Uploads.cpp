// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Uploads.h"

#include "app/lockctl/Console.h"
#include "app/lockctl/Recordings.h"
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
        u"Bring it to a team's history, too: a database of PostgreSQL (lockctl install --history). While "
        "that is away the file keeps it."_s);
}

Result<void> checkMayWriteHistory(const CommandLine& line)
{
    if (line.readOnly())
        return failure(ErrorKind::ReadOnly, u"Can't write a history: lockctl is to look only."_s,
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

void Uploads::leaveOthers(const std::function<bool(const QString& path)>& isWanted)
{
    for (auto& [path, one] : m_all) {
        if (one.leavesBy || isWanted(path))
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

void Uploads::printTroubles()
{
    QSet<QString> troubles;
    for (auto& [path, one] : m_all) {
        const auto state = one.upload->state();
        if (state.error && state.isAway)
            troubles << u"The file keeps what is to go to the history: "_s + errorText(*state.error);
        else if (state.error && state.isFileThere)
            troubles << u"%1 keeps what is to go to the history: %2"_s.arg(path, errorText(*state.error));
        if (state.isUpToDate && state.skipped > std::exchange(one.skipped, state.skipped))
            complain(
                u"%1: %2 were dropped from the file before the history took them, which has a gap there."_s
                    .arg(path, counted(state.skipped, u"snapshot"_s)));
    }
    for (const QString& trouble : troubles - m_troubles)
        complain(trouble);
    m_troubles = troubles;
    endThoseThatLeave();
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
