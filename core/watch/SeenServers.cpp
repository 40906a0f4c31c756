// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/SeenServers.h"

#include "core/base/Sentences.h"
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

/// Says where to look first: to end the head blocker here undoes its work, and its client may do it again.
QString firstLookOf(const CrossWait& wait, const std::vector<SeenServer>& servers)
{
    return wait.certainty == CrossWait::Certainty::Several
        ? QString()
        : u"Look at %1 on %2 first: when it is done, this should go on by itself."_s.arg(
            wait.blocker.title, servers[wait.blocker.server].name);
}

} // namespace

std::vector<SeenServer> seenServers(const std::vector<const ServerWatch*>& watches)
{
    std::vector<SeenServer> servers;
    for (const ServerWatch* const watch : watches) {
        SeenServer seen;
        if (watch) {
            seen.name = watch->profile().display();
            seen.place = record::causeServer(watch->profile().url);
            seen.machine = machineOf(watch->profile().url);
        }
        if (watch && watch->monitor().snapshot() && !watch->isOld()) {
            seen.snapshot = watch->monitor().snapshot();
            seen.taken = watch->monitor().lastGood();
            seen.slack = std::chrono::ceil<milliseconds>(seen.snapshot->cost.roundTrip);
        }
        servers.push_back(std::move(seen));
    }
    return servers;
}

SeenTogether seenTogether(const std::vector<SeenServer>& servers)
{
    SeenTogether seen{std::vector<SeenTogether::OfServer>(servers.size()), {}};
    for (const SeenServer& each : servers)
        if (!each.snapshot && !each.place.isEmpty())
            seen.hidden << each.place;
    const CrossServer cross = crossServer(servers);
    for (const CrossWait& wait : cross.waits)
        seen.servers[wait.head.server].clientWaits.push_back({wait.head.session, wait.head.title,
            sentences({textOf(wait, servers), firstLookOf(wait, servers)})});
    for (const std::vector<size_t>& ring : cross.rings) {
        milliseconds together = milliseconds::max();
        QStringList places;
        size_t first = cross.waits[ring.front()].head.server;
        for (const size_t each : ring) {
            const CrossWait& wait = cross.waits[each];
            together = std::min({together, wait.idle.value, wait.waits.value});
            places << servers[wait.head.server].place;
            if (servers[wait.head.server].place < servers[first].place)
                first = wait.head.server;
        }
        seen.servers[first].rings.push_back({alert::Condition::DeadlockOverServers, alert::resourceOf(places),
            double(together.count()), textOfRing(ring, cross, servers), {}});
    }
    return seen;
}

} // namespace lockscope::watch
