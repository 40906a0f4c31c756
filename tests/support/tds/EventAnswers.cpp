// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/EventAnswers.h"

#include "tests/support/tds/SessionAnswers.h"
#include "tests/support/tds/TsqlScript.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

struct EventAnswers::State {
    EventPicture picture;
    ViewTables tables;
};

namespace {

/// Looking at the clock takes time, too.
constexpr qint64 tick = 150;

/// The arguments of a function in a statement: NULL, a literal, a parameter.
Values argumentsOf(const tsql::Translation& statement, const QString& function, const Request& request)
{
    const tsql::TokenSpan tokens(statement.select);
    const auto found =
        std::ranges::find_if(tokens, [&](const tsql::Token& token) { return token.name() == function; });
    const auto open = static_cast<size_t>(found - tokens.begin()) + 1;
    Values arguments;
    for (const tsql::TokenSpan argument :
        tsql::partedByCommas(tokens.subspan(open + 1, tsql::afterBracket(tokens, open) - open - 2))) {
        const tsql::Token& token = argument.front();
        if (argument.size() != 1)
            throw tsql::Refused(u"an argument of "_s + function);
        if (token.is(u"NULL"))
            arguments.push_back({});
        else if (token.kind == tsql::Token::Text)
            arguments.push_back(token.text.mid(1).chopped(1));
        else
            arguments.push_back(request.parameter(token.text.mid(2).toULong() - 1)); // @P1 is the first
    }
    return arguments;
}

bool isOfOtherProduct(const QString& view, bool isAzureDatabase)
{
    return view.startsWith(u"sys.dm_xe_"_s) && view.startsWith(u"sys.dm_xe_database_"_s) != isAzureDatabase;
}

/// Sends the server's error instead of rows.
bool refuse(const EventPicture& picture, const Request& request, const QStringList& views, Reply& reply)
{
    for (const QString& view : views) {
        if (isOfOtherProduct(view, picture.isAzureDatabase())) {
            reply.error(208, u"Invalid object name '%1'."_s.arg(view));
            return true;
        }
        if (!picture.isOpen && view != u"sys.configurations") {
            reply.error(300,
                picture.isAzureDatabase()
                    ? u"VIEW DATABASE STATE permission was denied in database 'orders'."_s
                    : u"VIEW SERVER STATE permission was denied on object 'server', database 'master'."_s,
                14);
            return true;
        }
        if (picture.failures.contains(view)) {
            reply.error(picture.failures.value(view), u"Reading %1 failed."_s.arg(view), 16);
            return true;
        }
    }
    if (picture.version.startsWith(u"13."_s) && request.text.contains(u"timestamp_utc"_s)) {
        reply.error(207, u"Invalid column name 'timestamp_utc'."_s);
        return true;
    }
    return false;
}

void answer(EventPicture& picture, ViewTables& tables, const Request& request, Reply& reply)
{
    const tsql::Translation statement = tsql::translate(request.text, u"[orders]"_s);
    if (refuse(picture, request, statement.views, reply))
        return;
    tables.clear();
    for (const ViewRows& rows : picture.viewRows())
        stopIfAny(tables.add(rows));
    for (const QString& view : statement.views) {
        const QString name = view.section(u'.', 1);
        if (name == u"fn_xe_file_target_read_file")
            stopIfAny(tables.add(picture.read(argumentsOf(statement, name, request))));
        else if (name == u"fn_xe_telemetry_blob_target_read_file")
            stopIfAny(tables.add(
                picture.readTelemetry(argumentsOf(statement, name, request), request.session->database)));
    }
    picture.nowUs += tick;
    tsql::Surroundings around;
    around.nowUs = picture.nowUs;
    around.session = request.session->id;
    around.login = request.session->login.user;
    around.database = request.session->database;
    around.databaseId = 5;
    around.seesOthers = picture.isOpen;
    tables.run(statement, request.parameters, around, reply);
}

db::SqlServerFacts factsOf(const EventPicture& picture)
{
    db::SqlServerFacts facts = wholeServer();
    facts.productVersion = picture.version;
    facts.engineEdition = picture.engineEdition;
    if (!picture.isOpen)
        facts.rights.clear();
    return facts;
}

} // namespace

EventAnswers::EventAnswers(TdsServer& server, Session session)
    : m_server(server)
    , m_state(std::make_shared<State>())
{
    std::vector<const char*> statements{"sqlserver/deadlocks/sessions",
        "sqlserver/deadlocks/sessions_of_database", "sqlserver/deadlocks/target",
        "sqlserver/deadlocks/target_of_database", "sqlserver/deadlocks/events",
        "sqlserver/deadlocks/events_since", "sqlserver/deadlocks/telemetry", "sqlserver/deadlocks/counter",
        "sqlserver/deadlocks/blocked_threshold"};
    if (session == Session::Own) {
        addSessionAnswers(server, factsOf(m_state->picture));
        statements.insert(statements.end(), {"sqlserver/monitor/clock", "sqlserver/monitor/identity"});
    }
    for (const char* path : statements) {
        server.answer(path, [now = m_state, path](const Request& request, Reply& reply) {
            try {
                answer(now->picture, now->tables, request, reply);
            } catch (const tsql::SqlError& error) {
                reply.message(error.message);
            } catch (const tsql::Refused& refused) {
                qFatal("%s: %s", path, refused.what());
            }
        });
    }
}

EventAnswers::~EventAnswers() = default;

void EventAnswers::change(const std::function<void(EventPicture&)>& change)
{
    db::SqlServerFacts before;
    db::SqlServerFacts after;
    m_server.run([&] {
        before = factsOf(m_state->picture);
        change(m_state->picture);
        after = factsOf(m_state->picture);
    });
    if (before != after)
        addSessionAnswers(m_server, after);
}

} // namespace lockscope::test::tds
