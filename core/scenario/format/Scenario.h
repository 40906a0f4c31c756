// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Statement.h"
#include "core/domain/LockMode.h"
#include "core/locks/LockStrategy.h"
#include "core/locks/QueueReader.h"

#include <QHash>
#include <QSet>
#include <QStringList>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <variant>
#include <vector>

namespace lockscope::scenario {

/// The values that a session of a scenario knows by name: parameters, and values that its steps have read or
/// drawn.
using Values = QHash<QString, db::Param>;

/// A statement of a scenario file with places: ":name" is a bound value, "{name}" an identifier, which is
/// checked and quoted. Both are left alone in texts, quoted names, comments and dollar quotes; "::" is a
/// cast.
class SqlTemplate {
public:
    SqlTemplate() = default;
    explicit SqlTemplate(const QString& text);

    const QString& text() const { return m_text; }
    /// In the order of the text, each place.
    QStringList valueNames() const { return namesOf(Piece::Kind::Value); }
    QStringList identifierNames() const { return namesOf(Piece::Kind::Identifier); }

    /// The statement for one engine, and the names of the values to bind, in their order.
    struct Filled {
        db::Statement statement;
        QStringList values;
    };
    /// `title` names the statement in error messages. `identifiers`: quoted already.
    Filled filled(
        Engine engine, const QString& title, const std::function<QString(const QString&)>& identifiers) const;
    /// Returns it for people: values and identifiers in their places; an unknown value stays ":name".
    QString shown(const Values& values, const std::function<QString(const QString&)>& identifiers) const;

private:
    struct Piece {
        enum class Kind { Plain, Value, Identifier };
        Kind kind = Kind::Plain;
        QString text;
    };
    void add(Piece::Kind kind, const QString& text);
    QStringList namesOf(Piece::Kind kind) const;

    QString m_text;
    std::vector<Piece> m_pieces;
};

/// Returns the values to bind to a filled statement; unknown names are NULL.
std::vector<db::Param> paramsOf(const SqlTemplate::Filled& filled, const Values& values);

/// A name put together from values, "customer/:customer"; "::" is a colon.
class NameTemplate {
public:
    NameTemplate() = default;
    explicit NameTemplate(const QString& text);

    const QString& text() const { return m_text; }
    const QStringList& valueNames() const { return m_values; }
    bool isFixed() const { return m_values.isEmpty(); }
    QString filled(const Values& values) const;
    /// The same for people: a value that nobody knows yet stays ":name".
    QString shown(const Values& values) const;

private:
    QString m_text;
    QStringList m_plain; ///< one more than values: before, between and after them
    QStringList m_values;
};

/// Returns the value as in a statement: a text is quoted.
QString literalOf(const db::Param& value);
/// Returns the value as people would write it.
QString textOf(const db::Param& value);
/// Returns the value of a column's text: a number if it is one.
db::Param valueOf(const QString& text);
/// [A-Za-z_][A-Za-z0-9_]*, at most 63 characters: every engine can keep it, nothing has to be escaped.
bool isPlainIdentifier(QStringView text);

/// A number of the file: written out, or ":name" of a value that is known when it is needed.
struct Amount {
    qint64 number = 0;
    QString name; ///< empty = the number
    qint64 in(const Values& values) const;
};

/// The text of a statement on each engine that the scenario knows.
using SqlByEngine = std::map<Engine, SqlTemplate>;
using ScriptByEngine = std::map<Engine, std::vector<SqlTemplate>>;

inline constexpr int maxExplored = 26; ///< sessions whose orders are explored

struct Parameter {
    enum class Type { Number, Identifier };
    QString name;
    QString meaning;
    Type type = Type::Number;
    qint64 byDefault = 0;
    qint64 least = 0;
    qint64 maximum = 0;
    QString identifier; ///< of an identifier: its default
    QString
        label{}; ///< as people read it: "From reading to writing"; without one in the file, made of the name
    QString unit{}; ///< of the number: "ms", "rows"; may be empty
};

// What a session does, one step after the other. Steps that take or give back a lock go through the same
// strategies that programs use.
/// The statement replaces an item as it was when `seen` was read: a number that grows with each change.
struct WritesOver {
    NameTemplate item;
    Amount seen;
};
struct SqlStep {
    SqlByEngine sql;
    QStringList into; ///< the columns of the first row become values of these names; NULL if there is none
    QString rowsInto; ///< the first column of all rows becomes a list of this name
    /// Names of all that the statement locks, reads or changes. It commutes with another session's statement
    /// that names none of them. Nothing: it may meet any other statement.
    std::optional<QStringList> touches;
    bool takesLock = false; ///< a statement that is there to lock something: its time counts as waiting
    bool endsWithoutRows = false; ///< no row read or changed: the round is over
    bool endsWithRows = false;
    std::optional<WritesOver> writesOver; ///< by which pictures show what was lost by it
    /// The row that it changes and so locks until its transaction ends: "account 1". Pictures show the lock
    /// while somebody waits for it.
    std::optional<NameTemplate> locksRow;
};
struct TransactionStep {
    enum class Act { Begin, Commit, Rollback };
    Act act = Act::Begin;
};
struct AcquireStep {
    locks::LockKind kind = locks::LockKind::Application;
    NameTemplate name;
    locks::AcquireMode mode = locks::AcquireMode::Exclusive;
    LockOwner owner = LockOwner::Session;
    Amount waitMs{-1, {}};
    Amount leaseMs{600'000, {}};
    QString as; ///< the name by which it is given back
    QString fencingInto;
    int otherwise = -1; ///< the step to go on with when it was not granted; −1 = the round is over
};
struct ReleaseStep {
    QString as;
};
/// Takes the next packet of a work queue.
struct TakeStep {
    locks::QueueTable queue; ///< its schema and age are the run's
    Amount packet{10, {}};
    Amount redeliverMs{60'000, {}};
    QString into; ///< the list of the keys
};
/// The packet that was taken is done, or goes back.
struct SettleStep {
    bool isDone = true;
};
struct ThinkStep {
    Amount leastMs;
    Amount maxMs;
};
struct DrawStep {
    QString into;
    Amount from;
    Amount to;
};
/// Marks what only one session may do at once. Two sessions in sections of one name are a violation.
struct CriticalStep {
    bool begins = true;
    NameTemplate name;
};
/// The session has done the work that this item stands for.
struct ProcessedStep {
    NameTemplate item;
};
struct EachStep {
    QString list;
    QString as;
    int end = 0; ///< of its EachEndStep
};
struct EachEndStep {
    int begin = 0;
};
/// The program makes a mistake in one of so many rounds: the round ends as if an exception had been thrown.
struct FailStep {
    Amount oneIn{1, {}};
};
/// The program crashes in one of so many rounds: its connection is cut, and a new program starts.
struct DieStep {
    Amount oneIn{1, {}};
    Amount restartMs{100, {}};
};
struct EndStep { };

struct Step {
    QString label; ///< for people: "read the balance"
    std::variant<SqlStep, TransactionStep, AcquireStep, ReleaseStep, TakeStep, SettleStep, ThinkStep,
        DrawStep, CriticalStep, ProcessedStep, EachStep, EachEndStep, FailStep, DieStep, EndStep>
        act;
};
/// Returns a step's action for people, with the values that are known by now: "UPDATE account SET balance = 5
/// + 1 WHERE id = 2", "acquire application lock 'account/2'". `identifiers` as in RunContext. Pure.
QString stepText(const Step& step, Engine engine, const Values& values = {},
    const QHash<QString, QString>& identifiers = {});
/// Returns the lock of an acquire step: "application lock 'account/2'".
QString lockText(const AcquireStep& step, const Values& values);

/// The program of sessions of one kind, run again and again: one round is one pass through it.
struct Role {
    QString name;
    int count = 0; ///< exactly so many sessions; 0 = shares those that are left with its like
    /// The names of its sessions on PostgreSQL, in turn, and their owners in the lock table. Their locks have
    /// the names as they are written then. Empty = they are called after the run.
    QStringList programs;
    std::vector<Step> program; ///< ends with EndStep; then the steps of "otherwise", each ended alike
    std::vector<Step> atLast; ///< done at the end of each round, however it ended
};

struct Variant {
    QString id;
    QString title;
    QString strategy; ///< "none", "application lock", "row lock" …
    QString meaning; ///< why it fails, or why it holds
    QString assumes; ///< what it takes for granted that is not known; empty as a rule
    bool isUnsafe = false;
    std::set<Engine> engines;
    ScriptByEngine setup; ///< after the scenario's own
    std::vector<Role> roles;
};

/// The rules that the event log must not show broken.
struct Rules {
    bool oneHolder = false; ///< in critical sections of one name
    bool processedOnce = false;
    bool inOrder = false; ///< items are processed in growing order
    bool noDeadlock = false;
    bool noDuplicateKey = false;
    bool nobodyWaits = false; ///< for what an acquire step asks for
    std::optional<Amount> longestWaitMs;

    bool isEmpty() const;
};

/// The database's own witness: how many violations there are.
struct Invariant {
    SqlByEngine sql; ///< one row: the number; empty = only the sessions' log shows it
    QString meaning; ///< "No update gets lost."
    QString violation; ///< the name of one violation, for one and for many: "lost update|lost updates"
    /// the effect of a variant that broke it: "lost %1 payment|lost %1 payments"; may be empty
    QString brief;
    /// The damage as a sentence: "%1 of %2 payments was lost|%1 of %2 payments were lost"; may be empty. With
    /// %2 the SQL has a second column: in how many things the violations are.
    QString outcome;

    bool countsAll() const { return outcome.contains(QLatin1String("%2")); }
};

/// The sessions and rounds needed to see the race one step at a time; the order may set others.
struct ExploreNeeds {
    int sessions = 0; ///< 0 = two, or as many as the scenario needs
    int rounds = 1;
    QHash<QString, QString> parameters; ///< as in an order; the others have their defaults
    QString noWitness; ///< why no interleaving of whole steps can show it; empty = one can
};

struct Scenario {
    static constexpr int unplaced = 1'000'001;

    QString id;
    QString title;
    QString group; ///< the lesson; empty: one of the user's own
    int place = unplaced; ///< in lists: the lowest first
    QString story;
    QString lookAt;
    std::set<Engine> engines;
    std::vector<Parameter> parameters;
    int sessions = 4;
    int leastSessions = 2;
    int maxSessions = 200;
    milliseconds duration{5'000};
    ScriptByEngine setup;
    ScriptByEngine teardown;
    Invariant invariant;
    Rules rules;
    ExploreNeeds explore;
    std::vector<Variant> variants;
    QString file; ///< the file that it was read from
    QByteArray text; ///< the file's content
    int idLine = 0; ///< the line of its id in there
    int idColumn = 0;

    const Variant* find(QStringView variant) const;
    const Variant* unsafe() const; ///< the first one: what is run if nobody says which
    /// "stale=10000": which parameters of an order are not as the file has them.
    QStringList changed(const QHash<QString, QString>& parameters) const;
};
using ScenarioPtr = std::shared_ptr<const Scenario>;

/// Calls visit(step) for each step of what a session does, in order; those done at last come last.
template <class Visit> void eachStep(const Role& role, Visit visit)
{
    for (const auto* const steps : {&role.program, &role.atLast})
        for (const Step& step : *steps)
            visit(step);
}
template <class Visit> void eachStep(const Variant& variant, Visit visit)
{
    for (const Role& role : variant.roles)
        eachStep(role, visit);
}

/// The steps that can follow or precede a step without a noticeable chance for others to come between them.
enum class Tie { None, WithNext, WithPrevious };
Tie tieOf(const Step& step, Engine engine);

/// The names of all that steps lock, read or change; nothing: they may meet any other step.
struct StepReach {
    std::optional<QSet<QString>> names = QSet<QString>();

    bool meets(const StepReach& other) const
    {
        return !names || !other.names || names->intersects(*other.names);
    }
    void add(const StepReach& other)
    {
        if (names && other.names)
            names->unite(*other.names);
        else
            names.reset();
    }
};

/// `held`: what the session has reached in its transaction.
StepReach reachOf(const Step& step, Engine engine, const StepReach& held);

/// True if each step says what it can meet, so that orders which differ only in steps that don't meet need
/// not all be executed. A file is locked as a whole.
bool isReducible(const Variant& variant, Engine engine);

} // namespace lockscope::scenario
