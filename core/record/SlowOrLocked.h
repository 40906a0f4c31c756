// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Duration.h"
#include "core/record/Recording.h"
#include "core/report/Report.h"

#include <QList>
#include <QStringList>

#include <optional>

namespace lockscope::record {

/// Answers for a range: was it locks, or was it slow? The rule: what more than half of the time of active
/// sessions went into, by samples of what each of them waited for.
struct SlowOrLocked {
    enum class Verdict : quint8 {
        NotKnown, ///< nothing was recorded of it
        Calm, ///< in half of the samples or more no session was active
        Locks, ///< more than half of the time: waiting for locks
        Slow, ///< more than half: waiting for disks, internal latches, other processes of the server
        Work, ///< more than half: neither, the server computed
        Mixed,
    };
    qint64 samples = 0;
    double active = 0; ///< sessions, on average
    // Parts of their time.
    double lockPart = 0;
    double slowPart = 0;
    double workPart = 0;
    Verdict verdict = Verdict::NotKnown;
    std::optional<qint64> countedWaits; ///< for locks, that the server itself counted; nothing: it does not
    milliseconds countedTime{0}; ///< of these
    qint64 checkpoints = 0;
    milliseconds checkpointTime{0};
    qint64 maxAutovacuum = 0; ///< workers at once
    milliseconds maxLag{0}; ///< of a standby
    // In a minute; of PostgreSQL commits, of SQL Server transactions that began, and batches.
    qint64 maxCommits = 0;
    qint64 maxTransactions = 0;
    qint64 maxBatches = 0;
    qint64 checkpointPages = 0; ///< that checkpoints wrote
    QStringList settings; ///< "work_mem is 64 MB", that were changed

    static SlowOrLocked of(const QList<RecordedMeasure>& measures);
    /// A sentence, the figures and the rule, as lines.
    QString toString() const;
    /// Adds facts "surroundings.verdict" …, and lines behind the tables.
    void addTo(report::Report& report) const;
};

} // namespace lockscope::record
