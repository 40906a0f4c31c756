// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/ServerCheck.h"

#include "core/base/Sentences.h"
#include "core/db/ServerProfile.h"
#include "core/domain/Engine.h"
#include "core/monitor/SnapshotSource.h"

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

using Outcome = db::CheckStep::Outcome;

bool reach(const db::Server& server, const db::CheckSink& tell, const std::stop_token& stop)
{
    const db::ConnectOptions options{
        .purpose = db::Purpose::Monitor, .statementTimeout = milliseconds(5'000)};
    static constexpr PerEngine<decltype(&db::checkPostgres)> checks{
        .postgres = db::checkPostgres, .sqlServer = db::checkSqlServer, .sqlite = db::checkSqlite};
    return checks[server.engine()](server, options, tell, stop);
}

db::CheckStep readingStep(const Snapshot& snapshot, const QStringList& views)
{
    QString text = u"Read %1 sessions and %2 locks in %3 ms, %4, at %5 by the server's clock"_s
                       .arg(snapshot.sessions.size())
                       .arg(snapshot.requests.size() + snapshot.entries.size())
                       .arg(static_cast<double>(snapshot.cost.roundTrip.count()) / 1e3, 0, 'f', 1)
                       .arg(snapshot.cost.roundTrips == 1 ? u"one round trip"_s
                                                          : u"%1 round trips"_s.arg(snapshot.cost.roundTrips),
                           snapshot.takenAt.toIsoString());
    if (!views.isEmpty())
        text += u"; from "_s + views.join(u", "_s);
    return {.key = u"reading"_s, .name = u"Reading"_s, .finding = text};
}

QString nameOf(Limitation::Kind kind)
{
    const QString name = limitationKindName(kind);
    return name.left(1).toUpper() + name.mid(1);
}

/// Reports with whose rights frameworks' tables are read, which others may have made; false: the reader could
/// not read.
bool reportReader(const db::ServerUrl& url, const Snapshot& snapshot, const db::CheckSink& tell)
{
    using Way = FrameworkReading::Way;
    const FrameworkReading reading = frameworkReadingOf(url, snapshot);
    if (!reading.text.isEmpty())
        tell({.key = u"reader"_s,
            .name = u"Tables of frameworks"_s,
            .outcome = reading.way == Way::Refused                   ? Outcome::Failed
                : reading.way == Way::ByReader && !reading.isLimited ? Outcome::Good
                                                                     : Outcome::Note,
            .finding = withoutStop(reading.text),
            .remedy = reading.remedy});
    return reading.way != Way::Refused;
}

bool reportReading(const db::Server& server, const db::CheckSink& tell, const std::stop_token& stop)
{
    const auto source = makeSnapshotSource(server);
    const auto snapshot = source->take(stop);
    if (stop.stop_requested())
        return false;
    if (!snapshot) {
        tell({.key = u"reading"_s,
            .name = u"Reading"_s,
            .outcome = Outcome::Failed,
            .finding = snapshot.error().toString()});
        return false;
    }
    tell(readingStep(**snapshot, source->viewsRead()));
    const bool isRead = reportReader(server.profile.url, **snapshot, tell);
    for (const Limitation& limitation : (*snapshot)->limitations) {
        // The schema's step has reported it, or the reader's.
        if (limitation.kind != Limitation::Kind::MissingSchema && !isOfReader(limitation))
            tell({.key = u"limitation"_s,
                .name = nameOf(limitation.kind),
                .outcome = Outcome::Note,
                .finding = limitation.what,
                .remedy = limitation.remedy});
    }
    return isRead;
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

bool checkServer(const db::Server& given, const db::CheckSink& tell, const std::stop_token& stop)
{
    auto server = given.resolved();
    if (!server) {
        tell({.key = u"sandbox"_s,
            .name = u"Start the sandbox"_s,
            .outcome = Outcome::Failed,
            .finding = server.error().toString()});
        return false;
    }
    const auto known = std::make_shared<QString>();
    server->passwords = [passwords = server->passwords, known](const QString& url) {
        auto password = passwords ? passwords(url) : Result<QString>(QString());
        if (password)
            *known = *password;
        return password;
    };
    bool hasFault = false; // also one that keeps nothing from going on
    const db::CheckSink scrubbing = [&tell, &hasFault, known](db::CheckStep step) {
        hasFault = hasFault || step.outcome == Outcome::Failed;
        step.finding = db::scrubbed(step.finding, *known);
        step.remedy = db::scrubbed(step.remedy, *known);
        tell(step);
    };
    return reach(*server, scrubbing, stop) && !stop.stop_requested()
        && reportReading(*server, scrubbing, stop) && !hasFault;
}

} // namespace lockscope::monitor
