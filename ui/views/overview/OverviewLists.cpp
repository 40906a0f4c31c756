// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/overview/OverviewLists.h"

#include "core/domain/BlockingGraph.h"
#include "core/domain/SnapshotNames.h"
#include "core/domain/WaitTotals.h"
#include "ui/kit/models/RowFilter.h"

#include <QHash>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

OverviewPlace placeOf(const std::optional<LockTableKey>& entry, const QString& filter)
{
    if (entry)
        return {QStringLiteral("lock-table"), {}, *entry};
    return {QStringLiteral("locks"), filter, {}};
}

std::vector<OverviewWait> waitsOf(const Snapshot& snapshot)
{
    std::vector<OverviewWait> waits;
    const WaitTargets targets(snapshot);
    for (const SessionWait& wait : snapshot.waitingSessions()) {
        const Age age = wait.age.value_or(Age{milliseconds(0), false});
        if (const LockTableWaiter* const waiter = wait.queued) {
            waits.push_back({.resource = waiter->name,
                .target = waiter->name,
                .who = partyName(waiter->party),
                .session = wait.session,
                .age = age,
                .entry = LockTableKey{waiter->table, waiter->name}});
            continue;
        }
        const Resource& resource = snapshot.resourceOf(*wait.request);
        const Resource* const target = targets.of(*wait.request);
        const Session* const session = snapshot.session(wait.session);
        waits.push_back({.resource = resource.name,
            .target = (target ? *target : resource).name,
            .who = session ? session->program : QString(),
            .session = wait.session,
            .age = age,
            .framework = resource.framework});
    }
    std::stable_sort(waits.begin(), waits.end(),
        [](const OverviewWait& a, const OverviewWait& b) { return a.age.value > b.age.value; });
    return waits;
}

OverviewList mostContended(const Snapshot& snapshot, int maximum, const AgeThresholds& thresholds)
{
    struct Contended {
        QString name;
        std::optional<LockTableKey> entry;
        FrameworkMatchPtr framework;
        int waiters = 0;
        Age longest;
    };
    std::vector<Contended> byName;
    QHash<LockTableKey, size_t> places; // a lock that is no entry of a lock table is of the table ""
    for (const OverviewWait& wait : waitsOf(snapshot)) {
        const auto [place, isNew] = [&] {
            const LockTableKey key = wait.entry.value_or(LockTableKey{{}, wait.resource});
            const auto found = places.constFind(key);
            if (found != places.cend())
                return std::pair(*found, false);
            places.insert(key, byName.size());
            return std::pair(byName.size(), true);
        }();
        if (isNew)
            byName.push_back({.name = wait.resource,
                .entry = wait.entry,
                .framework = wait.framework,
                .longest = wait.age});
        ++byName[place].waiters;
        byName[place].longest = std::max(byName[place].longest, wait.age);
    }
    std::stable_sort(byName.begin(), byName.end(),
        [](const Contended& a, const Contended& b) { return a.waiters > b.waiters; });
    OverviewList list;
    for (const Contended& one : byName) {
        if (list.rows.size() == maximum)
            break;
        list.rows.append({.name = one.name,
            .detail = u"longest %1"_s.arg(one.longest.toString()),
            .number = QString::number(one.waiters),
            .part = static_cast<double>(one.waiters) / byName.front().waiters,
            .level = thresholds.levelOf(one.longest.value),
            .framework = one.framework,
            .isDetailTime = true});
        list.places.append(placeOf(one.entry, QStringLiteral("resource:") + RowFilter::quoted(one.name)));
    }
    return list;
}

OverviewList oldestWaits(const Snapshot& snapshot, int maximum, const AgeThresholds& thresholds)
{
    OverviewList list;
    const std::vector<OverviewWait> waits = waitsOf(snapshot);
    for (const OverviewWait& wait : waits) {
        if (list.rows.size() == maximum)
            break;
        const double longest = std::max<double>(1, static_cast<double>(waits.front().age.value.count()));
        const QString who =
            wait.session.isValid() ? QStringLiteral("%1 %2").arg(wait.session.value).arg(wait.who) : wait.who;
        list.rows.append({.name = who,
            .detail = wait.target,
            .number = wait.age.toString(),
            .part = static_cast<double>(wait.age.value.count()) / longest,
            .level = thresholds.levelOf(wait.age.value),
            .framework = wait.framework});
        list.places.append(placeOf(wait.entry,
            wait.session.isValid() ? QStringLiteral("session:%1").arg(wait.session.value)
                                   : QStringLiteral("resource:") + RowFilter::quoted(wait.resource)));
    }
    return list;
}

} // namespace lockscope::ui
