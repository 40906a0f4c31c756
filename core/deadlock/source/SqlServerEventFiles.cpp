// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/SqlServerEventFiles.h"

#include "core/base/Sentences.h"
#include "core/deadlock/LenientXml.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

/// The answers to a place that is no more: the file can't be read, is not there, has no such offset.
/// ("Database Engine events and errors": 25717, 25718, 25722; which of them comes depends on the version.)
bool isGone(const Error& error)
{
    static const std::array<QString, 3> codes{u"25717"_s, u"25718"_s, u"25722"_s};
    return std::find(codes.begin(), codes.end(), error.nativeCode) != codes.end();
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
    const auto asked = questions.ask(
        m_server.isAzureDatabase ? "sqlserver/deadlocks/target_of_database" : "sqlserver/deadlocks/target",
        {m_session, u"event_file"_s}, [&target](const db::Row& row) { target = row.text(0); });
    if (!asked)
        return Failure(asked.error());
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
