// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/FrameworkReading.h"

#include "core/base/Sentences.h"
#include "core/db/ServerProfile.h"

#include <algorithm>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

const QString withoutReader =
    u"Tables of frameworks and attached ones are not read, because their reader is missing."_s;
const QString beyondCeiling = u" tables of frameworks with each poll."_s;

/// Returns null if there is none.
const Limitation* find(const Snapshot& snapshot, bool (*isIt)(const Limitation&))
{
    const auto found = std::ranges::find_if(snapshot.limitations, isIt);
    return found == snapshot.limitations.end() ? nullptr : &*found;
}

bool isOfCeiling(const Limitation& limitation)
{
    return limitation.kind == Limitation::Kind::CappedRows && limitation.what.endsWith(beyondCeiling);
}

FrameworkReading byLoginOrReader(const db::ServerUrl& url, const QString& reader)
{
    using Way = FrameworkReading::Way;
    if (!reader.isEmpty())
        return {.way = Way::ByReader,
            .text =
                u"Tables of frameworks are read as the role %1, by which nobody could gain anything."_s.arg(
                    reader)};
    if (url.engine != Engine::Postgres)
        return {};
    return {.way = Way::ByLogin,
        .text =
            u"Tables of frameworks are read with your own rights: those of owners whom you trust, and those that you allowed."_s,
        .remedy =
            u"To read them with next to no rights: ?reader=ROLE in the server's URL, a member of pg_monitor at most."_s};
}

} // namespace

bool isOfReader(const Limitation& limitation)
{
    return limitation.kind == Limitation::Kind::Failed && limitation.what.startsWith(withoutReader);
}

Limitation readerLimitation(const Error& error)
{
    return {.kind = Limitation::Kind::Failed,
        .what = sentences({withoutReader, error.reason()}),
        .remedy = error.hint,
        .hidesLocks = true};
}

Limitation ceilingLimitation(qsizetype read, qsizetype found)
{
    return {.kind = Limitation::Kind::CappedRows,
        .what = u"Reading %1 of the %2"_s.arg(read).arg(found) + beyondCeiling,
        .remedy = u"For all of them: ?frameworks=%1 in the server's URL."_s.arg(found),
        .shown = read,
        .total = found,
        .hidesLocks = true};
}

FrameworkReading frameworkReadingOf(const db::ServerUrl& url, const Snapshot& snapshot)
{
    using Way = FrameworkReading::Way;
    const QString reader = db::readerRole(url);
    if (const Limitation* refused = reader.isEmpty() ? nullptr : find(snapshot, &isOfReader))
        return {.way = Way::Refused, .text = refused->what, .remedy = refused->remedy, .isLimited = true};
    if (db::maxFrameworkTables(url) == 0)
        return {.way = Way::Off,
            .text = u"Tables of frameworks are not read: ?frameworks=off in the server's URL."_s,
            .isLimited = true};
    FrameworkReading reading = byLoginOrReader(url, reader);
    if (const Limitation* ceiling = find(snapshot, &isOfCeiling)) {
        reading.text = sentences({reading.text, ceiling->what});
        reading.remedy = sentences({ceiling->remedy, reading.remedy});
        reading.isLimited = true;
    }
    return reading;
}

} // namespace lockscope::monitor
