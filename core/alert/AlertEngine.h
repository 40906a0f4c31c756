// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Conditions.h"
#include "core/alert/Incident.h"

#include <QList>

#include <map>

namespace lockscope::alert {

/// A change of an incident.
struct IncidentChange {
    enum class Kind : quint8 {
        Fired,
        Escalated, ///< to critical
        Changed, ///< its figures; no notice is sent
        Resolved,
    };
    Kind kind = Kind::Changed;
    Incident incident;
};

/// A rule whose condition is met, but not yet for long enough.
struct PendingAlert {
    QString rule;
    Cause cause;
    Severity severity; ///< that it will have
    milliseconds left{0}; ///< until then, if it stays so
    QString text;
};

/// Applies rules to one server, observation by observation, live and out of a recording alike.
///
/// A level is reached once its condition was seen for the level's hold, and left once it was seen clear for
/// the rule's `keepFiring`. Time in which nothing could be seen counts for neither. All rules that fire for
/// one cause are one incident. Pure; one thread. It costs below 5 ms for 200 rules and 1,000 waits.
class AlertEngine {
public:
    explicit AlertEngine(RuleSet rules)
        : m_rules(std::move(rules))
    {
    }
    /// Applies other rules from the next observation on. Incidents of rules that are gone or off resolve
    /// then.
    void setRules(RuleSet rules);
    const RuleSet& rules() const { return m_rules; }
    /// Counts a chain's longest wait as time in which the condition was met already when it was first seen:
    /// for a program that polls only once.
    void trustAges() { m_trustsAges = true; }
    /// Goes on with an incident that fired before this engine was made.
    void adopt(const Incident& incident);

    bool isFiring(const Cause& cause) const { return m_incidents.contains(cause.fingerprint()); }

    QList<IncidentChange> advance(const Observation& observation);
    QList<PendingAlert> pending() const;
    QList<Incident> firing() const;

private:
    /// One rule's state for one cause.
    struct Track {
        Cause cause;
        std::vector<milliseconds>
            met; ///< by level of the rule: seen at that level for so long without a break
        std::vector<bool> isMet; ///< at the last observation that knew
        std::optional<Severity> firing;
        std::optional<milliseconds>
            clear; ///< seen below the level that fires for so long; nothing: it is not
        ServerTime since; ///< first met
        double value = 0;
        bool isExact = true;
        QString text;
        bool wasSeen = false; ///< at the last observation
    };
    using Tracks = std::map<QString, Track>; ///< by fingerprint

    milliseconds stepTo(const Observation& observation);
    void apply(
        const Rule& rule, const Observation& observation, const MeasuredCauses& findings, milliseconds step);
    void note(const Rule& rule, Track& track, const MeasuredCause& finding, ServerTime at, milliseconds step);
    void noteClear(const Rule& rule, Track& track, milliseconds step);
    static void settle(const Rule& rule, Track& track, bool isClear, milliseconds step);
    bool isInScope(const Rule& rule, const MeasuredCause& finding, const Observation& observation) const;
    QList<IncidentChange> gather(
        const Observation& observation, const MeasuredCauses& findings, milliseconds step);
    void fill(Incident& incident, const Observation& observation, const MeasuredCauses& findings,
        milliseconds step) const;
    struct Firing { ///< all rules that fire for one cause
        Cause cause;
        QList<Symptom> symptoms;
        bool isSeen = false;
    };
    static void update(Incident& incident, QList<Symptom> firing);
    static Incident resolved(
        Incident incident, const Observation& observation, const MeasuredCauses& findings);
    static QString clearedBy(const Incident& incident, const Observation& observation);

    RuleSet m_rules;
    Conditions m_conditions;
    std::map<QString, Tracks> m_tracks; ///< by name of the rule
    std::map<QString, Incident> m_incidents; ///< that fire, by fingerprint
    bool m_trustsAges = false;
    // Invalid: nothing was seen, or what came since is not known.
    ServerTime m_last; ///< a snapshot or a failed poll
    ServerTime m_lastSnapshot;
};

} // namespace lockscope::alert
