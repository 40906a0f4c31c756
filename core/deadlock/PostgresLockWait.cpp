// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/PostgresReport.h"
#include "core/deadlock/PostgresThing.h"

#include <QRegularExpression>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxLine = 10'000; ///< a thousand sessions may stand in one
constexpr qsizetype maxHolders = 50; ///< of one report

/// The words of a wait's message: translations put them in other orders, but the process comes first, modes
/// are never translated, and the time has three decimals and one of these units.
struct WaitMessage {
    qint64 waiter = 0;
    milliseconds waited{0};
    QString mode;
    QString thing; ///< all other words
};
std::optional<WaitMessage> waitIn(const QString& message)
{
    static const QRegularExpression process(
        u"^\\P{N}{0,60}?(\\d{1,10})(?!\\d)"_s, QRegularExpression::UseUnicodePropertiesOption);
    static const QRegularExpression time(u"(?<![\\d.,])(\\d{1,12})[.,]\\d{3}\\s?(?:ms|мс|ミリ秒|毫秒)"_s);
    static const QRegularExpression modeName(u"(?<![A-Za-z])[A-Z][A-Za-z]*eLock(?![A-Za-z])"_s);
    if (message.size() > maxLine || !message.contains(u"eLock"))
        return std::nullopt;
    const auto waiter = process.match(message);
    QString words = message.mid(waiter.capturedEnd());
    const auto waited = time.match(words);
    if (!waiter.hasMatch() || !waited.hasMatch())
        return std::nullopt;
    words.remove(waited.capturedStart(), waited.capturedLength());
    const auto mode = modeName.match(words);
    if (!mode.hasMatch())
        return std::nullopt;
    words.replace(mode.capturedStart(), mode.capturedLength(), u' ');
    return WaitMessage{.waiter = waiter.captured(1).toLongLong(),
        .waited = milliseconds(waited.captured(1).toLongLong()),
        .mode = mode.captured(),
        .thing = words};
}

/// The numbers of a list that the server has joined by ", ".
QList<qint64> processesOf(const QString& list)
{
    QList<qint64> numbers;
    for (const QString& number : list.split(u", "_s, Qt::SkipEmptyParts))
        numbers << number.toLongLong();
    return numbers;
}

/// "Process holding the lock: 4712. Wait queue: 4711." Where only one list stands, and the waiter is in it,
/// it is the queue.
std::optional<QList<qint64>> holdersIn(const QString& detail, qint64 waiter)
{
    static const QRegularExpression form(
        u"^\\P{N}{1,120}?(\\d{1,10}(?:, \\d{1,10})*)(?:[^\\d]{1,120}(\\d{1,10}(?:, \\d{1,10})*))?[^\\d]{0,20}$"_s,
        QRegularExpression::UseUnicodePropertiesOption);
    const auto match = detail.size() > maxLine ? QRegularExpressionMatch() : form.match(detail);
    if (!match.hasMatch())
        return std::nullopt;
    QList<qint64> holders = processesOf(match.captured(1));
    if (match.captured(2).isEmpty() && holders.contains(waiter))
        return QList<qint64>();
    holders.removeAll(waiter);
    return holders;
}

Participant participantOf(qint64 process)
{
    Participant one;
    one.key = QString::number(process);
    one.session = SessionId{process};
    return one;
}

} // namespace

bool isLockWait(const QString& message)
{
    return waitIn(message).has_value();
}

std::optional<Report> readLockWait(const PostgresEntry& entry)
{
    const auto wait = waitIn(entry.message);
    if (!wait || (entry.process > 0 && entry.process != wait->waiter))
        return std::nullopt;
    const auto holders = holdersIn(entry.detail.value(0), wait->waiter);
    if (!holders)
        return std::nullopt;
    Report report;
    report.kind = ReportKind::Blocked;
    report.engine = Engine::Postgres;
    report.time = postgresMoment(entry.time);
    Participant one = participantOf(wait->waiter);
    one.user = entry.user;
    one.database = entry.database;
    one.program = entry.program;
    one.host = entry.host;
    one.statement = one.inputBuffer = entry.statement;
    one.waited = wait->waited;
    report.participants << one;
    LockedThing thing = postgresThing(wait->thing);
    nameByContext(thing, entry, one.statement);
    report.resources << thing;
    report.edges << Edge{0, 0, Edge::Kind::Awaits, wait->mode};
    for (const qint64 holder : holders->mid(0, maxHolders)) {
        const int index = int(report.participants.size());
        report.participants << participantOf(holder);
        report.edges << Edge{index, 0, Edge::Kind::Holds, {}, false, false, true};
    }
    if (holders->size() > maxHolders)
        report.complaints << u"%1 more sessions have the lock; they were left out."_s.arg(
            holders->size() - maxHolders);
    report.complaints
        << u"The server logs a wait once it has lasted for deadlock_timeout: the entry tells that somebody waited, not when that ended."_s;
    complainOfRaise(entry, report);
    findCycles(report);
    return report;
}

} // namespace lockscope::deadlock
