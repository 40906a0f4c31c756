// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/deadlock/Proof.h"

#include "core/base/Sentences.h"
#include "core/scenario/deadlock/StandIn.h"
#include "core/scenario/format/ScenarioFile.h"

#include <QCryptographicHash>
#include <QJsonDocument>
#include <QSet>

#include <algorithm>
#include <functional>
#include <utility>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

/// The locks that one participant takes, in its order.
struct ParticipantProgram {
    QString name;
    std::vector<Need> needs;
    bool onlyReads = false; ///< its statement changes nothing, and its isolation lets it read row versions

    bool operator==(const ParticipantProgram&) const = default;
};

/// A choice where the report leaves something open.
struct Assumption {
    QString text{}; ///< "both lock the same row"; empty if nothing is open
    bool isCommonRow = false;
    std::optional<Strength> held{}; ///< of tables whose held mode the report does not say
    int alike = 0; ///< other modes that meet the same locks of the others
    std::vector<ParticipantProgram> programs{};
};

class Maker {
public:
    explicit Maker(const deadlock::Deadlock& deadlock)
        : m_deadlock(deadlock)
        , m_standIns(deadlock)
    {
    }

    Result<DeadlockScenario> make()
    {
        LOCKSCOPE_TRY(check());
        m_assumptions = assumptions();
        for (Assumption& assumption : m_assumptions)
            for (const int participant : m_deadlock.cycle().participants())
                assumption.programs.push_back(programOf(participant, assumption));
        dropAlike();
        m_programs = m_assumptions.front().programs;
        // The text is needed in any case: it is saved, it is a part of the proof's report, and sessions in
        // processes of their own read it. So it is the one form that is made here, and the value comes from
        // the reader with all checks of a file; no other code turns a scenario into text.
        const QByteArray text = QJsonDocument(root()).toJson();
        const auto scenario = readScenario(text, u"deadlock"_s);
        if (!scenario)
            return failure(ErrorKind::Internal,
                u"The scenario can't be read: %1"_s.arg(scenario.error().front().toString()));
        QStringList leftOut = m_standIns.leftOut();
        if (m_assumptions.size() > 1)
            leftOut
                << u"The report does not say all that counts. What fits it is executed, one after the other: %1."_s
                       .arg(textOfEach(m_assumptions, &Assumption::text).join(u"; "_s));
        else if (m_assumptions.front().alike > 0)
            leftOut
                << u"The report does not say how tables were locked before: all modes that fit meet the same locks of the others, so one of them is executed."_s;
        if (m_deadlock.rings.size() > 1)
            leftOut << u"Only the first of %1 rings of waits is in it."_s.arg(m_deadlock.rings.size());
        const auto& links = m_deadlock.cycle().links;
        if (std::any_of(
                links.cbegin(), links.cend(), [](const deadlock::Link& link) { return link.isQueue; }))
            leftOut << u"A session that is only ahead in the queue for a lock has it in the scenario."_s;
        leftOut << u"Statements of the report are not run: rows and tables stand for its own."_s
                << u"Locks that the report does not show are not there."_s;
        return DeadlockScenario{*scenario, leftOut};
    }

private:
    Result<void> check() const
    {
        const deadlock::Cycle& cycle = m_deadlock.cycle();
        const bool areLocks = std::all_of(cycle.links.cbegin(), cycle.links.cend(),
            [this](const deadlock::Link& link) { return m_deadlock.resource(link.resource).isLock; });
        if (!areLocks)
            return failure(ErrorKind::Unsupported,
                u"Threads of one statement wait for each other there: there is no order of locks to change."_s);
        if (const QString reason = reasonAgainstOrders(); !reason.isEmpty())
            return failure(ErrorKind::Unsupported, reason);
        const QList<int> participants = cycle.participants();
        const bool areDifferent =
            QSet<int>(participants.cbegin(), participants.cend()).size() == participants.size();
        if (participants.size() < 2 || !areDifferent)
            return failure(ErrorKind::Unsupported,
                u"The report does not say which session waits for which in a ring."_s);
        if (participants.size() > maxParticipants)
            return failure(ErrorKind::Unsupported,
                u"%1 sessions have too many interleavings to execute; %2 are the most."_s
                    .arg(participants.size())
                    .arg(maxParticipants));
        return {};
    }

    /// Says why no order of a transaction's own locks is to blame; empty otherwise.
    QString reasonAgainstOrders() const
    {
        const auto& links = m_deadlock.cycle().links;
        QSet<QString> tables;
        QSet<QString> indexes;
        for (const deadlock::Link& link : links) {
            const deadlock::LockedThing& thing = m_deadlock.resource(link.resource);
            if (thing.kind == ResourceKind::VirtualTransaction)
                return u"One of them waits for the end of another's transaction, as CREATE INDEX CONCURRENTLY does, whatever that has locked: no order of locks can cure it. Run such commands while no transaction that uses the table waits for them."_s;
            if (thing.index.isEmpty() || thing.table.isEmpty())
                return {};
            tables << thing.table;
            indexes << thing.index;
        }
        if (tables.size() == 1 && indexes.size() > 1 && indexes.size() == links.size())
            return u"They lock entries of different indexes of one table: the server chooses in which order a statement uses indexes, so that executing other orders would prove nothing. An index that covers the reader's columns spares it the second lock."_s;
        return {};
    }

    /// One row or two, and each mode in which a table may have been held: all that fits the report.
    std::vector<Assumption> assumptions()
    {
        const deadlock::Cycle& cycle = m_deadlock.cycle();
        const auto rows = std::count_if(cycle.links.cbegin(), cycle.links.cend(),
            [this](const deadlock::Link& link) { return isUnknownRow(link); });
        // The statements that wait don't tell the rows: triggers, views and conditions may lead to any.
        if (rows > 1)
            return {{.text = u"each locks a row of its own"_s},
                {.text = u"all lock the same row"_s, .isCommonRow = true}};
        std::vector<Strength> held;
        for (const deadlock::Link& link : cycle.links) {
            if (!link.held.isEmpty())
                continue;
            for (const Strength each : heldThatFit(link))
                if (std::ranges::find(held, each) == held.end())
                    held.push_back(each);
        }
        if (held.size() < 2)
            return {{.held = held.empty() ? std::nullopt : std::optional(held.front())}};
        std::vector<Assumption> all;
        for (const Strength each : held)
            all.push_back(
                {.text = u"the table was locked %1 before"_s.arg(StandIns::modeText(each)), .held = each});
        return all;
    }

    /// Keeps one of the assumptions under which the same locks meet in the same steps, whatever is changed:
    /// a server does the same under all of them.
    void dropAlike()
    {
        std::vector<Assumption> kept;
        std::vector<std::vector<int>> known;
        for (Assumption& each : m_assumptions) {
            const std::vector<int> met = meetings(each);
            const auto same = std::ranges::find(known, met);
            if (same != known.end()) {
                ++kept[size_t(same - known.begin())].alike;
                continue;
            }
            known.push_back(met);
            kept.push_back(std::move(each));
        }
        m_assumptions = std::move(kept);
        if (m_assumptions.size() == 1)
            m_assumptions.front().text.clear();
        for (Assumption& each : m_assumptions)
            if (each.alike > 0 && !each.text.isEmpty())
                each.text += each.alike == 1
                    ? u" (or in another mode that meets the same locks)"_s
                    : u" (or in one of %1 modes that meet the same locks)"_s.arg(each.alike);
    }

    /// Says for each two steps of different participants, of each variant, whether their locks meet.
    std::vector<int> meetings(const Assumption& assumption)
    {
        m_programs = assumption.programs;
        std::vector<int> all;
        for (const auto& programs : {m_programs, inOneOrder(), strongAtReading()})
            for (const ParticipantProgram& one : programs) {
                all.push_back(int(one.needs.size()));
                for (const Need& need : one.needs)
                    for (const ParticipantProgram& other : programs)
                        for (const Need& theirs : other.needs)
                            all.push_back(&one == &other ? 0 : m_standIns.meeting(need, theirs));
            }
        return all;
    }

    /// In which strengths its table may have been held, the weakest first; empty: it is no table.
    std::vector<Strength> heldThatFit(const deadlock::Link& link)
    {
        return m_standIns.heldThatFit(link.resource, link.awaited, isHeldBySeveral(link));
    }

    bool isHeldBySeveral(const deadlock::Link& link) const
    {
        const auto& links = m_deadlock.cycle().links;
        return std::count_if(links.cbegin(), links.cend(), [&link](const deadlock::Link& other) {
            return other.resource == link.resource;
        }) > 1;
    }

    /// PostgreSQL names the transaction that has the row, or the place in a row's queue.
    bool isUnknownRow(const deadlock::Link& link) const
    {
        const deadlock::LockedThing& thing = m_deadlock.resource(link.resource);
        return thing.isTransaction
            || (thing.kind == ResourceKind::Row && m_deadlock.report->engine == Engine::Postgres);
    }

    Need heldNeed(const deadlock::Link& link, const Assumption& assumption)
    {
        if (assumption.isCommonRow && isUnknownRow(link))
            return {m_standIns.commonRow(), Strength::Shared};
        Need need = m_standIns.need(link.resource, link.held.isEmpty() ? link.awaited : link.held);
        if (!link.held.isEmpty())
            return need;
        const auto fit = heldThatFit(link);
        if (fit.empty()) {
            // Several can have it at once only if they share it; one that keeps out a reader has changed it.
            need.strength = isHeldBySeveral(link) ? Strength::Shared : Strength::Exclusive;
            return need;
        }
        // An assumption that does not fit here says nothing about this table.
        const bool fits = assumption.held && std::ranges::find(fit, *assumption.held) != fit.end();
        need.strength = fits ? *assumption.held : fit.front();
        return need;
    }

    Need requestedNeed(const deadlock::Link& link, const Assumption& assumption)
    {
        return assumption.isCommonRow && isUnknownRow(link)
            ? Need{m_standIns.commonRow(), Strength::Exclusive}
            : m_standIns.need(link.resource, link.awaited);
    }

    ParticipantProgram programOf(int participant, const Assumption& assumption)
    {
        const deadlock::Cycle& cycle = m_deadlock.cycle();
        ParticipantProgram program;
        // Without a session's number a participant has only a text of the report.
        const deadlock::Participant& one = m_deadlock.participant(participant);
        program.name = one.session.isValid() ? u"session %1"_s.arg(one.label())
                                             : u"participant %1"_s.arg(participant + 1);
        // Range locks of a reader and its shared locks stay where the isolation asks for them.
        program.onlyReads = !deadlock::isChange(one.statement)
            && (one.isolation.isEmpty() || one.isolation.startsWith("read committed"_L1));
        // What it held before what it waited for: that much the report implies.
        for (const deadlock::Link& link : cycle.links)
            if (link.blocker == participant)
                add(program, heldNeed(link, assumption), false);
        for (const deadlock::Link& link : cycle.links)
            if (link.waiter == participant && link.converts)
                add(program, m_standIns.need(link.resource, heldMode(link)), false);
        for (const deadlock::Link& link : cycle.links)
            if (link.waiter == participant)
                add(program, requestedNeed(link, assumption), true);
        return program;
    }

    /// Returns the mode of a waiter that waits for more than it has there.
    QString heldMode(const deadlock::Link& link) const
    {
        for (const deadlock::Edge& edge : m_deadlock.report->edges)
            if (edge.participant == link.waiter && edge.resource == link.resource
                && edge.kind == deadlock::Edge::Kind::Holds)
                return edge.mode;
        // Without a word of it: who waits for more could share it so far.
        return LockMode::shared(m_deadlock.report->engine).name();
    }

    /// `isAwaited`: also if it has it, because it waits for it in a stronger mode.
    void add(ParticipantProgram& program, const Need& need, bool isAwaited) const
    {
        const bool known = std::ranges::any_of(program.needs, [&](const Need& other) {
            return other.place == need.place
                && (!isAwaited || m_standIns.covers(need.place, other.strength, need.strength));
        });
        if (!known)
            program.needs.push_back(need);
    }

    QJsonObject root()
    {
        const int sessions = int(m_programs.size());
        return {{u"id"_s, id()}, {u"title"_s, title()}, {u"group"_s, u"Deadlocks that were reported"_s},
            {u"story"_s, story()}, {u"look_at"_s, u"Blocking: the cycle, until the server breaks it."_s},
            {u"engines"_s, QJsonArray{u"postgres"_s, u"sqlserver"_s}},
            {u"sessions"_s,
                QJsonObject{{u"default"_s, sessions}, {u"least"_s, sessions}, {u"most"_s, sessions}}},
            {u"duration_ms"_s, 4'000}, {u"setup"_s, m_standIns.setup()},
            {u"invariant"_s, QJsonObject{{u"meaning"_s, u"No session is sacrificed."_s}}},
            {u"rules"_s, QJsonObject{{u"no_deadlock"_s, true}}},
            {u"explore"_s, QJsonObject{{u"sessions"_s, sessions}}}, {u"variants"_s, variants()}};
    }

    QString id() const
    {
        const QByteArray hash = QCryptographicHash::hash(m_deadlock.report->source.eventKey.toUtf8()
                + QByteArray::number(m_deadlock.index) + m_deadlock.report->raw.text().toUtf8(),
            QCryptographicHash::Sha256);
        constexpr qsizetype digits = 10;
        return u"deadlock-"_s + QString::fromLatin1(hash.toHex().left(digits));
    }

    QString title() const
    {
        QStringList things = m_deadlock.tables();
        if (things.isEmpty())
            for (const ParticipantProgram& program : m_programs)
                things << m_standIns.label(program.needs.front().place);
        for (QString& thing : things)
            thing = plain(thing);
        return u"Deadlock: "_s + things.join(u" and "_s);
    }

    QJsonArray story() const
    {
        QJsonArray lines{u"Made of a report of %1."_s.arg(m_deadlock.report->time.toString())};
        for (const ParticipantProgram& program : m_programs) {
            const QStringList names =
                textOfEach(program.needs, [this](const Need& need) { return m_standIns.label(need.place); });
            QString sentence = program.name + u" locks "_s + names.join(u", then "_s) + u'.';
            sentence[0] = sentence[0].toUpper();
            lines << sentence;
        }
        return lines;
    }

    QJsonArray variants()
    {
        QJsonArray all;
        for (size_t i = 0; i < m_assumptions.size(); ++i) {
            m_programs = m_assumptions[i].programs;
            for (const auto& each : variantsOfPrograms()) {
                QJsonObject made = each.toObject();
                if (!m_assumptions[i].text.isEmpty()) {
                    made[u"assumes"_s] = m_assumptions[i].text;
                    made[u"title"_s] = u"%1, if %2"_s.arg(made[u"title"_s].toString(), m_assumptions[i].text);
                }
                if (i > 0)
                    made[u"id"_s] = made[u"id"_s].toString() + assumptionMark + QString::number(i + 1);
                all << made;
            }
        }
        m_programs = m_assumptions.front().programs;
        return all;
    }

    QJsonArray variantsOfPrograms() const
    {
        QJsonArray all{variant(u"reported"_s, u"As reported"_s, u"none"_s,
            u"Each session has what another one waits for."_s, m_programs, true)};
        // Where all take the same things in the same order already, that is no change.
        if (const auto ordered = inOneOrder(); !isSameOrder(ordered))
            all << variant(u"one-order"_s, u"One order for all"_s, u"order"_s,
                u"Every session takes the same things in the same order (%1), each at once in the strongest mode that it will need."_s
                    .arg(orderText(ordered)),
                ordered, false);
        if (const auto stronger = strongAtReading(); stronger != m_programs)
            all << variant(u"update-lock"_s, u"Lock for the change at the first reading"_s, u"update lock"_s,
                u"A session that reads something to change it later takes the stronger lock at once: two can't have read it, each waiting for the other to release it."_s,
                stronger, false);
        all << parentFirst();
        if (const auto statement = asOneStatement())
            all << *statement;
        if (const auto reading = readingWithoutLocks())
            all << *reading;
        return all;
    }

    using Steps = std::function<void(const ParticipantProgram&, QJsonArray&)>;

    QJsonObject variant(const QString& id, const QString& title, const QString& strategy,
        const QString& meaning, const Steps& steps, bool isUnsafe) const
    {
        QJsonArray roles;
        for (size_t i = 0; i < m_programs.size(); ++i) {
            QJsonArray all{QJsonObject{{u"begin"_s, true}}};
            steps(m_programs[i], all);
            all << QJsonObject{{u"commit"_s, true}};
            QJsonObject role{{u"name"_s, m_programs[i].name}, {u"steps"_s, all}};
            if (i + 1 < m_programs.size())
                role[u"count"_s] = 1; // the last one has those that are left: one
            roles << role;
        }
        QJsonObject made{{u"id"_s, id}, {u"title"_s, title}, {u"strategy"_s, strategy},
            {u"meaning"_s, meaning}, {u"roles"_s, roles}};
        if (isUnsafe)
            made[u"unsafe"_s] = true;
        return made;
    }

    QJsonObject variant(const QString& id, const QString& title, const QString& strategy,
        const QString& meaning, const std::vector<ParticipantProgram>& programs, bool isUnsafe) const
    {
        return variant(
            id, title, strategy, meaning,
            [&](const ParticipantProgram& program, QJsonArray& steps) {
                const auto place = size_t(&program - m_programs.data());
                for (const Need& need : programs[place].needs)
                    steps << m_standIns.step(need);
            },
            isUnsafe);
    }

    /// Each thing once, in the strongest mode that the participant needs.
    std::vector<Need> eachOnce(const std::vector<Need>& needs) const
    {
        std::vector<Need> once;
        for (const Need& need : needs) {
            const auto known =
                std::ranges::find_if(once, [&need](const Need& other) { return other.place == need.place; });
            if (known == once.end())
                once.push_back(need);
            else
                known->strength = m_standIns.joined(need.place, known->strength, need.strength);
        }
        return once;
    }

    /// Sessions that read something and change it later lock it for the change when they read; then they
    /// change it.
    std::vector<ParticipantProgram> strongAtReading() const
    {
        std::vector<ParticipantProgram> programs = m_programs;
        for (ParticipantProgram& program : programs) {
            std::vector<Need> needs;
            for (const Need& need : program.needs) {
                Need maximum = need;
                for (const Need& other : program.needs)
                    if (other.place == need.place)
                        maximum.strength = m_standIns.joined(need.place, maximum.strength, other.strength);
                const bool isRead = m_standIns.isRow(need.place) && need.strength == Strength::Shared
                    && maximum.strength >= Strength::Update;
                needs.push_back(isRead                 ? Need{need.place, Strength::Update, need.isRange}
                        : m_standIns.isRow(need.place) ? need
                                                       : maximum);
            }
            // A lock that is held without reading, a table's say, is taken once.
            const auto isRepeated = [&needs](const Need& need) {
                return std::find(std::as_const(needs).data(), &need, need) != &need;
            };
            program.needs.clear();
            for (const Need& need : needs)
                if (!isRepeated(need))
                    program.needs.push_back(need);
        }
        return programs;
    }

    /// Each participant takes things in the same order there as it was reported.
    bool isSameOrder(const std::vector<ParticipantProgram>& changed) const
    {
        const auto isSame = [this](const ParticipantProgram& program, const ParticipantProgram& other) {
            const std::vector<Need> reported = eachOnce(program.needs);
            return std::equal(reported.begin(), reported.end(), other.needs.begin(), other.needs.end(),
                [](const Need& one, const Need& two) { return one.place == two.place; });
        };
        return std::equal(m_programs.begin(), m_programs.end(), changed.begin(), changed.end(), isSame);
    }

    /// "orders row 1, then lines row 2"
    QString orderText(const std::vector<ParticipantProgram>& programs) const
    {
        std::vector<int> places;
        for (const ParticipantProgram& program : programs)
            for (const Need& need : program.needs)
                places.push_back(need.place);
        std::ranges::sort(places);
        places.erase(std::unique(places.begin(), places.end()), places.end());
        return textOfEach(places, [this](int place) { return m_standIns.label(place); }).join(u", then "_s);
    }

    std::vector<ParticipantProgram> strongestFirst() const
    {
        std::vector<ParticipantProgram> programs = m_programs;
        for (ParticipantProgram& program : programs)
            program.needs = eachOnce(program.needs);
        return programs;
    }

    std::vector<ParticipantProgram> inOneOrder() const
    {
        std::vector<ParticipantProgram> programs = strongestFirst();
        for (ParticipantProgram& program : programs)
            std::ranges::sort(program.needs, {}, &Need::place);
        return programs;
    }

    QJsonObject parentFirst() const
    {
        return variant(
            u"parent-first"_s, u"Lock the parent first"_s, u"application lock"_s,
            u"Every session first takes one lock that stands for the whole: one at a time."_s,
            [this](const ParticipantProgram& program, QJsonArray& steps) {
                steps << QJsonObject{{u"acquire"_s,
                                         QJsonObject{{u"kind"_s, u"app"_s}, {u"name"_s, u"parent"_s},
                                             {u"owner"_s, u"transaction"_s}, {u"as"_s, u"parent"_s}}},
                    {u"label"_s, u"lock the parent"_s}};
                for (const Need& need : program.needs)
                    steps << m_standIns.step(need);
            },
            false);
    }

    std::optional<QJsonObject> asOneStatement() const
    {
        for (const ParticipantProgram& program : m_programs) {
            const bool fits =
                program.needs.size() > 1 && std::ranges::all_of(program.needs, [&](const Need& need) {
                    return need.strength == Strength::Exclusive
                        && m_standIns.isSameTable(need.place, program.needs.front().place);
                });
            if (!fits)
                return {};
        }
        return variant(
            u"one-statement"_s, u"One statement for all rows"_s, u"one statement"_s,
            u"The server locks the rows of one statement in the order in which it finds them; with one plan for all that is one order."_s,
            [this](const ParticipantProgram& program, QJsonArray& steps) {
                steps << m_standIns.oneStatement(program.needs);
            },
            false);
    }

    std::optional<QJsonObject> readingWithoutLocks() const
    {
        const auto onlyReads = [this](const ParticipantProgram& program, const Need& need) {
            return program.onlyReads && !need.isRange && m_standIns.isRow(need.place)
                && need.strength == Strength::Shared
                && std::ranges::none_of(program.needs, [&need](const Need& other) {
                       return other.place == need.place && other.strength > need.strength;
                   });
        };
        const bool anybody = std::ranges::any_of(m_programs, [&](const ParticipantProgram& program) {
            return std::ranges::any_of(
                program.needs, [&](const Need& need) { return onlyReads(program, need); });
        });
        if (!anybody)
            return {};
        QJsonObject made = variant(
            u"read-committed-version"_s, u"Read without locking"_s, u"row versions"_s,
            u"A session that only reads sees what was committed last and locks nothing: PostgreSQL's way, and SQL Server's with READ_COMMITTED_SNAPSHOT. The value may be old when it is used."_s,
            [this, onlyReads](const ParticipantProgram& program, QJsonArray& steps) {
                for (const Need& need : program.needs)
                    steps << (onlyReads(program, need) ? m_standIns.readWithoutLock(need.place)
                                                       : m_standIns.step(need));
            },
            false);
        made[u"engines"_s] = QJsonArray{u"postgres"_s};
        return made;
    }

    const deadlock::Deadlock& m_deadlock;
    StandIns m_standIns;
    std::vector<Assumption> m_assumptions; ///< one at least
    std::vector<ParticipantProgram> m_programs; ///< of the assumption of which variants are made
};

} // namespace

Result<DeadlockScenario> deadlockScenario(const deadlock::Deadlock& deadlock)
{
    return Maker(deadlock).make();
}

} // namespace lockscope::scenario
