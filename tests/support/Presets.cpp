// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/Presets.h"

#include "tests/support/TestServer.h"

#include <thread>

namespace lockscope::test {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

static TestServer& server()
{
    return TestServer::shared();
}

static QString quoted(QString text)
{
    return u'\'' + text.replace(u'\'', u"''"_s) + u'\'';
}

Presets applied(const db::ServerUrl& url, const Presets& presets)
{
    const auto boss = server().connect(server().url());
    Presets done;
    for (const auto& [name, value] : presets) {
        const bool isList = name == u"search_path";
        const QString sql = u" SET %1 = %2"_s.arg(name, isList ? value : quoted(value));
        const bool ofDatabase =
            boss->executeScript(u"ALTER DATABASE \"%1\"%2"_s.arg(url.database, sql).toUtf8()).has_value();
        const bool ofRole =
            boss->executeScript(
                    u"ALTER ROLE \"%1\" IN DATABASE \"%2\"%3"_s.arg(url.user, url.database, sql).toUtf8())
                .has_value();
        if (ofDatabase || ofRole)
            done << Preset{name, value};
    }
    return done;
}

void resetAll(const db::ServerUrl& url)
{
    const auto boss = server().connect(server().url());
    for (const QString& sql : {u"ALTER DATABASE \"%1\" RESET ALL"_s.arg(url.database),
             u"ALTER ROLE \"%1\" IN DATABASE \"%2\" RESET ALL"_s.arg(url.user, url.database)})
        orDie(boss->executeScript(sql.toUtf8()));
}

db::ServerUrl asProgram(const db::ServerUrl& database)
{
    return server().asRole(database, u"GRANT lockscope_admin, pg_monitor TO {role}"_s);
}

QString locking(const db::ServerUrl& url, const LockCase& lock, milliseconds held)
{
    const auto first = server().at(url).connect();
    const auto second = server().at(url).connect();
    if (!first || !second)
        return textOf(first) + u", "_s + textOf(second);
    const auto holder = locks::LockStrategy::create(lock.kind, **first);
    const auto rival = locks::LockStrategy::create(lock.kind, **second);
    locks::AcquireRequest request;
    request.name = u"n'ü\\"_s;
    request.owner = lock.owner;
    QStringList texts;
    {
        auto granted = locks::acquire(**holder, request);
        if (!granted)
            return granted.error().toString();
        texts << locks::outcomeName(granted->outcome)
              << (lock.kind == locks::LockKind::Table ? QString::number(granted->grant.fencing() >= 1)
                                                      : QString());
        const auto refused = locks::acquire(**rival, request);
        texts << (refused ? locks::outcomeName(refused->outcome) : refused.error().toString());
        std::this_thread::sleep_for(held);
        request.wait = 50ms;
        const auto late = locks::acquire(**rival, request);
        texts << (late ? locks::outcomeName(late->outcome) : late.error().toString());
        texts << QString::number(granted->grant.isHeld()) << textOf(granted->grant.release());
    }
    auto next = locks::acquire(**rival, request);
    texts << (next ? locks::outcomeName(next->outcome) : next.error().toString());
    return texts.join(u", "_s);
}

} // namespace lockscope::test
