// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/deadlock/Deadlock.h"
#include "core/deadlock/Family.h"
#include "core/report/Report.h"

#include <QByteArray>
#include <QList>
#include <QStringList>

namespace lockscope::deadlock {

/// The parts of a report that others may read.
enum class Disclosure : quint8 {
    Redacted, ///< values in statements are "?"; users, hosts and programs are numbered; no raw text
    Whole,
};

/// The same with values out of its statements, and users, hosts and programs as "account 1", "host 2". The
/// raw text is gone: it is all of that at once. Same graph, same family.
DeadlockReport redacted(const DeadlockReport& report);

/// Returns a `<deadlock-list>` that SQL Server Management Studio opens as .xdl: well-formed, made again from
/// the values that were read. Unsupported for reports of other engines. UTF-8.
Result<QByteArray> toXdl(const QList<ReportPtr>& reports);

/// The results of executing all orders of a scenario that was made of a deadlock.
struct ProofSection {
    struct Change {
        QString title; ///< "One order for all"
        QString meaning; ///< what every session does then
        QString shown; ///< "0 of 70 orders deadlock, if each locks a row of its own; deadlocks in …"
        QString so; ///< "cures the reproduced deadlock"
        bool cures = false; ///< under each assumption under which the deadlock happens

        bool operator==(const Change&) const = default;
    };
    QString eventKey; ///< of the report, and which of its deadlocks
    int index = 0;
    QString where; ///< "PostgreSQL, in the sandbox"; no name of a server
    QString summary; ///< "As reported: deadlocks in 2 of 70 orders. …"
    QList<Change> changes;
    QStringList leftOut; ///< parts that the scenario does not have
    QString scenario; ///< its file

    bool operator==(const ProofSection&) const = default;
};

/// Above this a page leaves deadlocks out, and says so.
inline constexpr qsizetype maxPageBytes = 200'000;

/// One page that needs nothing else and lets nothing else in: for each deadlock its ring as a picture, the
/// sequence in words, participants, findings, and the proof if there is one, with its scenario (made of the
/// redacted report, where the page is redacted). In the reader's brightness. Below maxPageBytes. UTF-8.
QByteArray toHtml(const QList<ReportPtr>& reports, Disclosure disclosure = Disclosure::Redacted,
    const QList<ProofSection>& proofs = {});

/// Deadlocks, each with its ring as a picture, what happened, who took part and findings; and what was read
/// besides: blocked processes, reports of which a part is missing. `table`: that one alone; empty: all.
report::Report toReport(
    const QList<ReportPtr>& reports, const QList<ProofSection>& proofs = {}, const QString& table = {});
/// One deadlock as a part of it, number `number` under this title.
std::vector<report::Section> sectionsOf(const Deadlock& deadlock, qint64 number, const QString& title);
/// The proof of deadlock `number` as a part of it.
std::vector<report::Section> sectionsOf(const ProofSection& proof, qint64 number, bool withScenario = true);
/// Null: nothing was proved of that deadlock.
const ProofSection* proofOf(const QList<ProofSection>& proofs, const Deadlock& deadlock);
report::Report toReport(const QList<Family>& families);
/// The ring as SVG: an arrow from each to the next one, round a circle.
QString pictureOf(const Deadlock& deadlock);

} // namespace lockscope::deadlock
