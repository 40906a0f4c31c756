// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/RecordedIncidentsView.h"

#include "core/base/Sentences.h"
#include "core/record/RecordingClient.h"
#include "core/record/StoredEvents.h"
#include "ui/views/page/DateTimeText.h"

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

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
