// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/json/FileCheck.h"
#include "core/scenario/format/ScenarioFile.h"

#include <limits>

namespace lockscope::scenario {

using json::JsonNode;

/// Checks the further parts of scenario files: names, values that are known later, statements.
class ScenarioFileCheck : public json::FileCheck {
public:
    using json::FileCheck::FileCheck;

    Amount amount(const JsonNode& node, qint64 least = 0, qint64 maximum = std::numeric_limits<int>::max());
    /// A name for values, locks and roles; also of tables and columns.
    QString name(const JsonNode& node);
    QString neededName(const JsonNode& object, const QString& key);
    QString optionalName(const JsonNode& object, const QString& key, const QString& byDefault = {});

    SqlByEngine sql(const JsonNode& node);
    ScriptByEngine script(const JsonNode& node);
};

/// Reads the steps of a role into a flat program: what is nested in the file becomes jumps.
class ProgramReader {
public:
    /// `scenario` has its parameters already; both must outlive the reader.
    ProgramReader(ScenarioFileCheck& check, const Scenario& scenario);

    Role role(const JsonNode& node, const std::set<Engine>& engines);
    /// Faults for values and identifiers that nobody knows.
    void checkNames(const JsonNode& node, const SqlTemplate& sql);
    void checkAmount(const JsonNode& node, const Amount& amount);

    /// Returns the names that every session knows: its number, how many there are, its round.
    static QStringList builtIns();
    static bool isBuiltIn(const QString& name) { return builtIns().contains(name); }

private:
    struct Pending { ///< steps that stand apart: to be put behind the end of the program
        int from = 0;
        const JsonNode* steps = nullptr;
        bool isInTransaction = false;
    };

    void collectNames(const JsonNode& steps);
    void define(const JsonNode* node);
    void checkValue(const JsonNode& node, const QString& name);
    void steps(const JsonNode& list, std::vector<Step>& program);
    void step(const JsonNode& node, std::vector<Step>& program);
    void addStep(const JsonNode& node, const QString& verb, const QString& label, std::vector<Step>& program);
    Step sqlStep(const JsonNode& node);
    AcquireStep acquireStep(const JsonNode& node);
    void checkAcquire(const JsonNode& node, const AcquireStep& act);
    void transactionStep(const QString& verb);
    void leave(const JsonNode& node);
    TakeStep takeStep(const JsonNode& node);
    std::optional<WritesOver> writesOver(const JsonNode& node);
    ThinkStep thinkStep(const JsonNode& node);
    DrawStep drawStep(const JsonNode& node);
    void each(const JsonNode& node, std::vector<Step>& program);
    Amount checkedAmount(const JsonNode& object, const QString& key, qint64 byDefault, qint64 least);
    NameTemplate nameTemplate(const JsonNode& node);
    QString lockName(const JsonNode& node);

    ScenarioFileCheck& m_check;
    const Scenario& m_scenario;
    std::set<Engine> m_engines;
    std::set<QString> m_known; ///< values
    std::set<QString> m_lists;
    std::set<QString> m_locks;
    std::set<QString> m_entered; ///< critical sections, as they are written
    bool m_takes = false; ///< packets of a queue
    bool m_isInTransaction = false; ///< after the steps until here, in the order of the file
    std::vector<Pending> m_pending;
};

} // namespace lockscope::scenario
