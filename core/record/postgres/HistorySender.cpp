// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/postgres/HistorySender.h"

#include "core/db/postgres/PostgresConnection.h"
#include "core/db/postgres/PostgresDialect.h"
#include "core/domain/Engine.h"
#include "core/record/RecordingFile.h"
#include "core/record/postgres/HistorySchema.h"

#include <QFileInfo>
#include <QSysInfo>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

db::ConnectOptions writing()
{
    return {.purpose = db::Purpose::Admin, // waits for no lock for long
        .programSuffix = u"history"_s,
        .statementTimeout = std::chrono::seconds(30)};
}

} // namespace

void HistoryAccess::forgive()
{
    const MutexLock lock(m_mutex);
    m_refusal.reset();
}

std::optional<Error> HistoryAccess::refusal() const
{
    const MutexLock lock(m_mutex);
    return m_refusal;
}

HistoryLink::HistoryLink(db::Server server, std::shared_ptr<HistoryAccess> access)
    : m_connection(std::move(server), writing())
    , m_access(std::move(access))
{
}

Result<void> HistoryLink::ensureOpen()
{
    ++m_uses;
    const auto opened = m_connection.isOpen() ? Result<void>() : open();
    m_failure = opened ? std::nullopt : std::optional(opened.error());
    return opened;
}

Result<void> HistoryLink::open()
{
    const MutexLock lock(m_access->m_opening);
    if (auto refusal = m_access->refusal())
        return Failure(std::move(*refusal));
    const auto opened = m_connection.tryNow();
    if (!opened) {
        if (opened.error().kind == ErrorKind::Login) {
            const MutexLock refusing(m_access->m_mutex);
            m_access->m_refusal = opened.error();
        }
        return Failure(opened.error());
    }
    ++m_access->m_openings;
    auto fit = checkHistory(*m_connection);
    if (!fit)
        m_connection.close();
    return fit;
}

void HistoryLink::noteFailure(const Error& error)
{
    if (error.kind == ErrorKind::Connection || error.kind == ErrorKind::ReadOnly) {
        m_connection.close();
        m_failure = error;
    }
}

namespace {

/// An array of numbers, as PostgreSQL writes it; NULL: none was given.
db::Param arrayOf(const std::optional<std::vector<qint64>>& numbers)
{
    if (!numbers)
        return std::monostate();
    return db::arrayLiteral(*numbers);
}

} // namespace

HistorySender::HistorySender(QString path)
    : m_path(std::move(path))
{
}

Result<HistorySender::Step> HistorySender::sendNext(HistoryLink& link, const std::stop_token& stop)
{
    m_isUnreadable = false;
    if (auto opened = openFile(); !opened) {
        m_isUnreadable = QFileInfo(m_path).size() > 0;
        return Failure(opened.error());
    }
    LOCKSCOPE_TRY(link.ensureOpen());
    m_link = &link;
    auto done = openRecording(stop).and_then([&] { return synchronise(stop); });
    if (!done) {
        m_key = 0; // keep_days() may have dropped it, when it was old
        link.noteFailure(done.error());
        return Failure(done.error());
    }
    const auto batch = m_source->next(m_today);
    if (!batch) {
        m_isUnreadable = true;
        m_source.reset();
        return Failure(batch.error());
    }
    if (batch->isEmpty)
        return Step{.reached = reached()};
    auto sent = sendBatch(*batch, stop);
    if (!sent) {
        m_isSynchronous = false;
        m_key = 0; // the history may have dropped it, when it was old
        link.noteFailure(sent.error());
        if (sent.error().kind == ErrorKind::Changed)
            // Another sender was here: the state there is requested again.
            return Step{.hasMore = true, .reached = reached()};
    }
    return sent;
}

std::optional<ServerTime> HistorySender::reached() const
{
    return m_reached.frame == 0 ? std::nullopt : std::optional(m_reached.taken);
}

/// The file that has the path now.
Result<void> HistorySender::openFile()
{
    if (m_source && !m_source->file().hasMoved())
        return {};
    m_source.reset();
    m_key = 0;
    m_isReachedKnown = false;
    LOCKSCOPE_TRY_GET(auto file, Database::open(m_path, Database::Mode::Read));
    LOCKSCOPE_TRY_GET(const auto identity, identityOf(*file));
    if (!identity)
        return failure(ErrorKind::BadInput, u"%1 does not say of which server it is."_s.arg(m_path));
    LOCKSCOPE_TRY(prepareToRead(*file));
    m_identity = *identity;
    m_source = std::make_unique<UploadSource>(std::move(file));
    return {};
}

std::optional<PendingUpload> HistorySender::pending()
{
    if (!openFile() || !m_isReachedKnown)
        return std::nullopt;
    const auto read = m_source->pending();
    return read ? std::optional(*read) : std::nullopt;
}

Result<void> HistorySender::openRecording(const std::stop_token& stop)
{
    if (const quint64 openings = m_link->openings(); openings != m_openings) {
        m_openings = openings;
        m_key = 0;
        m_isTodayThere = false;
    }
    if (m_key != 0)
        return {};
    m_isSynchronous = false;
    const auto text = [](const QString& value) { return u""_s + withoutZeros(value); };
    const auto begun = run("recording/postgres/history/begin_recording",
        {text(m_identity.id), text(m_identity.server), engineKey(m_identity.engine), m_identity.began.us,
            qint64(m_identity.redacted), text(m_identity.program), text(QSysInfo::machineHostName()),
            text(m_identity.place), text(m_identity.cluster)},
        stop, [this](const db::Row& row) { m_key = row.int64(0); });
    return ifDone(begun);
}

/// Asks how far the history has come, and what it has of the days that are gone on with.
Result<void> HistorySender::synchronise(const std::stop_token& stop)
{
    if (m_isSynchronous && m_isTodayThere)
        return {};
    if (!m_isTodayThere) {
        LOCKSCOPE_TRY(run("recording/postgres/history/keep_days", {}, stop));
    }
    if (m_isSynchronous) {
        m_isTodayThere = true;
        return {};
    }
    LOCKSCOPE_TRY(inTransaction([&]() -> Result<void> {
        LOCKSCOPE_TRY_GET(m_reached, beginBatch(std::vector<qint64>(), stop));
        return {};
    }));
    if (auto begun = m_source->begin(m_key, m_reached); !begun) {
        m_isUnreadable = begun.error().kind != ErrorKind::Changed;
        return begun;
    }
    // The older day last: it is the one that is gone on with.
    QStringList days{m_today};
    if (!m_reached.day.isEmpty() && m_reached.day != m_today)
        days << m_reached.day;
    const bool goesOn = days.size() > 1 && m_reached.isDayThere;
    const QString& day = goesOn ? days.back() : days.front();
    LOCKSCOPE_TRY(run("recording/postgres/history/sent", {m_key, day}, stop,
        [&](const db::Row& row) { m_source->noteSent(day, row.text(0).front(), row.int64(1)); }));
    m_isSynchronous = true;
    m_isReachedKnown = true;
    return {};
}

Result<HistorySender::Step> HistorySender::sendBatch(const UploadBatch& batch, const std::stop_token& stop)
{
    const auto sent = inTransaction([&]() -> Result<void> {
        LOCKSCOPE_TRY_GET(const auto reached, beginBatch(batch.gone, stop));
        if (!(reached == m_reached))
            return failure(ErrorKind::Changed, u"Somebody else writes this recording of the history, too."_s);
        LOCKSCOPE_TRY(copy(batch, stop));
        return ifDone(
            run("recording/postgres/history/end_batch", {m_key, QString::fromUtf8(batch.news)}, stop));
    });
    LOCKSCOPE_TRY(sent);
    m_reached = batch.after;
    m_source->done(batch);
    return Step{
        .hasMore = !batch.isLast, .frames = batch.count, .skipped = batch.skipped, .reached = reached()};
}

Result<UploadProgress> HistorySender::beginBatch(
    const std::optional<std::vector<qint64>>& gone, const std::stop_token& stop)
{
    UploadProgress reached;
    const auto begun =
        run("recording/postgres/history/begin_batch", {m_key, arrayOf(gone)}, stop, [&](const db::Row& row) {
            reached = {.frame = row.int64(0),
                .taken = row.time(1),
                .noted = row.time(2),
                .keyFrame = row.int64(3),
                .day = row.text(4),
                .isDayThere = row.boolean(5),
                .interval = row.int64(6),
                .event = row.int64(7),
                .surroundings = row.int64(8)};
            // On each new day the old ones are dropped, too.
            const QString today = row.text(9);
            m_isTodayThere = row.boolean(10) && (m_today.isEmpty() || m_today == today);
            m_today = today;
        });
    return ifDone(begun, std::move(reached));
}

Result<void> HistorySender::inTransaction(const std::function<Result<void>()>& change)
{
    LOCKSCOPE_TRY((*m_link)->begin());
    Result<void> done = change();
    if (done)
        return (*m_link)->commit();
    if ((*m_link)->isOpen() && (*m_link)->inTransaction())
        static_cast<void>((*m_link)->rollback());
    return done;
}

Result<qint64> HistorySender::run(const char* statement, std::initializer_list<db::Param> params,
    const std::stop_token& stop, const db::RowSink& sink)
{
    return (*m_link)->execute(db::Statement::get(statement), params, sink, stop);
}

Result<void> HistorySender::copy(const UploadBatch& batch, const std::stop_token& stop)
{
    struct Part {
        const char* statement;
        const CopyRows& rows;
    };
    auto& connection = static_cast<db::PostgresConnection&>(**m_link); // checkHistory saw to that
    for (const Part& part : {Part{"recording/postgres/history/copy_texts", batch.texts},
             Part{"recording/postgres/history/copy_resources", batch.resources},
             Part{"recording/postgres/history/copy_parties", batch.parties},
             Part{"recording/postgres/history/copy_frames", batch.frames},
             Part{"recording/postgres/history/copy_intervals", batch.intervals},
             Part{"recording/postgres/history/copy_open", batch.open},
             Part{"recording/postgres/history/copy_events", batch.events},
             Part{"recording/postgres/history/copy_surroundings", batch.surroundings}}) {
        if (part.rows.isEmpty())
            continue;
        LOCKSCOPE_TRY(connection.copyIn(db::Statement::get(part.statement), part.rows.bytes(), stop));
    }
    return {};
}

} // namespace lockscope::record
