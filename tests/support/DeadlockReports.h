// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"

#include <QByteArray>
#include <QString>

#include <vector>

namespace lockscope::test {

/// All reports of a file in tests/support/deadlocks. Ends the program if it can't be read.
QList<deadlock::ReportPtr> readDeadlocks(const QString& name);
/// The only report of a file.
deadlock::ReportPtr oneDeadlock(const QString& name);
/// Each ring as "52!>63", the victim with "!"; each begins with its least, so that files compare.
QStringList ringsOf(const deadlock::DeadlockReport& report);
/// The rules that apply to it, but for "victim" and "capture".
QStringList findingsOf(const deadlock::ReportPtr& report);

/// Returns the content of tests/support/deadlocks/NAME: reports made by hand, see the README there. Ends the
/// program if there is no such file.
QByteArray deadlockFile(const QString& name);
QString deadlockFilePath(const QString& name);

/// One lock of a made report: who has it in which mode, and who waits for it in which.
struct MadeLock {
    QByteArray element; ///< "keylock"
    QByteArray attributes; ///< what names it
    int owner = 0;
    QByteArray held;
    int waiter = 0;
    QByteArray requestedMode;
    bool converts = false; ///< the waiter has it already in the mode that is held
};

/// The text of a report of SQL Server, made by hand: sessions 51, 52 … (numbers from 0), the first one is the
/// victim.
inline QByteArray deadlockXml(int sessions, const std::vector<MadeLock>& locks)
{
    const auto number = [](int value) { return QByteArray::number(value); };
    QByteArray xml = "<deadlock><victim-list><victimProcess id=\"process0\"/></victim-list><process-list>";
    for (int i = 0; i < sessions; ++i)
        xml += "<process id=\"process" + number(i) + "\" spid=\"" + number(51 + i)
            + "\" ecid=\"0\" logused=\"100\" clientapp=\"shop\" hostname=\"app1\" loginname=\"ann\" isolationlevel=\"repeatable read (3)\"><executionStack/><inputbuf>UPDATE dbo.orders SET n = "
            + number(i) + "</inputbuf></process>";
    xml += "</process-list><resource-list>";
    int id = 0;
    for (const MadeLock& lock : locks) {
        const QByteArray owner =
            "<owner id=\"process" + number(lock.owner) + "\" mode=\"" + lock.held + "\"/>";
        const QByteArray converter = lock.converts
            ? "<owner id=\"process" + number(lock.waiter) + "\" mode=\"" + lock.held + "\"/>"
            : QByteArray();
        xml += '<' + lock.element + ' ' + lock.attributes + " id=\"lock" + number(++id) + "\" mode=\""
            + lock.held + "\"><owner-list>" + owner + converter
            + "</owner-list><waiter-list><waiter id=\"process" + number(lock.waiter) + "\" mode=\""
            + lock.requestedMode + "\" requestType=\"" + (lock.converts ? "convert" : "wait")
            + "\"/></waiter-list></" + lock.element + '>';
    }
    return xml + "</resource-list></deadlock>";
}

/// Two sessions, two rows of one table, each waits for the row of the other.
inline QByteArray twoRowsXml()
{
    return deadlockXml(2,
        {{"keylock", R"(hobtid="1" dbid="5" objectname="shop.dbo.orders" indexname="PK_orders")", 1, "X", 0,
             "X"},
            {"keylock", R"(hobtid="2" dbid="5" objectname="shop.dbo.orders" indexname="PK_orders")", 0, "X",
                1, "X"}});
}

} // namespace lockscope::test
