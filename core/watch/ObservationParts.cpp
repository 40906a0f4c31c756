// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/ObservationParts.h"

#include "core/alert/Incident.h"
#include "core/base/Sentences.h"
#include "core/deadlock/Family.h"
#include "core/order/OrderTable.h"
#include "core/record/Recording.h"

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
    return isSocket ? u"here"_s : db::isThisHost(url.host) ? QString() : url.host.toLower();
}

/// Says what to do about a wait on another server: to end the head blocker here undoes its work, and its
/// client may do it again. A guess sends nobody anywhere.
QString adviceFor(size_t index, const CrossServer& cross, const std::vector<SeenServer>& servers)
{
    const CrossWait& wait = cross.waits[index];
    const bool isInRing = std::ranges::any_of(
        cross.rings, [index](const auto& ring) { return std::ranges::count(ring, index) > 0; });
    if (isInRing)
        return u"It is in a deadlock over servers, which goes on until one of its sessions is ended."_s;
    if (wait.certainty == CrossWait::Certainty::Several)
        return {};
    return u"Look at %1 on %2 first: when it is done, this %3 by itself."_s.arg(wait.blocker.title,
        servers[wait.blocker.server].name,
        wait.certainty == CrossWait::Certainty::Process ? u"should go on"_s : u"may go on"_s);
}

} // namespace

std::vector<SeenServer> seenServers(const std::vector<const ServerWatch*>& watches)
{
    std::vector<SeenServer> servers;
    for (const ServerWatch* const watch : watches) {
        SeenServer seen;
        if (watch) {
            seen.name = watch->profile().display();
            seen.place = record::causeServer(watch->place());
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
    for (size_t index = 0; index < cross.waits.size(); ++index) {
        const CrossWait& wait = cross.waits[index];
        seen.servers[wait.head.server].clientWaits.push_back({wait.head.session, wait.head.title,
            sentences({textOf(wait, servers), adviceFor(index, cross, servers)})});
    }
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
        seen.servers[first].rings.push_back({.condition = alert::Condition::DeadlockOverServers,
            .resource = alert::resourceOf(places),
            .value = double(together.count()),
            .text = textOfRing(ring, cross, servers)});
    }
    return seen;
}

void addUnknown(const deadlock::ReportPtr& report, ServerTime at, deadlock::KnownDeadlocks& known,
    const std::function<QString(const QString& family)>& whyNew, std::vector<alert::SeenDeadlock>& seen)
{
    if (report->kind == deadlock::ReportKind::Blocked)
        return;
    for (const deadlock::Deadlock& each : deadlock::deadlocksOf(report)) {
        if (known.add(deadlock::identityOf(each)) != deadlock::KnownDeadlocks::Came::New)
            continue;
        alert::SeenDeadlock one{
            .family = deadlock::familyOf(each), .title = deadlock::familyTitle(each), .at = at};
        one.whyNew = whyNew(one.family);
        seen.push_back(std::move(one));
    }
}

QString neverSeen()
{
    return u"a deadlock of this family was never seen on this server."_s;
}

std::optional<std::vector<alert::OppositeOrder>> ordersOf(const order::OrderStatePtr& state)
{
    if (!state)
        return std::nullopt;
    const QSet<QString> muted = order::mutedIds().value_or(QSet<QString>());
    std::vector<alert::OppositeOrder> orders;
    for (const order::PotentialDeadlock& each : state->found.all)
        if (!muted.contains(each.id))
            orders.push_back(
                {.id = each.id, .title = each.title(), .database = each.database, .count = each.count()});
    return orders;
}

} // namespace lockscope::watch
