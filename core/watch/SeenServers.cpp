// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/SeenServers.h"

#include "core/record/ServerPlace.h"

#include <algorithm>

namespace lockscope::watch {

using namespace Qt::StringLiterals;

namespace {

/// The machine that a server runs on; empty: not known, because a port of this one may lead anywhere.
QString machineOf(const db::ServerUrl& url)
{
    if (!url.moreHosts.isEmpty() || url.options.contains(u"hostaddr"_s) || url.options.contains(u"dsn"_s))
        return {}; // nobody knows from here which it is
    const bool isSocket =
        url.sandbox || (url.engine == Engine::Postgres && (url.host.isEmpty() || url.host.startsWith(u'/')));
    const bool isPort = url.host == u"localhost" || url.host == u"::1" || url.host.startsWith(u"127."_s)
        || url.host == u"." || url.host == u"(local)";
    return isSocket ? u"here"_s : isPort ? QString() : url.host.toLower();
}

} // namespace

std::vector<SeenServer> seenServers(const std::vector<const ServerWatch*>& watches)
{
    std::vector<SeenServer> servers;
    for (const ServerWatch* const watch : watches) {
        SeenServer seen;
        if (watch && watch->monitor().snapshot() && !watch->isOld()) {
            const db::ServerProfile& profile = watch->profile();
            seen = {profile.display(), record::causeServer(profile.url), machineOf(profile.url),
                watch->monitor().snapshot(), watch->monitor().lastGood(),
                std::chrono::ceil<milliseconds>(watch->monitor().snapshot()->cost.roundTrip)};
        }
        servers.push_back(std::move(seen));
    }
    return servers;
}

SeenRings seenRings(const std::vector<SeenServer>& servers)
{
    SeenRings seen;
    seen.seesAll = std::ranges::all_of(servers, [](const SeenServer& each) { return bool(each.snapshot); });
    const CrossServer cross = crossServer(servers);
    for (const std::vector<size_t>& ring : cross.rings) {
        milliseconds together = milliseconds::max();
        QStringList names;
        size_t first = cross.waits[ring.front()].head.server;
        for (const size_t each : ring) {
            const CrossWait& wait = cross.waits[each];
            together = std::min({together, wait.idle.value, wait.waits.value});
            names << servers[wait.head.server].place;
            if (servers[wait.head.server].place < servers[first].place)
                first = wait.head.server;
        }
        names.sort();
        seen.rings.push_back({first,
            {alert::Condition::DeadlockOverServers, names.join(u", "_s), double(together.count()),
                textOfRing(ring, cross, servers), {}}});
    }
    return seen;
}

} // namespace lockscope::watch
