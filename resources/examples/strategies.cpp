// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include <Lockscope/Lock.h>

#include <QCoreApplication>

#include <cstdio>

using namespace lockscope;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

/// Takes and releases one lock. What the engine lacks is refused with the reason.
static void tryOut(const Server& server, const LockOptions& options, const char* what)
{
    auto lock = acquire(server, options);
    if (!lock) {
        std::printf("%s: %s\n", what, qPrintable(lock.error().toString()));
        return;
    }
    const auto released = lock->release(); // an explicit release tells what became of it
    std::printf("%s: %s\n", what, released ? "held and released" : qPrintable(released.error().toString()));
}

int main(int argc, char* argv[])
{
    const QCoreApplication application(argc, argv);
    const auto server = Server::parse(QString::fromLocal8Bit(argc > 1 ? argv[1] : "postgresql://ops@db/app"));
    if (!server) {
        std::fprintf(stderr, "%s\n", qPrintable(server.error().toString()));
        return 1;
    }
    // A row with a lease: outlives a lost connection, for work that must not run twice.
    tryOut(*server, {.name = u"books"_s, .wait = 5s, .lease = 60s}, "lock table");
    // A name in the server's lock manager: ends with the session at the latest.
    tryOut(*server, {.name = u"books"_s, .kind = LockKind::Application, .wait = 5s}, "application lock");
    // Readers share it, one writer excludes them.
    tryOut(*server,
        {.name = u"books"_s, .kind = LockKind::Application, .mode = AcquireMode::Shared, .wait = 5s},
        "shared application lock");
    // A table that is there only to be locked, and the row of a key: both belong to a transaction.
    tryOut(*server, {.name = u"books"_s, .kind = LockKind::LockedTable, .wait = 5s}, "locked table");
    tryOut(*server, {.name = u"book 4711"_s, .kind = LockKind::LockedKey, .wait = 5s}, "locked key");
    return 0;
}
