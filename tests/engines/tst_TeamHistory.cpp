// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A team's history in PostgreSQL has what the watchers' files have, with any failure of its server, and only
// the watchers can write it.

#include "core/record/Coverage.h"
#include "core/record/postgres/HistorySchema.h"
#include "core/record/postgres/HistoryStore.h"
#include "core/record/postgres/HistoryUpload.h"
#include "tests/support/FaultyNetwork.h"
#include "tests/support/Lockctl.h"
#include "tests/support/PgBouncer.h"
#include "tests/support/Recordings.h"
#include "tests/support/Standby.h"
#include "tests/support/TeamWeek.h"
#include "tests/support/TestProgram.h"

namespace tst_TeamHistory {

using namespace lockscope;
using namespace lockscope::record;
using namespace lockscope::test;

const QString reading = u"GRANT lockscope_history_reader TO {role}"_s;
const QString writing = u"GRANT lockscope_history_writer TO {role}"_s;
constexpr ServerTime ever{1};
constexpr ServerTime never{4'000'000'000'000'000};

static QString placeOf(const db::ServerUrl& url, const QString& recording)
{
    return url.toString() + u'#' + recording;
}

/// A watcher and its file, with data of a busy server.
class Watcher {
public:
    Watcher(const QString& path, const QString& id, const QString& server, quint32 seed)
        : m_path(path)
        , m_id(id)
        , m_server(server)
        , m_random(seed)
        , m_noted{1'795'387'821'000'000 + qint64(seed) * 1'000} // no two poll at the same time
    {
        m_writer = orDie(RecordingWriter::open(
            path, {id, server, Engine::Postgres, m_noted, false, u"tst_TeamHistory"_s}));
    }
    bool recordPolls(int times = 1)
    {
        for (int i = 0; i < times; ++i) {
            Snapshot snapshot = m_random.next();
            snapshot.server = m_server;
            snapshot.engine = Engine::Postgres;
            snapshot.index();
            m_noted = m_noted + std::chrono::seconds(1);
            ++m_pollCount;
            const monitor::Surroundings around{{}, {{monitor::measures::active, {}, m_pollCount}}, {}};
            if (!m_writer->append(std::make_shared<const Snapshot>(std::move(snapshot)), m_noted, {}, around))
                return false;
        }
        return true;
    }
    const QString& path() const { return m_path; }
    const QString& id() const { return m_id; }
    int pollCount() const { return m_pollCount; }
    ServerTime noted() const { return m_noted; }
    RecordingWriter& writer() { return *m_writer; }
    void stop() { m_writer.reset(); }

private:
    QString m_path;
    QString m_id;
    QString m_server;
    test::RandomSnapshots m_random;
    ServerTime m_noted;
    int m_pollCount = 0;
    std::unique_ptr<RecordingWriter> m_writer;
};

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

/// The waits and holds of a range, sorted.
static QStringList heldIn(RecordingReader& reader, ServerTime from, ServerTime to)
{
    QStringList rows;
    const auto note = [&rows](const IntervalRow& row) { rows << intervalOf(row); };
    if (!reader.waits(from, to, note) || !reader.holds(from, to, note))
        qFatal("the intervals can't be read");
    rows.sort();
    return rows;
}

/// Moves rows that came today back by that number of days.
static QString movedBack(int days)
{
    QString sql =
        u"DO $$ DECLARE d date := (clock_timestamp() AT TIME ZONE 'UTC')::date - %1; BEGIN "_s.arg(days);
    for (const QString& table : {u"frame"_s, u"event"_s, u"surroundings"_s, u"stored_text"_s, u"resource"_s,
             u"party"_s, u"lock_interval"_s})
        sql +=
            u"EXECUTE format('CREATE TABLE lockscope_history.%1_%s PARTITION OF lockscope_history.%1 FOR VALUES FROM (%L) TO (%L)', to_char(d, 'YYYYMMDD'), d, d + 1); UPDATE lockscope_history.%1 SET day = d; "_s
                .arg(table);
    return sql + u"END $$; UPDATE lockscope_history.recording SET last_day = last_day - %1;"_s.arg(days)
        + u"UPDATE lockscope_history.open_interval SET day = day - %1"_s.arg(days);
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
        if (const QString difference = listsDiffer(u"snapshots"_s, a.recordedSnapshots(ever, never, columns),
                b.recordedSnapshots(ever, never, columns), snapshotText);
            !difference.isEmpty())
            return difference;
    const auto snapshots = a.recordedSnapshots(span.first, span.last, 1'000'000);
    for (qsizetype i = 0; i < snapshots->size(); i += 11) {
        const ServerTime at = (*snapshots)[i].at;
        const auto x = a.at(at);
        const auto y = b.at(at);
        if (!x || !y)
            return (x ? y.error() : x.error()).toString();
        if (const QString difference = test::differenceOf(**x, **y); !difference.isEmpty())
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
        const auto history = test::historyOf(reader, name, ever, never);
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
    const auto events = a.events(ever, never);
    if (const QString difference = listsDiffer(u"events"_s, events, b.events(ever, never), eventOf);
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

/// Returns where two recordings answer differently; empty if nowhere.
static QString differenceOf(RecordingReader& a, RecordingReader& b)
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

class TeamHistory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qputenv("LOCKSCOPE_PASSWORD", server().password().toUtf8()); }
    void cleanupTestCase() { qunsetenv("LOCKSCOPE_PASSWORD"); }
    void init()
    {
        m_history = server().freshDatabase(TestServer::Schema::None);
        const auto connection = server().connect(m_history);
        const auto installed = installHistory(*connection);
        VERIFY_DONE(installed);
        QCOMPARE(installed->before, 0);
        m_writer = server().asRole(m_history, writing);
        m_reader = server().asRole(m_history, reading);
    }

    void installingTwiceChangesNothing()
    {
        const auto connection = server().connect(m_history);
        const auto again = installHistory(*connection);
        QVERIFY(again);
        QCOMPARE(again->before, db::schemaVersion);
        QCOMPARE(again->after, db::schemaVersion);
        QCOMPARE(askAsOwner(u"SELECT count(*) FROM lockscope_history.schema_version"_s), u"1"_s);
    }

    void aHistoryOfAnotherVersionIsRefused_data()
    {
        addColumns<QString, QString>("change", "versionText");
        for (const int version : {0, 2, 99})
            QTest::addRow("%d", version) << u"UPDATE lockscope_history.schema_version SET version = %1"_s.arg(
                version) << u"version %1"_s.arg(version);
        QTest::newRow("none") << u"DELETE FROM lockscope_history.schema_version"_s << u"no version"_s;
        QTest::newRow("text")
            << u"ALTER TABLE lockscope_history.schema_version ALTER version TYPE text USING 'first'"_s
            << u"version first"_s;
    }
    void aHistoryOfAnotherVersionIsRefused()
    {
        FETCH(const QString, change, const QString, versionText);
        Watcher watcher(newPath(), u"old"_s, u"shop@db1"_s, 12);
        QVERIFY(watcher.recordPolls(20));
        HistoryUpload upload(watcher.path(), asWriter());
        QVERIFY(upload.finish(patience));
        const auto owner = server().connect(m_history);
        QVERIFY(owner->executeScript(change.toUtf8() + "; DROP VIEW lockscope_history.lock_history"));
        HistoryUpload refused(watcher.path(), asWriter());
        QVERIFY(watcher.recordPolls(1));
        QVERIFY(!refused.finish(patience));
        QVERIFY(refused.state().isRefused());
        const auto installed = installHistory(*owner);
        for (const Error& error : {RecordingReader::open(placeOf(m_reader, u"old"_s)).error(),
                 *refused.state().error, installed.error()}) {
            QCOMPARE(error.kind, ErrorKind::Unsupported);
            VERIFY_ENDS(error.what,
                u"The team's history has %1; this program knows version 1 only."_s.arg(versionText));
            VERIFY_CONTAINS(error.hint, u"Use the Lockscope that installed it"_s);
        }
        QVERIFY(!owner->executeScript(historyScript())); // by hand, too
        QCOMPARE(ask(*owner, u"SELECT count(*) FROM pg_views WHERE viewname = 'lock_history'"_s), u"0"_s);
    }

    void theSameAnswersAsTheFile()
    {
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 4);
        QVERIFY(watcher.recordPolls(150));
        QVERIFY(watcher.writer().add(
            {watcher.noted(), Event::Kind::Act, u"A\tsession was ended\\."_s, u"{}"_s, u"a:1"_s},
            watcher.noted()));
        HistoryUpload upload(watcher.path(), asWriter());
        QVERIFY(upload.finish(patience));
        QCOMPARE(difference(watcher), QString());
        // It goes on.
        QVERIFY(watcher.recordPolls(130));
        Error error;
        error.kind = ErrorKind::Connection;
        error.what = u"No connection."_s;
        QVERIFY(watcher.writer().appendFailure(error, watcher.noted()));
        QVERIFY(upload.finish(patience));
        QCOMPARE(difference(watcher), QString());
        QVERIFY(
            watcher.writer().appendFailure(error, watcher.noted() + std::chrono::seconds(1))); // it goes on
        QVERIFY(upload.finish(patience));
        QCOMPARE(difference(watcher), QString());
        QVERIFY(watcher.recordPolls(70));
        QVERIFY(upload.finish(patience));
        QCOMPARE(difference(watcher), QString());
        QVERIFY(watcher.writer().end(u"stopped"_s));
        QVERIFY(upload.finish(patience));
        QCOMPARE(difference(watcher), QString());
        QCOMPARE(upload.state().frames, 350);
        const auto there = read(placeOf(m_reader, u"shop@db1"_s)); // by the server's name
        QVERIFY(there);
        const auto verdict = there->verify();
        QVERIFY(verdict);
        QCOMPARE(verdict->whole, 350);
        QVERIFY(verdict->damaged.isEmpty());
    }

    void manyWatchersOneHistory()
    {
        Watcher ann(newPath(), u"ann"_s, u"shop@db1"_s, 6);
        Watcher bob(newPath(), u"bob"_s, u"bank@db2"_s, 8);
        HistoryUpload annUpload(ann.path(), asWriter());
        HistoryUpload bobUpload(bob.path(), server().at(server().asRole(m_history, writing)));
        for (int i = 0; i < 10; ++i) {
            QVERIFY(ann.recordPolls(10));
            QVERIFY(bob.recordPolls(7));
        }
        QVERIFY(annUpload.finish(patience));
        QVERIFY(bobUpload.finish(patience));
        QCOMPARE(difference(ann), QString());
        QCOMPARE(difference(bob), QString());
        const auto recordings = recordingsOf(server().at(m_reader));
        QVERIFY(recordings);
        QStringList servers;
        for (const HistoryRecording& recording : *recordings)
            servers << recording.identity.server;
        servers.sort();
        COMPARE_TEXTS(servers, "bank@db2", "shop@db1");
        // Of several servers one must be named.
        const auto unsaid = RecordingReader::open(m_reader.toString());
        QVERIFY(!unsaid);
        QVERIFY(unsaid.error().hint.contains(u"bank@db2, shop@db1"_s));
    }

    void aHistoryThatIsAwayIsCaughtUpWith()
    {
        TestServer far(TestServer::replicating());
        const db::ServerUrl url = far.overTcp(far.freshDatabase(TestServer::Schema::None));
        QVERIFY(installHistory(*far.connect(url)));
        FaultyNetwork network(url);
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 10);
        HistoryUpload upload(watcher.path(), far.at(network.url()));
        QVERIFY(watcher.recordPolls(40));
        QVERIFY(upload.finish(patience));
        network.cut();
        QVERIFY(watcher.recordPolls(400));
        QVERIFY(!upload.finish(patience));
        QVERIFY(upload.state().error.has_value());
        QCOMPARE(upload.state().error->kind, ErrorKind::Connection);
        network.mend();
        QVERIFY(waitUntil([&] { return upload.finish(patience); }));
        QCOMPARE(
            ask(*far.connect(url), u"SELECT count(*) || ' ' || max(number) FROM lockscope_history.frame"_s),
            u"440 440"_s);
        QVERIFY(!upload.state().error);
    }

    /// The pending snapshots are known all the time, and so are those that can't be sent any more.
    void whatTheFileDroppedMeanwhileIsCounted()
    {
        FaultyNetwork network(m_writer);
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 34);
        HistoryUpload upload(watcher.path(), server().at(network.url()));
        QVERIFY(watcher.recordPolls(40));
        QVERIFY(upload.finish(patience));
        QVERIFY(upload.state().pending);
        QCOMPARE(upload.state().pending->snapshots, 0);
        const auto gapsThere = [this] {
            const auto reader = read(placeOf(m_reader, u"one"_s));
            return coverageOf(*reader, ever, never)->gaps.size();
        };
        const auto gaps = gapsThere();
        network.cut();
        const ServerTime cut = watcher.noted();
        QVERIFY(watcher.recordPolls(400));
        QVERIFY(!upload.finish(patience));
        QVERIFY(upload.state().isAway);
        QCOMPARE(upload.state().pending->snapshots, 400);
        QCOMPARE(upload.state().pending->oldest, cut + std::chrono::seconds(1));
        QVERIFY(watcher.writer().prune({std::chrono::seconds(150), qint64(1) << 30}));
        const auto kept = read(watcher.path())->span()->frames;
        QVERIFY(kept > 100 && kept < 400);
        QVERIFY(waitUntil([&] { return upload.state().pending->snapshots == kept; })); // while it is away
        network.mend();
        QVERIFY(waitUntil([&] { return upload.finish(patience); }));
        QCOMPARE(upload.state().skipped, 400 - kept);
        QVERIFY(upload.state().failures > 0);
        const auto there = read(placeOf(m_reader, u"one"_s));
        QVERIFY(there);
        QCOMPARE(there->span()->frames, 40 + kept);
        QVERIFY(gapsThere() > gaps);
    }

    void manyRecordingsShareAFewConnections()
    {
        const auto history = std::make_shared<HistoryConnections>(asWriter());
        std::vector<std::unique_ptr<Watcher>> watchers;
        std::vector<std::unique_ptr<HistoryUpload>> uploads;
        for (int i = 0; i < 60; ++i) {
            watchers.push_back(std::make_unique<Watcher>(
                newPath(), u"id%1"_s.arg(i), u"shop@db%1"_s.arg(i), quint32(100 + i)));
            QVERIFY(watchers.back()->recordPolls(3));
            uploads.push_back(std::make_unique<HistoryUpload>(watchers.back()->path(), history));
        }
        for (const auto& upload : uploads)
            QVERIFY(upload->finish(patience));
        for (const auto& watcher : watchers)
            QVERIFY(watcher->recordPolls(2));
        for (const auto& upload : uploads)
            QVERIFY(upload->finish(patience));
        QCOMPARE(askAsOwner(u"SELECT count(*) || ' ' || sum(last_frame) FROM lockscope_history.recording"_s),
            u"60 300"_s);
        const int connections = askAsOwner(
            u"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'lockscope admin history'"_s)
                                    .toInt();
        QVERIFY2(connections >= 1 && connections <= 3, qPrintable(QString::number(connections)));
        QCOMPARE(difference(*watchers.back()), QString());
    }

    /// The login may have one connection, and sixty recordings would have three.
    void aConnectionThatIsRefusedLeavesTheWorkToTheOthers()
    {
        server().run(m_history, u"ALTER ROLE \"%1\" CONNECTION LIMIT 1"_s.arg(m_writer.user));
        const auto history = std::make_shared<HistoryConnections>(asWriter());
        std::vector<std::unique_ptr<Watcher>> watchers;
        std::vector<std::unique_ptr<HistoryUpload>> uploads;
        for (int i = 0; i < 60; ++i) {
            watchers.push_back(std::make_unique<Watcher>(
                newPath(), u"id%1"_s.arg(i), u"shop@db%1"_s.arg(i), quint32(300 + 2 * i)));
            QVERIFY(watchers.back()->recordPolls(2));
            uploads.push_back(std::make_unique<HistoryUpload>(watchers.back()->path(), history));
        }
        QSet<QString> text;
        const auto allHave = [&](qint64 frames) {
            qint64 least = frames;
            for (const auto& upload : uploads) {
                const UploadState state = upload->state();
                if (state.error)
                    text << state.error->toString();
                least = std::min(least, state.frames);
            }
            return least == frames;
        };
        QVERIFY(waitUntil([&] { return allHave(2); }));
        for (int round = 1; round <= 3; ++round) { // it is tried again after a second, and again
            QElapsedTimer clock;
            clock.start();
            for (const auto& watcher : watchers)
                QVERIFY(watcher->recordPolls(1));
            QVERIFY(waitUntil([&] { return allHave(2 + round) && clock.elapsed() > 1'000; }));
        }
        QVERIFY2(text.isEmpty(), qPrintable(text.values().join(u'\n')));
    }

    void aRefusedLoginIsTriedAgainOnlyIfAPersonAsks()
    {
        TestServer far(TestServer::replicating());
        const db::ServerUrl url = far.overTcp(far.freshDatabase(TestServer::Schema::None));
        QVERIFY(installHistory(*far.connect(url)));
        std::atomic<int> asked = 0;
        std::atomic<bool> isRight = false;
        const auto history = std::make_shared<HistoryConnections>(
            db::Server::at(url, [&](const QString& to) -> Result<QString> {
                ++asked;
                return isRight ? far.passwords()(to) : u"wrong"_s;
            }));
        std::vector<std::unique_ptr<Watcher>> watchers;
        std::vector<std::unique_ptr<HistoryUpload>> uploads;
        for (int i = 0; i < 30; ++i) {
            watchers.push_back(std::make_unique<Watcher>(
                newPath(), u"id%1"_s.arg(i), u"shop@db%1"_s.arg(i), quint32(200 + i)));
            QVERIFY(watchers.back()->recordPolls(1));
            uploads.push_back(std::make_unique<HistoryUpload>(watchers.back()->path(), history));
        }
        for (const auto& upload : uploads)
            QVERIFY(!upload->finish(patience));
        QVERIFY(uploads.back()->state().isRefused());
        QCOMPARE(int(asked), 1);
        isRight = true;
        history->retry();
        for (const auto& upload : uploads)
            QVERIFY(upload->finish(patience));
    }

    void aFileThatCantBeReadIsToldFromNone()
    {
        const QString path = newPath();
        HistoryUpload upload(path, asWriter());
        QVERIFY(!upload.finish(patience));
        QVERIFY(upload.state().error && !upload.state().isUnreadable); // there is none yet
        makeFile(path, QByteArray(10'000, 'x'));
        QVERIFY(waitUntil([&] { return upload.state().isUnreadable; }));
        const UploadState state = upload.state();
        VERIFY_CONTAINS(state.error->toString(), path);
        QVERIFY(!state.error->hint.isEmpty() && !state.isAway);
        QVERIFY(QFile::remove(path));
        Watcher watcher(path, u"one"_s, u"shop@db1"_s, 36);
        QVERIFY(watcher.recordPolls(3));
        QVERIFY(waitUntil([&] { return upload.finish(patience); }));
        QVERIFY(!upload.state().error && !upload.state().isUnreadable);
    }

    /// The address may lead to a standby for a while, as in a failover.
    void aHistoryThatTakesNoChangesIsTriedAgain()
    {
        TestServer far(TestServer::replicating());
        const db::ServerUrl url = far.overTcp(far.freshDatabase(TestServer::Schema::None));
        QVERIFY(installHistory(*far.connect(url)));
        Standby standby(far, Standby::Commit::Asynchronous);
        standby.catchUp();
        const db::ServerUrl there = standby.sameDatabase(url);
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 36);
        HistoryUpload upload(watcher.path(), standby.at(there));
        QVERIFY(watcher.recordPolls(10));
        QVERIFY(!upload.finish(patience));
        QCOMPARE(upload.state().error->kind, ErrorKind::ReadOnly);
        QVERIFY(upload.state().isAway);
        QVERIFY(!historyStanding(standby.at(there)));
        standby.promote();
        QVERIFY(waitUntil([&] { return upload.finish(patience); }));
        QCOMPARE(ask(*standby.connect(there), u"SELECT count(*) FROM lockscope_history.frame"_s), u"10"_s);
        QVERIFY(historyStanding(standby.at(there)));
    }

    /// Connections also break in the midst of a COPY or COMMIT.
    void connectionsThatBreakLoseAndDoubleNothing()
    {
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 12);
        HistoryUpload upload(watcher.path(), asWriter());
        std::atomic<bool> ends = false;
        std::atomic<int> broken = 0;
        std::thread breaker([&] {
            const auto connection = server().connect(m_history);
            while (!ends) {
                const auto killed = connection->execute(sqlStatement(
                    u"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lockscope admin history' AND state <> 'idle' AND datname = current_database()"_s));
                broken += killed ? static_cast<int>(*killed) : 0;
            }
        });
        bool recorded = true;
        for (int i = 0; i < 200 && recorded && broken < 20; ++i) {
            recorded = watcher.recordPolls(20);
            std::ignore = upload.finish(std::chrono::milliseconds(300)); // it may be cut off
        }
        ends = true;
        breaker.join();
        QVERIFY(recorded);
        QVERIFY(broken > 0);
        QVERIFY(waitUntil([&] { return upload.finish(patience); }));
        QCOMPARE(difference(watcher), QString());
        QCOMPARE(askAsOwner(u"SELECT count(*) FROM lockscope_history.frame"_s),
            QString::number(watcher.pollCount()));
    }

    /// The server lacks the last commits, as after a failover.
    void aServerThatForgetsItsLastCommitsGetsThemAgain()
    {
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 14);
        HistoryUpload upload(watcher.path(), asWriter());
        QVERIFY(watcher.recordPolls(90));
        QVERIFY(upload.finish(patience));
        const auto owner = server().connect(m_history);
        QVERIFY(owner->executeScript(
            "CREATE SCHEMA kept;CREATE TABLE kept.recording AS TABLE lockscope_history.recording;CREATE TABLE kept.segment AS TABLE lockscope_history.segment;"));
        QVERIFY(watcher.recordPolls(50));
        QVERIFY(upload.finish(patience));
        QVERIFY(owner->executeScript(
            "DELETE FROM lockscope_history.frame WHERE number > 90;DELETE FROM lockscope_history.segment;INSERT INTO lockscope_history.segment TABLE kept.segment;DELETE FROM lockscope_history.lock_interval AS i USING kept.recording AS k WHERE i.number > k.last_interval;"
            "UPDATE lockscope_history.recording AS r SET last_frame = k.last_frame, last_taken_us = k.last_taken_us, last_noted_us = k.last_noted_us, last_key_frame = k.last_key_frame, last_interval = k.last_interval FROM kept.recording AS k WHERE k.key = r.key;"));
        QVERIFY(watcher.recordPolls(50));
        QVERIFY(waitUntil([&] { return upload.finish(patience); }));
        QCOMPARE(difference(watcher), QString());
    }

    /// It was silent for longer than the history keeps anything.
    void aRecordingThatTheHistoryHasDroppedBeginsAgain()
    {
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 50);
        QVERIFY(watcher.recordPolls(70));
        HistoryUpload upload(watcher.path(), asWriter());
        QVERIFY(upload.finish(patience));
        server().run(m_history, movedBack(40));
        server().run(m_history,
            u"UPDATE lockscope_history.recording SET written_at = written_at - interval '40 days'"_s);
        QCOMPARE(ask(*server().connect(m_writer), u"SELECT lockscope_history.keep_days()"_s), u"1"_s);
        QCOMPARE(askAsOwner(u"SELECT count(*) FROM lockscope_history.recording"_s), u"0"_s);
        QVERIFY(watcher.recordPolls(5));
        QVERIFY2(waitUntil([&] { return upload.finish(patience); }),
            upload.state().error ? qPrintable(upload.state().error->toString()) : "");
        QCOMPARE(difference(watcher), QString());
        QCOMPARE(read(placeOf(m_reader, u"one"_s))->span()->frames, 75);
    }

    void whoComesAfterGoesOn()
    {
        const QString path = newPath();
        {
            Watcher watcher(path, u"one"_s, u"shop@db1"_s, 16);
            HistoryUpload upload(path, asWriter());
            QVERIFY(watcher.recordPolls(75));
            QVERIFY(upload.finish(patience));
            QVERIFY(watcher.recordPolls(30)); // nobody brings them there
        } // killed: no end
        Watcher watcher(path, u"of no account"_s, u"shop@db1"_s, 18); // the file has its id
        QVERIFY(watcher.recordPolls(75));
        HistoryUpload upload(path, asWriter());
        QVERIFY(upload.finish(patience));
        const auto file = read(path);
        const auto there = read(placeOf(m_reader, u"one"_s));
        QVERIFY(file && there);
        QCOMPARE(differenceOf(*file, *there), QString());
        QCOMPARE(there->span()->frames, 180);
    }

    void aFileThatIsMadeAnewIsAnotherRecording()
    {
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 20);
        HistoryUpload upload(watcher.path(), asWriter());
        QVERIFY(watcher.recordPolls(30));
        QVERIFY(upload.finish(patience));
        for (const QString& end : {u""_s, u"-wal"_s, u"-shm"_s})
            QFile::remove(watcher.path() + end);
        QVERIFY(watcher.recordPolls(10));
        QVERIFY(waitUntil([&] { return upload.finish(patience); }));
        QCOMPARE(
            askAsOwner(
                u"SELECT string_agg(last_frame::text, ' ' ORDER BY key) FROM lockscope_history.recording"_s),
            u"30 10"_s);
    }

    void anOlderCopyOfTheFileIsRefused()
    {
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 22);
        QVERIFY(watcher.recordPolls(10));
        const QString copy = newPath();
        watcher.stop(); // closes the file, which has all of it then
        QVERIFY(QFile::copy(watcher.path(), copy));
        {
            Watcher again(watcher.path(), u"one"_s, u"shop@db1"_s, 24);
            QVERIFY(again.recordPolls(10));
            HistoryUpload upload(again.path(), asWriter());
            QVERIFY(upload.finish(patience));
        }
        Watcher old(copy, u"one"_s, u"shop@db1"_s, 26);
        QVERIFY(old.recordPolls(30));
        HistoryUpload upload(copy, asWriter());
        QVERIFY(!upload.finish(patience));
        QCOMPARE(upload.state().error->kind, ErrorKind::Changed);
        QCOMPARE(askAsOwner(u"SELECT count(*) FROM lockscope_history.frame"_s), u"20"_s);
    }

    void aReaderCantWrite()
    {
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 28);
        QVERIFY(watcher.recordPolls(5));
        HistoryUpload upload(watcher.path(), asWriter());
        QVERIFY(upload.finish(patience));
        QCOMPARE(refusal(m_reader, u"SELECT count(*) FROM lockscope_history.moment"_s), QString());
        for (const QString& sql : {u"DELETE FROM lockscope_history.frame"_s,
                 u"UPDATE lockscope_history.recording SET writer = current_user"_s,
                 u"INSERT INTO lockscope_history.setting DEFAULT VALUES"_s,
                 u"TRUNCATE lockscope_history.event"_s, u"DROP TABLE lockscope_history.frame"_s,
                 u"SELECT lockscope_history.keep_days()"_s,
                 u"SELECT lockscope_history.begin_recording('x', 's', 'postgres', 0, 0, '', '')"_s,
                 u"SELECT lockscope_history.begin_batch(1, NULL)"_s,
                 u"CREATE TABLE lockscope_history.mine (x int)"_s})
            QVERIFY2(refusal(m_reader, sql).contains(u"permission denied"_s)
                    || refusal(m_reader, sql).contains(u"must be owner"_s),
                qPrintable(sql + u": "_s + refusal(m_reader, sql)));
        HistoryUpload asReader(watcher.path(), server().at(m_reader));
        QVERIFY(!asReader.finish(patience));
        QCOMPARE(asReader.state().error->kind, ErrorKind::Permission);
    }

    void aWriterWritesHisOwnAndReadsNothing()
    {
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 30);
        QVERIFY(watcher.recordPolls(5));
        HistoryUpload upload(watcher.path(), asWriter());
        QVERIFY(upload.finish(patience));
        const db::ServerUrl mallory = server().asRole(m_history, writing);
        const QString frames = askAsOwner(u"SELECT count(*) FROM lockscope_history.frame"_s);
        const QString today = askAsOwner(u"SELECT max(day)::text FROM lockscope_history.frame"_s);
        const QString row =
            u"INSERT INTO lockscope_history.%1 (day, recording, id, at_us, noted_us, kind, what, detail) VALUES ('%2', %3, 99, 0, 0, '', '', '')"_s;
        const auto isRefused = [](const db::ServerUrl& who, const QString& sql) {
            const QString words = refusal(who, sql);
            const bool is = words.contains(u"permission denied"_s) || words.contains(u"must be owner"_s)
                || words.contains(u"does not write"_s);
            if (!is)
                qWarning("%s: %s", qPrintable(sql), qPrintable(words));
            return is;
        };
        for (const db::ServerUrl& who : {mallory, m_writer}) {
            for (const QString& sql :
                {u"SELECT 1 FROM lockscope_history.frame"_s, u"SELECT 1 FROM lockscope_history.recording"_s,
                    u"SELECT 1 FROM lockscope_history.lock_history"_s,
                    u"DELETE FROM lockscope_history.frame"_s,
                    u"UPDATE lockscope_history.frame SET data = ''"_s, u"TRUNCATE lockscope_history.frame"_s,
                    u"DROP TABLE lockscope_history.frame"_s,
                    u"DROP TABLE lockscope_history.frame_%1"_s.arg(QString(today).remove(u'-')),
                    u"UPDATE lockscope_history.setting SET keep_days = 1"_s,
                    u"INSERT INTO lockscope_history.recording (writer, id, server, engine, began_us, redacted, program, host) VALUES (current_user, 'y', '', '', 0, 0, '', '')"_s,
                    u"ALTER TABLE lockscope_history.frame DISABLE TRIGGER ALL"_s,
                    u"CREATE TABLE lockscope_history.mine (x int)"_s,
                    // past the trigger, into a partition by itself
                    row.arg(u"event_"_s + QString(today).remove(u'-'), today, u"1"_s)})
                QVERIFY(isRefused(who, sql));
        }
        for (const QString& sql :
            {row.arg(u"event"_s, today, u"1"_s), u"SELECT lockscope_history.begin_batch(1, NULL)"_s,
                u"SELECT lockscope_history.end_batch(1, '{\"frame\": 9}')"_s,
                u"SELECT * FROM lockscope_history.sent(1, '%1')"_s.arg(today)})
            QVERIFY(isRefused(mallory, sql));
        QCOMPARE(refusal(m_writer, row.arg(u"event"_s, today, u"1"_s)), QString()); // his own
        // The same id is another recording of his, and takes nothing from the first.
        QCOMPARE(
            refusal(mallory,
                u"SELECT lockscope_history.begin_recording('one', 'shop@db1', 'postgres', 0, 0, '', '')"_s),
            QString());
        QVERIFY(watcher.recordPolls(5));
        QVERIFY(waitUntil([&] { return upload.finish(patience); }));
        QCOMPARE(askAsOwner(u"SELECT count(*) FROM lockscope_history.frame"_s), u"10"_s);
        QCOMPARE(frames, u"5"_s);
    }

    /// A team has a list of thousands of recordings.
    void theListAsksNoDayForWhatIsEmpty()
    {
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 38);
        QVERIFY(watcher.recordPolls(5));
        HistoryUpload upload(watcher.path(), asWriter());
        QVERIFY(upload.finish(patience));
        server().run(m_history,
            u"INSERT INTO lockscope_history.recording (writer, id, server, engine, began_us, redacted, program, host) SELECT 'w' || i % 20, 'x' || i, 'bank@db2', 'postgres', 1, 0, '', '' FROM generate_series(1, 3000) AS i"_s);
        const auto there = [this] {
            auto recordings = recordingsOf(server().at(m_reader));
            return recordings ? *recordings : QList<HistoryRecording>();
        };
        const auto span = read(watcher.path())->span();
        QCOMPARE(there().size(), 3'001);
        for (const HistoryRecording& each : there()) {
            QCOMPARE(each.first, each.identity.id == u"one" ? std::optional(span->first) : std::nullopt);
            QCOMPARE(each.last, each.identity.id == u"one" ? std::optional(span->last) : std::nullopt);
        }
        static const QRegularExpression scan(u"on frame_\\d{8}.* loops=(\\d+)"_s);
        int scans = 0;
        const QString list =
            QString::fromUtf8(db::Statement::get("recording/postgres/history/recordings").sql());
        QVERIFY(server().connect(m_history)->execute(sqlStatement(u"EXPLAIN (ANALYZE) "_s + list), {},
            [&scans](const db::Row& row) { scans += scan.match(row.text(0)).captured(1).toInt(); }));
        QVERIFY2(scans > 0 && scans < 10, QByteArray::number(scans));
        // The last one that came is not there any more.
        server().run(m_history, u"DELETE FROM lockscope_history.frame"_s);
        for (const HistoryRecording& each : there())
            QVERIFY(!each.first && !each.last);
    }

    /// A day's new tables have no statistics before the server finds the time, and a plan that reads all of
    /// them, or compares each row of one with each of another, takes for ever. The week is small here;
    /// lockscope-bench uses a large one.
    void plansNeedNoStatistics()
    {
        using namespace std::chrono_literals;
        makeTeamWeek(server(), m_history, 600s, 3'600s);
        const auto connection = server().connect(m_history);
        static const QRegularExpression bad(
            u"Seq Scan on (frame|event|surroundings|stored_text|resource|party|lock_interval)_(\\d{8})|Hash Join|Merge Join"_s);
        const QString tomorrow =
            askAsOwner(u"SELECT to_char((now() AT TIME ZONE 'UTC')::date + 1, 'YYYYMMDD')"_s);
        const std::vector<TeamQuery> queries = teamQueries(*connection);
        QVERIFY(queries.size() > 35);
        for (const TeamQuery& query : queries) {
            QStringList plan;
            QVERIFY(connection->execute(sqlStatement(u"EXPLAIN "_s + query.sql), {},
                [&plan](const db::Row& row) { plan << row.text(0); }));
            for (const QString& line : plan) {
                const auto match = bad.match(line);
                QVERIFY2(!match.hasMatch() || match.captured(2) == tomorrow, // it is empty
                    qPrintable(query.name + u":\n"_s + plan.join(u'\n')));
            }
        }
    }

    void oldDaysGo()
    {
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 32);
        QVERIFY(watcher.recordPolls(70));
        QVERIFY(bring(watcher));
        const auto owner = server().connect(m_history);
        const auto countOf = [&owner](const QString& day) {
            return ask(*owner,
                u"SELECT count(*) FROM pg_class WHERE relnamespace = 'lockscope_history'::regnamespace AND relkind = 'r' AND relname LIKE '%\\_%1'"_s
                    .arg(day));
        };
        // Today's rows become forty days old, and then one day.
        for (const int ago : {40, 1}) {
            for (const QString& table :
                {u"frame"_s, u"event"_s, u"stored_text"_s, u"resource"_s, u"party"_s, u"lock_interval"_s})
                server().run(m_history,
                    u"DO $$ DECLARE d date := (clock_timestamp() AT TIME ZONE 'UTC')::date - %2; BEGIN EXECUTE format('CREATE TABLE lockscope_history.%1_%s PARTITION OF lockscope_history.%1 FOR VALUES FROM (%L) TO (%L)', to_char(d, 'YYYYMMDD'), d, d + 1); END $$"_s
                        .arg(table)
                        .arg(ago));
        }
        server().run(m_history, u"UPDATE lockscope_history.frame SET day = day - 40 WHERE number <= 60"_s);
        const QString old =
            ask(*owner, u"SELECT to_char(min(day), 'YYYYMMDD') FROM lockscope_history.frame"_s);
        QCOMPARE(countOf(old), u"6"_s);
        // Two others: one of which nothing is left, and one that was begun just now.
        server().run(m_history,
            u"INSERT INTO lockscope_history.recording (writer, id, server, engine, began_us, redacted, program, host, written_at) SELECT 'ann', 'gone' || ago, 'old@db1', 'postgres', 1, 0, '', '', clock_timestamp() - make_interval(days => ago) FROM unnest(ARRAY[35, 0]) AS ago"_s);
        // A writer may ask for it, and can't make it more.
        const auto writer = server().connect(m_writer);
        QCOMPARE(ask(*writer, u"SELECT lockscope_history.keep_days()"_s), u"1"_s);
        QCOMPARE(countOf(old), u"0"_s);
        QCOMPARE(ask(*writer, u"SELECT lockscope_history.keep_days()"_s), u"0"_s);
        QCOMPARE(ask(*owner, u"SELECT count(*) FROM lockscope_history.frame"_s), u"10"_s);
        QCOMPARE(askAsOwner(u"SELECT string_agg(id, ' ' ORDER BY id) FROM lockscope_history.recording"_s),
            u"gone0 one"_s);
        const auto there = read(placeOf(m_reader, u"one"_s));
        QVERIFY(there);
        QCOMPARE(there->span()->frames, 10);
        QCOMPARE(there->verify()->whole, 10);
        QCOMPARE(test::differenceOf(**there->at(never), **read(watcher.path())->at(never)), QString());
        // Kept for less: the owner says so.
        server().run(m_history, u"UPDATE lockscope_history.setting SET keep_days = 1"_s);
        QCOMPARE(ask(*writer, u"SELECT lockscope_history.keep_days()"_s), u"0"_s); // yesterday is one day ago
    }

    /// A deadlock of forty days ago can still be shown, with all of the sixty snapshots of its key frame; the
    /// rest is gone.
    void whatIsPinnedStaysWhenItsDayGoes()
    {
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 40);
        QVERIFY(watcher.recordPolls(200));
        const auto file = read(watcher.path());
        const auto span = file->span();
        const auto snapshots = file->recordedSnapshots(span->first, span->last, 1'000'000);
        QCOMPARE(snapshots->size(), 200);
        const ServerTime from = (*snapshots)[90].at;
        const ServerTime to = (*snapshots)[100].at;
        const ServerTime keptFrom = (*snapshots)[60].at;
        const ServerTime keptTo = (*snapshots)[119].at;
        QVERIFY(watcher.writer().add(
            {from, Event::Kind::Deadlock, u"A deadlock."_s, {}, u"d:1"_s}, watcher.noted()));
        QVERIFY(watcher.writer().add(
            {(*snapshots)[65].at, Event::Kind::Note, u"Just before."_s, {}, u"n:1"_s}, watcher.noted()));
        QVERIFY(watcher.writer().add(
            {(*snapshots)[10].at, Event::Kind::Act, u"An act."_s, {}, u"a:1"_s}, watcher.noted()));
        QVERIFY(watcher.writer().pin(from, to, u"a deadlock"_s));
        QVERIFY(bring(watcher));
        const auto there = read(placeOf(m_reader, u"one"_s));
        QCOMPARE(there->pins()->size(), 1);
        QCOMPARE(there->pins()->first().why, u"a deadlock"_s);
        server().run(m_history, movedBack(40));
        const auto writer = server().connect(m_writer);
        QCOMPARE(ask(*writer, u"SELECT lockscope_history.keep_days()"_s), u"0"_s); // the day stays
        const qint64 left = there->span()->frames;
        QCOMPARE(left, 60);
        for (int i = 60; i < 120; ++i) {
            const auto x = file->at((*snapshots)[i].at);
            const auto y = there->at((*snapshots)[i].at);
            VERIFY_DONE(y);
            QCOMPARE(test::differenceOf(**x, **y), QString());
        }
        QCOMPARE(there->verify()->whole, left);
        const auto events = there->events(ever, never);
        QCOMPARE(events->size(), 2);
        QCOMPARE(events->first().what, u"Just before."_s);
        QCOMPARE(events->last().what, u"A deadlock."_s);
        QCOMPARE(there->surroundings(ever, never)->size(), 60);
        QCOMPARE(there->surroundings(keptFrom, keptTo)->size(), 60);
        QCOMPARE(heldIn(*there, keptFrom, keptTo), heldIn(*file, keptFrom, keptTo));
        // Once more changes nothing.
        QCOMPARE(ask(*writer, u"SELECT lockscope_history.keep_days()"_s), u"0"_s);
        QCOMPARE(there->span()->frames, left);
        // It is a writer's word, and holds for no longer than the owner says; or until it is taken back.
        server().run(m_history, u"UPDATE lockscope_history.setting SET keep_pinned_days = 39"_s);
        QCOMPARE(ask(*writer, u"SELECT lockscope_history.keep_days()"_s), u"1"_s);
        QCOMPARE(
            ask(*server().connect(m_history), u"SELECT count(*) FROM lockscope_history.frame"_s), u"0"_s);
        QVERIFY(watcher.writer().unpin(file->pins()->first().number));
        HistoryUpload upload(watcher.path(), asWriter());
        QVERIFY(upload.finish(patience));
        QVERIFY(there->pins()->isEmpty());
    }

    /// Any writer can give his recording another one's name; the history's server says which login he has.
    void nobodyTakesAnothersPlace()
    {
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 44);
        Watcher other(newPath(), u"two"_s, u"shop@db1"_s, 46);
        const db::ServerUrl mallory = server().asRole(m_history, writing);
        QVERIFY(watcher.recordPolls(10));
        HistoryUpload upload(watcher.path(), asWriter());
        QVERIFY(upload.finish(patience));
        QCOMPARE(read(placeOf(m_reader, u"shop@db1"_s))->identity().writer, m_writer.user);
        QVERIFY(other.recordPolls(20));
        HistoryUpload later(other.path(), server().at(mallory)); // it is the newest now
        QVERIFY(later.finish(patience));
        const auto unsaid = RecordingReader::open(placeOf(m_reader, u"shop@db1"_s));
        QVERIFY(!unsaid);
        QVERIFY2(unsaid.error().what.contains(m_writer.user) && unsaid.error().what.contains(mallory.user),
            qPrintable(unsaid.error().toString()));
        for (const auto& [user, frames] : {std::pair(m_writer.user, 10), std::pair(mallory.user, 20)}) {
            const auto reader = read(HistoryPlace::of(m_reader, u"shop@db1"_s, user));
            QVERIFY(reader);
            QCOMPARE(reader->identity().writer, user);
            QCOMPARE(reader->span()->frames, frames);
        }
        QVERIFY(!RecordingReader::open(HistoryPlace::of(m_reader, u"one"_s, mallory.user)));
        // An id that is the name of the server does not change that.
        Watcher named(newPath(), u"shop@db1"_s, u"shop@db1"_s, 47);
        QVERIFY(named.recordPolls(30));
        HistoryUpload last(named.path(), server().at(mallory));
        QVERIFY(last.finish(patience));
        QVERIFY(!RecordingReader::open(placeOf(m_reader, u"shop@db1"_s)));
        QCOMPARE(read(HistoryPlace::of(m_reader, u"shop@db1"_s, m_writer.user))->span()->frames, 10);
    }

    void reportsOfDeadlocksGoThereToo()
    {
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 48);
        QVERIFY(watcher.recordPolls(10));
        alert::EventFinder::Found news;
        news.events << Event{watcher.noted(), Event::Kind::Deadlock, u"Deadlock."_s, u"{}"_s, u"report:k"_s};
        news.reports << RecordedReport{
            watcher.noted(), u"event files"_s, u"<deadlock>\t\\</deadlock>\n"_s, u"k"_s};
        QVERIFY(watcher.writer().add(news, watcher.noted()));
        HistoryUpload upload(watcher.path(), asWriter());
        QVERIFY(upload.finish(patience));
        QCOMPARE(difference(watcher), QString()); // events() has the event alone
        const auto reports = read(placeOf(m_reader, u"one"_s))->reports(ever, never);
        QVERIFY(reports);
        QCOMPARE(*reports, news.reports);
        QVERIFY(upload.state().reached);
        QVERIFY(!upload.state().isRefused());
    }

    /// A frame is read from its key frame on: both are of one day, and are dropped together.
    void whatGoesOnOverMidnightGoesTogether()
    {
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 34);
        QVERIFY(watcher.recordPolls(30));
        QVERIFY(bring(watcher));
        // Midnight: what is there came yesterday.
        server().run(m_history, movedBack(1));
        QVERIFY(watcher.recordPolls(90));
        HistoryUpload upload(watcher.path(), asWriter());
        QVERIFY(waitUntil([&] { return upload.finish(patience); }));
        QCOMPARE(difference(watcher), QString());
        QCOMPARE(
            askAsOwner(
                u"SELECT string_agg(n::text, ' ' ORDER BY day) FROM (SELECT day, count(*) AS n FROM lockscope_history.frame GROUP BY day) AS days"_s),
            u"60 60"_s);
    }

    void aPoolerInBetween()
    {
        SKIP_FOR(PgBouncer::reasonAgainst());
        const PgBouncer pooler(server(), PgBouncer::Mode::Transaction);
        // The account is the test server's own, because the pool is for it.
        Watcher ann(newPath(), u"ann"_s, u"shop@db1"_s, 36);
        Watcher bob(newPath(), u"bob"_s, u"bank@db2"_s, 38);
        HistoryUpload annUpload(ann.path(), server().at(pooler.before(m_history)));
        HistoryUpload bobUpload(bob.path(), server().at(pooler.before(m_history)));
        QVERIFY(ann.recordPolls(90));
        QVERIFY(bob.recordPolls(90));
        QVERIFY2(annUpload.finish(patience),
            annUpload.state().error ? qPrintable(annUpload.state().error->toString()) : "");
        QVERIFY(bobUpload.finish(patience));
        QCOMPARE(difference(ann), QString());
        QCOMPARE(difference(bob), QString());
    }

    void lockctlRecordsIntoAHistoryAndReadsIt()
    {
        const db::ServerUrl url = server().freshDatabase(TestServer::Schema::None);
        Lockctl lockctl(url.toString(), server().password());
        QTemporaryDir state;
        lockctl.set(u"XDG_STATE_HOME"_s, state.path());
        const auto printed = lockctl("install --history --script");
        QCOMPARE(printed.code, 0);
        QVERIFY(printed.out.contains(u"CREATE SCHEMA lockscope_history"_s));
        const auto missing = lockctl("recordings list --from-history %1", url.toString());
        QCOMPARE(missing.code, 1);
        QVERIFY2(missing.err.contains(u"install --history"_s), missing.allOutput());
        const auto installed = lockctl("install --history --json");
        QVERIFY2(installed.code == 0, installed.allOutput());
        QCOMPARE(installed.json().value(u"after"_s).toInt(), db::schemaVersion);

        const auto recorded = lockctl(
            "record --for 2s --interval 200ms --into %1 --json", server().asRole(url, writing).toString());
        QVERIFY2(recorded.code == 0 && recorded.err.isEmpty(), recorded.allOutput());
        const int count = recorded.json().value(u"snapshots"_s).toInt();
        QVERIFY(count > 0);
        const db::ServerUrl reader = server().asRole(url, reading);
        const auto list = lockctl("recordings list --from-history %1 --json", reader.toString());
        QVERIFY2(list.code == 0 && list.jsonArray().size() == 1, list.allOutput());
        const QJsonObject recording = list.jsonArray().first().toObject();
        const QString place = placeOf(reader, recording.value(u"id"_s).toString());
        const auto verified = lockctl("recordings verify %1 --json", place);
        QVERIFY2(verified.code == 0, verified.allOutput());
        QCOMPARE(verified.jsonArray().first().toObject().value(u"whole"_s).toInt(), count);
        const auto there = lockctl("list --recording %1 --json", place);
        const auto file = lockctl("list --recording %1 --json", recorded.json().value(u"file"_s).toString());
        QVERIFY2(there.code == 0 && file.code == 0, there.allOutput());
        QCOMPARE(there.out, file.out);
        QVERIFY(there.out.size() > 100);
    }

    void aStrangersHistoryIsNotUsed_data()
    {
        QTest::addColumn<QString>("planted"); // with the rights of somebody who may create things
        QTest::newRow("a schema of his")
            << u"CREATE SCHEMA lockscope_history; CREATE TABLE lockscope_history.schema_version (version int, installed_at timestamptz); INSERT INTO lockscope_history.schema_version VALUES (1); GRANT ALL ON SCHEMA lockscope_history TO "
               "PUBLIC; GRANT ALL ON ALL TABLES IN SCHEMA lockscope_history TO PUBLIC; CREATE FUNCTION lockscope_history.begin_recording(text, text, text, bigint, integer, text, text) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.trapped VALUES (current_user); RETURN 1; END $$"_s;
        QTest::newRow("a function of his in ours") << u"ours"_s;
    }
    void aStrangersHistoryIsNotUsed()
    {
        QFETCH(QString, planted);
        db::ServerUrl url = server().freshDatabase(TestServer::Schema::None);
        server().run(url, u"CREATE TABLE public.trapped (who text); GRANT ALL ON public.trapped TO PUBLIC"_s);
        const db::ServerUrl mallory = server().asRole(url,
            u"GRANT CREATE ON DATABASE \"%1\" TO {role}; GRANT ALL ON SCHEMA public TO {role}"_s.arg(
                url.database));
        if (planted == u"ours") {
            QVERIFY(installHistory(*server().connect(url)));
            server().run(url,
                u"DROP FUNCTION lockscope_history.keep_days(); CREATE FUNCTION lockscope_history.keep_days() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.trapped VALUES (current_user); RETURN 1; END $$; ALTER FUNCTION lockscope_history.keep_days() OWNER TO \"%1\"; GRANT EXECUTE ON FUNCTION "
                "lockscope_history.keep_days() TO PUBLIC"_s.arg(mallory.user));
        } else
            QVERIFY(server().connect(mallory)->executeScript(planted.toUtf8()));
        Watcher watcher(newPath(), u"one"_s, u"shop@db1"_s, 40);
        QVERIFY(watcher.recordPolls(5));
        const db::ServerUrl writer = server().asRole(url, writing);
        for (const db::ServerUrl& who : {url, writer}) {
            HistoryUpload upload(watcher.path(), server().at(who));
            QVERIFY(!upload.finish(patience));
            QCOMPARE(upload.state().error->kind, ErrorKind::Permission);
            QVERIFY2(upload.state().error->detail.contains(mallory.user),
                qPrintable(upload.state().error->toString()));
            VERIFY_FAILS(ErrorKind::Permission, recordingsOf(server().at(who)));
        }
        const auto installed = installHistory(*server().connect(url));
        QVERIFY(!installed);
        // The script refuses by itself, too.
        QVERIFY(!server().connect(url)->executeScript(historyScript()));
        QCOMPARE(ask(*server().connect(url), u"SELECT count(*) FROM public.trapped"_s), u"0"_s);
    }

private:
    static TestServer& server() { return TestServer::shared(); }
    db::Server asWriter() const { return server().at(m_writer); }
    /// Brings all that the watcher has seen so far.
    bool bring(const Watcher& watcher) const
    {
        HistoryUpload upload(watcher.path(), asWriter());
        return upload.finish(patience);
    }
    QString newPath() { return m_folder.filePath(u"w%1.lockscope"_s.arg(++m_files)); }
    std::unique_ptr<RecordingReader> read(const QString& place)
    {
        auto opened = RecordingReader::open(place);
        if (!opened)
            qWarning("%s", qPrintable(opened.error().toString()));
        return opened ? std::move(*opened) : nullptr;
    }
    /// Returns the difference between the answers of the history and of the watcher's file.
    QString difference(const Watcher& watcher)
    {
        const auto file = read(watcher.path());
        const auto there = read(placeOf(m_reader, watcher.id()));
        return file && there ? differenceOf(*file, *there) : u"can't be opened"_s;
    }
    /// Returns the error of an SQL statement by this login; empty: it succeeded.
    static QString refusal(const db::ServerUrl& who, const QString& sql)
    {
        const auto connection = server().connect(who);
        const auto done = connection->execute(sqlStatement(sql));
        return done ? QString() : done.error().detail;
    }
    QString askAsOwner(const QString& sql) const { return ask(*server().connect(m_history), sql); }

    QTemporaryDir m_folder;
    int m_files = 0;
    db::ServerUrl m_history; // as superuser, to whom the schema belongs
    db::ServerUrl m_writer;
    db::ServerUrl m_reader;
};

LOCKSCOPE_TEST(TeamHistory)

} // namespace tst_TeamHistory
#include "tst_TeamHistory.moc"
