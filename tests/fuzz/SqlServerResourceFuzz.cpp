// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/sqlserver/SqlServerResource.h"
#include "tests/fuzz/FuzzTarget.h"

namespace lockscope::test {

namespace {

void checkAppLock(const QString& text)
{
    using namespace monitor;
    const auto lock = parseAppLockText(text);
    if (!lock)
        return;
    if (!lock->matches(lock->name))
        qFatal("a name that is not its own: %s", qPrintable(text));
    const QString again = QStringLiteral("%1:[%2]:(%3)")
                              .arg(QString::number(lock->principal), lock->name,
                                  lock->hash.isEmpty() ? QStringLiteral("00000000") : lock->hash);
    const auto second = parseAppLockText(again);
    if (!second || second->name != lock->name || second->principal != lock->principal)
        qFatal("no round trip: %s", qPrintable(text));
}

} // namespace

/// Feeds bytes to all readers of SQL Server's resource texts; aborts if one resource gets two keys, or if a
/// text is lost.
static void fuzzSqlServerResource(const QByteArray& bytes)
{
    using namespace monitor;
    const QString text = QString::fromUtf8(bytes);
    checkAppLock(text);
    const WaitTarget task = parseWaitingTask(text);
    if (task != parseWaitingTask(text))
        qFatal("one text, two things: %s", qPrintable(text));
    if (task.key.kind == ResourceKind::Unknown && task.key.text != QStringView(text).trimmed())
        qFatal("a text was lost: %s", qPrintable(text));
    const WaitTarget resource = parseWaitResource(text);
    if (resource.key.kind == ResourceKind::Unknown && resource.key.text != QStringView(text).trimmed())
        qFatal("a text was lost: %s", qPrintable(text));
    (void)modeOfWaitType(text);
    for (const char* type : {"KEY", "RID", "PAGE", "EXTENT", "APPLICATION", "METADATA", "XACT", "NEW"}) {
        const ResourceColumns thing{.type = QString::fromLatin1(type),
            .subtype = {},
            .database = 5,
            .entity = 7,
            .description = text};
        ResourceColumns other = thing;
        other.entity = 8;
        // A lock on a transaction is one resource, with any B-tree in a waiter's row.
        if (thing.type != u"XACT" && resourceKey(thing) == resourceKey(other))
            qFatal("two resources, one key: %s", qPrintable(text));
        (void)partText(resourceKey(thing));
    }
}

} // namespace lockscope::test

LOCKSCOPE_FUZZ(fuzzSqlServerResource)
