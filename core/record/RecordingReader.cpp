// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingReader.h"

#include "core/domain/EngineKey.h"
#include "core/record/FrameCodec.h"
#include "core/record/Replay.h"
#include "core/record/StoredTexts.h"

#include <algorithm>
#include <limits>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr int formatVersion = 1;
constexpr qint64 applicationId = 0x4c6b7363;

Event::Kind kindOfName(const QString& name)
{
    for (const Event::Kind kind : {Event::Kind::Failure, Event::Kind::Gap, Event::Kind::Act,
             Event::Kind::Deadlock, Event::Kind::Alert}) {
        if (eventKindName(kind) == name)
            return kind;
    }
    return Event::Kind::Note;
}

} // namespace

class RecordingReader::Impl {
public:
    explicit Impl(std::unique_ptr<Database> database)
        : m_database(std::move(database))
        , m_texts(*m_database)
        , m_replay(*m_database, m_texts)
    {
    }

    Result<void> readIdentity(const QString& path);
    Result<qint64> number(const char* statement, std::initializer_list<Value> values, qint64 ifNone);
    Result<std::optional<ServerTime>> time(const char* statement, ServerTime at);
    Result<QList<HistoryLine>> history(
        const char* statement, const QString& lock, ServerTime from, ServerTime to);

    Identity identity;
    Database& database() { return *m_database; }
    StoredTexts& texts() { return m_texts; }
    Replay& replay() { return m_replay; }

private:
    std::unique_ptr<Database> m_database;
    StoredTexts m_texts;
    Replay m_replay;
};

Result<void> RecordingReader::Impl::readIdentity(const QString& path)
{
    const auto application = number("recording/recording/application", {}, 0);
    if (!application)
        return Failure(application.error());
    const auto version = number("recording/recording/version", {}, 0);
    if (!version)
        return Failure(version.error());
    if (*application != applicationId)
        return failure(ErrorKind::BadInput, u"%1 is no recording of Lockscope's."_s.arg(path));
    if (*version > formatVersion)
        return failure(ErrorKind::BadInput, u"The recording %1 was made by a newer program."_s.arg(path),
            u"Update this program."_s);
    const auto strange = number("recording/recording/strange_tables", {}, 0);
    if (!strange)
        return Failure(strange.error());
    if (*strange != 0)
        return failure(ErrorKind::BadInput, u"%1 has tables that no recording has."_s.arg(path));
    bool known = false;
    const auto read = m_database->run("recording/recording/identity", {}, [&](const Database::Row& row) {
        const auto engine = engineOfKey(row.text(2));
        known = engine.has_value();
        identity = {row.text(0), row.text(1), engine.value_or(Engine::Postgres), {row.number(3)},
            row.number(4) != 0, row.text(5)};
        return true;
    });
    if (!read)
        return read;
    if (!known)
        return failure(ErrorKind::BadInput, u"%1 does not say of which server it is."_s.arg(path));
    return {};
}

Result<qint64> RecordingReader::Impl::number(
    const char* statement, std::initializer_list<Value> values, qint64 ifNone)
{
    qint64 number = ifNone;
    const auto read = m_database->run(statement, values, [&number](const Database::Row& row) {
        number = row.number(0);
        return true;
    });
    if (!read)
        return Failure(read.error());
    return number;
}

Result<std::optional<ServerTime>> RecordingReader::Impl::time(const char* statement, ServerTime at)
{
    std::optional<ServerTime> time;
    const auto read = m_database->run(statement, {at.us}, [&time](const Database::Row& row) {
        time = ServerTime{row.number(0)};
        return true;
    });
    if (!read)
        return Failure(read.error());
    return time;
}

Result<QList<HistoryLine>> RecordingReader::Impl::history(
    const char* statement, const QString& lock, ServerTime from, ServerTime to)
{
    QList<HistoryLine> lines;
    const auto read = m_database->run(statement, {lock, from.us, to.us}, [&lines](const Database::Row& row) {
        HistoryLine line{row.text(0), row.text(1), row.text(2), row.number(3) != 0, row.text(4),
            {row.text(7), row.text(9), row.text(8), 0, SessionId{row.number(5)}}, {row.number(10)},
            row.number(11) != 0, {row.number(12)}, {}};
        if (!row.isNull(13))
            line.gone = ServerTime{row.number(13)};
        lines.append(std::move(line));
        return true;
    });
    if (!read)
        return Failure(read.error());
    return lines;
}

RecordingReader::RecordingReader(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}

RecordingReader::~RecordingReader() = default;

Result<std::unique_ptr<RecordingReader>> RecordingReader::open(const QString& path)
{
    auto database = Database::open(path, Database::Mode::Read);
    if (!database)
        return Failure(database.error());
    auto impl = std::make_unique<Impl>(std::move(*database));
    if (const auto read = impl->readIdentity(path); !read)
        return Failure(read.error());
    return std::unique_ptr<RecordingReader>(new RecordingReader(std::move(impl)));
}

const Identity& RecordingReader::identity() const
{
    return m_impl->identity;
}

Result<Span> RecordingReader::span()
{
    Span span;
    const auto read =
        m_impl->database().run("recording/recording/span", {}, [&span](const Database::Row& row) {
            span = {{row.number(0)}, {row.number(1)}, row.number(2)};
            return true;
        });
    if (!read)
        return Failure(read.error());
    if (span.frames == 0)
        return failure(ErrorKind::MissingObject, u"The recording has no moment yet."_s);
    return span;
}

Result<QList<Segment>> RecordingReader::segments()
{
    QList<Segment> segments;
    const auto read =
        m_impl->database().run("recording/recording/segments", {}, [&segments](const Database::Row& row) {
            segments.append({{row.number(0)}, {row.number(1)}, row.text(2), row.text(3)});
            return true;
        });
    if (!read)
        return Failure(read.error());
    return segments;
}

Result<SnapshotPtr> RecordingReader::at(ServerTime at)
{
    return m_impl->replay().at(at);
}

Result<QList<Moment>> RecordingReader::moments(ServerTime from, ServerTime to, int columns)
{
    QList<Moment> moments;
    const auto add = [&](const Database::Row& row) {
        moments.append({{row.number(0)}, row.number(1), static_cast<int>(row.number(2)),
            static_cast<int>(row.number(3)), static_cast<int>(row.number(4)),
            {milliseconds(row.number(5)), row.number(6) != 0}, static_cast<int>(row.number(7)),
            row.number(8) == 0
                ? QString()
                : m_impl->texts().text(static_cast<quint64>(row.number(8))).value_or(QString())});
        return true;
    };
    const qint64 width = std::max<qint64>(1, (to - from).count() / std::max(1, columns));
    const auto read = m_impl->database().run("recording/recording/moments", {from.us, to.us, width}, add);
    if (!read)
        return Failure(read.error());
    return moments;
}

Result<QList<Event>> RecordingReader::events(ServerTime from, ServerTime to)
{
    QList<Event> events;
    const auto read = m_impl->database().run(
        "recording/recording/events", {from.us, to.us}, [&events](const Database::Row& row) {
            events.append({{row.number(0)}, kindOfName(row.text(2)), row.text(3), row.text(4), {}});
            return true;
        });
    if (!read)
        return Failure(read.error());
    return events;
}

Result<std::optional<ServerTime>> RecordingReader::nextIncident(ServerTime after)
{
    // Out of the one that `after` is in, then into the next.
    const auto calm = m_impl->time("recording/recording/next_calm", after + microseconds(-1));
    if (!calm || !*calm)
        return calm;
    return m_impl->time("recording/recording/next_waiting", **calm);
}

Result<std::optional<ServerTime>> RecordingReader::previousIncident(ServerTime before)
{
    const auto waiting = m_impl->time("recording/recording/previous_waiting", before);
    if (!waiting || !*waiting)
        return waiting;
    const auto calm = m_impl->time("recording/recording/previous_calm", **waiting);
    if (!calm)
        return calm;
    return m_impl->time(
        "recording/recording/next_waiting", *calm ? **calm : ServerTime{std::numeric_limits<qint64>::min()});
}

Result<QList<HistoryLine>> RecordingReader::history(const QString& lock, ServerTime from, ServerTime to)
{
    auto lines = m_impl->history("recording/recording/history", lock, from, to);
    const auto open = m_impl->history("recording/recording/open_history", lock, from, to);
    if (!lines || !open)
        return lines ? open : lines;
    lines->append(*open);
    std::stable_sort(lines->begin(), lines->end(),
        [](const HistoryLine& a, const HistoryLine& b) { return a.from < b.from; });
    return lines;
}

Result<RecordingReader::Verdict> RecordingReader::verify()
{
    Verdict verdict;
    const auto read = m_impl->replay().each([&verdict](ServerTime at, bool whole) {
        if (whole)
            ++verdict.whole;
        else
            verdict.damaged.append(at);
    });
    if (!read)
        return Failure(read.error());
    return verdict;
}

} // namespace lockscope::record
