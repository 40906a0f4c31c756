// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/sqlserver/SqlServerSessions.h"

#include "core/domain/Resource.h"

#include <algorithm>
#include <array>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

/// Half of what details/statement_text reads: so much of a statement is there at least, wherever it begins.
constexpr qint64 pieceStep = 16'384;

constexpr qint64 maxAhead = 24 * 60; // minutes of local time, of UTC
constexpr int stateRollingBack = 7; // transaction_state of sys.dm_tran_active_transactions

namespace sessionColumn {
enum {
    Id,
    Login,
    Status,
    User,
    Host,
    Program,
    Database,
    OpenTransactions,
    IsUser,
    RequestStart,
    RequestEnd,
    Ahead,
    Isolation,
    Work, ///< and three more columns
    ClientProcess = Work + 4,
};
}
namespace requestColumn {
enum {
    Id,
    Status,
    Command,
    Start,
    WaitType,
    WaitTime,
    WaitResource,
    Blocker,
    Percent,
    Left,
    Handle,
    From,
    To,
    TransactionId,
    OpenTransactions,
    Isolation,
    MemoryGrant,
    Work, ///< and three more columns
};
}

/// Names the level as sys.dm_exec_sessions and sys.dm_exec_requests do.
QString isolationName(qint64 level)
{
    static constexpr QStringView names[] = {
        {}, u"read uncommitted", u"read committed", u"repeatable read", u"serializable", u"snapshot"};
    return level > 0 && level < qint64(std::size(names)) ? names[level].toString() : QString();
}

/// CPU time, logical reads, reads, writes: four columns from `first` on.
SessionWork workOf(const db::Row& row, int first)
{
    const auto figure = [&](int at) {
        return row.isNull(first + at) ? std::nullopt : std::optional(row.int64(first + at));
    };
    SessionWork work;
    if (const auto cpu = figure(0))
        work.cpu = milliseconds(*cpu);
    work.logicalReads = figure(1);
    work.reads = figure(2);
    work.writes = figure(3);
    return work;
}

SessionState sessionState(const QString& status, bool inTransaction)
{
    if (status == u"running" || status == u"runnable" || status == u"suspended" || status == u"active")
        return SessionState::Active;
    if (status == u"idle in transaction")
        return SessionState::IdleInTransaction;
    if (status == u"sleeping" || status == u"idle" || status == u"dormant" || status == u"preconnect")
        return inTransaction ? SessionState::IdleInTransaction : SessionState::Idle;
    return SessionState::Unknown;
}

bool isRollback(const QString& status, const QString& command)
{
    return status == u"rollback" || command == u"KILLED/ROLLBACK" || command.startsWith(u"ROLLBACK");
}

constexpr size_t maxAtOnce = 8; // of each kind, in a poll
constexpr qsizetype maxPages = 1'000;

} // namespace

QString StatementTexts::pieceOf(const QString& handle, qint64 start)
{
    const qint64 first = std::max<qint64>(start, 0) / 2 / pieceStep * pieceStep;
    return first == 0 || handle.isEmpty() ? handle : handle + QLatin1Char('@') + QString::number(first);
}

StatementTexts::Piece StatementTexts::partsOf(const QString& piece)
{
    const qsizetype at = piece.indexOf(QLatin1Char('@'));
    return at < 0 ? Piece{piece, 0} : Piece{piece.left(at), piece.mid(at + 1).toLongLong()};
}

const QString* StatementTexts::find(const QString& handle)
{
    if (handle.isEmpty())
        return nullptr;
    Entry& entry = m_entries[handle];
    if (entry.known) {
        entry.used = m_poll;
        return &entry.text;
    }
    if (entry.used != m_poll)
        m_unknownHandles.push_back(handle);
    entry.used = m_poll;
    return nullptr;
}

std::vector<QString> StatementTexts::toFetch(size_t count)
{
    std::vector<QString> handles;
    for (const QString& handle : m_unknownHandles) {
        if (handles.size() == count)
            break;
        const auto asked = m_asked.constFind(handle);
        if (asked != m_asked.cend() && m_poll - *asked < askAgainAfter)
            continue;
        m_asked.insert(handle, m_poll);
        handles.push_back(handle);
    }
    return handles;
}

void StatementTexts::set(const QString& handle, const QString& text)
{
    m_entries.insert(handle, {text, m_poll, true});
    m_asked.remove(handle);
}

void StatementTexts::endPoll()
{
    m_unknownHandles.clear();
    ++m_poll;
    if (m_entries.size() <= maxTexts)
        return;
    std::vector<quint64> ages;
    for (const Entry& entry : std::as_const(m_entries))
        ages.push_back(entry.used);
    const auto middle = ages.begin() + static_cast<std::ptrdiff_t>(ages.size() / 2);
    std::nth_element(ages.begin(), middle, ages.end());
    const quint64 oldest = *middle;
    m_entries.removeIf([oldest](const auto& entry) { return entry.value().used < oldest; });
    m_asked.removeIf([this](const auto& asked) { return !m_entries.contains(asked.key()); });
}

QString StatementTexts::statementIn(const QString& text, qint64 start, qint64 end)
{
    const qint64 first = std::clamp<qint64>(start / 2, 0, text.size());
    // The end is the offset of the last character, not of what follows it.
    const qint64 last = end < 0 ? text.size() : std::clamp<qint64>(end / 2 + 1, first, text.size());
    return text.mid(first, last - first).trimmed();
}

void SqlServerSessions::addSession(const db::Row& row)
{
    using namespace sessionColumn;
    Base base;
    Session& session = base.session;
    session.id = SessionId{row.int64(Id)};
    session.started = row.time(Login);
    session.startedAhead = std::chrono::minutes(std::clamp<qint64>(row.int64(Ahead), -maxAhead, maxAhead));
    base.status = row.text(Status).toLower();
    session.user = row.text(User);
    session.host = row.text(Host);
    session.program = row.text(Program);
    session.system = !row.isNull(IsUser) && !row.boolean(IsUser);
    base.database = static_cast<quint32>(row.int64(Database));
    base.openTransactions = row.int64(OpenTransactions);
    base.lastRequestStart = row.time(RequestStart);
    base.lastRequestEnd = row.optionalTime(RequestEnd);
    base.isolation = row.int64(Isolation);
    session.workSinceLogin = workOf(row, Work);
    if (!row.isNull(ClientProcess))
        session.clientProcess = row.int64(ClientProcess);
    m_sessions.push_back(std::move(base));
}

void SqlServerSessions::addRequest(const db::Row& row)
{
    using namespace requestColumn;
    Request request;
    request.status = row.text(Status).toLower();
    request.command = row.text(Command).toUpper();
    request.started = row.optionalTime(Start);
    request.waitType = row.text(WaitType);
    request.waited = milliseconds(row.int64(WaitTime));
    request.waitResource = row.text(WaitResource);
    request.blocker = SessionId{row.int64(Blocker)};
    request.percent = row.real(Percent);
    request.left = milliseconds(row.int64(Left));
    request.handle = row.text(Handle);
    request.start = row.int64(From);
    request.end = row.isNull(To) ? -1 : row.int64(To);
    request.openTransactions = row.int64(OpenTransactions);
    request.isolation = row.int64(Isolation);
    request.memoryGrant = row.int64(MemoryGrant);
    request.work = workOf(row, Work);
    // The blocked one says most of several requests of one session (MARS).
    const SessionId id{row.int64(Id)};
    const auto known = m_requests.constFind(id);
    if (known == m_requests.cend() || (request.blocker.isValid() && !known->blocker.isValid()))
        m_requests.insert(id, request);
}

void SqlServerSessions::addConnection(const db::Row& row)
{
    // A session with several connections (MARS): each has read the same batch.
    m_connections.insert(SessionId{row.int64(0)}, {row.text(1), row.text(2)});
}

void SqlServerSessions::addTransaction(const db::Row& row)
{
    const SessionId id{row.int64(0)};
    const Transaction transaction{row.optionalTime(2), row.int64(3) == stateRollingBack,
        row.isNull(4) ? std::nullopt : std::optional(row.int64(4))};
    if (transaction.began)
        m_begins.insert(row.int64(1), *transaction.began);
    const auto known = m_transactions.constFind(id);
    if (known == m_transactions.cend() || (transaction.began && known->began > transaction.began))
        m_transactions.insert(id, transaction);
}

std::optional<ServerTime> SqlServerSessions::transactionBegin(qint64 transaction) const
{
    const auto begin = m_begins.constFind(transaction);
    return begin == m_begins.cend() ? std::nullopt : std::optional(*begin);
}

std::vector<SqlServerWait> SqlServerSessions::waitsOfRequests() const
{
    std::vector<SqlServerWait> waits;
    for (auto request = m_requests.cbegin(); request != m_requests.cend(); ++request) {
        const bool forLock = request->waitType.startsWith(u"LCK_");
        if (!forLock && (!request->blocker.isValid() || request->blocker == request.key()))
            continue;
        waits.push_back({.session = request.key(),
            .blocker = request->blocker,
            .lasting = request->waited,
            .type = request->waitType,
            .description = request->waitResource,
            .fromTask = false});
    }
    return waits;
}

QString SqlServerSessions::waitResource(SessionId session) const
{
    const Request* request = requestOf(session);
    return request ? request->waitResource : QString();
}

std::vector<SleepingBlocker> SqlServerSessions::sleepingBlockers(
    const std::vector<SqlServerWait>& waits) const
{
    QSet<SessionId> blockers;
    for (const SqlServerWait& wait : waits)
        blockers.insert(wait.blocker);
    std::vector<SleepingBlocker> sleeping;
    for (const Base& base : m_sessions) {
        if (blockers.contains(base.session.id) && !base.session.system && !requestOf(base.session.id))
            sleeping.push_back({base.session.key(), base.lastRequestStart});
    }
    return sleeping;
}

std::vector<std::pair<SessionId, SqlServerPage>> SqlServerSessions::latchedPages() const
{
    std::vector<std::pair<SessionId, SqlServerPage>> pages;
    for (auto request = m_requests.cbegin(); request != m_requests.cend(); ++request) {
        // Pages that are being read from disk don't count: their readers wait, too.
        if (!request->waitType.startsWith(u"PAGELATCH_"))
            continue;
        const QStringList parts = request->waitResource.trimmed().split(u':');
        if (parts.size() != 3)
            continue;
        std::array<bool, 3> ok{};
        const SqlServerPage page{parts[0].toUInt(&ok[0]), parts[1].toUInt(&ok[1]), parts[2].toUInt(&ok[2])};
        if (ok[0] && ok[1] && ok[2])
            pages.emplace_back(request.key(), page);
    }
    return pages;
}

QSet<quint32> SqlServerSessions::databases() const
{
    QSet<quint32> numbers;
    for (const Base& base : m_sessions)
        numbers.insert(base.database);
    return numbers;
}

void SqlServerSessions::describe(Session& session, const Base& base, const Request* request) const
{
    const auto transaction = m_transactions.constFind(session.id);
    const bool hasTransaction = transaction != m_transactions.cend();
    if (hasTransaction)
        session.transactionStarted = transaction->began;
    if (!request) {
        session.state = sessionState(base.status, base.openTransactions > 0 || hasTransaction);
        const bool works = session.state == SessionState::Active;
        session.stateSince = works ? std::optional(base.lastRequestStart) : base.lastRequestEnd;
        session.statementStarted = base.lastRequestStart;
    } else {
        session.state = SessionState::Active;
        session.stateSince = session.statementStarted = request->started;
        session.waitEvent = request->waitType;
        if (request->percent > 0) { // of BACKUP, DBCC, an index being reorganized …
            session.percentDone = request->percent;
            session.timeLeft = request->left;
        }
        if (isRollback(request->status, request->command) || (hasTransaction && transaction->rollingBack)) {
            session.state = SessionState::RollingBack;
            session.stateSince.reset(); // its start is unknown
            session.percentDone = request->percent;
            session.timeLeft = request->left;
        }
    }
    for (auto* time : {&session.stateSince, &session.statementStarted, &session.transactionStarted}) {
        if (*time && !(*time)->isValid())
            time->reset();
    }
    if (session.system)
        session.state = SessionState::Background;
}

/// Adds the figures that the views show beside the state. A request has the isolation and the transactions of
/// its own.
void SqlServerSessions::addFigures(Session& session, const Base& base, const Request* request) const
{
    session.isolation = isolationName(request ? request->isolation : base.isolation);
    session.openTransactions = request ? request->openTransactions : base.openTransactions;
    session.address = m_connections.value(session.id).address;
    if (request) {
        session.workOfStatement = request->work;
        session.memoryGrant = request->memoryGrant;
    }
    if (const auto transaction = m_transactions.constFind(session.id); transaction != m_transactions.cend())
        session.logUsed = transaction->logUsed;
}

/// The piece of a text in which stands what runs, else what ran last.
QString SqlServerSessions::textOf(SessionId session, const Request* request) const
{
    return request && !request->handle.isEmpty() ? StatementTexts::pieceOf(request->handle, request->start)
                                                 : m_connections.value(session).handle;
}

QString SqlServerSessions::statementOf(SessionId session, const Request* request, StatementTexts& texts) const
{
    const QString piece = textOf(session, request);
    const QString* text = texts.find(piece);
    if (!text)
        return {};
    if (!request || request->handle.isEmpty())
        return text->trimmed();
    const qint64 before = 2 * StatementTexts::partsOf(piece).first;
    return StatementTexts::statementIn(
        *text, request->start - before, request->end < 0 ? request->end : request->end - before);
}

const SqlServerSessions::Request* SqlServerSessions::requestOf(SessionId session) const
{
    const auto request = m_requests.constFind(session);
    return request == m_requests.cend() ? nullptr : &*request;
}

void SqlServerSessions::requestTexts(StatementTexts& texts) const
{
    for (const Base& base : m_sessions) {
        if (!base.session.system)
            texts.find(textOf(base.session.id, requestOf(base.session.id)));
    }
}

std::vector<Session> SqlServerSessions::sessions(
    SessionId own, const QHash<quint32, QString>& databaseNames, StatementTexts* texts) const
{
    std::vector<Session> sessions;
    sessions.reserve(m_sessions.size());
    for (const Base& base : m_sessions) {
        const Request* request = requestOf(base.session.id);
        Session session = base.session;
        describe(session, base, request);
        addFigures(session, base, request);
        if (session.system && session.program.isEmpty() && request)
            session.program = request->command;
        if (session.host.isEmpty())
            session.host = session.address;
        session.database = databaseNames.value(base.database);
        if (texts && !session.system)
            session.statement = statementOf(session.id, request, *texts);
        session.own = session.id == own || session.program.startsWith(u"lockscope monitor")
            || session.program.startsWith(u"lockscope admin");
        sessions.push_back(std::move(session));
    }
    return sessions;
}

Session SqlServerSessions::serverParty(SessionId id, const QString& unitOfWork)
{
    Session session;
    session.id = id;
    session.unitOfWork = unitOfWork;
    session.system = unitOfWork.isEmpty();
    if (!unitOfWork.isEmpty() || id.value == -2) {
        session.state = SessionState::IdleInTransaction;
        session.program = u"orphaned distributed transaction"_s;
    } else {
        session.state = SessionState::Background;
        session.program = id.value == -3 ? u"deferred recovery"_s
            : id == unidentifiedHolder   ? u"holder not reported by this server"_s
                                         : u"latch of unknown owner"_s;
    }
    return session;
}

void SqlServerDetails::request(const db::SqlServerFacts& facts, const SqlServerSessions& sessions,
    const std::vector<SqlServerWait>& waits)
{
    std::vector<InputBuffer> requested;
    if (facts.hasView(u"dm_exec_input_buffer"_s)) {
        for (const SleepingBlocker& blocker : sessions.sleepingBlockers(waits)) {
            const auto known = std::ranges::find_if(
                m_inputBuffers, [&blocker](const InputBuffer& buffer) { return buffer.of == blocker; });
            requested.push_back(known == m_inputBuffers.end() ? InputBuffer{blocker, false, {}} : *known);
        }
    }
    m_inputBuffers = std::move(requested);
    m_pageWaits.clear();
    m_mayAskPages = facts.hasPageInfo();
    for (const auto& [session, page] : sessions.latchedPages())
        m_pageWaits.push_back({session, page});
}

std::vector<db::BatchItem> SqlServerDetails::lookUps()
{
    std::vector<db::BatchItem> items;
    for (InputBuffer& buffer : m_inputBuffers) {
        if (buffer.asked || items.size() == maxAtOnce)
            continue;
        buffer.asked = true; // even without the right to it, it is not asked again
        items.push_back({.statement = &db::Statement::get("sqlserver/details/input_buffer"),
            .params = {buffer.of.session.id.value},
            .sink = [this, of = buffer.of](const db::Row& row) {
                for (InputBuffer& known : m_inputBuffers) {
                    if (known.of == of)
                        known.text = row.text(0);
                }
            }});
    }
    if (!m_mayAskPages)
        return items;
    if (m_pages.size() > maxPages)
        m_pages.clear();
    size_t asked = 0;
    for (const PageWait& wait : m_pageWaits) {
        const SqlServerPage page = wait.page;
        if (m_pages.contains(page) || asked == maxAtOnce)
            continue;
        ++asked;
        m_pages.insert(page, {});
        items.push_back({.statement = &db::Statement::get("sqlserver/names/page_object"),
            .params = {qint64(page.database), qint64(page.file), qint64(page.page)},
            .sink = [this, page](const db::Row& row) {
                m_pages[page] = row.isNull(0) ? row.text(1) : row.text(0) + u'.' + row.text(1);
            }});
    }
    return items;
}

void SqlServerDetails::fillIn(std::vector<Session>& sessions) const
{
    const auto find = [&sessions](SessionId id) {
        return std::ranges::find_if(sessions, [id](const Session& session) { return session.id == id; });
    };
    for (const InputBuffer& buffer : m_inputBuffers) {
        const auto session = find(buffer.of.session.id);
        if (session != sessions.end() && session->key() == buffer.of.session)
            session->inputBuffer = buffer.text;
    }
    for (const PageWait& wait : m_pageWaits) {
        const auto session = find(wait.session);
        if (session == sessions.end())
            continue;
        const QString page =
            u"page %1:%2:%3"_s.arg(wait.page.database).arg(wait.page.file).arg(wait.page.page);
        session->waitResource = TablePart{m_pages.value(wait.page), page}.name();
    }
}

} // namespace lockscope::monitor
