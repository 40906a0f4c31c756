// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/TsqlScript.h"

#include <QRegularExpression>
#include <QScopeGuard>

#include <utility>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds::tsql {

namespace {

bool isTransaction(TokenSpan code, size_t i)
{
    return i + 1 < code.size() && (code[i + 1].is(u"TRANSACTION") || code[i + 1].is(u"TRAN"));
}

/// Returns the start of the next statement, behind a condition.
size_t statementAfter(TokenSpan code, size_t i)
{
    while (true) {
        i = findWord(code, i,
            {u"BEGIN", u"SET", u"EXECUTE", u"EXEC", u"SELECT", u"RETURN", u"RAISERROR", u"INSERT", u"UPDATE",
                u"DELETE", u"THROW", u"IF", u"ROLLBACK"});
        const bool isFunction = i + 1 < code.size() && code[i].is(u"UPDATE") && code[i + 1].is(u"(");
        if (!isFunction)
            return i;
        ++i;
    }
}

/// Behind the END of the BEGIN at `i`.
size_t afterBlock(TokenSpan code, size_t i)
{
    int depth = 0;
    for (; i < code.size(); ++i) {
        if ((code[i].is(u"BEGIN") && !isTransaction(code, i)) || code[i].is(u"CASE"))
            ++depth;
        else if (code[i].is(u"END") && --depth == 0)
            return i + 1;
    }
    throw Refused(u"a block has no end"_s);
}

/// Behind the statement at `i`.
size_t afterStatement(TokenSpan code, size_t i)
{
    if (code[i].is(u";"))
        return i + 1;
    if (code[i].is(u"IF") || code[i].is(u"WHILE")) {
        const size_t end = afterStatement(code, statementAfter(code, i + 1));
        return end < code.size() && code[end].is(u"ELSE") ? afterStatement(code, end + 1) : end;
    }
    if (code[i].is(u"BEGIN") && !isTransaction(code, i)) {
        const size_t end = afterBlock(code, i);
        return code[i + 1].is(u"TRY") ? afterBlock(code, end + 1) + 1 : end;
    }
    return std::min(findWord(code, i, {u";"}) + 1, code.size());
}

TokenSpan withoutEnd(TokenSpan code)
{
    return !code.empty() && code.back().is(u";") ? code.first(code.size() - 1) : code;
}

} // namespace

Script::Script(ViewTables& tables, ScriptHost host, std::shared_ptr<Session> session, Reply& reply)
    : m_tables(tables)
    , m_host(std::move(host))
    , m_session(std::move(session))
    , m_reply(reply)
{
    m_host.around.sessionContext = [this](const QString& key) { return m_session->settings.value(key); };
    m_host.around.call = [this](const QString& name, const Values& values) {
        const Routine* routine = OwnSchema::get().find(name);
        Arguments arguments;
        for (size_t i = 0; i < values.size(); ++i)
            arguments[routine->parameters.at(i).name] = values[i];
        return call(*routine, arguments, nullptr);
    };
}

Script::~Script()
{
    if (m_depth > 0)
        m_tables.query(u"ROLLBACK"_s);
}

void Script::run(const QString& text, const std::vector<Parameter>& parameters)
{
    const Tokens tokens = tokensOf(text);
    try {
        if (OwnSchema::get().find(text)) {
            Arguments arguments;
            for (size_t i = 0; i < parameters.size(); ++i) {
                const QString& name = parameters[i].name;
                arguments[name.isEmpty() ? OwnSchema::get().find(text)->parameters.at(i).name
                                         : name.toUpper()] = parameters[i].value;
            }
            m_reply.returnStatus(callProcedure(text, arguments, nullptr));
            return;
        }
        Frame frame;
        m_frame = &frame;
        for (size_t i = 0; i < parameters.size(); ++i) {
            const Parameter& given = parameters[i];
            declare({u"@P%1"_s.arg(i + 1), {}, given.type, {}}, given.value);
        }
        runAll(tokens);
        m_reply.done();
    } catch (const SqlError& error) {
        m_reply.message(error.message);
    }
    m_frame = nullptr;
}

// --- Variables and expressions --------------------------------------------------------------------------

void Script::declare(const Declaration& declaration, const Value& value)
{
    m_frame->types[declaration.name] = declaration.type;
    m_frame->variables[declaration.name] = {declaration, {}};
    assign(declaration.name, value);
}

void Script::assign(const QString& name, const Value& value)
{
    const auto found = m_frame->variables.find(name.toUpper());
    if (found == m_frame->variables.end())
        throw Refused(u"a variable was not declared: "_s + name);
    found->second.value = value;
    const QString& type = found->second.declared.typeText;
    if (!value.isNull() && !type.isEmpty())
        found->second.value = query(u"SELECT tsql_convert('%1', %2, 0)"_s.arg(type, name)).at(0).at(0);
}

std::vector<Values> Script::query(const QString& sql, const std::vector<Column>& columns)
{
    Surroundings& around = m_host.around;
    around.nowUs = m_host.nowUs();
    around.transactionCount = m_session->transactionCount + m_depth;
    around.errorNumber = m_caught ? m_caught->number : 0;
    m_tables.setSurroundings(&around);
    static const QRegularExpression ofTrigger(u"\\btemp\\.(inserted|deleted)\\b"_s);
    const QString text = m_level > 0 ? QString(sql).replace(ofTrigger, u"temp.\\1%1"_s.arg(m_level)) : sql;
    return m_tables.query(text, columns, [this](const QString& name) {
        const auto found = m_frame->variables.find(name.toUpper());
        if (found == m_frame->variables.end())
            throw Refused(u"a variable was not declared: "_s + name);
        return Parameter{name, found->second.declared.type, found->second.value};
    });
}

Value Script::valueOf(TokenSpan expression)
{
    return query(u"SELECT "_s + translate(expression, m_frame->types).statement).at(0).at(0);
}

bool Script::isTrue(TokenSpan condition)
{
    return valueOf(condition).toBool();
}

// --- Statements -----------------------------------------------------------------------------------------

Script::Flow Script::runAll(TokenSpan code)
{
    for (size_t i = 0; i < code.size();) {
        const size_t end = afterStatement(code, i);
        if (runOne(withoutEnd(code.subspan(i, end - i))) == Flow::Return)
            return Flow::Return;
        i = end;
    }
    return Flow::Next;
}

Script::Flow Script::runOne(TokenSpan code)
{
    if (code.empty())
        return Flow::Next;
    const Token& verb = code.front();
    if (verb.is(u"IF"))
        return runIf(code);
    if (verb.is(u"WHILE"))
        return runWhile(code);
    if (verb.is(u"BEGIN") && isTransaction(code, 0)) {
        beginTransaction();
    } else if (verb.is(u"BEGIN")) {
        return code[1].is(u"TRY") ? runTry(code) : runAll(code.subspan(1, afterBlock(code, 0) - 2));
    } else if (verb.is(u"COMMIT") || verb.is(u"ROLLBACK")) {
        endTransaction(verb.is(u"COMMIT"));
    } else if (verb.is(u"RETURN")) {
        if (code.size() > 1)
            m_frame->result = valueOf(code.subspan(1));
        return Flow::Return;
    } else if (verb.is(u"DECLARE")) {
        for (const TokenSpan part : partedByCommas(code.subspan(1))) {
            const Declaration declaration = declarationFrom(part);
            declare(declaration, declaration.initial.empty() ? Value() : valueOf(declaration.initial));
        }
    } else if (verb.is(u"SET")) {
        runSet(code);
    } else if (verb.is(u"EXECUTE") || verb.is(u"EXEC")) {
        runExecute(code);
    } else if (verb.is(u"SELECT")) {
        runSelect(code);
    } else if (verb.is(u"RAISERROR")) {
        raise(code);
    } else if (verb.is(u"THROW")) {
        throwError(code);
    } else if (verb.is(u"SAVE")) {
        return Flow::Next; // nothing here goes back to it
    } else {
        runChange(code);
    }
    return Flow::Next;
}

Script::Flow Script::runIf(TokenSpan code)
{
    const size_t then = statementAfter(code, 1);
    const size_t otherwise = afterStatement(code, then);
    if (isTrue(code.subspan(1, then - 1)))
        return runAll(code.subspan(then, otherwise - then));
    const bool hasElse = otherwise < code.size() && code[otherwise].is(u"ELSE");
    return hasElse ? runAll(code.subspan(otherwise + 1)) : Flow::Next;
}

Script::Flow Script::runWhile(TokenSpan code)
{
    const size_t body = statementAfter(code, 1);
    while (isTrue(code.subspan(1, body - 1)))
        if (runAll(code.subspan(body)) == Flow::Return)
            return Flow::Return;
    return Flow::Next;
}

Script::Flow Script::runTry(TokenSpan code)
{
    const size_t end = afterBlock(code, 0);
    ++m_tries;
    try {
        const Flow flow = runAll(code.subspan(2, end - 3));
        --m_tries;
        return flow;
    } catch (const SqlError& error) {
        --m_tries;
        m_caught = error.message;
    }
    const TokenSpan handler = code.subspan(end + 1); // BEGIN CATCH … END CATCH
    return runAll(handler.subspan(2, afterBlock(handler, 0) - 3));
}

void Script::runSet(TokenSpan code)
{
    if (code[1].text.startsWith(u'@'))
        assign(code[1].text, valueOf(code.subspan(3)));
    else if (code[1].is(u"NOCOUNT"))
        m_countsRows = code[2].is(u"OFF");
}

void Script::beginTransaction()
{
    if (m_depth++ == 0)
        query(u"BEGIN"_s);
}

void Script::endTransaction(bool commits)
{
    if (m_depth == 0)
        throw SqlError{{3902, u"The request has no corresponding BEGIN TRANSACTION."_s}};
    m_depth = commits ? m_depth - 1 : 0;
    if (m_depth == 0)
        query(commits ? u"COMMIT"_s : u"ROLLBACK"_s);
}

/// RAISERROR (text, severity, state, values …)
void Script::raise(TokenSpan code)
{
    const auto parts = partedByCommas(code.subspan(2, code.size() - 3));
    QString text = valueOf(parts.at(0)).toText();
    static const QRegularExpression place(u"%[sd]"_s);
    for (size_t i = 3; i < parts.size(); ++i) {
        const auto match = place.match(text);
        text.replace(match.capturedStart(), match.capturedLength(), valueOf(parts[i]).toText());
    }
    const ServerMessage message{50'000, text, static_cast<int>(valueOf(parts.at(1)).toInt64())};
    if (m_tries > 0 && message.severity > 10)
        throw SqlError{message};
    m_reply.message(message);
}

void Script::throwError(TokenSpan code)
{
    if (code.size() == 1)
        throw SqlError{m_caught.value_or(ServerMessage{10'704, u"THROW without an error."_s})};
    const auto parts = partedByCommas(code.subspan(1));
    throw SqlError{{static_cast<int>(valueOf(parts.at(0)).toInt64()), valueOf(parts.at(1)).toText(), 16}};
}

// --- Procedures -----------------------------------------------------------------------------------------

Value Script::call(const Routine& routine, const Arguments& arguments, Arguments* outputs)
{
    Frame frame;
    const auto leave = qScopeGuard([this, caller = std::exchange(m_frame, &frame), counts = m_countsRows] {
        m_frame = caller;
        m_countsRows = counts;
    });
    for (const Declaration& parameter : routine.parameters) {
        const auto given = arguments.constFind(parameter.name);
        const bool isGiven = given != arguments.constEnd();
        declare(parameter,
            isGiven                         ? *given
                : parameter.initial.empty() ? Value()
                                            : valueOf(parameter.initial));
    }
    runAll(routine.body);
    if (outputs)
        for (auto output = outputs->begin(); output != outputs->end(); ++output)
            *output = frame.variables.at(output.key()).value;
    return frame.result;
}

int Script::callProcedure(const QString& name, const Arguments& arguments, Arguments* outputs)
{
    const QString plain = name.startsWith(u"sys.") ? name.mid(4) : name;
    if (plain == u"sp_getapplock")
        return m_host.getAppLock(arguments);
    if (plain == u"sp_releaseapplock")
        return m_host.releaseAppLock(arguments);
    if (plain == u"sp_set_session_context") {
        m_session->settings[arguments[u"@KEY"_s].toText()] = arguments[u"@VALUE"_s].toText();
        return 0;
    }
    const Routine* const routine = OwnSchema::get().find(name);
    if (!routine)
        throw Refused(u"the double has no procedure "_s + name);
    if (m_host.enter)
        m_host.enter(name);
    return static_cast<int>(call(*routine, arguments, outputs).toInt64());
}

/// EXECUTE (text), EXECUTE [@code =] name [@parameter = value [OUTPUT], …]
void Script::runExecute(TokenSpan code)
{
    size_t i = 1;
    if (code[i].is(u"("))
        return runText(valueOf(code.subspan(2, code.size() - 3)).toText());
    QString answer;
    if (code[i + 1].is(u"=")) {
        answer = code[i].text;
        i += 2;
    }
    QString name;
    while (i < code.size() && !code[i].text.startsWith(u'@'))
        name += code[i++].text;
    Arguments arguments;
    Arguments outputs;
    QHash<QString, QString> variables; // that outputs go to
    for (TokenSpan part : partedByCommas(code.subspan(i))) {
        const QString parameter = part[0].text.toUpper();
        if (part.back().is(u"OUTPUT")) {
            variables[parameter] = part[2].text;
            outputs[parameter] = Value();
            part = part.first(part.size() - 1);
        }
        arguments[parameter] = valueOf(part.subspan(2));
    }
    const int result = callProcedure(name, arguments, &outputs);
    for (auto output = outputs.begin(); output != outputs.end(); ++output)
        assign(variables[output.key()], *output);
    if (!answer.isEmpty())
        assign(answer, result);
    else
        m_reply.returnStatus(result);
}

void Script::runText(const QString& statement)
{
    static const QRegularExpression delay(u"\\AWAITFOR DELAY '00:00:(\\d\\d)\\.(\\d{3})'\\z"_s);
    if (const auto match = delay.match(statement); match.hasMatch())
        return m_host.sleep(match.captured(1).toInt() * 1'000 + match.captured(2).toInt());
    if (!statement.startsWith(u"KILL "))
        throw Refused(u"the double does not execute "_s + statement);
    m_host.kill(statement.mid(5));
}

} // namespace lockscope::test::tds::tsql
