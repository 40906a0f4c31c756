// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/postgres/HistoryStore.h"

#include "core/base/Sentences.h"
#include "core/db/postgres/PostgresConnection.h"
#include "core/domain/Engine.h"
#include "core/record/postgres/HistorySchema.h"

#include <QSet>
#include <QUrl>

#include <algorithm>
#include <array>
#include <string_view>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

/// The history's queries in place of those of a reader that have the same name.
constexpr std::array<std::string_view, 39> ownQueries{"recording/postgres/history/texts_between",
    "recording/postgres/history/segments", "recording/postgres/history/frame_at",
    "recording/postgres/history/first_frame", "recording/postgres/history/frames",
    "recording/postgres/history/places", "recording/postgres/history/place_before",
    "recording/postgres/history/span", "recording/postgres/history/snapshots",
    "recording/postgres/history/next_snapshot", "recording/postgres/history/previous_snapshot",
    "recording/postgres/history/next_wait", "recording/postgres/history/next_calm",
    "recording/postgres/history/previous_wait", "recording/postgres/history/previous_calm",
    "recording/postgres/history/next_event", "recording/postgres/history/previous_event",
    "recording/postgres/history/events", "recording/postgres/history/latest_events",
    "recording/postgres/history/reports", "recording/postgres/history/surroundings",
    "recording/postgres/history/pins", "recording/postgres/history/history",
    "recording/postgres/history/polls", "recording/postgres/history/pieces",
    "recording/postgres/history/next_gap", "recording/postgres/history/previous_gap",
    "recording/postgres/history/what_follows", "recording/postgres/history/modes",
    "recording/postgres/history/resources_of_kinds", "recording/postgres/history/resources_named",
    "recording/postgres/history/resources_identified", "recording/postgres/history/intervals",
    "recording/postgres/history/lock_of_number", "recording/postgres/history/party_of_number",
    "recording/postgres/history/locks_named", "recording/postgres/history/lock_names_like",
    "recording/postgres/history/lives", "recording/postgres/history/session_life"};

std::string_view nameOf(std::string_view path)
{
    return path.substr(path.rfind('/'));
}

class HistoryRow final : public Store::Row {
public:
    explicit HistoryRow(const db::Row& row)
        : m_row(row)
    {
    }
    qint64 number(int column) const override { return m_row.int64(column); }
    QString text(int column) const override { return m_row.text(column); }
    QByteArray bytes(int column) const override // they come in base64, whatever the server's bytea_output is
    {
        return QByteArray::fromBase64(m_row.text(column).toLatin1());
    }
    bool isNull(int column) const override { return m_row.isNull(column); }

private:
    const db::Row& m_row;
};

db::Param paramOf(const Value& value)
{
    if (const auto* number = std::get_if<qint64>(&value))
        return *number;
    if (const auto* text = std::get_if<QString>(&value))
        return *text;
    return std::monostate();
}

/// A session that can only read, in which the history was found to be fit for use.
Result<std::unique_ptr<db::Connection>> openToRead(const db::Server& server)
{
    LOCKSCOPE_TRY_GET(
        auto connection, server.connect({.purpose = db::Purpose::Monitor, .programSuffix = u"history"_s}));
    LOCKSCOPE_TRY(checkHistory(*connection));
    static_cast<db::PostgresConnection&>(*connection).setRowByRow(true); // checkHistory saw to that
    return connection;
}

Result<QList<HistoryRecording>> recordingsThere(db::Connection& connection)
{
    QList<HistoryRecording> recordings;
    const auto read = connection.execute(
        db::Statement::get("recording/postgres/history/recordings"), {}, [&recordings](const db::Row& row) {
            const auto engine = engineOfKey(row.text(3));
            if (!engine)
                return; // of a newer program
            recordings.append({.key = row.int64(0),
                .identity = {.id = row.text(1),
                    .server = row.text(2),
                    .engine = *engine,
                    .began = row.time(4),
                    .redacted = row.int64(5) != 0,
                    .program = row.text(6),
                    .place = row.text(10),
                    .writer = row.text(8),
                    .cluster = row.text(11)},
                .host = row.text(7),
                .last = row.optionalTime(9),
                .first = row.optionalTime(12),
                .sinceWritten = std::max(microseconds(0), microseconds(row.int64(13)))});
        });
    return ifDone(read, std::move(recordings));
}

} // namespace

bool HistoryPlace::isOne(const QString& place)
{
    return place.startsWith(u"postgresql://"_s) || place.startsWith(u"postgres://"_s);
}

namespace {

const QString writerMark = u"?writer="_s;

QString encoded(const QString& text)
{
    return QString::fromLatin1(QUrl::toPercentEncoding(text, "@:/ ,"));
}

/// Returns the newest recording that is meant; recordings of one server by several logins are not mixed up.
Result<HistoryRecording> chosen(const QList<HistoryRecording>& recordings, const HistoryPlace& place)
{
    QStringList servers =
        textOfEach(recordings, [](const HistoryRecording& each) { return each.identity.server; });
    servers.removeDuplicates();
    servers.sort();
    const QString requested =
        place.recording.isEmpty() && servers.size() == 1 ? servers.front() : place.recording;
    QList<HistoryRecording> meant;
    // An id goes before a name only within one login: another one may have taken that name for its id.
    QSet<QString> byId;
    for (const HistoryRecording& each : recordings) {
        if (each.identity.id == requested)
            byId.insert(each.identity.writer);
    }
    for (const HistoryRecording& each : recordings) {
        const Identity& identity = each.identity;
        const bool isMeant =
            identity.id == requested || (identity.server == requested && !byId.contains(identity.writer));
        if (isMeant && (place.writer.isEmpty() || identity.writer == place.writer))
            meant << each;
    }
    if (meant.isEmpty()) {
        const QString by = place.writer.isEmpty() ? QString() : u" by %1"_s.arg(place.writer);
        return failure(ErrorKind::MissingObject,
            requested.isEmpty() ? u"The address names no server of the history."_s
                                : u"The history has no recording of %1%2."_s.arg(requested, by),
            servers.isEmpty() ? u"Nothing was recorded into it yet: lockctl record --into URL."_s
                              : u"Write one of them behind a '#': %1."_s.arg(servers.join(u", "_s)));
    }
    QStringList writers =
        textOfEach(meant, [](const HistoryRecording& each) { return each.identity.writer; });
    writers.removeDuplicates();
    if (writers.size() > 1)
        return failure(ErrorKind::BadInput,
            u"Several logins have recorded %1 there: %2."_s.arg(requested, writers.join(u", "_s)),
            u"Say whose you mean: #%1%2%3."_s.arg(encoded(requested), writerMark, encoded(writers.front())));
    return meant.front();
}

} // namespace

QString HistoryPlace::of(const db::ServerUrl& server, const QString& recording, const QString& writer)
{
    return server.toString() + u'#' + encoded(recording)
        + (writer.isEmpty() ? QString() : writerMark + encoded(writer));
}

Result<HistoryPlace> HistoryPlace::parse(const QString& place, const db::PasswordProvider& passwords)
{
    const auto mark = place.indexOf(u'#');
    LOCKSCOPE_TRY_GET(auto server, db::Server::parse(place.left(mark < 0 ? place.size() : mark)));
    LOCKSCOPE_TRY(checkKeepsHistory(server.engine()));
    if (passwords)
        server.passwords = passwords;
    const QString which = mark < 0 ? QString() : place.mid(mark + 1);
    const auto question = which.lastIndexOf(writerMark);
    const auto decoded = [](const QString& text) { return QUrl::fromPercentEncoding(text.toUtf8()); };
    return HistoryPlace{std::move(server), decoded(question < 0 ? which : which.left(question)),
        question < 0 ? QString() : decoded(which.mid(question + writerMark.size()))};
}

Result<QList<HistoryRecording>> recordingsOf(const db::Server& server)
{
    const auto connection = openToRead(server);
    return connection ? recordingsThere(**connection) : Failure(connection.error());
}

Result<std::unique_ptr<HistoryStore>> HistoryStore::open(
    const QString& text, const db::PasswordProvider& passwords)
{
    LOCKSCOPE_TRY_GET(const auto place, HistoryPlace::parse(text, passwords));
    LOCKSCOPE_TRY_GET(auto connection, openToRead(place.server));
    LOCKSCOPE_TRY_GET(const auto recordings, recordingsThere(*connection));
    LOCKSCOPE_TRY_GET(const auto recording, chosen(recordings, place));
    return std::unique_ptr<HistoryStore>(new HistoryStore(std::move(connection), recording));
}

Result<void> HistoryStore::run(const char* name, std::initializer_list<Value> values, const Sink& each)
{
    const auto own = std::ranges::find(ownQueries, nameOf(name), nameOf);
    if (own == ownQueries.end())
        return failure(ErrorKind::Unsupported, u"A team's history can't answer that yet."_s,
            u"Ask the watcher's own file."_s);
    std::vector<db::Param> params{m_recording.key};
    for (const Value& value : values)
        params.push_back(paramOf(value));
    bool goesOn = true;
    const db::RowSink sink = [&](const db::Row& row) { goesOn = goesOn && each(HistoryRow(row)); };
    return ifDone(
        m_connection->execute(db::Statement::get(own->data()), params, each ? sink : db::RowSink()));
}

namespace {

constexpr microseconds late = std::chrono::minutes(1); // a watcher writes about once a second

report::Value sinceWritten(const HistoryRecording& recording)
{
    report::Value value(recording.sinceWritten);
    value.mark = recording.sinceWritten > late ? report::Mark::Warning : report::Mark::None;
    return value;
}

} // namespace

report::Report toReport(const QList<HistoryRecording>& recordings)
{
    using enum report::Type;
    using report::Column;
    report::Section section{
        .columns = {Column(u"server"_s, u"Server"_s, u"The watcher's name for it."_s).wide(2),
            Column(u"login"_s, u"Written by"_s,
                u"The user that wrote it: the history's server says so, and not the watcher."_s)
                .wide(1),
            {Time, u"first"_s, u"From"_s,
                u"The first snapshot that is there, by the watched server's clock, UTC."_s},
            {Time, u"last"_s, u"Up to"_s,
                u"The last snapshot that is there, by the watched server's clock, UTC."_s},
            {Length, u"since_written"_s, u"Written ago"_s,
                u"How long ago something was written into it last, by the history's clock."_s},
            Column(u"watcher"_s, u"Watcher"_s, u"The computer that watches, as that says."_s).wide(1),
            Column(u"place"_s, u"Is"_s, u"Which server that is, as the watcher says."_s).wide(1),
            Column(Time, u"began"_s, u"Began"_s, u"When the recording was begun, by the watcher's clock."_s)
                .yield(2),
            Column(u"id"_s, u"Id"_s, u"The id of the recording."_s).yield(1), {Flag, u"redacted"_s}},
        .whenEmpty = u"Nothing was recorded into this history yet: lockctl record --into URL"_s};
    for (const HistoryRecording& each : recordings) {
        const Identity& identity = each.identity;
        section.rows.push_back({.cells = {identity.server, identity.writer, each.first.value_or(ServerTime()),
                                    each.last.value_or(ServerTime()), sinceWritten(each), each.host,
                                    identity.place.isEmpty() ? engineKey(identity.engine) : identity.place,
                                    identity.began, identity.id, report::Value::flag(identity.redacted)},
            .key = QString::number(each.key),
            .more =
                identity.redacted ? QStringList(u"Values in statements are left out."_s) : QStringList()});
    }
    return {.sections = {std::move(section)}};
}

} // namespace lockscope::record
