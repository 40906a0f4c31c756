// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/RuleTrial.h"

#include "core/base/Sentences.h"
#include "core/record/RecordingReader.h"

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

QString timesText(int count)
{
    return count == 0 ? u"not once"_s : count == 1 ? u"once"_s : u"%L1 times"_s.arg(count);
}

Result<watch::Rehearsal> rehearseAlone(
    const alert::Rule& rule, const watch::RehearsalOptions& options, const std::stop_token& stop)
{
    alert::RuleSet rules;
    rules.rules = {rule};
    return watch::rehearse(rules, options, stop);
}

} // namespace

QString TrialResult::toString(const QString& range) const
{
    const auto critical =
        std::ranges::count(rehearsal.incidents, alert::Severity::Critical, &alert::Incident::worst);
    QString text = u"In %1 of %2 it would have fired %3%4. As it is now: %5."_s.arg(range, rehearsal.server,
        timesText(int(rehearsal.incidents.size())),
        critical > 0 ? u", %1 of them critical"_s.arg(critical) : QString(), timesText(before));
    if (rehearsal.unreadable > 0)
        text += u" %1 can't be read."_s.arg(counted(rehearsal.unreadable, u"poll"));
    if (!rehearsal.notTried.isEmpty())
        text += u" A recording does not say enough to try: %1."_s.arg(rehearsal.notTried.join(u", "_s));
    return text;
}

RuleTrial::RuleTrial(QString recording, alert::Rule rule, QObject* parent)
    : QObject(parent)
    , m_recording(std::move(recording))
    , m_rule(std::move(rule))
{
}

void RuleTrial::cancel()
{
    ++m_asked;
    m_worker.cancel();
}

void RuleTrial::run(const alert::Rule& edited, microseconds length)
{
    cancel();
    const quint64 asked = m_asked;
    const auto progress = [to = QPointer(this), asked](double part) {
        postTo(to, [asked, part](RuleTrial& trial) {
            if (asked == trial.m_asked)
                Q_EMIT trial.progressed(part);
        });
    };
    m_worker.ask(
        this,
        [recording = m_recording, rule = m_rule, before = m_before, edited, length, progress](
            const std::stop_token& stop) -> Result<TrialResult> {
            const auto reader = record::RecordingReader::open(recording);
            const auto span = reader ? (*reader)->span() : Failure(reader.error());
            if (!span)
                return Failure(span.error());
            const watch::RehearsalOptions options{.recording = recording,
                .passwords = {},
                .from = span->last - length,
                .to = span->last,
                .progress = progress};
            const auto tried = rehearseAlone(edited, options, stop);
            if (!tried)
                return Failure(tried.error());
            if (before.contains(length.count()))
                return TrialResult{*tried, before.value(length.count())};
            const auto now = rehearseAlone(rule, options, stop);
            return now ? TrialResult{*tried, int(now->incidents.size())}
                       : Result<TrialResult>(Failure(now.error()));
        },
        [this, asked, length](Result<TrialResult> result) {
            if (result)
                m_before.insert(length.count(), result->before);
            if (asked == m_asked)
                Q_EMIT finished(std::make_shared<const Result<TrialResult>>(std::move(result)));
        });
}

} // namespace lockscope::ui
