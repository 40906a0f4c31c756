// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/EventPicture.h"

#include "tests/support/tds/TsqlScript.h"

#include <QRegularExpression>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

const QString folder = u"C:\\MSSQL\\Log\\"_s;
constexpr qint64 firstBlock = 5'120;
constexpr qint64 blockSize = 1'536;

QByteArray addressOf(size_t session)
{
    return QByteArray("\0\0\0\x1a", 4) + QByteArray(3, '\x5c') + char(session + 1);
}

QString stemOf(const QString& file)
{
    return file.endsWith(u".xel"_s) ? file.chopped(4) : file;
}

bool isUrl(const QString& path)
{
    return path.startsWith(u"https://"_s);
}

/// '*' for anything in a file's name; of Azure Storage the name only begins so.
bool matches(const QString& path, const QString& name)
{
    if (isUrl(path))
        return name.startsWith(path);
    const QString whole = path.contains(u'\\') ? path : folder + path;
    const QRegularExpression pattern(QRegularExpression::anchoredPattern(
                                         QRegularExpression::escape(whole).replace(u"\\*"_s, u"[^\\\\]*"_s)),
        QRegularExpression::CaseInsensitiveOption);
    return pattern.match(name).hasMatch();
}

[[noreturn]] void fail(int number, const QString& text)
{
    throw tsql::SqlError{{number, text, 16}};
}

QDateTime dateTimeAt(qint64 us)
{
    return QDateTime::fromMSecsSinceEpoch(us / 1'000, Qt::UTC);
}

const QStringList& readColumns()
{
    static const QStringList columns{u"argument1"_s, u"argument2"_s, u"argument3"_s, u"argument4"_s,
        u"module_guid"_s, u"package_guid"_s, u"object_name"_s, u"event_data"_s, u"file_name"_s,
        u"file_offset"_s, u"timestamp_utc"_s};
    return columns;
}

Values rowOf(const Values& arguments, const CaughtEvent& event, const QString& file, qint64 offset)
{
    // The id of the package sqlserver.
    static const QUuid module(u"{D5149520-6282-11DE-8A39-0800200C9A66}"_s);
    static const QUuid package(u"{03FDA7D0-91BA-45F8-9875-8B6DD0B8E9F2}"_s);
    return {arguments.at(0), arguments.at(1), arguments.at(2), arguments.at(3), module, package, event.name,
        event.xml, file, offset, dateTimeAt(event.happenedUs)};
}

} // namespace

EventFile& EventFile::write(std::vector<CaughtEvent> events)
{
    const qint64 offset = blocks.empty() ? firstBlock : blocks.back().offset + blockSize;
    blocks.push_back({offset, std::move(events)});
    return *this;
}

EventPicture::Session& EventPicture::session(const QString& name)
{
    Session& one = sessions.emplace_back();
    one.name = name;
    return one;
}

EventFile& EventPicture::file(const QString& session, qint64 begunUs)
{
    const auto found =
        std::ranges::find_if(sessions, [&](const Session& one) { return one.name == session; });
    if (found == sessions.end() || found->file.isEmpty())
        qFatal("The picture has no session %s with files.", qPrintable(session));
    const qint64 ticks = (begunUs + 11'644'473'600'000'000) * 10; // of 100 ns, since 1601
    const QString name = stemOf(found->file) + u"_0_%1.xel"_s.arg(ticks);
    EventFile& one = files.emplace_back();
    one.name = isUrl(name) ? name : folder + name;
    return one;
}

std::vector<ViewRows> EventPicture::viewRows() const
{
    const QString start = isAzureDatabase() ? u"sys.dm_xe_database_session"_s : u"sys.dm_xe_session"_s;
    ViewRows all{start + u's', {u"address"_s, u"name"_s}, {}};
    ViewRows events{start + u"_events"_s, {u"event_session_address"_s, u"event_name"_s}, {}};
    ViewRows targets{
        start + u"_targets"_s, {u"event_session_address"_s, u"target_name"_s, u"target_data"_s}, {}};
    ViewRows columns{start + u"_object_columns"_s,
        {u"event_session_address"_s, u"column_name"_s, u"column_id"_s, u"column_value"_s, u"object_type"_s,
            u"object_name"_s},
        {}};
    for (size_t i = 0; i < sessions.size(); ++i) {
        const Session& session = sessions[i];
        const QByteArray address = addressOf(i);
        all.rows.push_back({address, session.name});
        for (const QString& event : session.events)
            events.rows.push_back({address, event});
        if (session.hasRing) {
            targets.rows.push_back({address, u"ring_buffer"_s, session.ring});
            columns.rows.push_back({address, u"max_memory"_s, 0, u"4096"_s, u"target"_s, u"ring_buffer"_s});
            columns.rows.push_back(
                {address, u"max_events_limit"_s, 1, u"5000"_s, u"target"_s, u"ring_buffer"_s});
        }
        if (session.file.isEmpty())
            continue;
        columns.rows.push_back({address, u"filename"_s, 0, session.file, u"target"_s, u"event_file"_s});
        columns.rows.push_back({address, u"max_file_size"_s, 1, u"5"_s, u"target"_s, u"event_file"_s});
        QString current;
        const QString stem = (isUrl(session.file) ? QString() : folder) + stemOf(session.file) + u"_0_"_s;
        for (const EventFile& file : files)
            if (file.name.startsWith(stem))
                current = file.name;
        targets.rows.push_back({address, u"event_file"_s,
            current.isEmpty()
                ? Value()
                : Value(
                    u"<EventFileTarget truncated=\"0\"><Buffers logged=\"12\" dropped=\"0\"/><File name=\"%1\"/></EventFileTarget>"_s
                        .arg(current))});
    }
    // The other instances are kinds of locks; a second counter of the same object.
    ViewRows counters{u"sys.dm_os_performance_counters"_s,
        {u"object_name"_s, u"counter_name"_s, u"instance_name"_s, u"cntr_value"_s, u"cntr_type"_s}, {}};
    const QString object = u"SQLServer:Locks"_s.leftJustified(128);
    const auto add = [&](const QString& counter, const QString& instance, qint64 value) {
        counters.rows.push_back(
            {object, counter.leftJustified(128), instance.leftJustified(128), value, 272'696'576});
    };
    add(u"Number of Deadlocks/sec"_s, u"_Total"_s, deadlocks);
    add(u"Number of Deadlocks/sec"_s, u"Key"_s, deadlocks);
    add(u"Lock Waits/sec"_s, u"_Total"_s, 4'711);
    const ViewRows settings{u"sys.configurations"_s, {u"name"_s, u"value_in_use"_s},
        {{u"blocked process threshold (s)"_s, threshold}}};
    return {all, events, targets, columns, counters, settings};
}

ViewRows EventPicture::read(const Values& arguments)
{
    ViewRows result{u"sys.fn_xe_file_target_read_file"_s, readColumns(), {}};
    const QString path = arguments.at(0).toText();
    const bool isOwn = std::ranges::any_of(sessions,
        [&](const Session& one) { return !one.file.isEmpty() && path == stemOf(one.file) + u"*.xel"_s; });
    if (!isUrl(path) && (isAzureDatabase() || (engineEdition == 8 && !isOwn)))
        fail(40'538,
            u"A valid URL beginning with 'https://' is required as value for any filepath specified."_s);
    const bool hasPlace = !arguments.at(2).isNull();
    if (hasPlace == arguments.at(3).isNull())
        fail(25'719,
            u"Initial file name and initial offset must be specified as a pair. Please correct the parameters and retry your query."_s);
    std::vector<const EventFile*> chosen;
    for (const EventFile& file : files)
        if (matches(path, file.name))
            chosen.push_back(&file);
    if (chosen.empty())
        fail(25'718,
            u"The log file name \"%1\" is invalid. Verify that the file exists and that the SQL Server service account has access to it."_s
                .arg(path));
    const qint64 offset = arguments.at(3).toInt64();
    if (hasPlace) {
        const QString initial = arguments.at(2).toText();
        const auto first =
            std::ranges::find_if(chosen, [&](const EventFile* file) { return file->name == initial; });
        if (first == chosen.end() && version.startsWith(u"17."_s))
            fail(25'717,
                u"The operating system returned error 2: 'The system cannot find the file specified.' while reading from the file '%1'."_s
                    .arg(initial));
        if (first == chosen.end()
            || std::ranges::none_of(
                (*first)->blocks, [&](const EventFile::Block& block) { return block.offset == offset; }))
            fail(25'722,
                u"The offset %1 is invalid for log file \"%2\". Specify an offset that exists in the log file and retry your query."_s
                    .arg(offset)
                    .arg(initial));
        chosen.erase(chosen.begin(), first);
    }
    for (size_t i = 0; i < chosen.size(); ++i)
        for (const EventFile::Block& block : chosen[i]->blocks)
            if (!hasPlace || i > 0 || block.offset > offset)
                for (const CaughtEvent& event : block.events)
                    result.rows.push_back(rowOf(arguments, event, chosen[i]->name, block.offset));
    rowsRead = static_cast<qint64>(result.rows.size());
    std::ranges::reverse(result.rows);
    return result;
}

ViewRows EventPicture::readTelemetry(const Values& arguments, const QString& database) const
{
    ViewRows result{u"sys.fn_xe_telemetry_blob_target_read_file"_s, readColumns(), {}};
    if (database == u"master")
        for (const CaughtEvent& event : telemetry)
            result.rows.push_back(rowOf(arguments, event, u"https://telemetry/dl_0.xel"_s, firstBlock));
    std::ranges::reverse(result.rows);
    return result;
}

CaughtEvent eventOf(const QString& name, const QByteArray& report, qint64 happenedUs,
    const QString& timestamp, const QString& database)
{
    const QString at =
        timestamp.isEmpty() ? dateTimeAt(happenedUs).toString(u"yyyy-MM-ddTHH:mm:ss.zzzZ"_s) : timestamp;
    const QString field = name == u"blocked_process_report" ? u"blocked_process"_s : u"xml_report"_s;
    QString xml =
        u"<event name=\"%1\" package=\"sqlserver\" timestamp=\"%2\"><data name=\"%3\"><value>"_s.arg(
            name, at, field);
    xml += QString::fromUtf8(report) + u"</value></data>"_s;
    if (!database.isEmpty())
        xml += u"<data name=\"database_name\"><value>"_s + database + u"</value></data>"_s;
    return {name, xml + u"</event>"_s, happenedUs};
}

QString ringOf(const std::vector<CaughtEvent>& events, bool isTruncated)
{
    QString xml =
        u"<RingBufferTarget truncated=\"%1\" processingTime=\"0\" totalEventsProcessed=\"%2\" eventCount=\"%2\" droppedCount=\"0\" memoryUsed=\"1728\">"_s
            .arg(isTruncated ? 1 : 0)
            .arg(events.size());
    for (const CaughtEvent& event : events)
        xml += event.xml;
    return xml + u"</RingBufferTarget>"_s;
}

} // namespace lockscope::test::tds
