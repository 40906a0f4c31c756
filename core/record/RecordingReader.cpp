// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingReader.h"

#include "core/record/Database.h"
#include "core/record/ReadLimits.h"
#include "core/record/RecordingFile.h"
#include "core/record/Replay.h"
#include "core/record/StoredTexts.h"
#include "core/record/history/HistoryStore.h"

#include <algorithm>
#include <limits>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr ServerTime ever{std::numeric_limits<qint64>::max()};

constexpr qint64 farthest = qint64(1) << 59; // microseconds: beyond it one can't reckon with times any more

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
    explicit Impl(std::unique_ptr<Store> store)
        : m_database(std::move(store))
        , m_texts(*m_database)
        , m_replay(*m_database, m_texts)
    {
    }

    Result<void> readIdentity(const QString& path);
    Result<qint64> number(const char* statement, std::initializer_list<Value> values, qint64 ifNone);
    Result<std::optional<ServerTime>> time(const char* statement, ServerTime at);

    Identity identity;
    Database* file = nullptr; ///< the store, if that is a file
    qint64 formWhenOpened = 0;
    Store& database() { return *m_database; }
    StoredTexts& texts() { return m_texts; }
    Replay& replay() { return m_replay; }

private:
    std::unique_ptr<Store> m_database;
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
    if (*application != recordingApplication)
        return failure(ErrorKind::BadInput, u"%1 is no recording of Lockscope's."_s.arg(path));
    if (*version > formatVersion)
        return failure(ErrorKind::BadInput, u"The recording %1 was made by a newer program."_s.arg(path),
            u"Update this program."_s);
    formWhenOpened = *version;
    const auto strange = number("recording/recording/strange_tables", {}, 0);
    if (!strange)
        return Failure(strange.error());
    if (*strange != 0)
        return failure(ErrorKind::BadInput, u"%1 has tables that no recording has."_s.arg(path));
    const auto read = identityOf(*m_database);
    if (!read)
        return Failure(read.error());
    if (!*read)
        return failure(ErrorKind::BadInput, u"%1 does not say of which server it is."_s.arg(path));
    identity = **read;
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

RecordingReader::RecordingReader(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}

RecordingReader::~RecordingReader() = default;

Result<std::unique_ptr<RecordingReader>> RecordingReader::open(
    const QString& path, const db::PasswordProvider& passwords)
{
    if (HistoryPlace::isOne(path)) {
        auto store = HistoryStore::open(path, passwords);
        if (!store)
            return Failure(store.error());
        const Identity identity = (*store)->recording().identity;
        auto impl = std::make_unique<Impl>(std::move(*store));
        impl->identity = identity;
        return std::unique_ptr<RecordingReader>(new RecordingReader(std::move(impl)));
    }
    auto database = Database::open(path, Database::Mode::Read);
    if (!database)
        return Failure(database.error());
    Database* const file = database->get();
    auto impl = std::make_unique<Impl>(std::move(*database));
    impl->file = file;
    if (const auto read = impl->readIdentity(path); !read)
        return Failure(read.error());
    if (const auto ready = prepareToRead(*file); !ready)
        return Failure(ready.error());
    return std::unique_ptr<RecordingReader>(new RecordingReader(std::move(impl)));
}

const Identity& RecordingReader::identity() const
{
    return m_impl->identity;
}

bool RecordingReader::hasMoved() const
{
    Database* const file = m_impl->file;
    if (!file || file->hasMoved())
        return file != nullptr;
    const auto version = versionOf(*file);
    return version && *version != m_impl->formWhenOpened;
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
    if (span.first.us < -farthest || span.last.us > farthest)
        return failure(ErrorKind::BadInput, u"The recording has moments at times that no clock shows."_s);
    return span;
}

Result<QList<Segment>> RecordingReader::segments(ServerTime from, ServerTime to)
{
    QList<Segment> segments;
    qint64 characters = 0;
    bool more = false;
    const auto add = [&](const Database::Row& row) {
        more = segments.size() == mostLines || characters > mostCharacters;
        if (more)
            return false;
        segments.append(
            {{row.number(0)}, {row.number(1)}, row.text(2), row.text(3), row.number(4), row.number(5)});
        characters += segments.back().endReason.size() + segments.back().host.size();
        return true;
    };
    const auto read =
        m_impl->database().run("recording/recording/segments", {from.us, to.us, mostLines + 1}, add);
    if (!read)
        return Failure(read.error());
    if (more)
        segments.back().endReason =
            u"there are more stretches of watching from here on than are read at once: %1 of them are shown"_s
                .arg(segments.size());
    return segments;
}

Result<QList<Segment>> RecordingReader::segments()
{
    return segments({std::numeric_limits<qint64>::min()}, ever);
}

Result<QList<Pin>> RecordingReader::pins()
{
    QList<Pin> pins;
    qint64 characters = 0;
    const auto read =
        m_impl->database().run("recording/recording/pins", {mostLines}, [&](const Database::Row& row) {
            pins.append({{row.number(0)}, {row.number(1)}, row.text(2), row.number(3)});
            characters += pins.back().why.size();
            return characters <= mostCharacters;
        });
    if (!read)
        return Failure(read.error());
    return pins;
}

Result<SnapshotPtr> RecordingReader::at(ServerTime at)
{
    return m_impl->replay().at(at);
}

Result<QList<Moment>> RecordingReader::moments(ServerTime from, ServerTime to, int columns)
{
    QList<Moment> moments;
    std::vector<quint64> heads; // as numbers of texts, which are asked for afterwards
    const auto add = [&](const Database::Row& row) {
        moments.append({{row.number(0)}, row.number(1), static_cast<int>(row.number(2)),
            static_cast<int>(row.number(3)), static_cast<int>(row.number(4)),
            {milliseconds(row.number(5)), row.number(6) != 0}, static_cast<int>(row.number(7)), {},
            {row.number(9)}, {row.number(10)}, static_cast<int>(row.number(11))});
        heads.push_back(static_cast<quint64>(row.number(8)));
        return true;
    };
    // Times of a file that somebody made may be farther apart than a number can say.
    const auto length = static_cast<quint64>(to.us) - static_cast<quint64>(std::min(from, to).us);
    const auto width = std::max<qint64>(1,
        static_cast<qint64>(std::min<quint64>(length, ever.us) / static_cast<quint64>(std::max(1, columns))));
    const auto read = m_impl->database().run("recording/recording/moments", {from.us, to.us, width}, add);
    if (!read)
        return Failure(read.error());
    for (qsizetype i = 0; i < moments.size(); ++i) {
        if (const quint64 head = heads[static_cast<size_t>(i)]; head != 0)
            moments[i].head = m_impl->texts().text(head).value_or(QString());
    }
    return moments;
}

Result<std::optional<ServerTime>> RecordingReader::nextMoment(ServerTime after)
{
    return m_impl->time("recording/recording/next_moment", after);
}

Result<std::optional<ServerTime>> RecordingReader::previousMoment(ServerTime before)
{
    return m_impl->time("recording/recording/previous_moment", before);
}

Result<QList<Event>> RecordingReader::events(ServerTime from, ServerTime to)
{
    QList<Event> events;
    qint64 characters = 0;
    bool more = false;
    const auto add = [&](const Database::Row& row) {
        more = events.size() == mostLines || characters > mostCharacters;
        if (more)
            return false;
        events.append({{row.number(0)}, kindOfName(row.text(2)), row.text(3), row.text(4), row.text(5)});
        characters += events.back().what.size() + events.back().detail.size();
        return true;
    };
    const auto read =
        m_impl->database().run("recording/recording/events", {from.us, to.us, mostLines + 1}, add);
    if (!read)
        return Failure(read.error());
    if (more)
        events.append({events.back().at, Event::Kind::Note,
            u"There are more events from here on than are read at once: %1 of them are shown."_s.arg(
                events.size())});
    return events;
}

Result<QList<RecordedReport>> RecordingReader::reports(ServerTime from, ServerTime to)
{
    QList<RecordedReport> reports;
    qint64 characters = 0;
    const auto isTooMuch = [&] { return reports.size() > mostLines || characters > mostCharacters; };
    const auto add = [&](const Database::Row& row) {
        const QString key = row.text(3);
        reports.append(
            {{row.number(0)}, row.text(1), row.text(2), key.startsWith("raw:"_L1) ? key.mid(4) : key});
        characters += reports.back().raw.size();
        return !isTooMuch();
    };
    const auto read =
        m_impl->database().run("recording/recording/reports", {from.us, to.us, mostLines + 1}, add);
    if (!read)
        return Failure(read.error());
    return isTooMuch() ? Result<QList<RecordedReport>>(tooMuch(u"reports of deadlocks"_s)) : reports;
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

Result<void> RecordingReader::eachFrame(
    qint64 segment, ServerTime from, ServerTime to, const std::function<Result<void>(const Frame&)>& each)
{
    if (auto begun = m_impl->database().beginReading(); !begun)
        return begun;
    auto first = m_impl->number("recording/recording/place_before", {segment, from.us, to.us}, -1);
    Result<void> told;
    Result<void> read;
    if (first && *first >= 0) {
        read = m_impl->replay().each(*first, [&](const Replay::Place& place) {
            if (place.segment != segment || place.taken > to)
                return false;
            told = each({m_impl->replay().frame(place.number, place.keyFrame), place.taken, place.noted});
            return told.has_value();
        });
    }
    m_impl->database().endReading();
    if (!first)
        return Failure(first.error());
    return told ? read : told;
}

Result<std::vector<ServerTime>> RecordingReader::looks(ServerTime from, ServerTime to)
{
    std::vector<ServerTime> looks;
    const auto read = m_impl->database().run(
        "recording/recording/looks", {from.us, to.us}, [&looks](const Database::Row& row) {
            looks.push_back({row.number(0)});
            return true;
        });
    if (!read)
        return Failure(read.error());
    return looks;
}

Result<QList<HistoryLine>> RecordingReader::history(const QString& lock, ServerTime from, ServerTime to)
{
    return historyOf(m_impl->database(), lock, from, to);
}

Result<void> RecordingReader::waits(ServerTime from, ServerTime to, const IntervalSink& each)
{
    return waitsIn(m_impl->database(), from, to, each);
}

Result<void> RecordingReader::holds(ServerTime from, ServerTime to, const IntervalSink& each)
{
    return holdsIn(m_impl->database(), from, to, each);
}

Result<RecordedLock> RecordingReader::lockOfNumber(qint64 resource)
{
    return lockOf(m_impl->database(), resource);
}

Result<RecordedParty> RecordingReader::partyOfNumber(qint64 party)
{
    return partyOf(m_impl->database(), party);
}

Result<QList<RecordedLock>> RecordingReader::locksNamed(const QString& name)
{
    return record::locksNamed(m_impl->database(), name);
}

Result<QList<RecordedParty>> RecordingReader::lives(SessionId session)
{
    return livesOf(m_impl->database(), session);
}

Result<QList<HistoryLine>> RecordingReader::lockLife(
    const RecordedLock& lock, ServerTime from, ServerTime to, qint64 most)
{
    return lifeOf(m_impl->database(), lock, from, to, most);
}

Result<QList<HistoryLine>> RecordingReader::sessionLife(
    SessionId session, ServerTime started, ServerTime from, ServerTime to, qint64 most)
{
    return lifeOf(m_impl->database(), session, started, from, to, most);
}

Result<RecordingReader::Verdict> RecordingReader::verify()
{
    Verdict verdict;
    const auto read = m_impl->replay().each(0, [&](const Replay::Place& place) {
        if (m_impl->replay().frame(place.number, place.keyFrame))
            ++verdict.whole;
        else
            verdict.damaged.append(place.taken);
        return true;
    });
    if (!read)
        return Failure(read.error());
    return verdict;
}

} // namespace lockscope::record
