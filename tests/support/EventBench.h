// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Server.h"
#include "core/deadlock/source/SqlServerDeadlockSource.h"
#include "tests/support/DeadlockReports.h"
#include "tests/support/OrDie.h"
#include "tests/support/tds/EventAnswers.h"
#include "tests/support/tds/SessionAnswers.h"

#include <algorithm>

/// Event sessions of a double of SQL Server that catch deadlocks, for tests that read them.
namespace lockscope::test::tds {

inline constexpr qint64 second = 1'000'000;
inline constexpr qint64 start = 1'800'000'000 * second; ///< the server's clock when a test begins
inline constexpr qint64 hour = 3'600 * second;

/// A deadlock unlike those of other numbers: its transactions began when no other's did.
inline QByteArray xmlOf(int number)
{
    return twoRowsXml().replace(
        "ecid=\"0\"", "ecid=\"0\" waittime=\"" + QByteArray::number(1'000 + number) + '"');
}

inline CaughtEvent caught(int number, qint64 happened, const QString& timestamp = {})
{
    return eventOf(QStringLiteral("xml_deadlock_report"), xmlOf(number), happened, timestamp);
}

inline CaughtEvent waitInfo(qint64 happened)
{
    return eventOf(QStringLiteral("wait_info"), "<x/>", happened);
}

inline void addSystemHealth(EventPicture& picture)
{
    auto& session = picture.session(QStringLiteral("system_health"));
    session.file = QStringLiteral("system_health.xel");
    session.hasRing = true;
    session.ring = ringOf({});
    picture.file(QStringLiteral("system_health"), start - hour).write({waitInfo(start - hour)});
}

/// A server whose sessions can be read, and the reader.
struct EventBench {
    TdsServer server;
    EventAnswers events{server};
    std::unique_ptr<db::Connection> connection;
    std::unique_ptr<deadlock::SqlServerDeadlockSource> source;

    explicit EventBench(const std::function<void(EventPicture&)>& show = addSystemHealth) { change(show); }

    void change(const std::function<void(EventPicture&)>& change) { events.change(change); }

    void begin(std::optional<ServerTime> since = {},
        const deadlock::SqlServerPace& pace = {milliseconds(0), milliseconds(0), 1'000},
        const QString& database = QStringLiteral("orders"))
    {
        auto opened = orDie(db::Server::at(urlOf(server, database), db::fixedPassword(passwordOf(server)))
                                .connect({.purpose = db::Purpose::Monitor}));
        source.reset();
        connection = std::move(opened);
        source = std::make_unique<deadlock::SqlServerDeadlockSource>(*connection, since, pace);
    }

    deadlock::SourcePoll poll()
    {
        if (!source)
            begin();
        return orDie(source->poll());
    }

    qint64 rowsRead()
    {
        qint64 rows = 0;
        change([&rows](EventPicture& picture) { rows = picture.rowsRead; });
        return rows;
    }

    /// Returns the number of sent texts that contain `part`.
    int readings(const QString& part)
    {
        const auto seen = server.seen();
        return int(std::ranges::count_if(seen, [&part](const SeenMessage& message) {
            return std::ranges::any_of(
                message.texts, [&part](const QString& text) { return text.contains(part); });
        }));
    }
};

/// Returns the numbers of the deadlocks.
inline QList<int> numbersOf(const deadlock::SourcePoll& poll)
{
    QList<int> numbers;
    for (const deadlock::ReportPtr& report : poll.reports)
        numbers << int(report->participants.first().waited.value_or(milliseconds(0)).count() - 1'000);
    return numbers;
}

inline QString said(const deadlock::SourcePoll& poll)
{
    return poll.limits.join(QStringLiteral(" | "));
}
} // namespace lockscope::test::tds

#define SAYS(poll, part) VERIFY_CONTAINS(said(poll), u##part##_s)
#define SAYS_NOT(poll, part) VERIFY_LACKS(said(poll), u##part##_s)
