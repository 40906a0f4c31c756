// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/BadRows.h"

#include <QMap>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

void reportBadRows(Snapshot& snapshot)
{
    struct Count {
        qint64 bad = 0;
        qint64 all = 0;
        QString first;
    };
    QMap<QString, Count> counts;
    const auto count = [&counts](const auto& row, const QString& whose) {
        Count& of = counts[row.table];
        ++of.all;
        if (row.isBad() && of.bad++ == 0)
            of.first = whose.arg(row.name, row.badRow);
    };
    for (const LockTableEntry& entry : snapshot.entries)
        count(entry, u"the lock '%1': %2."_s);
    for (const LockTableWaiter& waiter : snapshot.entryWaiters)
        count(waiter, u"a waiter for '%1': %2."_s);
    for (auto it = counts.cbegin(); it != counts.cend(); ++it) {
        if (it->bad == 0)
            continue;
        const QString rows = it->bad == 1
            ? u"1 row of %1 is bad: "_s.arg(it.key())
            : u"%1 rows of %2 are bad; the first is "_s.arg(it->bad).arg(it.key());
        snapshot.limitations.push_back({Limitation::Kind::BadRows, rows + it->first,
            u"Put it right, or release it by hand."_s, it->bad, it->all});
    }
}

} // namespace lockscope::monitor
