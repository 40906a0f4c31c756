// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/IncidentBook.h"

#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/domain/LockTable.h"
#include "core/record/RecordingClient.h"
#include "core/record/StoredEvents.h"
#include "ui/views/page/AppContext.h"

#include <QDateTime>
#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr microseconds resolvedFor = 24h * 7;
/// Lists are read again after that time, although nothing was written: their oldest rows go.
constexpr microseconds listIsValidFor = 60s;
constexpr int maxSimilar = 10;
/// Begins a step that a person made.
const QString actPrefix = u"Action: "_s;

/// Names the writer of the segment of that time: a recording may have had several.
QString finderAt(ServerTime at, const QList<record::Segment>& segments, const record::Identity& identity)
{
    QString host;
    for (const record::Segment& each : segments)
        if (each.began <= at && !each.host.isEmpty())
            host = each.host;
    QString finder = host.isEmpty() ? u"the program that recorded it"_s
                                    : u"the program that recorded it on %1"_s.arg(host);
    if (!identity.writer.isEmpty())
        finder += u" and wrote it to the history as %1"_s.arg(identity.writer);
    return finder;
}

bool isWorse(const FoundIncident& one, const FoundIncident& other)
{
    const record::RecordedIncident& a = one.incident;
    const record::RecordedIncident& b = other.incident;
    if (a.resolved.has_value() != b.resolved.has_value())
        return !a.resolved;
    return !a.resolved && a.isCritical && !b.isCritical;
}

report::Section sectionOf(const QList<FoundIncident>& found)
{
    QList<record::RecordedIncident> incidents;
    for (const FoundIncident& each : found)
        incidents << each.incident;
    report::Section section = record::toSection(incidents);
    for (qsizetype i = 0; i < found.size(); ++i) {
        report::ReportRow& row = section.rows[static_cast<std::size_t>(i)];
        row.key = QString::number(i);
        row.rowTime = found[i].at();
        row.about = found[i];
    }
    return section;
}

} // namespace

struct IncidentBook::Desk {
    QString path;
    QString rulesPath;
    std::unique_ptr<watch::IncidentStore> store;
    std::optional<qint64> version; ///< of the list that was handed over
    QDateTime rulesOf; ///< the last change of the rules file then
    bool areRulesFine = true; ///< then; what was wrong may be its rights, which change no time
    ServerTime validUntil; ///< even if nothing is written: rows get too old, mutes end
};

IncidentBook::IncidentBook(const QString& store, const QString& rules, QObject* parent)
    : QObject(parent)
    , m_desk(std::make_shared<Desk>(Desk{
          .path = store, .rulesPath = rules, .store = {}, .version = {}, .rulesOf = {}, .validUntil = {}}))
    , m_worker([desk = m_desk] { desk->store.reset(); })
{
    m_pollSoon.setSingleShot(true);
    m_pollSoon.setInterval(pollEvery);
    connect(&m_pollSoon, &QTimer::timeout, this, &IncidentBook::poll);
    poll();
}

IncidentBook::~IncidentBook() = default;

Result<watch::IncidentStore*> IncidentBook::storeOf(Desk& desk)
{
    if (desk.store && desk.store->hasMoved()) {
        desk.store.reset();
        desk.version.reset();
    }
    if (!desk.store) {
        auto opened = watch::IncidentStore::open(desk.path);
        if (!opened)
            return Failure(opened.error());
        desk.store = std::move(*opened);
    }
    return desk.store.get();
}

/// Null: nothing has changed since. After an error the file is opened again.
Result<IncidentListPtr> IncidentBook::readIfChanged(Desk& desk)
{
    const auto fail = [&desk](const Error& error) {
        desk.store.reset();
        desk.version.reset();
        return Failure(error);
    };
    const auto store = storeOf(desk);
    if (!store)
        return fail(store.error());
    const ServerTime now = ownClock();
    const auto version = (*store)->version();
    if (!version)
        return fail(version.error());
    const QDateTime rulesOf =
        QFileInfo(desk.rulesPath.isEmpty() ? alert::ruleFilePath() : desk.rulesPath).lastModified();
    if (desk.version == *version && now < desk.validUntil && desk.areRulesFine && desk.rulesOf == rulesOf)
        return IncidentListPtr();
    const auto mutes = (*store)->mutes(now);
    if (!mutes)
        return fail(mutes.error());
    const auto listed = (*store)->list(now - resolvedFor);
    if (!listed)
        return fail(listed.error());
    const auto queue = (*store)->queue();
    if (!queue)
        return fail(queue.error());
    desk.version = *version;
    desk.validUntil = now + listIsValidFor;
    for (const alert::Mute& mute : *mutes)
        if (!mute.ended.isValid() && mute.end == alert::Mute::End::At)
            desk.validUntil = std::min(desk.validUntil, mute.until);
    const auto rules = alert::loadRules(desk.rulesPath);
    desk.rulesOf = rulesOf;
    desk.areRulesFine = rules.has_value();
    return std::make_shared<const IncidentList>(IncidentList{.incidents = *listed,
        .mutes = *mutes,
        .rules = rules ? *rules : alert::defaultRules(),
        .rulesError = rules ? std::nullopt : std::optional(rules.error()),
        .queue = *queue});
}

Result<IncidentPast> IncidentBook::pastOf(Desk& desk, const alert::Incident& incident)
{
    const auto store = storeOf(desk);
    if (!store)
        return Failure(store.error());
    const auto steps = (*store)->steps(incident.id);
    if (!steps)
        return Failure(steps.error());
    const auto similar = (*store)->similar(incident, maxSimilar);
    if (!similar)
        return Failure(similar.error());
    IncidentPast past{*steps, {}};
    for (const alert::Incident& each : *similar) {
        const auto stepsThen = (*store)->steps(each.id);
        if (!stepsThen)
            return Failure(stepsThen.error());
        QStringList acts;
        for (const watch::IncidentStep& step : *stepsThen)
            if (step.what.startsWith(actPrefix))
                acts << step.what.mid(actPrefix.size());
        if (each.id != incident.id)
            past.similar.append({each, acts});
    }
    return past;
}

std::optional<IncidentBook::UnreadText> IncidentBook::unreadText() const
{
    if (m_error)
        return UnreadText{
            m_error->what, sentences({m_error->detail, m_error->hint, u"It is tried again by itself."_s})};
    return m_list ? std::nullopt : std::optional(UnreadText{u"Reading the incidents…"_s, {}});
}

void IncidentBook::poll()
{
    m_worker.ask(
        this, [desk = m_desk](const std::stop_token&) { return readIfChanged(*desk); },
        [this](const Result<IncidentListPtr>& read) {
            take(read);
            m_pollSoon.start();
        });
}

void IncidentBook::take(const Result<IncidentListPtr>& read)
{
    const std::optional<Error> error = read ? std::nullopt : std::optional(read.error());
    const bool isNews = std::exchange(m_error, error) != error;
    const bool isOther = read && *read;
    if (isOther)
        m_list = *read;
    if (isNews || isOther)
        Q_EMIT changed();
}

void IncidentBook::change(Change change, const QString& message, const QPointer<QObject>& context,
    const std::function<void(const Result<void>&)>& show)
{
    struct Answer {
        Result<void> changed;
        Result<IncidentListPtr> read;
    };
    m_worker.ask(
        this,
        [desk = m_desk, change = std::move(change)](const std::stop_token&) {
            Result<void> changed = change(*desk);
            desk->validUntil = {};
            return Answer{std::move(changed), readIfChanged(*desk)};
        },
        [this, message, context, show](const Answer& answer) {
            take(answer.read);
            if (show && context)
                show(answer.changed);
            if (answer.changed && !message.isEmpty())
                Q_EMIT done(message);
            else if (!answer.changed && !(show && context))
                Q_EMIT failed(answer.changed.error());
        });
}

void IncidentBook::changeStore(std::function<Result<void>(watch::IncidentStore&)> act, const QString& message)
{
    change(
        [act = std::move(act)](Desk& desk) -> Result<void> {
            const auto store = storeOf(desk);
            return store ? act(**store) : Failure(store.error());
        },
        message);
}

void IncidentBook::acknowledge(qint64 incident, const QString& why)
{
    changeStore(
        [incident, why](watch::IncidentStore& store) {
            return store.acknowledge(incident, watch::ownAccountText(), why);
        },
        u"Acknowledged. It is shown until it is resolved."_s);
}

void IncidentBook::mute(alert::Mute mute)
{
    mute.by = watch::ownAccountText();
    mute.made = ownClock();
    changeStore(
        [mute](watch::IncidentStore& store) {
            const auto made = store.mute(mute);
            return made ? Result<void>() : Failure(made.error());
        },
        u"Muted %1. Its incidents are still found and listed."_s.arg(alert::endText(mute)));
}

void IncidentBook::unmute(qint64 mute)
{
    changeStore(
        [mute](watch::IncidentStore& store) {
            return store.unmute(mute, u"by %1"_s.arg(watch::ownAccountText()));
        },
        u"The mute has ended."_s);
}

void IncidentBook::noteAct(qint64 incident, const QString& what)
{
    changeStore([incident, step = actPrefix + what](
                    watch::IncidentStore& store) { return store.addStep(incident, step); },
        {});
}

void IncidentBook::changeRules(
    const alert::RuleFileChange& made, QObject* context, std::function<void(const Result<void>&)> show)
{
    const QString what = alert::titleOf(made.after ? *made.after : *made.before);
    change([made](Desk& desk) { return alert::changeRuleFile(made, desk.rulesPath); },
        made.after ? u"The %1 is saved."_s.arg(what) : u"The %1 is no more in the rules file."_s.arg(what),
        context, show);
}

RecordedIncidentsView::RecordedIncidentsView(QWidget* parent)
    : ReportTable(u"recordedIncidents"_s, u"Incidents of the recording"_s, sectionOf({}), parent)
{
    connect(this, &TableView::currentRowChanged, this, &RecordedIncidentsView::changed);
}

void RecordedIncidentsView::setRecording(record::RecordingClient* recording)
{
    m_recording = recording;
    m_missing.clear();
    showRows(sectionOf({}));
    Q_EMIT changed();
    if (isVisible())
        read();
}

Result<RecordedIncidentsView::Read> RecordedIncidentsView::readAll(record::RecordingReader& reader)
{
    const auto span = reader.span();
    if (!span)
        return Failure(span.error());
    const auto segments = reader.segments();
    if (!segments)
        return Failure(segments.error());
    const auto events = reader.latestEvents(record::Event::Kind::Alert);
    if (!events)
        return Failure(events.error());
    Read read{.identity = reader.identity(),
        .span = *span,
        .incidents = {},
        .missing = record::missingAmong(*events)};
    for (const record::RecordedIncident& each : record::incidentsAmong(*events))
        read.incidents << FoundIncident{
            each, read.identity.server, finderAt(each.steps.first().at, *segments, read.identity)};
    std::ranges::stable_sort(read.incidents, isWorse);
    return read;
}

void RecordedIncidentsView::read()
{
    if (!m_recording)
        return;
    setEmptyState(u"Reading the incidents of the recording…"_s, {});
    m_recording->ask(
        this, &RecordedIncidentsView::readAll, [this](const Result<Read>& answer) { take(answer); });
}

void RecordedIncidentsView::take(const Result<Read>& read)
{
    m_missing = read ? read->missing : QStringList();
    showRows(sectionOf(read ? read->incidents : QList<FoundIncident>()));
    if (!read)
        setEmptyState(u"The incidents of the recording can't be read"_s,
            sentences({read.error().what, read.error().detail, read.error().hint,
                u"They are read again when you come back to this list."_s}));
    else
        setEmptyState(u"No incident in this recording"_s,
            u"It is of %1, from %2 to %3. A recording has the incidents that fire while it is made, by the rules of the program that makes it. The time bar shows who was blocked without one; Edit… at a rule tries that rule on this recording."_s
                .arg(read->identity.server, shortDateTimeText(read->span.first),
                    shortDateTimeText(read->span.last)));
    chooseFirst();
    Q_EMIT changed();
}

void RecordedIncidentsView::showEvent(QShowEvent* event)
{
    ReportTable::showEvent(event);
    read(); // again: it may be written all the time, or was not readable
}

} // namespace lockscope::ui
