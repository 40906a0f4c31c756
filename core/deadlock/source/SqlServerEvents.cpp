// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/SqlServerDeadlockSource.h"

#include "core/base/Sentences.h"
#include "core/deadlock/SqlServerReport.h"

#include <QCryptographicHash>
#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <utility>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

/// Keys of 32 characters; twice as many are kept at most. A block or a ring buffer has no more.
constexpr qsizetype maxKnown = 20'000;

constexpr qsizetype wholeTag = 1'000; ///< within so many characters the first tag is closed

bool isSelected(QStringView event)
{
    const qsizetype end = event.indexOf(u'>');
    const QStringView tag = event.left(end < 0 ? event.size() : end);
    return tag.contains(u"xml_deadlock_report") || tag.contains(u"blocked_process_report");
}

/// The answers to a place that is no more: the file can't be read, is not there, has no such offset.
/// ("Database Engine events and errors": 25717, 25718, 25722; which of them comes depends on the version.)
bool isGone(const Error& error)
{
    static const std::array<QString, 3> codes{u"25717"_s, u"25718"_s, u"25722"_s};
    return std::ranges::find(codes, error.nativeCode) != codes.end();
}

bool isUrl(const QString& file)
{
    return file.startsWith(u"https://"_s, Qt::CaseInsensitive)
        || file.startsWith(u"http://"_s, Qt::CaseInsensitive);
}

/// Its number is a FILETIME: ticks of 100 ns since 1601.
const QRegularExpression& endOfName()
{
    static const QRegularExpression end(u"_(\\d{15,19})\\.xel$"_s, QRegularExpression::CaseInsensitiveOption);
    return end;
}

} // namespace

std::vector<Result<qint64>> SqlServerQuestions::ask(std::span<const db::BatchItem> items)
{
    const db::Statement& clock = db::Statement::get("sqlserver/monitor/clock");
    std::vector<ServerTime> clocks;
    const db::RowSink tell = [&clocks](const db::Row& row) { clocks.push_back(row.time(0)); };
    std::vector<db::BatchItem> all{{.statement = &clock, .sink = tell}};
    all.insert(all.end(), items.begin(), items.end());
    all.push_back({.statement = &clock, .sink = tell});
    auto results = m_connection.executeBatch(all, m_stop);
    ++m_poll.roundTrips;
    if (clocks.size() == 2)
        m_poll.serverTime += clocks[1] - clocks[0];
    if (!clocks.empty())
        m_now = clocks.back();
    // The first result has the error that ended them all.
    if (!results.front() && isFatal(results.front().error()))
        return std::vector<Result<qint64>>(items.size(), results.front());
    return {results.begin() + 1, results.end() - 1};
}

Result<qint64> SqlServerQuestions::ask(
    const char* statement, std::vector<db::Param> params, const db::RowSink& sink)
{
    const db::BatchItem item{
        .statement = &db::Statement::get(statement), .params = std::move(params), .sink = sink};
    return ask(std::span(&item, 1)).front();
}

bool SqlServerQuestions::isFatal(const Error& error)
{
    return error.kind == ErrorKind::Connection || error.kind == ErrorKind::Login
        || error.kind == ErrorKind::Cancelled;
}

bool ReportIntake::isKnown(const QString& key)
{
    if (m_known.contains(key) || m_knownBefore.contains(key))
        return true;
    if (m_known.size() >= maxKnown)
        m_knownBefore = std::exchange(m_known, {});
    m_known.insert(key);
    return false;
}

void ReportIntake::take(const QString& xml, const QString& place, bool isOld, SourcePoll& poll)
{
    poll.bytesRead += xml.size() * qint64(sizeof(QChar));
    for (const ReportPtr& report : readSqlServerXml(xml, place)) {
        if (isKnown(report->source.eventKey))
            continue;
        const auto& at = report->time.at;
        if (at ? *at < since() : isOld && !m_since)
            continue;
        poll.reports << report;
        if (report->kind == ReportKind::Deadlock && (at ? *at >= m_firstPoll : !isOld))
            m_captured += std::max<qint64>(report->cycles.size(), 1);
    }
}

Result<bool> SqlServerRingBuffer::read(
    SqlServerQuestions& questions, const QString& place, ReportIntake& intake, SourcePoll& poll)
{
    m_limits.clear();
    QString content;
    const auto asked = questions.ask(
        m_isAzureDatabase ? "sqlserver/deadlocks/target_of_database" : "sqlserver/deadlocks/target",
        {m_session, u"ring_buffer"_s}, [&content](const db::Row& row) { content = row.text(0); });
    if (!asked) {
        const Error& error = asked.error();
        if (SqlServerQuestions::isFatal(error) || error.kind == ErrorKind::Permission)
            return Failure(error);
        m_limits << asSentence(u"The ring buffer of %1 can't be read: %2"_s.arg(m_session, error.detail));
        poll.limits << m_limits;
        return false;
    }
    take(content, place, intake, poll);
    poll.limits << m_limits;
    return true;
}

void SqlServerRingBuffer::take(
    const QString& content, const QString& place, ReportIntake& intake, SourcePoll& poll)
{
    static const QRegularExpression cut(u"\\btruncated=\"([^\"]*)\""_s);
    poll.bytesRead += content.size() * qint64(sizeof(QChar));
    QSet<QByteArray> now;
    bool isTorn = false;
    qsizetype at = content.indexOf(u"<event "_s);
    const auto match = cut.match(content.left(at < 0 ? wholeTag : at));
    while (at >= 0) {
        const qsizetype next = content.indexOf(u"<event "_s, at + 1);
        qsizetype end = content.indexOf(u"</event>"_s, at);
        isTorn = isTorn || end < 0;
        if (end < 0)
            break;
        end += 8;
        const QStringView event = QStringView(content).mid(at, end - at);
        if (isSelected(event)) {
            const QByteArray hash = QCryptographicHash::hash(
                QByteArray::fromRawData(reinterpret_cast<const char*>(event.utf16()), event.size() * 2),
                QCryptographicHash::Md5);
            now.insert(hash);
            // What is known would only be parsed for nothing.
            if (!m_before.contains(hash)) {
                const qint64 bytes = poll.bytesRead;
                intake.take(event.toString(), place, !m_isBegun, poll);
                poll.bytesRead = bytes; // counted above
            }
        }
        at = next < 0 || next >= end ? next : content.indexOf(u"<event "_s, end);
    }
    isTorn = isTorn
        || (!content.isEmpty() && !content.trimmed().endsWith(u"/RingBufferTarget>"_s)
            && !content.trimmed().endsWith(u"/>"_s));
    if (isTorn || (match.hasMatch() && match.captured(1) != u"0"_s))
        m_limits
            << u"The ring buffer of %1 holds more than the 4 MB that the server shows of it: the newest reports may be missing. Events in files have no such limit, and a ring buffer with a MAX_MEMORY of 1024 KB is returned whole."_s
                   .arg(m_session);
    m_before = std::move(now);
    m_isBegun = true;
}

std::strong_ordering SqlServerEventFiles::Block::operator<=>(const Block& other) const
{
    // In SQL Server's own order of names, or near to it: those of one session differ by their number only.
    const int files = file.compare(other.file, Qt::CaseInsensitive);
    return files != 0 ? files <=> 0 : offset <=> other.offset;
}

QString SqlServerEventFiles::patternOf(const QString& file, const EventFileServer& server)
{
    QString stem = file;
    const bool isComplete = endOfName().match(file).hasMatch();
    if (isComplete)
        stem.remove(endOfName());
    else if (file.endsWith(u".xel"_s, Qt::CaseInsensitive))
        stem.chop(4);
    // "deadlocks*.xel" would match the files of "deadlocks_test", too.
    if (isUrl(file))
        return stem + (isComplete ? u"_"_s : u"_0_"_s);
    if (server.isManagedInstance)
        return stem + u"*.xel"_s;
    return stem + (isComplete ? u"_*.xel"_s : u"_0_*.xel"_s);
}

std::optional<ServerTime> SqlServerEventFiles::begun(const QString& file)
{
    constexpr qint64 from1601To1970 = 11'644'473'600'000'000;
    const auto match = endOfName().match(file);
    if (!match.hasMatch())
        return std::nullopt;
    return ServerTime{match.captured(1).toLongLong() / 10 - from1601To1970};
}

/// Returns the file that is written to; empty if it is unknown.
Result<QString> SqlServerEventFiles::currentFile(SqlServerQuestions& questions) const
{
    QString target;
    LOCKSCOPE_TRY(questions.ask(
        m_server.isAzureDatabase ? "sqlserver/deadlocks/target_of_database" : "sqlserver/deadlocks/target",
        {m_session, u"event_file"_s}, [&target](const db::Row& row) { target = row.text(0); }));
    QString file;
    readLenientXml(target, {u"File"_s},
        [&file](const XmlElement& element, const QStringList&) { file = element.attribute(u"name"); });
    return file;
}

Result<std::vector<SqlServerEventFiles::FileEvent>> SqlServerEventFiles::events(
    SqlServerQuestions& questions, const QString& path, qint64 maximum, ServerTime since) const
{
    std::vector<FileEvent> events;
    const bool fromTheStart = !m_before;
    std::vector<db::Param> params{path, fromTheStart ? db::Param() : db::Param(m_before->file),
        fromTheStart ? db::Param() : db::Param(m_before->offset), maximum};
    const bool filters = fromTheStart && m_server.hasTimes;
    if (filters)
        params.emplace_back(since);
    // Kept until all are there: half a block is not taken.
    const auto asked =
        questions.ask(filters ? "sqlserver/deadlocks/events_since" : "sqlserver/deadlocks/events",
            std::move(params), [&events](const db::Row& row) {
                events.push_back({.block = {row.text(0), row.int64(1)},
                    .blockFromEnd = row.int64(2),
                    .oldestFile = row.text(3),
                    .report = row.text(4)});
            });
    return ifDone(asked, std::move(events));
}

void SqlServerEventFiles::take(
    const std::vector<FileEvent>& events, const QString& place, ReportIntake& intake, SourcePoll& poll)
{
    for (const FileEvent& event : events) {
        if (!event.report.isNull() && !(m_last && event.block < *m_last))
            intake.take(event.report, place, !m_isBegun, poll);
        if (event.blockFromEnd > 1)
            m_before = event.block;
    }
    if (!events.empty()) {
        if (!m_last || *m_last < events.back().block)
            m_last = events.back().block;
        poll.isMoreToRead |= events.back().blockFromEnd > 1;
    }
    m_isBegun = true;
}

Result<bool> SqlServerEventFiles::read(SqlServerQuestions& questions, const QString& place, qint64 maximum,
    ReportIntake& intake, SourcePoll& poll)
{
    QString path = m_pattern;
    if (!m_before) {
        // All files may be hundreds of megabytes, of which the server reads each byte: the current one is
        // enough if it was begun before the requested time.
        m_pattern = patternOf(m_file, m_server);
        path = m_pattern;
        if (!m_server.isManagedInstance) {
            const auto current = currentFile(questions);
            if (!current && SqlServerQuestions::isFatal(current.error()))
                return Failure(current.error());
            if (const auto begin = current ? begun(*current) : std::nullopt) {
                m_pattern = patternOf(*current, m_server);
                path = m_onlyCurrent || *begin <= intake.since() ? *current : m_pattern;
            }
        }
    }
    auto found = events(questions, path, maximum, intake.since());
    if (!found && m_before && isGone(found.error())) {
        m_before.reset();
        found = events(questions, m_pattern, maximum, intake.since());
        // Files go from the oldest on: nothing was missed if the last one that was read is still there.
        if (found && m_last
            && (found->empty() || Block{found->front().oldestFile, 0} > Block{m_last->file, 0}))
            poll.limits
                << u"The server has dropped event files of %1 before they were read: reports since the last poll may be missing. More or larger files (max_rollover_files, max_file_size) would keep them longer."_s
                       .arg(m_session);
    }
    if (found) {
        take(*found, place, intake, poll);
        if (m_onlyCurrent)
            poll.limits
                << u"Only the newest event file of %1 was read: all of them took longer than a poll may take."_s
                       .arg(m_session);
        return true;
    }
    const Error& error = found.error();
    if (SqlServerQuestions::isFatal(error))
        return Failure(error);
    if (error.kind == ErrorKind::Timeout) {
        const bool canReadLess = !m_before && !m_server.isManagedInstance && !m_onlyCurrent;
        m_onlyCurrent = m_onlyCurrent || canReadLess;
        // A reading that will take as long again waits for its turn, so that the server is not kept busy by
        // it.
        poll.isMoreToRead |= canReadLess;
        poll.limits << u"Reading the event files of %1 took longer than a poll may take; %2."_s.arg(m_session,
            canReadLess ? u"the next poll reads only the newest of them"_s : u"the next poll tries again"_s);
        return true;
    }
    if (error.kind == ErrorKind::Permission)
        return Failure(error);
    poll.limits << asSentence(u"The event files of %1 can't be read: %2"_s.arg(m_session, error.detail));
    return false;
}

} // namespace lockscope::deadlock
