// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/PostgresReport.h"

#include <QRegularExpression>

#include <algorithm>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxMessage = 1'000;
constexpr qsizetype maxDetail = 20'000; ///< a thousand sessions may stand in it
constexpr qsizetype maxHolders = 50; ///< of one report

/// The end of the words that a message or detail begins with, before its first number; -1: there is none.
/// Details of other errors put what users have written in quotes or brackets.
qsizetype endOfWords(QStringView text)
{
    constexpr qsizetype maxWords = 120;
    const auto isWord = [](QChar c) {
        return c.isLetter() || c.isMark() || c.isSpace() || c.isSurrogate() || c == u',' || c == u':';
    };
    const qsizetype end = std::ranges::find_if_not(text, isWord) - text.begin();
    return end < text.size() && end <= maxWords && text[end].isDigit() ? end : -1;
}

/// Takes the numbers that the server has joined by ", " from a text that begins with one; empty: one is too
/// long.
QList<qint64> takeNumbers(QStringView& text)
{
    constexpr qsizetype maxDigits = 10;
    QList<qint64> numbers;
    while (true) {
        const qsizetype end =
            std::ranges::find_if_not(text, [](QChar c) { return c.isDigit(); }) - text.begin();
        if (end == 0 || end > maxDigits)
            return {};
        numbers << text.left(end).toLongLong();
        text = text.mid(end);
        if (!text.startsWith(u", ") || text.size() == 2 || !text[2].isDigit())
            return numbers;
        text = text.mid(2);
    }
}

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
    static const QRegularExpression time(u"(?<![\\d.,])(\\d{1,12})[.,]\\d{3}\\s?(?:ms|мс|ミリ秒|毫秒)"_s);
    if (message.size() > maxMessage || !message.contains(u"eLock"))
        return std::nullopt;
    const qsizetype begin = endOfWords(message);
    QStringView rest = begin < 0 ? QStringView() : QStringView(message).mid(begin);
    const QList<qint64> waiter = begin < 0 ? QList<qint64>() : takeNumbers(rest);
    QString words = rest.toString();
    const auto waited = time.match(words);
    if (waiter.size() != 1 || !waited.hasMatch())
        return std::nullopt;
    words.remove(waited.capturedStart(), waited.capturedLength());
    const QStringView found = modeIn(words);
    const QString mode = found.toString();
    const qsizetype at = mode.isEmpty() ? 0 : found.data() - QStringView(words).data();
    if (mode.isEmpty() || (at > 0 && words[at - 1].unicode() < 0x80 && words[at - 1].isLetter()))
        return std::nullopt;
    words.replace(at, mode.size(), u' ');
    return WaitMessage{.waiter = waiter.first(),
        .waited = milliseconds(waited.captured(1).toLongLong()),
        .mode = mode,
        .thing = words};
}

/// "Process holding the lock: 4712. Wait queue: 4711." Where only one list stands, and the waiter is in it,
/// it is the queue. Nothing: it is another detail.
std::optional<QList<qint64>> holdersIn(const QString& detail, qint64 waiter)
{
    const qsizetype begin = detail.size() > maxDetail ? -1 : endOfWords(detail);
    if (begin <= 0)
        return std::nullopt;
    QStringView rest = QStringView(detail).mid(begin);
    QList<qint64> holders = takeNumbers(rest);
    constexpr QStringView stops = u".。,;";
    if (holders.isEmpty() || rest.isEmpty() || !stops.contains(rest[0]))
        return std::nullopt;
    rest = rest.mid(1);
    const qsizetype second = endOfWords(rest);
    if (second < 0) {
        if (holders.contains(waiter))
            holders.clear();
        return holders;
    }
    rest = rest.mid(second);
    const QList<qint64> queue = takeNumbers(rest);
    if (queue.isEmpty() || rest.size() > 1)
        return std::nullopt;
    holders.removeAll(waiter);
    return holders;
}

} // namespace

std::optional<DeadlockReport> readLockWait(const PostgresEntry& entry)
{
    const auto wait = waitIn(entry.message);
    if (!wait || (entry.process > 0 && entry.process != wait->waiter))
        return std::nullopt;
    const auto holders = holdersIn(entry.detail.value(0), wait->waiter);
    if (!holders)
        return std::nullopt;
    DeadlockReport report;
    report.kind = ReportKind::Blocked;
    report.engine = Engine::Postgres;
    report.time = postgresTime(entry.time);
    Participant one = participantOf(wait->waiter);
    describe(one, entry);
    one.statement = one.inputBuffer = entry.statement;
    one.waited = wait->waited;
    report.participants << one;
    LockedThing thing = postgresThing(wait->thing);
    nameByContext(thing, entry, one.statement);
    report.resources << thing;
    report.edges << Edge{.participant = 0, .resource = 0, .kind = Edge::Kind::WaitsFor, .mode = wait->mode};
    for (const qint64 holder : holders->mid(0, maxHolders)) {
        const int index = int(report.participants.size());
        report.participants << participantOf(holder);
        report.edges << Edge{.participant = index, .kind = Edge::Kind::Holds, .isImplied = true};
    }
    if (holders->size() > 1)
        report.complaints
            << u"Several sessions have the lock: the log does not say which of them blocks it."_s;
    if (holders->size() > maxHolders)
        report.complaints << u"%1 more sessions have the lock; they were left out."_s.arg(
            holders->size() - maxHolders);
    report.complaints
        << u"The server logs a wait once it has lasted for deadlock_timeout: the entry says that somebody waited, not when that ended."_s;
    complainOfRaise(entry, report);
    findCycles(report);
    return report;
}

} // namespace lockscope::deadlock
