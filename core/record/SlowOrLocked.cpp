// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RangeReport.h"

#include "core/base/EnumTable.h"
#include "core/base/Sentences.h"

#include <QSet>

#include <algorithm>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

namespace kinds = monitor::measures;

constexpr double half = 0.5;

/// A client that is to send the next statement waits for nobody here, nor does a server process that sleeps.
enum class DelayCause : quint8 { Locks, Slow, Work };

DelayCause causeOf(const QString& waitClass)
{
    if (waitClass == u"Lock"_s)
        return DelayCause::Locks;
    static const QSet<QString> ofWork{kinds::running, u"Client"_s, u"Activity"_s, u"Timeout"_s,
        u"Extension"_s, // of PostgreSQL, and of SQL Server, whose parallel threads wait for each other:
        u"CPU"_s, u"Network IO"_s, u"Parallelism"_s, u"User Wait"_s, u"Idle"_s};
    return ofWork.contains(waitClass) ? DelayCause::Work : DelayCause::Slow; // IO, latches, IPC, memory …
}

QString percent(double part)
{
    return u"%1 %"_s.arg(qRound(part * 100));
}

struct VerdictText {
    const char16_t* name; ///< for programs
    const char16_t* sentence;
};

const VerdictText& textOf(SlowOrLocked::Verdict verdict)
{
    static constexpr EnumTable<SlowOrLocked::Verdict, VerdictText> texts({
        {u"unknown", u"Not known: nothing was recorded of what surrounds the locks."},
        {u"calm", u"Neither: most of the time no session was active."},
        {u"locks", u"It was locks."},
        {u"slow", u"It was slow: sessions waited for the server's disks and internals, not for locks."},
        {u"work", u"Neither: sessions were at work."},
        {u"mixed", u"No single cause took more than half of the time."},
    });
    return texts[verdict];
}

} // namespace

SlowOrLocked SlowOrLocked::of(const QList<RecordedMeasure>& measures)
{
    SlowOrLocked all;
    qint64 active = 0;
    qint64 calm = 0;
    qint64 locks = 0;
    qint64 slow = 0;
    qint64 work = 0;
    for (const auto& [taken, measure] : measures) {
        const qint64 value = measure.value;
        if (measure.kind == kinds::active) {
            ++all.samples;
            active += value;
            calm += value == 0 ? 1 : 0;
        } else if (measure.kind == kinds::waiting) {
            const DelayCause cause = causeOf(measure.name);
            (cause == DelayCause::Locks ? locks : cause == DelayCause::Slow ? slow : work) += value;
        } else if (measure.kind == kinds::checkpoints) {
            all.checkpoints += value;
        } else if (measure.kind == kinds::lockWaits && measure.name.isEmpty()) {
            all.countedWaits = all.countedWaits.value_or(0) + value;
        } else if (measure.kind == kinds::lockWaitTime && measure.name.isEmpty()) {
            all.countedTime += milliseconds(value);
        } else if (measure.kind == kinds::checkpointTime) {
            all.checkpointTime += milliseconds(value);
        } else if (measure.kind == kinds::autovacuum) {
            all.maxAutovacuum = std::max(all.maxAutovacuum, value);
        } else if (measure.kind == kinds::replicationLag) {
            all.maxLag = std::max(all.maxLag, milliseconds(value));
        } else if (measure.kind == kinds::commits) {
            all.maxCommits = std::max(all.maxCommits, value);
        } else if (measure.kind == kinds::transactions) {
            all.maxTransactions = std::max(all.maxTransactions, value);
        } else if (measure.kind == kinds::batches) {
            all.maxBatches = std::max(all.maxBatches, value);
        } else if (measure.kind == kinds::checkpointPages) {
            all.checkpointPages += value;
        } else if (measure.kind == kinds::setting) {
            all.settings << (measure.text.isEmpty()
                    ? u"%1 is as the server has it by itself"_s.arg(measure.name)
                    : u"%1 is %2"_s.arg(measure.name, measure.text));
        }
    }
    if (all.samples == 0)
        return all;
    all.active = double(active) / double(all.samples);
    const double waits = double(std::max<qint64>(1, locks + slow + work));
    all.lockPart = double(locks) / waits;
    all.slowPart = double(slow) / waits;
    all.workPart = double(work) / waits;
    all.verdict = calm * 2 >= all.samples ? Verdict::Calm
        : all.lockPart > half             ? Verdict::Locks
        : all.slowPart > half             ? Verdict::Slow
        : all.workPart > half             ? Verdict::Work
                                          : Verdict::Mixed;
    return all;
}

QString SlowOrLocked::toString() const
{
    QString text = u"Was it locks, or was it slow? %1\n"_s.arg(QStringView(textOf(verdict).sentence));
    if (samples == 0)
        return text;
    text +=
        u"%1 active sessions on average; of their time %2 waiting for locks, %3 for the server, %4 at work.\n"_s
            .arg(QString::number(active, 'f', 1), percent(lockPart), percent(slowPart), percent(workPart));
    if (countedWaits)
        text += u"The server itself counted %1 for locks, %2 in all.\n"_s.arg(
            counted(*countedWaits, u"wait"), durationInWords(countedTime));
    QStringList more;
    if (checkpoints > 0)
        more << u"%1, %2 of writing"_s.arg(
            counted(checkpoints, u"checkpoint"), durationInWords(checkpointTime));
    if (checkpointPages > 0)
        more << counted(checkpointPages, u"page") + u" written by checkpoints"_s;
    if (maxAutovacuum > 0)
        more << u"up to "_s + counted(maxAutovacuum, u"autovacuum worker");
    if (maxLag.count() > 0)
        more << u"a standby up to %1 behind"_s.arg(durationInWords(maxLag));
    if (maxCommits > 0)
        more << u"up to %1 commits per minute"_s.arg(maxCommits);
    if (maxTransactions > 0)
        more << u"up to %1 transactions per minute"_s.arg(maxTransactions);
    if (maxBatches > 0)
        more << u"up to %1 batches per minute"_s.arg(maxBatches);
    if (!more.isEmpty())
        text += u"Around it: %1.\n"_s.arg(more.join(u", "_s));
    if (!settings.isEmpty())
        text += u"Settings that were changed: %1.\n"_s.arg(settings.join(u", "_s));
    return text
        + u"(The rule: what more than half of the time of active sessions went into, by %1.)\n"_s.arg(
            counted(samples, u"sample"));
}

void SlowOrLocked::addTo(report::Report& report) const
{
    using enum report::Type;
    const auto add = [&report](const QString& key, report::Type type, const report::Value& value) {
        report.facts.push_back({{type, u"surroundings."_s + key}, value});
    };
    add(u"verdict"_s, Text, QString::fromUtf16(textOf(verdict).name));
    add(u"samples"_s, Count, samples);
    report.closing << toString().split(u'\n', Qt::SkipEmptyParts);
    if (samples == 0)
        return;
    for (const auto& [key, value] :
        {std::pair(u"active_sessions"_s, active), std::pair(u"waiting_for_locks"_s, lockPart),
            std::pair(u"waiting_for_server"_s, slowPart), std::pair(u"at_work"_s, workPart)})
        add(key, Number, std::optional(value));
    for (const auto& [key, value] :
        {std::pair(u"checkpoint"_s, checkpointTime), std::pair(u"max_replication_lag"_s, maxLag)})
        add(key, Length, report::Value(microseconds(value)));
    for (const auto& [key, value] :
        {std::pair(u"checkpoints"_s, checkpoints), std::pair(u"max_autovacuum_workers"_s, maxAutovacuum),
            std::pair(u"max_commits_per_minute"_s, maxCommits),
            std::pair(u"max_transactions_per_minute"_s, maxTransactions),
            std::pair(u"max_batches_per_minute"_s, maxBatches),
            std::pair(u"checkpoint_pages"_s, checkpointPages)})
        add(key, Count, value);
    if (countedWaits) {
        add(u"server_lock_waits"_s, Count, *countedWaits);
        add(u"server_lock_wait"_s, Length, report::Value(microseconds(countedTime)));
    }
    add(u"changed_settings"_s, Texts, settings);
}

} // namespace lockscope::record
