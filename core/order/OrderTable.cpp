// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/order/OrderTable.h"

#include "core/base/PlainFile.h"
#include "core/base/Sentences.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <chrono>

#include <fcntl.h>
#include <sys/stat.h>

namespace lockscope::order {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxStatementShown = 120;

qint64 waitedIn(const PotentialDeadlock& found)
{
    qint64 sum = 0;
    for (const Leg& leg : found.legs)
        sum += leg.waited;
    return sum;
}

/// Names the evidence of the less certain witness.
QString basisText(const PotentialDeadlock& found, bool isMuted)
{
    if (isMuted)
        return u"muted"_s;
    if (!found.gate.isEmpty())
        return u"guarded"_s;
    auto least = Evidence::Waiting;
    for (const Leg& leg : found.legs)
        least = std::min(least, leg.witness.evidence);
    return (found.isSeenOnce() ? u"seen once, "_s : QString()) + evidenceName(least);
}

QString witnessNames(const PotentialDeadlock& found)
{
    QStringList names = textOfEach(found.legs, [](const Leg& leg) { return leg.witness.who(); });
    names.removeDuplicates();
    return names.join(u", "_s);
}

QStringList linesOf(const Leg& leg)
{
    const Witness& witness = leg.witness;
    QStringList facts{leg.count == 1 ? u"seen once"_s : u"seen %1 times"_s.arg(leg.count)};
    if (leg.waited > 0)
        facts << u"%1 waiting"_s.arg(leg.waited);
    if (witness.at.isValid() && witness.step.isEmpty())
        facts << u"here at "_s + report::timeText(witness.at);
    QStringList lines{u"%1 then %2: %3."_s.arg(leg.first, leg.second, facts.join(u", "_s)), legText(leg)};
    const QString statement = witness.statement.simplified();
    if (!statement.isEmpty())
        lines << (statement.size() > maxStatementShown ? statement.left(maxStatementShown - 1) + u'…'
                                                       : statement);
    return lines;
}

Failure systemFailure(const QString& path, const QString& what, int error = errno)
{
    return failure(ErrorKind::Server, u"%1 can't be %2: %3"_s.arg(path, what, qt_error_string(error)));
}

Result<QStringList> lines()
{
    const QString path = mutedFile();
    if (!QFileInfo::exists(path))
        return QStringList();
    return readTextFile(path).map(
        [](const QByteArray& text) { return QString::fromUtf8(text).split(u'\n', Qt::SkipEmptyParts); });
}

QString idOf(const QString& line)
{
    return line.section(u' ', 0, 0);
}

/// Nobody else changes the file while it is there.
Result<Descriptor> lockForChange()
{
    constexpr std::chrono::milliseconds patience{5'000};
    const QString path = mutedFile() + u".lock"_s;
    const QString folder = QFileInfo(path).path();
    if (!QDir().mkpath(folder))
        return failure(ErrorKind::Server, u"%1 can't be made."_s.arg(folder));
    // Never waits: opening a pipe would wait for its other end.
    Descriptor file(::open(QFile::encodeName(path).constData(),
        O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, S_IRUSR | S_IWUSR));
    struct stat seen { };
    if (!file.isOpen() || ::fstat(file.number(), &seen) != 0)
        return systemFailure(path, u"opened"_s);
    if (!S_ISREG(seen.st_mode))
        return failure(ErrorKind::BadInput, u"%1 is no plain file."_s.arg(path), u"Move it away."_s);
    if (const int error = lockFile(file, QDeadlineTimer(patience)); error == EWOULDBLOCK)
        return failure(ErrorKind::Timeout, u"Another program keeps %1 locked."_s.arg(path));
    else if (error != 0)
        return systemFailure(path, u"locked"_s, error);
    return file;
}

Result<void> write(const QStringList& lines)
{
    return writeFile(mutedFile(), (lines.join(u'\n') + (lines.isEmpty() ? u""_s : u"\n"_s)).toUtf8());
}

} // namespace

report::Section foundSection(const QList<PotentialDeadlock>& found, const QSet<QString>& mutedIds)
{
    using enum report::Type;
    using enum report::Shown;
    using report::Column;
    report::Section section{.key = u"potential_deadlocks"_s,
        .columns = {Column(u"id"_s, u"Id"_s).show(OnRequest),
            Column(
                u"title"_s, u"Taken in opposite orders"_s, u"Tables, and named locks without their numbers"_s)
                .wide(4),
            {Count, u"count"_s, u"Seen"_s, u"How often, in the order seen less"_s},
            {Count, u"waited"_s, u"Waiting"_s, u"How often somebody was seen waiting for the second lock"_s},
            Column(Time, u"last"_s, u"Last seen"_s, u"By the server's clock"_s).yield(1),
            Column(u"known_by"_s, u"Known by"_s, u"The source of the order, of the less certain witness"_s)
                .yield(2),
            Column(u"sessions"_s, u"Witnesses"_s).wide(2).yield(3),
            Column(u"database"_s, u"Database"_s).show(OnRequest), {Flag, u"one_class"_s}, {u"guarded_by"_s},
            {Flag, u"waiting_seen"_s}, {Flag, u"certain"_s}, {u"explanation"_s}}};
    for (const PotentialDeadlock& each : found) {
        using report::Value;
        const bool isAlarm = each.sawWaiting() && each.gate.isEmpty();
        const qint64 waited = waitedIn(each);
        const QString why = explanation(each);
        section.rows.push_back(
            {.cells = {each.id, Value(each.title(), isAlarm ? report::Mark::Alarm : report::Mark::None),
                 each.count(), waited > 0 ? Value(waited) : Value(), each.last(),
                 basisText(each, mutedIds.contains(each.id)), witnessNames(each), each.database,
                 Value::flag(each.isOneClass), each.gate, Value::flag(each.sawWaiting()),
                 Value::flag(each.isCertain()), why},
                .key = each.id,
                .more = {why},
                .about = each});
    }
    return section;
}

report::Section witnessesSection(const QList<PotentialDeadlock>& found)
{
    using enum report::Type;
    report::Section section{.key = u"witnesses"_s,
        .columns = {{u"id"_s}, {u"first.class"_s}, {u"first.lock"_s}, {u"first.mode"_s},
            {Flag, u"first.rows_assumed"_s}, {u"second.class"_s}, {u"second.lock"_s}, {u"second.mode"_s},
            {Flag, u"second.rows_assumed"_s}, {Count, u"count"_s}, {Count, u"waited"_s},
            {Time, u"seen_first"_s}, {Time, u"seen_last"_s}, {Count, u"session"_s}, {Time, u"started"_s},
            {u"user"_s}, {u"program"_s}, {u"host"_s}, {u"statement"_s}, {u"step"_s}, {u"thread"_s},
            {Time, u"at"_s}, {u"here"_s}, {u"evidence"_s}, {u"says"_s}},
        .shown = report::Shown::ToPrograms};
    for (const PotentialDeadlock& each : found) {
        for (const Leg& leg : each.legs) {
            using report::Value;
            const Witness& seen = leg.witness;
            section.rows.push_back(
                {.cells = {each.id, seen.first.name->className, seen.first.name->name, seen.first.mode.name(),
                     Value::flag(seen.first.standsForRows), seen.second.name->className,
                     seen.second.name->name, seen.second.mode.name(), Value::flag(seen.second.standsForRows),
                     leg.count, leg.waited, leg.seenFirst, leg.seenLast, qint64(seen.session.id.value),
                     seen.session.started, seen.user, seen.program, seen.host, seen.statement, seen.step,
                     seen.thread, seen.at,
                     seen.thread.isEmpty() ? Value() : Value(seen.here.toString(Qt::ISODateWithMs)),
                     evidenceName(seen.evidence), legText(leg)}});
        }
    }
    return section;
}

void addTo(report::Report& report, const QList<PotentialDeadlock>& found)
{
    report.sections.push_back(foundSection(found));
    report.sections.push_back(witnessesSection(found));
    for (const PotentialDeadlock& each : found) {
        if (!report.closing.isEmpty())
            report.closing << QString();
        report.closing << u"%1 %2%3"_s.arg(each.id, each.title(),
            each.database.isEmpty() ? QString() : u" (database %1)"_s.arg(each.database));
        for (const Leg& leg : each.legs)
            report.closing << linesOf(leg);
        report.closing << explanation(each);
    }
}

report::Report toReport(const QList<PotentialDeadlock>& found, const OrderSummary& summary)
{
    using enum report::Type;
    const OrderState& state = *summary.state;
    report::Report report{.title = found.isEmpty() ? u"No locks were taken in opposite orders"_s
                                                   : counted(found.size(), u"potential deadlock")};
    QString note = u"In %1, by %2 seen"_s.arg(counted(state.polls, u"poll"), counted(state.orders, u"order"));
    if (summary.muted > 0)
        note += u"; %1 muted"_s.arg(summary.muted);
    if (summary.unreadable > 0)
        note += u"; %1 failed"_s.arg(counted(summary.unreadable, u"poll"));
    if (state.forgotten > 0)
        note += u"; %1 forgotten"_s.arg(
            counted(state.forgotten, u"pair not seen for longest was", u"pairs not seen for longest were"));
    if (state.found.isCut)
        note += u"; there may be more"_s;
    report.notes << note + u'.' << u"Locks that came and went between two polls were not seen."_s;
    if (const QString missed = transactionsText(state); !missed.isEmpty())
        report.notes << missed;
    for (const auto& [key, count] : {std::pair(u"polls"_s, state.polls),
             std::pair(u"failed_polls"_s, summary.unreadable), std::pair(u"orders"_s, state.orders),
             std::pair(u"muted"_s, summary.muted), std::pair(u"forgotten"_s, state.forgotten),
             std::pair(u"transactions_seen"_s, state.transactions.seen),
             std::pair(u"transactions_followed"_s, state.transactions.followed),
             std::pair(u"locks_without_transaction"_s, state.transactions.unknown)})
        report.facts.push_back({{Count, key}, count});
    const auto known = state.transactions.counted(state.first, state.last);
    report.facts.push_back(
        {{Count, u"transactions_counted"_s}, known ? report::Value(*known) : report::Value()});
    report.facts.push_back({{Time, u"from"_s}, state.first});
    report.facts.push_back({{Time, u"to"_s}, state.last});
    report.facts.push_back({{Flag, u"cut"_s}, report::Value::flag(state.found.isCut)});
    addTo(report, found);
    return report;
}

QString mutedFile()
{
    return configFolder() + u"/muted-lock-orders"_s;
}

Result<QSet<QString>> mutedIds()
{
    LOCKSCOPE_TRY_GET(const auto read, lines());
    QSet<QString> ids;
    for (const QString& line : read)
        ids.insert(idOf(line));
    return ids;
}

Result<void> mute(const QString& id, const QString& title)
{
    LOCKSCOPE_TRY_GET(const auto lock, lockForChange());
    LOCKSCOPE_TRY_GET(auto read, lines());
    for (const QString& line : read)
        if (idOf(line) == id)
            return {};
    return write(read << id + u' ' + title.simplified());
}

Result<void> unmute(const QString& id)
{
    LOCKSCOPE_TRY_GET(const auto lock, lockForChange());
    LOCKSCOPE_TRY_GET(auto read, lines());
    if (read.removeIf([&id](const QString& line) { return idOf(line) == id; }) == 0)
        return {};
    return write(read);
}

} // namespace lockscope::order
