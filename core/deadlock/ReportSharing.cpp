// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/ReportSharing.h"

namespace lockscope::deadlock {

namespace {

template <class List> void shareList(List& list, const List& last)
{
    if (list == last)
        list = last;
    else
        list.squeeze();
}

template <class T> const T& at(const QList<T>& list, qsizetype i)
{
    static const T none;
    return i < list.size() ? list[i] : none;
}

} // namespace

ReportPtr ReportSharing::shared(const ReportPtr& report, qint64 linesBefore)
{
    auto copy = std::make_shared<DeadlockReport>(*report);
    copy->source.position += linesBefore;
    const QString raw = report->raw;
    if (raw.constData() != m_lastRaw.constData()) { // an event may have many reports
        m_lastRaw = raw;
        m_lastShared = m_texts.add(raw);
    }
    copy->raw = m_lastShared;
    share(copy->source.place);
    static const DeadlockReport none;
    const DeadlockReport& last = m_last ? *m_last : none;
    for (qsizetype i = 0; i < copy->participants.size(); ++i)
        share(copy->participants[i], at(last.participants, i).frames);
    for (qsizetype i = 0; i < copy->resources.size(); ++i)
        share(copy->resources[i], at(last.resources, i).attributes);
    for (QString& complaint : copy->complaints)
        share(complaint);
    for (Edge& edge : copy->edges)
        share(edge.mode);
    for (Link& link : copy->links) {
        share(link.awaited);
        share(link.held);
    }
    shareList(copy->edges, last.edges);
    shareList(copy->links, last.links);
    for (Cycle& cycle : copy->cycles) {
        if (cycle.links == copy->links)
            cycle.links = copy->links;
    }
    shareList(copy->cycles, last.cycles);
    shareList(copy->victims, last.victims);
    shareList(copy->complaints, last.complaints);
    copy->participants.squeeze();
    copy->resources.squeeze();
    m_last = copy;
    return copy;
}

void ReportSharing::share(QString& text)
{
    constexpr qsizetype longest = 4'000;
    if (text.isEmpty() || text.size() > longest)
        return;
    QString& recent = m_recent[qHash(text) % m_recent.size()];
    if (recent == text)
        text = recent;
    else
        recent = text;
}

void ReportSharing::share(Participant& one, const QList<StackFrame>& last)
{
    for (QString* text : {&one.key, &one.user, &one.program, &one.host, &one.database, &one.isolation,
             &one.state, &one.waitResource, &one.transaction, &one.transactionStarted.sourceText,
             &one.batchStarted.sourceText, &one.inputBuffer, &one.statement, &one.listedStatement})
        share(*text);
    if (one.frames != last)
        for (StackFrame& frame : one.frames)
            for (QString* text : {&frame.procedure, &frame.handle, &frame.statement})
                share(*text);
    shareList(one.frames, last);
}

void ReportSharing::share(LockedThing& thing, const QList<std::pair<QString, QString>>& last)
{
    for (QString* text : {&thing.key, &thing.element, &thing.database, &thing.table, &thing.index,
             &thing.part, &thing.name, &thing.mode})
        share(*text);
    if (thing.attributes != last)
        for (auto& [name, value] : thing.attributes) {
            share(name);
            share(value);
        }
    shareList(thing.attributes, last);
}

} // namespace lockscope::deadlock
