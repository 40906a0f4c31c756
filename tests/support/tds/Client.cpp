// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/Client.h"

#include <QTimer>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

constexpr quint32 tds74 = 0x74000004;
constexpr quint32 tds8 = 0x08000000;
constexpr char tlsHandshake = 0x16; // the first byte of a TLS connection; no packet of TDS 7 begins like that

/// The beginning of an answer, and what can follow it for ever.
std::pair<QByteArray, QByteArray> endless(Fault::Kind kind)
{
    const std::vector<Column> columns{{u"text"_s, nvarchar(100)}};
    Tokens first(Tokens::To::Batch);
    Tokens again(Tokens::To::Batch);
    if (kind == Fault::Kind::Messages) {
        again.message({50'000, QString(16'000, u'm'), 0});
    } else if (kind == Fault::Kind::Results) {
        again.columns(columns);
        again.done(0);
        const qsizetype end = again.size();
        again.done(0); // lets the one before say that more follows
        return {{}, again.unfinished().left(end)};
    } else {
        first.columns(columns);
        again.row(columns, {QString(100, u'r')});
    }
    return {first.unfinished(), again.unfinished()};
}

Parameter handleParameter(int handle)
{
    return {{}, integer(), handle, true};
}

} // namespace

Client::Client(QTcpSocket* socket, std::shared_ptr<ServerState> server)
    : m_socket(socket)
    , m_server(std::move(server))
{
    m_socket->setParent(this);
    m_socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
    connect(m_socket, &QTcpSocket::readyRead, this, &Client::read);
    connect(m_socket, &QTcpSocket::disconnected, this, &Client::gone);
    if (m_server->fault.phase == Fault::Phase::Connect && m_server->fault.kind != Fault::Kind::None)
        send(Fault::Phase::Connect, {});
}

Client::~Client()
{
    m_socket->disconnect(this);
    if (m_reply)
        m_reply->cancel(Reply::End::Disconnected);
    if (!m_session)
        return;
    endTransaction();
    for (const auto& tell : m_server->disconnected)
        tell(*m_session);
}

void Client::kill()
{
    cut();
}

void Client::endTransaction()
{
    if (std::exchange(m_session->transactionCount, 0) == 0)
        return;
    m_session->transaction = 0;
    m_session->transactionEnded(false);
}

// --- Receiving ------------------------------------------------------------------------------------------

void Client::read()
{
    const QByteArray bytes = m_socket->readAll();
    if (!m_tls && !m_session && m_received.isEmpty() && m_server->tls && bytes.startsWith(tlsHandshake)) {
        m_tls = std::make_unique<TlsChannel>(m_server->tls);
        m_tlsFromTheStart = true;
    }
    if (m_tls && (m_tlsFromTheStart || m_tls->isEstablished())) {
        m_received += m_tls->receive(bytes);
        m_socket->write(m_tls->takeOutput());
        if (m_tls->hasFailed())
            return cut();
    } else {
        m_received += bytes;
    }
    while (m_received.size() >= PacketHead::size) {
        const PacketHead head = readHead(m_received);
        if (head.length < PacketHead::size)
            return cut();
        if (m_received.size() < head.length)
            return;
        if (m_partial.isEmpty())
            m_partialResets = head.status & (PacketHead::resetConnection | PacketHead::resetKeepsTransaction);
        m_partial += m_received.mid(PacketHead::size, head.length - PacketHead::size);
        m_received.remove(0, head.length);
        if (head.status & PacketHead::endOfMessage)
            take({head.type, std::exchange(m_partial, {}), std::exchange(m_partialResets, false)});
    }
}

void Client::take(const Message& message)
{
    switch (message.type) {
    case PacketType::PreLogin:
        return m_tls && !m_tlsFromTheStart ? shakeHands(message.bytes) : preLogin(message.bytes);
    case PacketType::Login:
        return login(message.bytes);
    case PacketType::Attention:
        return attention();
    case PacketType::Batch:
    case PacketType::Call:
    case PacketType::Transaction:
        if (!m_session)
            return cut();
        m_waiting.push_back(message);
        return next();
    default:
        return cut();
    }
}

void Client::preLogin(const QByteArray& bytes)
{
    const auto wish = readPreLogin(bytes);
    if (!wish)
        return cut();
    if (m_tlsFromTheStart)
        return send(Fault::Phase::PreLogin, preLoginAnswer(Encryption::NotSupported));
    const bool encrypts = m_server->tls && wish->encryption != Encryption::NotSupported;
    m_tlsEndsWithLogin = wish->encryption == Encryption::Off;
    const Encryption encryption = !encrypts ? Encryption::NotSupported
        : m_tlsEndsWithLogin                ? Encryption::Off
                                            : Encryption::On;
    send(Fault::Phase::PreLogin, preLoginAnswer(encryption));
    if (encrypts)
        m_tls = std::make_unique<TlsChannel>(m_server->tls);
}

/// The handshake comes in packets of the phase before the login; then everything goes through the channel.
void Client::shakeHands(const QByteArray& bytes)
{
    m_tls->receive(bytes);
    const QByteArray answer = m_tls->takeOutput();
    if (!answer.isEmpty())
        m_socket->write(packed(answer, answer.size(), PacketType::PreLogin));
    if (m_tls->hasFailed())
        cut();
}

void Client::login(const QByteArray& bytes)
{
    const auto login = readLogin(bytes);
    if (!login)
        return cut();
    if (m_tlsEndsWithLogin)
        m_tls.reset();
    Tokens tokens(Tokens::To::Batch, m_server->name);
    std::optional<ServerMessage> refusal;
    if (login->integrated)
        refusal = {18'452, u"Login failed. The login is from an untrusted domain."_s, 14};
    else if (m_server->refuse)
        refusal = m_server->refuse(*login);
    if (refusal) {
        tokens.message(*refusal);
        tokens.done(std::nullopt, true);
        return send(Fault::Phase::Login, tokens.finish());
    }
    m_session = std::make_shared<Session>();
    m_session->id = ++m_server->lastSession;
    m_session->startedUs = QDateTime::currentMSecsSinceEpoch() / 10 * 10'000; // as a datetime shows it
    m_session->login = *login;
    m_session->isEncrypted = m_tls != nullptr;
    m_session->database = login->database.isEmpty() ? u"master"_s : login->database;
    m_session->transactionEnded = [this](bool committed) {
        for (const auto& tell : m_server->transactionEnded)
            tell(*m_session, committed);
    };
    const int packetSize = std::clamp(static_cast<int>(login->packetSize), 512, 32'767);
    tokens.database(m_session->database, u"master"_s);
    tokens.message({5701, u"Changed database context to '%1'."_s.arg(m_session->database), 0, 2, {}, 1});
    tokens.collation();
    tokens.message({5703, u"Changed language setting to us_english."_s, 0, 1, {}, 1});
    tokens.loginAccepted(m_tlsFromTheStart ? tds8 : tds74);
    tokens.packetSize(packetSize, m_packetSize);
    for (const auto& tell : m_server->loggedIn)
        tell(*m_session);
    send(Fault::Phase::Login, tokens.finish());
    m_packetSize = packetSize;
}

void Client::attention()
{
    if (m_reply)
        m_reply->cancel(Reply::End::Attention);
    const auto interrupted = m_tokens ? std::optional(m_tokens->to()) : std::nullopt;
    m_tasks.clear();
    m_tokens.reset();
    m_reply.reset();
    m_waiting.clear();
    m_busy = false;
    send(Fault::Phase::Answer, Tokens::attentionSeen(interrupted));
}

// --- Requests -------------------------------------------------------------------------------------------

void Client::next()
{
    if (m_busy || m_waiting.empty())
        return;
    m_busy = true;
    const Message message = std::move(m_waiting.front());
    m_waiting.pop_front();
    start(message);
}

void Client::start(const Message& message)
{
    m_tokens = std::make_shared<Tokens>(
        message.type == PacketType::Call ? Tokens::To::Call : Tokens::To::Batch, m_server->name);
    if (message.resets) {
        endTransaction();
        m_tokens->sessionReset();
    }
    if (message.type == PacketType::Batch) {
        const auto text = readBatch(message.bytes);
        if (!text)
            return breakUp(u"a batch that can't be read"_s);
        addStatements(*text, {}, {});
    } else if (message.type == PacketType::Transaction) {
        const auto request = readTransactionRequest(message.bytes);
        if (!request)
            return breakUp(u"a transaction request that can't be read"_s);
        addTransactionRequest(*request);
    } else {
        auto calls = readCalls(message.bytes);
        if (!calls)
            return breakUp(u"a procedure call that can't be read"_s);
        for (Call& call : *calls)
            addCall(std::move(call));
    }
    SeenMessage seen{m_session->id, message.type, {}};
    for (const Task& task : m_tasks)
        if (!task.request.text.isEmpty())
            seen.texts << task.request.text;
    m_server->seen.push_back(std::move(seen));
    runNextTask();
}

void Client::addTransactionRequest(const TransactionRequest& request)
{
    const auto act = [request](Reply& reply) {
        if (request.act == TransactionAct::Commit)
            reply.commit();
        else if (request.act == TransactionAct::Rollback)
            reply.rollback();
        if (request.act == TransactionAct::Begin || request.beginsAnother)
            reply.begin();
        reply.done();
    };
    m_tasks.push_back({requestOf({}, {}), act, {}});
}

Request Client::requestOf(QString text, std::vector<Parameter> parameters) const
{
    return {m_session, std::move(text), std::move(parameters), {}};
}

void Client::addCall(Call call)
{
    std::vector<Parameter>& given = call.parameters;
    const auto text = [&](size_t position) {
        return position < given.size() ? statementText(given[position].value.toText()) : QString();
    };
    const auto from = [&](size_t position) {
        return std::vector<Parameter>(
            given.begin() + static_cast<std::ptrdiff_t>(std::min(position, given.size())), given.end());
    };
    const auto named = [](std::vector<Parameter> parameters, const QString& declaration) {
        nameByDeclaration(parameters, declaration);
        return parameters;
    };
    QString procedure = call.procedure.toLower();
    procedure.remove(u"sys."_s);
    Task task;
    task.endsCall = true;
    if (procedure == u"sp_executesql") {
        return addStatements(text(0), named(from(2), text(1)), std::move(task));
    } else if (procedure == u"sp_prepare" || procedure == u"sp_prepexec") {
        const int handle = ++m_lastHandle;
        m_prepared.insert(handle, {text(2), text(1)});
        task.end = [handle](Reply& reply) { reply.output(handleParameter(handle)); };
        if (procedure == u"sp_prepexec")
            return addStatements(text(2), named(from(3), text(1)), std::move(task));
        task.request = requestOf({}, {});
    } else if (procedure == u"sp_execute") {
        const auto known =
            m_prepared.constFind(given.empty() ? 0 : static_cast<int>(given[0].value.toInt64()));
        if (known == m_prepared.constEnd()) {
            task.request = requestOf({}, {});
            task.begin = [](Reply& reply) {
                reply.error(8179, u"Could not find prepared statement with that handle."_s);
            };
        } else {
            return addStatements(known->text, named(from(1), known->declaration), std::move(task));
        }
    } else if (procedure == u"sp_unprepare") {
        m_prepared.remove(given.empty() ? 0 : static_cast<int>(given[0].value.toInt64()));
        task.request = requestOf({}, {});
    } else if (procedure.startsWith(u"sp_cursor")) {
        task.request = requestOf({}, {});
        task.begin = [](Reply& reply) {
            reply.error(16'937, u"The double has no server cursors: read forward only."_s);
        };
    } else {
        task.request = requestOf(call.procedure, given);
    }
    m_tasks.push_back(std::move(task));
}

void Client::addStatements(const QString& text, std::vector<Parameter> parameters, Task&& last)
{
    std::vector<InnerStatement> statements;
    if (Request whole = requestOf(text, parameters); m_server->answers.find(whole))
        statements.push_back({text, std::move(parameters)});
    else
        statements = innerStatements(text, std::move(parameters));
    for (InnerStatement& statement : statements) {
        Task task;
        task.request = requestOf(statement.text, statement.parameters);
        task.calledInBatch = statement.isProcedure && m_tokens->to() == Tokens::To::Batch;
        if (statement.isCaught)
            task.caught = std::move(statement);
        m_tasks.push_back(std::move(task));
    }
    m_tasks.back().end = std::move(last.end);
    m_tasks.back().endsCall = last.endsCall;
}

/// Reports the outcome to the statement's TRY, or to its CATCH.
void Client::report(const Task& task, const Reply& reply)
{
    m_tokens->endInnerCall(reply.hasFailed(), m_session->transactionCount > 0);
    const EndReport& ending = reply.hasFailed() ? task.caught->failed : task.caught->done;
    if (ending.isEmpty())
        return;
    const int transactionState = m_session->transactionCount > 0 ? 1 : 0;
    m_tokens->columns(ending.columns());
    m_tokens->row(ending.columns(), ending.values({reply.rowCount(), transactionState, reply.caughtError()}));
    m_tokens->done(1, false, m_session->transactionCount > 0);
}

void Client::runNextTask()
{
    if (m_tasks.empty())
        return answer();
    Task& task = m_tasks.front();
    m_reply = std::make_shared<Reply>(m_tokens, m_session, task.caught.has_value());
    if (task.caught || task.calledInBatch)
        m_tokens->beginInnerCall();
    m_reply->setContinuation([this] { taskDone(); });
    if (task.begin)
        task.begin(*m_reply);
    const std::shared_ptr<Reply> reply = m_reply; // the request may be over before dispatch returns
    if (!task.request.text.isEmpty())
        dispatch(*reply, task);
    if (!reply->isDeferred())
        reply->finish();
}

void Client::dispatch(Reply& reply, Task& task)
{
    Request request = std::move(task.request); // the task is gone once a handler finishes the reply
    if (const Handler* handler = m_server->answers.find(request))
        return Handler(*handler)(request, reply);
    m_server->unknown << request.text;
    reply.error(50'000, u"the double doesn't know this statement: "_s + request.text);
}

void Client::taskDone()
{
    const Task task = std::move(m_tasks.front());
    m_tasks.pop_front();
    const std::shared_ptr<Reply> reply = std::exchange(m_reply, nullptr);
    if (const auto position = reply->cutAt()) {
        const QByteArray message = m_tokens->finish();
        write(packed(message, *position));
        return cut();
    }
    if (task.caught)
        report(task, *reply);
    if (task.calledInBatch)
        m_tokens->endCallInBatch(reply->status(), reply->hasFailed(), m_session->transactionCount > 0);
    if (task.endsCall) {
        if (task.end) {
            Reply after(m_tokens, m_session);
            task.end(after);
        }
        const bool failed = reply->hasFailed() && !task.caught;
        m_tokens->endCall(reply->status(), failed, m_session->transactionCount > 0);
    }
    runNextTask();
}

void Client::answer()
{
    const QByteArray message = m_tokens->finish(m_session->transactionCount > 0);
    m_tokens.reset();
    m_busy = false;
    send(Fault::Phase::Answer, message);
    next();
}

/// The client sent what makes no sense to the double.
void Client::breakUp(const QString& why)
{
    m_server->unknown << why;
    m_tasks.clear();
    m_tasks.push_back({requestOf({}, {}),
        [why](Reply& reply) { reply.error(50'000, u"the double got "_s + why, 20); }, {}});
    runNextTask();
}

// --- Sending --------------------------------------------------------------------------------------------

/// The message in packets, up to the packet that holds byte `end` and in it up to that byte.
QByteArray Client::packed(const QByteArray& message, qsizetype end, PacketType type) const
{
    const qsizetype room = m_packetSize - PacketHead::size;
    ByteWriter writer;
    quint8 number = 1;
    for (qsizetype start = 0; start == 0 || start < message.size(); start += room) {
        const qsizetype length = std::min(room, message.size() - start);
        const bool isLast = start + length == message.size();
        writer.byte(static_cast<int>(type));
        writer.byte(isLast ? PacketHead::endOfMessage : 0);
        writer.big(static_cast<quint16>(length + PacketHead::size));
        writer.big(static_cast<quint16>(m_session ? m_session->id : 0));
        writer.byte(number++);
        writer.byte(0); // window
        writer.append(message.mid(start, std::min(length, end - start)));
        if (start + length >= end)
            break;
    }
    return writer.release();
}

void Client::send(Fault::Phase phase, const QByteArray& message)
{
    if (m_server->delay.count() > 0 && phase != Fault::Phase::Connect) {
        // Answers stay in order, because a client sends nothing new before it has its answer.
        QTimer::singleShot(
            m_server->delay, this, [this, packets = packed(message, message.size())] { write(packets); });
        return;
    }
    const Fault& fault = m_server->fault;
    const bool isRight = fault.kind == Fault::Kind::None || phase < fault.phase
        || (phase == fault.phase && m_server->rightAnswers < fault.after);
    if (m_floods)
        return;
    if (isRight) {
        m_server->rightAnswers += phase == fault.phase ? 1 : 0;
        write(packed(message, message.size()));
        return;
    }
    switch (fault.kind) {
    case Fault::Kind::None:
    case Fault::Kind::Silence:
        return;
    case Fault::Kind::Cut:
        if (fault.bytes > 0)
            write(packed(message, std::min<qsizetype>(message.size(), fault.bytes)));
        return cut();
    case Fault::Kind::Garbage: {
        QByteArray garbage(fault.bytes, '\0');
        for (qsizetype i = 0; i < garbage.size(); ++i)
            garbage[i] = static_cast<char>(i * 37 + 11);
        m_socket->write(garbage);
        return;
    }
    case Fault::Kind::Rows:
    case Fault::Kind::Results:
    case Fault::Kind::Messages: {
        const auto [first, again] = endless(fault.kind);
        return flood(first, again);
    }
    case Fault::Kind::Trickle:
        m_floods = true;
        return trickle(packed(message, message.size()));
    }
}

/// Sends as fast as the client reads.
void Client::flood(const QByteArray& first, const QByteArray& again)
{
    m_floods = true;
    const qsizetype room = m_packetSize - PacketHead::size;
    const auto next = [this, room, again, left = std::make_shared<QByteArray>(first)] {
        constexpr qint64 atMost = 1'000'000;
        while (m_socket->isOpen() && m_socket->bytesToWrite() < atMost) {
            while (left->size() < room)
                *left += again;
            QByteArray packet = packed(left->left(room), room);
            packet[1] = 0; // never the last one of a message
            left->remove(0, room);
            write(packet);
        }
    };
    connect(m_socket, &QTcpSocket::bytesWritten, this, next);
    QTimer::singleShot(0, this, next);
}

void Client::trickle(const QByteArray& packets)
{
    if (packets.isEmpty())
        return;
    write(packets.left(1));
    QTimer::singleShot(std::chrono::seconds(1), this, [this, rest = packets.mid(1)] { trickle(rest); });
}

void Client::write(const QByteArray& packets)
{
    m_socket->write(m_tls && m_tls->isEstablished() ? m_tls->encrypted(packets) : packets);
}

/// Written data is sent first.
void Client::cut()
{
    m_socket->disconnect(this);
    m_socket->disconnectFromHost();
    QMetaObject::invokeMethod(this, &Client::gone, Qt::QueuedConnection);
}

} // namespace lockscope::test::tds
