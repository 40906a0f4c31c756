// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include <Lockscope/Monitor.h>

#include <QCoreApplication>

#include <cstdio>

using namespace lockscope;

int main(int argc, char* argv[])
{
    QCoreApplication application(argc, argv);
    const auto server = Server::parse(QString::fromLocal8Bit(argc > 1 ? argv[1] : "postgresql://ops@db/app"));
    if (!server) {
        std::fprintf(stderr, "%s\n", qPrintable(server.error().toString()));
        return 1;
    }
    const auto monitor = makeMonitor(*server);
    QObject::connect(monitor.get(), &Monitor::snapshotChanged, &application, [&] {
        const SnapshotPtr now = monitor->snapshot();
        std::printf("%lld sessions, %lld waits, %lld entries of the lock table\n",
            static_cast<long long>(now->sessions.size()), static_cast<long long>(now->waits.size()),
            static_cast<long long>(now->entries.size()));
        for (const LockTableEntry& entry : now->entries)
            std::printf("%s is held by %s\n", qPrintable(entry.name), qPrintable(entry.party.owner));
        QCoreApplication::quit(); // a real one goes on
    });
    QObject::connect(monitor.get(), &Monitor::healthChanged, &application, [&] {
        if (const auto error = monitor->lastError()) {
            std::fprintf(stderr, "%s\n", qPrintable(error->toString()));
            QCoreApplication::exit(1);
        }
    });
    monitor->start();
    return application.exec();
}
