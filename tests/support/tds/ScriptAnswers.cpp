// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/ScriptAnswers.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

using std::chrono::milliseconds;

DoubleLocks::Owner ownerOf(const QString& name)
{
    return name == u"Session" ? DoubleLocks::Owner::Session : DoubleLocks::Owner::Transaction;
}

DoubleLocks::Key keyOf(const Session& session, const tsql::Arguments& arguments)
{
    return {session.database, arguments.value(u"@DBPRINCIPAL"_s, u"public"_s).toText(),
        arguments.value(u"@RESOURCE"_s).toText()};
}

} // namespace

ScriptAnswers::ScriptAnswers(TdsServer& server, DoubleLocks& locks, Surroundings surroundings)
    : m_server(server)
    , m_locks(locks)
    , m_surroundings(std::move(surroundings))
{
}

void ScriptAnswers::answer(const char* schemaPath)
{
    m_server.answer(schemaPath, [this](const Request& request, Reply& reply) { run(request, reply); });
}

void ScriptAnswers::answerProcedure(const QString& name)
{
    m_server.answer(name, [this](const Request& request, Reply& reply) { run(request, reply); });
}

void ScriptAnswers::run(const Request& request, Reply& reply)
{
    auto call = std::make_shared<Call>(Call{request.session, reply.defer()});
    ViewTables& tables = m_surroundings.tables(*request.session);
    const auto fiber = std::make_shared<Fiber>(
        [this, &tables, call, request](Fiber& itself) {
            try {
                tsql::Script(tables, hostFor(call, itself), call->session, *call->reply)
                    .run(request.text, request.parameters);
            } catch (const tsql::Refused& refused) {
                qFatal("%s: %s", qPrintable(request.text), refused.what());
            }
        },
        [call] { call->reply->finish(); });
    reply.onCancel([this, call, fiber](Reply::End) {
        m_locks.giveUp(call->ticket);
        fiber->cancel();
    });
    fiber->start();
}

tsql::ScriptHost ScriptAnswers::hostFor(const std::shared_ptr<Call>& call, Fiber& fiber)
{
    const Session& session = *call->session;
    tsql::ScriptHost host;
    host.around.session = session.id;
    host.around.login = session.login.user;
    host.around.host = session.login.host;
    host.around.program = session.login.program;
    host.around.database = session.database;
    host.around.seesOthers = true;
    host.around.property = [](const QString& name) {
        return name == u"ServerName" ? Value(u"double"_s) : Value();
    };
    host.around.mayDo = [this](const QString&, const QString& right) {
        return m_surroundings.mayDo ? m_surroundings.mayDo(right) : true;
    };
    host.around.next = [this] { return ++m_lastNumber; };
    host.around.appLock = [this, &session](const QString& principal, const QString& name, const QString& mode,
                              const QString& owner) {
        return appLock(session, principal, name, mode, owner);
    };
    host.nowUs = m_surroundings.nowUs;
    host.getAppLock = [this, call, &fiber](
                          const tsql::Arguments& given) { return getAppLock(*call, fiber, given); };
    host.releaseAppLock = [this, call, &fiber](
                              const tsql::Arguments& given) { return releaseAppLock(*call, fiber, given); };
    host.sleep = [this, &fiber](int duration) {
        fiber.await([this, duration](const Fiber::Resume& resume) {
            m_server.after(milliseconds(duration), [resume] { resume(0); });
        });
    };
    host.kill = [this, call, &fiber](const QString& target) {
        std::optional<ServerMessage> word;
        fiber.await([&](const Fiber::Resume& resume) {
            word = m_surroundings.kill(*call->session, target);
            resume(0);
        });
        if (word && word->severity > 10)
            throw tsql::SqlError{*word};
        if (word)
            call->reply->message(*word);
    };
    host.enter = [this](const QString& procedure) {
        if (const auto word = m_surroundings.refuse ? m_surroundings.refuse(procedure) : std::nullopt)
            throw tsql::SqlError{*word};
    };
    return host;
}

int ScriptAnswers::getAppLock(Call& call, Fiber& fiber, const tsql::Arguments& arguments)
{
    const Session& session = *call.session;
    const auto mode = DoubleLocks::modeOf(arguments.value(u"@LOCKMODE"_s).toText());
    const auto owner = ownerOf(arguments.value(u"@LOCKOWNER"_s).toText());
    const DoubleLocks::Key key = keyOf(session, arguments);
    const bool lacksTransaction = owner == DoubleLocks::Owner::Transaction && session.transactionCount == 0;
    const bool isMember = key.principal == u"public" || key.principal == u"lockscope_operator";
    if (!mode || lacksTransaction || !isMember)
        return DoubleLocks::BadParameter;
    const milliseconds timeout(arguments.value(u"@LOCKTIMEOUT"_s).toInt64());
    return fiber.await([&](const Fiber::Resume& resume) {
        const auto isAtOnce = std::make_shared<bool>(true);
        call.ticket = m_locks.acquire(
            {session.id, key, *mode, owner, timeout}, [this, isAtOnce, resume](DoubleLocks::Code code) {
                if (*isAtOnce)
                    return resume(code);
                m_server.after(milliseconds(0), [resume, code] { resume(code); });
            });
        *isAtOnce = false;
    });
}

int ScriptAnswers::releaseAppLock(const Call& call, Fiber& fiber, const tsql::Arguments& arguments)
{
    return fiber.await([&](const Fiber::Resume& resume) {
        resume(m_locks.release(call.session->id, ownerOf(arguments.value(u"@LOCKOWNER"_s).toText()),
            keyOf(*call.session, arguments)));
    });
}

/// APPLOCK_TEST, or APPLOCK_MODE if no mode is asked for.
Value ScriptAnswers::appLock(const Session& session, const QString& principal, const QString& name,
    const QString& mode, const QString& owner) const
{
    const DoubleLocks::Key key{session.database, principal, name};
    if (const auto requested = DoubleLocks::modeOf(mode))
        return m_locks.isFree({session.id, key, *requested, ownerOf(owner)});
    const auto rows = m_locks.rows();
    const auto held = std::ranges::find_if(rows, [&](const DoubleLocks::Row& row) {
        return row.session == session.id && row.owner == ownerOf(owner) && row.key == key
            && row.status == u"GRANT";
    });
    return held == rows.end() ? u"NoLock"_s : held->mode;
}

} // namespace lockscope::test::tds
