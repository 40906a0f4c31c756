// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include <Lockscope/LockOrder.h>

#include <QCoreApplication>

#include <cstdio>

using namespace lockscope;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

/// Works under two locks, which are given back at the end.
static bool workUnder(const Server& server, const QString& first, const QString& second, LockOptions options)
{
    options.name = first;
    const auto outer = acquire(server, options);
    if (!outer)
        return false;
    options.name = second;
    return acquire(server, options).has_value();
}

int main(int argc, char* argv[])
{
    const QCoreApplication application(argc, argv);
    const auto server = Server::parse(QString::fromLocal8Bit(argc > 1 ? argv[1] : "postgresql://ops@db/app"));
    if (!server) {
        std::fprintf(stderr, "%s\n", qPrintable(server.error().toString()));
        return 2;
    }
    const OrderOfGrants order;
    LockOptions options;
    options.wait = 10s;
    options.stepListener = order.listener();
    // One after the other: nobody is in anybody's way, and all goes well.
    if (!workUnder(*server, u"order:17"_s, u"stock"_s, options)
        || !workUnder(*server, u"stock"_s, u"order:18"_s, options)) {
        std::fputs("The locks were not obtained.\n", stderr);
        return 2;
    }
    const auto found = order.potentialDeadlocks().all;
    for (const PotentialDeadlock& each : found) {
        std::printf("%s\n", qPrintable(each.title()));
        for (const auto& leg : each.legs)
            std::printf("  %s\n", qPrintable(legText(leg)));
    }
    return found.isEmpty() ? 0 : 1; // what a test of the program ends with
}
