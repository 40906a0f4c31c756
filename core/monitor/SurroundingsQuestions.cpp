// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/SurroundingsQuestions.h"

#include <algorithm>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

constexpr milliseconds slowPoll{250}; // on the server

} // namespace

bool SurroundingsQuestions::isDue()
{
    m_asked.clear();
    m_answered.clear();
    m_hasAsked = !m_isSlow && (m_askedAt == Clock::time_point() || Clock::now() - m_askedAt >= m_askEvery);
    if (m_hasAsked)
        m_askedAt = Clock::now();
    return m_hasAsked;
}

void SurroundingsQuestions::ask(std::vector<db::BatchItem>& items, const Question& question,
    const db::Statement& statement, db::RowSink sink)
{
    if (m_refused.contains(question.subject))
        return;
    m_asked.push_back(question);
    items.push_back({.statement = &statement, .sink = std::move(sink)});
}

void SurroundingsQuestions::judge(std::span<const Result<qint64>> results)
{
    for (size_t i = 0; i < m_asked.size(); ++i) {
        const Question& question = m_asked[i];
        if (results[i])
            m_answered.push_back(question.subject);
        else
            m_refused.insert_or_assign(question.subject, std::pair(question.grant, results[i].error()));
    }
}

void SurroundingsQuestions::lack(const Question& question)
{
    m_refused.insert_or_assign(
        question.subject, std::pair(question.grant, Error{.kind = ErrorKind::Permission}));
}

bool SurroundingsQuestions::isAnswered(const QString& subject) const
{
    return std::ranges::find(m_answered, subject) != m_answered.end();
}

void SurroundingsQuestions::end(const Snapshot& snapshot)
{
    m_isSlow = snapshot.cost.server > slowPoll;
}

void SurroundingsQuestions::limit(Snapshot& snapshot) const
{
    QStringList forbidden;
    QStringList grants;
    for (const auto& [subject, refusal] : m_refused) {
        const auto& [grant, error] = refusal;
        if (error.kind == ErrorKind::Permission && !grant.isEmpty()) {
            forbidden << subject;
            grants << grant;
        } else {
            snapshot.limitations.push_back({.kind = Limitation::Kind::Failed,
                .what = u"Not recorded: %1. %2"_s.arg(subject, error.reason())});
        }
    }
    grants.removeDuplicates();
    if (!forbidden.isEmpty())
        snapshot.limitations.push_back({.kind = Limitation::Kind::MissingPermission,
            .what = u"Not recorded, because this login lacks the right: %1."_s.arg(forbidden.join(u", "_s)),
            .remedy = grants.join(u' ')});
}

std::optional<qint64> transactionsPerMinute(const std::vector<Measure>& around)
{
    std::optional<qint64> sum;
    for (const Measure& each : around)
        if (each.kind == measures::commits || each.kind == measures::rollbacks
            || each.kind == measures::transactions)
            sum = sum.value_or(0) + each.value;
    return sum;
}

LockCount& LockCounter::of(ResourceKind kind, const QString& name)
{
    const QString known = kind == ResourceKind::Unknown ? name : resourceKindName(kind);
    const auto found = std::ranges::find(m_counts, known, &LockCount::kind);
    if (found != m_counts.end())
        return *found;
    m_counts.push_back({.kind = known});
    return m_counts.back();
}

void RunningCounters::read(const std::vector<LockCount>& counts)
{
    for (const LockCount& count : counts) {
        for (const QString& name : {count.kind, QString()}) {
            m_read[{measures::lockWaits, name, count.reset}].second += count.waits;
            m_read[{measures::lockWaitTime, name, count.reset}].second += count.waited.count();
        }
    }
}

void RunningCounters::addTo(std::vector<Measure>& measures, ServerTime at)
{
    if (m_read.empty())
        return;
    const Totals before = std::exchange(m_before, std::exchange(m_read, {}));
    const microseconds length = at - std::exchange(m_beforeAt, at);
    for (const auto& [key, now] : m_before) {
        const auto& [kind, name, since] = key;
        const auto& [as, total] = now;
        const auto known = before.find(key);
        const qint64 count = known == before.end() ? -1 : total - known->second.second;
        if (count < 0 || length.count() <= 0 || (count == 0 && !name.isEmpty()))
            continue;
        constexpr microseconds minute = std::chrono::minutes(1);
        measures.push_back({.kind = kind,
            .name = name,
            .value = as == As::Count
                ? count
                : static_cast<qint64>(double(count) * double(minute.count()) / double(length.count()))});
    }
}

void KnownSettings::compare(Values now, Surroundings& surroundings)
{
    const auto before = std::exchange(m_known, std::move(now));
    if (!before)
        return;
    const auto in = [](const Values& settings, const QString& name) {
        const auto found = settings.find(name);
        return found == settings.end() ? QString() : found->second;
    };
    Values names = *before;
    names.insert(m_known->begin(), m_known->end());
    for (const auto& each : names) {
        const QString& name = each.first;
        const QString was = in(*before, name);
        const QString is = in(*m_known, name);
        if (was == is)
            continue;
        surroundings.changed.push_back({name, was, is});
        surroundings.measures.push_back({.kind = measures::setting, .name = name, .text = is});
    }
}

void addActiveSessions(const Snapshot& snapshot, QString (*waitClassOf)(const QString& waitEvent),
    std::vector<Measure>& measures)
{
    std::map<QString, qint64> byClass;
    qint64 active = 0;
    for (const Session& session : snapshot.sessions) {
        if (session.system || session.own || session.state != SessionState::Active)
            continue;
        ++active;
        ++byClass[session.waitEvent.isEmpty() ? measures::running : waitClassOf(session.waitEvent)];
    }
    measures.push_back({.kind = measures::active, .value = active});
    for (const auto& [name, count] : byClass)
        measures.push_back({.kind = measures::waiting, .name = name, .value = count});
}

} // namespace lockscope::monitor
