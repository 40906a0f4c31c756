// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/TeamHistoryTest.h"

#include "core/record/Coverage.h"

namespace lockscope::test {

using namespace record;

constexpr ServerTime firstOfAll{1};
constexpr ServerTime lastOfAll{4'000'000'000'000'000};

static QString lineOf(const HistoryLine& line)
{
    return QStringList{line.kind, line.database, line.lock, QString::number(line.waited), line.mode,
        QString::number(line.party.session.value), line.party.owner, line.party.program, line.party.host,
        QString::number(line.from.us), QString::number(line.fromExact), QString::number(line.to.us),
        line.gone ? QString::number(line.gone->us) : u"-"_s}
        .join(u'|');
}

static QString snapshotText(const RecordedSnapshot& snapshot)
{
    return u"%1|%2|%3|%4|%5|%6|%7|%8|%9"_s.arg(snapshot.at.us)
               .arg(snapshot.segment)
               .arg(snapshot.sessions)
               .arg(snapshot.locks)
               .arg(snapshot.waiting)
               .arg(snapshot.longest.value.count())
               .arg(snapshot.longest.exact)
               .arg(snapshot.heads)
               .arg(snapshot.head)
        + u"|%1|%2|%3"_s.arg(snapshot.last.us).arg(snapshot.worst.us).arg(snapshot.pollCount);
}

static QString intervalOf(const IntervalRow& row)
{
    return u"%1|%2|%3|%4|%5|%6|%7"_s.arg(row.resource)
        .arg(row.party)
        .arg(row.mode)
        .arg(row.from.us)
        .arg(row.fromExact)
        .arg(row.to.us)
        .arg(row.gone ? row.gone->us : 0);
}

/// Returns the answers to ranges and biographies in the middle third of the time, as text.
static Result<QString> lifeOf(RecordingReader& reader, const Span& span)
{
    const auto third = (span.last - span.first) / 3;
    const ServerTime from = span.first + third;
    const ServerTime to = span.last + -third;
    QStringList texts;
    QSet<qint64> resources;
    QSet<qint64> parties;
    const auto note = [&](const IntervalRow& row) {
        texts << intervalOf(row);
        resources << row.resource;
        parties << row.party;
    };
    for (const auto& read : {reader.waits(from, to, note), reader.holds(from, to, note)})
        if (!read)
            return Failure(read.error());
    const auto coverage = coverageOf(reader, from, to);
    if (!coverage)
        return Failure(coverage.error());
    texts << QString::number(coverage->polls) << coverage->toString();
    for (const Coverage::Gap& gap : coverage->gaps)
        texts << gap.toString();
    const auto some = [](const QSet<qint64>& all) {
        QList<qint64> sorted(all.cbegin(), all.cend());
        std::sort(sorted.begin(), sorted.end());
        return sorted.first(std::min(sorted.size(), qsizetype(15)));
    };
    for (const qint64 resource : some(resources)) {
        const auto lock = reader.lockOfNumber(resource);
        if (!lock)
            return Failure(lock.error());
        const auto life = reader.lockLife(*lock, from, to, 1'000);
        const auto named = reader.locksNamed(lock->name);
        const auto similar = reader.lockNamesLike(u'%' + lock->name.mid(1, 4).toUpper() + u'%', 10);
        if (!life || !named || !similar)
            return Failure(!life ? life.error() : !named ? named.error() : similar.error());
        texts << *similar;
        for (const HistoryLine& line : *life)
            texts << lineOf(line) + line.identity + QString::number(line.goesOn) + line.sightings.toString()
                    + QString::number(line.sightings.proven);
        texts << lock->kind + lock->database + lock->identity + lock->name + QString::number(named->size());
    }
    for (const qint64 number : some(parties)) {
        const auto party = reader.partyOfNumber(number);
        if (!party)
            return Failure(party.error());
        const auto lives = reader.lives(party->session);
        const auto life = reader.sessionLife(party->session, party->started, from, to, 1'000);
        if (!lives || !life)
            return Failure(lives ? life.error() : lives.error());
        texts << u"%1|%2|%3"_s.arg(number).arg(party->program).arg(lives->size());
        for (const HistoryLine& line : *life)
            texts << lineOf(line);
    }
    texts.sort();
    return texts.join(u'\n');
}

/// Returns where two answers, a list each, differ by the text of an item; empty if nowhere.
template <class Item>
static QString listsDiffer(const QString& what, const Result<QList<Item>>& a, const Result<QList<Item>>& b,
    QString (*textOf)(const Item&))
{
    if (!a || !b)
        return what + u": "_s + (a ? b.error() : a.error()).toString();
    if (a->size() != b->size())
        return u"%1 and %2 %3"_s.arg(QString::number(a->size()), QString::number(b->size()), what);
    for (qsizetype i = 0; i < a->size(); ++i)
        if (const QString x = textOf((*a)[i]), y = textOf((*b)[i]); x != y)
            return u"%1: %2 and %3"_s.arg(what, x, y);
    return {};
}

static QString segmentOf(const Segment& segment)
{
    return u"%1|%2|%3|%4"_s.arg(segment.began.us).arg(segment.seen.us).arg(segment.endReason, segment.host);
}

static QString eventOf(const Event& event)
{
    return u"%1|%2|%3|%4"_s.arg(event.at.us).arg(int(event.kind)).arg(event.what, event.detail);
}

/// The same of the snapshots at some times and of what comes before and after them; `names` gets what is
/// locked.
static QString snapshotsDiffer(RecordingReader& a, RecordingReader& b, const Span& span, QSet<QString>& names)
{
    for (const int columns : {1, 7, 1'000'000})
        if (const QString difference =
                listsDiffer(u"snapshots"_s, a.recordedSnapshots(firstOfAll, lastOfAll, columns),
                    b.recordedSnapshots(firstOfAll, lastOfAll, columns), snapshotText);
            !difference.isEmpty())
            return difference;
    const auto snapshots = a.recordedSnapshots(span.first, span.last, 1'000'000);
    for (qsizetype i = 0; i < snapshots->size(); i += 11) {
        const ServerTime at = (*snapshots)[i].at;
        const auto x = a.at(at);
        const auto y = b.at(at);
        if (!x || !y)
            return (x ? y.error() : x.error()).toString();
        if (const QString difference = differenceOf(**x, **y); !difference.isEmpty())
            return difference;
        for (const Resource& resource : (*x)->resources)
            names << resource.name;
        for (const LockTableEntry& entry : (*x)->entries)
            names << entry.name;
        const auto nextA = a.nextWait(at);
        const auto nextB = b.nextWait(at);
        const auto beforeA = a.previousWait(at);
        const auto beforeB = b.previousWait(at);
        if (!nextA || !nextB || *nextA != *nextB || !beforeA || !beforeB || *beforeA != *beforeB)
            return u"incidents around %1"_s.arg(at.us);
    }
    const auto middle = span.first + (span.last - span.first) / 2;
    if (*a.nextSnapshotTime(middle) != b.nextSnapshotTime(middle).value_or(std::nullopt)
        || *a.previousSnapshotTime(middle) != b.previousSnapshotTime(middle).value_or(std::nullopt))
        return u"the next moment"_s;
    return {};
}

/// The same of what ranges and biographies ask, and of the histories of some locks.
static QString livesDiffer(
    RecordingReader& a, RecordingReader& b, const Span& span, const QSet<QString>& names)
{
    const auto lifeA = lifeOf(a, span);
    const auto lifeB = lifeOf(b, span);
    if (!lifeA || !lifeB)
        return (lifeA ? lifeB.error() : lifeA.error()).toString();
    if (*lifeA != *lifeB)
        return u"intervals, %1 and %2 lines"_s.arg(lifeA->count(u'\n')).arg(lifeB->count(u'\n'));
    const auto linesOf = [](RecordingReader& reader, const QString& name) -> Result<QStringList> {
        const auto history = historyOf(reader, name, firstOfAll, lastOfAll);
        if (!history)
            return Failure(history.error());
        QStringList lines;
        for (const HistoryLine& line : *history)
            lines << lineOf(line);
        lines.sort(); // those that began at one time come in any order
        return lines;
    };
    qsizetype lines = 0;
    QStringList sorted(names.cbegin(), names.cend());
    sorted.sort();
    for (const QString& name : sorted.first(std::min(sorted.size(), qsizetype(60)))) {
        const auto x = linesOf(a, name);
        const auto y = linesOf(b, name);
        if (!x || !y)
            return (x ? y.error() : x.error()).toString();
        if (*x != *y)
            return u"history of %1:\n%2\nand\n%3"_s.arg(name, x->join(u'\n'), y->join(u'\n'));
        lines += x->size();
    }
    return lines == 0 ? u"nothing was held"_s : QString(); // the comparison would be worth nothing
}

static QString eventsDiffer(RecordingReader& a, RecordingReader& b)
{
    const auto events = a.events(firstOfAll, lastOfAll);
    if (const QString difference = listsDiffer(u"events"_s, events, b.events(firstOfAll, lastOfAll), eventOf);
        !difference.isEmpty())
        return difference;
    for (const Event& event : *events) {
        const auto latestA = a.latestEvents(event.kind, 1);
        const auto latestB = b.latestEvents(event.kind, 1);
        if (!latestA || !latestB || latestA->back().what != latestB->back().what)
            return u"the latest event like "_s + event.what;
    }
    return {};
}

QString differenceOf(RecordingReader& a, RecordingReader& b)
{
    const auto spanA = a.span();
    const auto spanB = b.span();
    if (!spanA || !spanB)
        return u"no span: "_s + (spanA ? spanB.error() : spanA.error()).toString();
    if (spanA->first != spanB->first || spanA->last != spanB->last || spanA->frames != spanB->frames)
        return u"spans of %1 and %2 frames"_s.arg(spanA->frames).arg(spanB->frames);
    if (a.identity().server != b.identity().server || a.identity().id != b.identity().id)
        return u"identities"_s;
    QSet<QString> names;
    QString difference = listsDiffer(u"segments"_s, a.segments(), b.segments(), segmentOf);
    if (difference.isEmpty())
        difference = snapshotsDiffer(a, b, *spanA, names);
    if (difference.isEmpty())
        difference = livesDiffer(a, b, *spanA, names);
    return difference.isEmpty() ? eventsDiffer(a, b) : difference;
}

QStringList heldIn(RecordingReader& reader, ServerTime from, ServerTime to)
{
    QStringList rows;
    const auto note = [&rows](const IntervalRow& row) { rows << intervalOf(row); };
    if (!reader.waits(from, to, note) || !reader.holds(from, to, note))
        qFatal("the intervals can't be read");
    rows.sort();
    return rows;
}

} // namespace lockscope::test
