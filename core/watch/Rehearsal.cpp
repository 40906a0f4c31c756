// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/Rehearsal.h"

#include "core/record/RecordingReader.h"
#include "core/watch/IncidentKeeper.h"
#include "core/watch/ObservationParts.h"

#include <QSet>

#include <algorithm>

namespace lockscope::watch {

using namespace Qt::StringLiterals;

using alert::IncidentChange;
using record::RecordingReader;

namespace {

constexpr microseconds textsAtOnce = std::chrono::hours(6); ///< of events, measures and reports

constexpr qint64 maxFailures = 200; ///< observations of a server that does not answer

/// A clock that was set wrong makes ranges of thousands of years.
constexpr microseconds maxPast = std::chrono::hours(24 * 400);

Failure cancelled()
{
    return failure(ErrorKind::Cancelled, u"The rehearsal was cancelled."_s);
}

class RehearsalRun {
public:
    RehearsalRun(const alert::RuleSet& rules, const RehearsalOptions& options, const std::stop_token& stop,
        RecordingReader& reader)
        : m_options(options)
        , m_stop(stop)
        , m_reader(reader)
        , m_engine(rules)
        , m_server(causeServer(reader.identity().place))
        , m_database(causeDatabase(reader.identity().place))
        , m_keepsOrder(std::ranges::any_of(rules.rules, [](const alert::Rule& rule) {
            return rule.isOn && rule.condition == alert::Condition::OppositeOrder;
        }))
    {
        m_rehearsal.server = reader.identity().server;
    }

    Result<Rehearsal> run()
    {
        LOCKSCOPE_TRY_GET(const auto span, m_reader.span());
        m_rehearsal.from = std::max(m_options.from, span.first);
        m_rehearsal.to = m_options.to.isValid() ? std::min(m_options.to, span.last) : span.last;
        auto done = learnFamilies(span.first);
        LOCKSCOPE_TRY_GET(const auto segments, m_reader.segments(m_rehearsal.from, m_rehearsal.to));
        for (auto each = segments.begin(); done && each != segments.end(); ++each)
            done = takeSegment(*each);
        LOCKSCOPE_TRY(done);
        finish();
        return std::move(m_rehearsal);
    }

private:
    /// Families that came before are not new.
    Result<void> learnFamilies(ServerTime first)
    {
        first = std::max(first, m_rehearsal.from - maxPast);
        for (ServerTime at = first; at < m_rehearsal.from; at = at + textsAtOnce) {
            if (m_stop.stop_requested())
                return cancelled();
            LOCKSCOPE_TRY_GET(
                const auto reports, m_reader.reports(at, std::min(at + textsAtOnce, m_rehearsal.from)));
            for (const record::RecordedReport& report : reports)
                static_cast<void>(deadlocksOf(report));
        }
        return {};
    }

    std::vector<alert::SeenDeadlock> deadlocksOf(const record::RecordedReport& recorded)
    {
        const auto whyNew = [this](const QString& family) {
            const bool isNew = !m_families.contains(family);
            m_families.insert(family);
            return isNew ? neverSeen() : QString();
        };
        std::vector<alert::SeenDeadlock> seen;
        if (const auto reports = record::reportsOf(recorded))
            for (const deadlock::ReportPtr& report : *reports)
                addUnknown(report, recorded.at, m_deadlocks, whyNew, seen);
        return seen;
    }

    Result<void> takeSegment(const record::Segment& segment)
    {
        m_failure.reset();
        if (m_keepsOrder)
            m_order.note(failure(ErrorKind::Connection, {}));
        take(alert::Observation{
            .server = m_server, .at = std::max(segment.began, m_rehearsal.from)}); // a gap is before it
        return m_reader.eachFrame(segment.number, m_rehearsal.from, m_rehearsal.to,
            [this](const RecordingReader::Frame& frame) -> Result<void> {
                if (m_stop.stop_requested())
                    return cancelled();
                return takeFrame(frame);
            });
    }

    Result<void> takeFrame(const RecordingReader::Frame& frame)
    {
        LOCKSCOPE_TRY(readUntil(frame.taken));
        if (++m_rehearsal.polls % 500 == 0 && m_options.progress)
            m_options.progress(double((frame.taken - m_rehearsal.from).count())
                / std::max(1.0, double((m_rehearsal.to - m_rehearsal.from).count())));
        alert::Observation seen{.server = m_server, .at = frame.taken};
        if (frame.interval.count() > 0)
            m_interval = frame.interval;
        seen.interval = std::chrono::ceil<milliseconds>(m_interval);
        seen.database = m_database;
        if (frame.snapshot)
            seen.snapshot = *frame.snapshot;
        else
            ++m_rehearsal.unreadable;
        while (m_nextMeasure < m_measures.size() && m_measures[m_nextMeasure].taken <= frame.taken)
            seen.measures.push_back(m_measures[m_nextMeasure++].measure);
        while (m_nextReport < m_reports.size() && m_reports[m_nextReport].at <= frame.taken) {
            const auto more = deadlocksOf(m_reports[m_nextReport++]);
            auto& all = seen.deadlocks ? *seen.deadlocks : seen.deadlocks.emplace();
            all.insert(all.end(), more.begin(), more.end());
        }
        if (!seen.deadlocks && m_hasReports)
            seen.deadlocks.emplace();
        noteOrder(frame, seen);
        note(seen);
        take(seen);
        return {};
    }

    /// Costs too much to be done for nothing.
    void noteOrder(const RecordingReader::Frame& frame, alert::Observation& seen)
    {
        if (!m_keepsOrder)
            return;
        if (frame.snapshot)
            m_order.note(*frame.snapshot);
        else
            m_order.note(Failure(frame.snapshot.error()));
        if (const auto state = m_order.state(); state != m_lastOrder) {
            m_lastOrder = state;
            seen.orders = ordersOf(state);
        }
    }

    void note(const alert::Observation& seen)
    {
        if (m_last.isValid() && seen.at > m_last)
            m_rehearsal.seen += std::min(seen.at - m_last, record::latestPoll(microseconds(seen.interval)));
        m_last = seen.at;
    }

    /// Events, measures and reports are read for some hours at once; failed polls are noted at their time.
    Result<void> readUntil(ServerTime at)
    {
        while (m_readUntil < at) {
            if (m_stop.stop_requested())
                return cancelled();
            const ServerTime from =
                std::max(m_readUntil.isValid() ? m_readUntil : m_rehearsal.from, at - maxPast);
            m_readUntil = from + textsAtOnce;
            const ServerTime to = m_readUntil - microseconds(1);
            LOCKSCOPE_TRY_GET(const auto events, m_reader.events(from, to));
            LOCKSCOPE_TRY_GET(const auto measures, m_reader.surroundings(from, to));
            LOCKSCOPE_TRY_GET(const auto reports, m_reader.reports(from, to));
            m_events.append(events);
            m_measures.append(measures);
            m_reports.append(reports);
            m_hasReports = m_hasReports || !m_reports.isEmpty();
        }
        while (m_nextEvent < m_events.size() && m_events[m_nextEvent].at <= at) {
            const record::Event& event = m_events[m_nextEvent++];
            if (event.kind != record::Event::Kind::Failure)
                continue;
            failUntil(event.at);
            m_failure = event;
        }
        failUntil(at);
        m_failure.reset();
        return {};
    }

    /// Polls that fail alike are one event: they failed until a snapshot or another event came.
    void failUntil(ServerTime end)
    {
        if (!m_failure || end <= m_failure->at)
            return;
        const microseconds step = std::max(m_interval, microseconds((end - m_failure->at) / maxFailures));
        for (ServerTime at = m_failure->at; at < end; at = at + step) {
            alert::Observation seen{
                .server = m_server, .at = at, .interval = std::chrono::ceil<milliseconds>(step)};
            seen.error = Error{.kind = ErrorKind::Connection, .what = m_failure->what};
            take(seen);
        }
    }

    void take(const alert::Observation& seen)
    {
        for (const IncidentChange& change : m_engine.advance(seen)) {
            const QString fingerprint = change.incident.cause.fingerprint();
            if (change.kind == IncidentChange::Kind::Fired) {
                m_open.insert(fingerprint, m_rehearsal.incidents.size());
                m_rehearsal.incidents << change.incident;
            } else if (m_open.contains(fingerprint))
                m_rehearsal.incidents[m_open.value(fingerprint)] = change.incident;
        }
    }

    void finish()
    {
        for (const alert::Condition condition : {alert::Condition::NotRecorded, alert::Condition::EndlessMute,
                 alert::Condition::FailingChannel, alert::Condition::DeadlockOverServers})
            for (const alert::Rule& rule : m_engine.rules().rules)
                if (rule.isOn && rule.condition == condition)
                    m_rehearsal.notTried << rule.name;
    }

    const RehearsalOptions& m_options;
    const std::stop_token& m_stop;
    RecordingReader& m_reader;
    alert::AlertEngine m_engine;
    const QString m_server;
    const QString m_database;
    Rehearsal m_rehearsal;
    QHash<QString, qsizetype> m_open; ///< by fingerprint: the latest incident
    QList<record::Event> m_events;
    QList<record::RecordedMeasure> m_measures;
    QList<record::RecordedReport> m_reports;
    qsizetype m_nextEvent = 0, m_nextMeasure = 0, m_nextReport = 0;
    bool m_hasReports = false;
    ServerTime m_readUntil;
    ServerTime m_last;
    microseconds m_interval{2'000'000};
    std::optional<record::Event> m_failure; ///< since then no poll succeeded
    deadlock::KnownDeadlocks m_deadlocks;
    QSet<QString> m_families;
    const bool m_keepsOrder;
    order::OrderWatch m_order;
    order::OrderStatePtr m_lastOrder;
};

} // namespace

int Rehearsal::countOf(const QString& rule) const
{
    return int(std::ranges::count_if(
        incidents, [&rule](const alert::Incident& each) { return each.rules().contains(rule); }));
}

double Rehearsal::perDay(const QString& rule) const
{
    const double days = double(seen.count()) / double(microseconds(std::chrono::hours(24)).count());
    return days > 0 ? countOf(rule) / days : 0;
}

Result<Rehearsal> rehearse(
    const alert::RuleSet& rules, const RehearsalOptions& options, const std::stop_token& stop)
{
    auto reader = RecordingReader::open(options.recording, options.passwords);
    return reader ? rehearse(rules, **reader, options, stop) : Failure(reader.error());
}

Result<Rehearsal> rehearse(const alert::RuleSet& rules, RecordingReader& reader,
    const RehearsalOptions& options, const std::stop_token& stop)
{
    return RehearsalRun(rules, options, stop, reader).run();
}

} // namespace lockscope::watch
