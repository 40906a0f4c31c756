// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include <Lockscope/WorkQueue.h>

#include <QCoreApplication>

#include <cstdio>

using namespace lockscope;
using namespace Qt::StringLiterals;

static int fail(const Error& error)
{
    std::fprintf(stderr, "%s\n", qPrintable(error.toString()));
    return 1;
}

// CREATE TABLE orders (id bigint PRIMARY KEY, item text, "ReadForProcessing" timestamp);
int main(int argc, char* argv[])
{
    const QCoreApplication application(argc, argv);
    const auto server = Server::parse(QString::fromLocal8Bit(argc > 1 ? argv[1] : "postgresql://ops@db/app"));
    if (!server)
        return fail(server.error());
    QueueTable table;
    table.table = u"orders"_s;
    table.columns = {u"item"_s};
    auto queue = WorkQueue::open(*server, table);
    if (!queue)
        return fail(queue.error());
    for (;;) {
        auto rows = (*queue)->take(10); // other readers skip these
        if (!rows)
            return fail(rows.error());
        if (rows->empty())
            return 0;
        for (const QueueRow& row : *rows)
            std::printf("order %s: %s\n", qPrintable(row.key), qPrintable(row.values[0]));
        if (const auto done = (*queue)->done(*rows); !done)
            return fail(done.error());
    }
}
