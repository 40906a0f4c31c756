// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/sandbox/DemoCrowd.h"

#include <random>

namespace lockscope::sandbox {

using namespace Qt::StringLiterals;

namespace {

using locks::AcquireMode;
using locks::LockKind;
using Random = std::minstd_rand;

milliseconds between(milliseconds least, milliseconds most, Random& random)
{
    return milliseconds(std::uniform_int_distribution<qint64>(least.count(), most.count())(random));
}

locks::AcquireRequest requestOf(const DemoRegular& regular)
{
    locks::AcquireRequest request;
    request.name = regular.lockName;
    request.mode = regular.mode;
    request.wait = regular.wait;
    request.lease = milliseconds(60'000);
    request.party.program = regular.program;
    request.party.owner = regular.person;
    return request;
}

/// Takes the lock, keeps it for a while, gives it back. False if the session failed.
bool takeTurn(DemoActor& actor, const DemoRegular& regular, Random& random)
{
    db::Connection* const session = actor.connection();
    if (!session)
        return false;
    auto strategy = locks::LockStrategy::create(regular.kind, *session);
    if (!strategy)
        return false;
    auto result = (*strategy)->acquire(requestOf(regular), actor.stopToken());
    if (!result)
        return false;
    if (!result->grant.isHeld())
        return true;
    const bool lives = actor.idle(between(regular.holds / 2, regular.holds, random));
    return result->grant.release() && lives;
}

} // namespace

const std::vector<DemoRegular>& demoRegulars()
{
    const milliseconds forEver(-1);
    const milliseconds patient(30'000);
    const auto exclusive = AcquireMode::Exclusive;
    const milliseconds second(1'000);
    static const std::vector<DemoRegular> regulars{
        {u"import farm-1"_s, u"batch"_s, LockKind::Application, u"import/orders.csv"_s, exclusive, forEver,
            9 * second, second},
        {u"phone-17/a"_s, u"ann"_s, LockKind::Table, u"customers/17"_s, exclusive, patient, 8 * second,
            second},
        {u"phone-17/b"_s, u"ann"_s, LockKind::Table, u"customers/17"_s, exclusive, patient, 8 * second,
            second},
        {u"import farm-2"_s, u"batch"_s, LockKind::Application, u"import/orders.csv"_s, exclusive, forEver,
            9 * second, second},
        {u"web-4"_s, u"www"_s, LockKind::Table, u"best sellers"_s, exclusive, {}, 6 * second, 3 * second},
        {u"tablet-17"_s, u"bob"_s, LockKind::Table, u"customers/17"_s, exclusive, patient, 6 * second,
            second},
        {u"import farm-3"_s, u"batch"_s, LockKind::Application, u"import/orders.csv"_s, exclusive, forEver,
            9 * second, second},
    };
    return regulars;
}

void playRegular(DemoActor actor, const DemoRegular& regular, quint32 seed)
{
    Random random(seed);
    actor.appearAs(regular.program);
    while (!actor.isStopped()) {
        if (takeTurn(actor, regular, random))
            actor.sleep(regular.rests);
        else
            actor.recover();
    }
}

void playCrashing(DemoActor actor)
{
    const DemoRegular crashing{
        u"legacy-export"_s, u"eve"_s, LockKind::Table, u"new releases"_s, AcquireMode::Exclusive, {}, {}, {}};
    const auto& exists = db::Statement::get("postgres/demo/entry_exists");
    actor.appearAs(crashing.program);
    while (db::Connection* const session = actor.connection()) {
        const auto rows = session->execute(
            exists, {crashing.lockName}, [](const db::Row&) {}, actor.stopToken());
        if (rows && *rows == 0) {
            locks::AcquireRequest request = requestOf(crashing);
            request.lease = milliseconds(100);
            const auto strategy = locks::LockStrategy::create(crashing.kind, *session);
            auto result = strategy ? (*strategy)->acquire(request) : Failure(strategy.error());
            if (result)
                result->grant.abandon();
        }
        // The session of a crashed program is gone, too.
        actor.disappear();
        actor.sleep(milliseconds(20'000));
    }
}

void playShopper(DemoActor actor, quint32 seed)
{
    Random random(seed);
    const auto& fillCart = db::Statement::get("postgres/demo/fill_cart");
    actor.appearAs(u"web-%1"_s.arg(5 + seed % 4));
    while (!actor.isStopped()) {
        const qint64 cart = std::uniform_int_distribution<qint64>(1, 50)(random);
        const std::vector<db::Param> params{cart};
        if (actor.begin() && actor.run(fillCart, params) && actor.commit())
            actor.sleep(between(milliseconds(150), milliseconds(700), random));
        else
            actor.recover();
    }
}

} // namespace lockscope::sandbox
