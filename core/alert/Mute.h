// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Incident.h"

namespace lockscope::alert {

/// Keeps incidents from being reported. They are still found, shown and kept.
struct Mute {
    enum class Of : quint8 { Fingerprint, Family, Rule, Server, Program };
    enum class End : quint8 { At, WhenCleared, Never };

    qint64 id = 0; ///< in the store
    Of of = Of::Fingerprint;
    QString value; ///< the fingerprint, family, rule, server or program
    QString shown; ///< the same for people
    End end = End::At;
    ServerTime until; ///< if it ends at a time; this machine's clock
    std::optional<int> maxWaiting; ///< from more waiting sessions on it is void
    std::optional<milliseconds> maxWait; ///< from a longer wait on it is void
    QString why;
    QString by; ///< account and machine
    ServerTime made; ///< this machine's clock
    ServerTime ended; ///< invalid: it is in force
    QString endedWhy; ///< "its time was over", "1,200 sessions waited, and it was for at most 100", "by ann"

    bool operator==(const Mute&) const = default;
};
QString muteOfName(Mute::Of of); ///< "fingerprint" …

/// Returns the mutes that are possible for an incident: of its cause, its deadlock family, each of its rules,
/// its head's program, its server. The nearest first; they have no end, author or reason yet.
QList<Mute> mutesFor(const Incident& incident);
/// Returns whether the mute is about that incident, whatever the time. One of a rule is about each incident
/// of that rule, but keeps it from being reported only if each rule of it is muted: see muteOf().
bool isAbout(const Mute& mute, const Incident& incident);
/// Returns the mute that keeps it from being reported; null: none. Void ones do not count.
const Mute* muteOf(const QList<Mute>& mutes, const Incident& incident);
/// Returns why the mute is void for this incident: its ceiling is passed. Empty: it holds.
QString voidedBy(const Mute& mute, const Incident& incident);
/// "until tomorrow 08:00", "until it is cleared", "for ever".
QString endText(const Mute& mute);

} // namespace lockscope::alert
