// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include <Lockscope/Lock.h>

#include <QCoreApplication>

#include <cstdio>

using namespace lockscope;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

static int fail(const Error& error)
{
    std::fprintf(stderr, "%s\n", qPrintable(error.toString()));
    return 1;
}

/// A resource keeps the highest number seen, and refuses a write with a lower one.
static void runNightlyJob(qint64 fencing)
{
    std::printf("working with fencing number %lld\n", static_cast<long long>(fencing));
}

/// Called before anybody else can have the lock, from a thread of the library.
static void stopWriting(LossReason)
{
    std::fputs("The lock is lost.\n", stderr);
}

int main(int argc, char* argv[])
{
    const QCoreApplication application(argc, argv);
    auto server = Server::parse(u"postgresql://ops@db/app"_s);
    if (argc > 1)
        server = Server::parse(QString::fromLocal8Bit(argv[1]));
    if (!server)
        return fail(server.error());
    auto lock = acquire(*server, {.name = u"nightly"_s, .wait = 10s, .lease = 60s});
    if (!lock)
        return fail(lock.error()); // busy, timed out, deadlock victim, connection …
    lock->onLost(stopWriting);
    runNightlyJob(lock->fencing()); // released when it goes out of scope
    return 0;
}
