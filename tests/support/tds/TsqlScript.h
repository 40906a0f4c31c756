// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/OwnSchema.h"
#include "tests/support/tds/ViewTables.h"

namespace lockscope::test::tds::tsql {

/// An error that ends a statement, or is caught.
struct SqlError {
    ServerMessage message;
};

using Arguments = QHash<QString, Value>; ///< of a procedure, by names in upper case

/// The functions that a script needs from its server.
struct ScriptHost {
    Surroundings around; ///< without what only the script knows
    std::function<qint64()> nowUs;
    std::function<int(const Arguments&)> getAppLock; ///< sys.sp_getapplock; may wait
    std::function<int(const Arguments&)> releaseAppLock;
    std::function<void(int milliseconds)> sleep;
    std::function<void(const QString& statement)> kill; ///< throws SqlError
    std::function<void(const QString& procedure)> enter; ///< throws SqlError for what may not be called
};

/// Runs batches, and the procedures, functions and triggers of install.sql, as they are written: variables,
/// branches, loops, TRY and CATCH here, each expression and each statement on tables by SQLite. An error ends
/// the batch, as under XACT_ABORT. Anything else throws Refused.
class Script {
public:
    Script(ViewTables& tables, ScriptHost host, std::shared_ptr<Session> session, Reply& reply);
    ~Script();
    Q_DISABLE_COPY_MOVE(Script)

    /// A batch, or the name of a procedure, with its parameters.
    void run(const QString& text, const std::vector<Parameter>& parameters);

private:
    enum class Flow { Next, Return };
    struct Variable {
        Declaration declared;
        Value value;
    };
    struct Frame {
        std::map<QString, Variable> variables;
        VariableTypes types;
        Value result; ///< of RETURN
    };

    Flow runAll(TokenSpan code);
    Flow runOne(TokenSpan code);
    Flow runIf(TokenSpan code);
    Flow runWhile(TokenSpan code);
    Flow runTry(TokenSpan code);
    void runSet(TokenSpan code);
    void runExecute(TokenSpan code);
    void runText(const QString& statement);
    void runSelect(TokenSpan code);
    void runChange(TokenSpan code);
    qint64 changeAndTrigger(
        const Routine& trigger, const QString& table, const QString& verb, QString statement);
    void raise(TokenSpan code);
    void throwError(TokenSpan code);
    void beginTransaction();
    void endTransaction(bool commits);

    void declare(const Declaration& declaration, const Value& value);
    void assign(const QString& name, const Value& value);
    Value valueOf(TokenSpan expression);
    bool isTrue(TokenSpan condition);
    Value call(const Routine& routine, const Arguments& arguments, Arguments* outputs);
    int callProcedure(const QString& name, const Arguments& arguments, Arguments* outputs);
    std::vector<Values> query(const QString& sql, const std::vector<Column>& columns = {});
    /// The rows of a change, for its trigger.
    void keepRows(const QString& as, const QString& table, const QString& condition);

    ViewTables& m_tables;
    ScriptHost m_host;
    const std::shared_ptr<Session> m_session;
    Reply& m_reply;
    Frame* m_frame = nullptr;
    int m_depth = 0; ///< of transactions begun here
    int m_tries = 0; ///< that we are in
    bool m_countsRows = true;
    QString m_triggered; ///< the table whose trigger runs
    int m_level = 0; ///< of triggers; each has its rows, "inserted1" …
    std::optional<ServerMessage> m_caught;
};

} // namespace lockscope::test::tds::tsql
