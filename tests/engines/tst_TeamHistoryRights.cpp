// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Only the watchers can write a team's history, which keeps what it must and no more.

#include "tests/support/Lockctl.h"
#include "tests/support/PgBouncer.h"
#include "tests/support/TeamHistoryTest.h"
#include "tests/support/TeamWeek.h"

namespace tst_TeamHistoryRights {

using namespace lockscope;
using namespace lockscope::record;
using namespace lockscope::test;

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

class tst_TeamHistoryRights : public TeamHistoryTest {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qputenv("LOCKSCOPE_PASSWORD", server().password().toUtf8()); }
    void cleanupTestCase() { qunsetenv("LOCKSCOPE_PASSWORD"); }
    void init() { makeHistory(); }

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
        QVERIFY(runSql(*server().connect(m_history), u"EXPLAIN (ANALYZE) "_s + list, {},
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
            QVERIFY(runSql(*connection, u"EXPLAIN "_s + query.sql, {},
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
        news.events << Event{.at = watcher.noted(),
            .kind = Event::Kind::Deadlock,
            .what = u"Deadlock."_s,
            .detail = u"{}"_s,
            .sourceKey = u"report:k"_s};
        news.reports << RecordedReport{.at = watcher.noted(),
            .origin = u"event files"_s,
            .raw = u"<deadlock>\t\\</deadlock>\n"_s,
            .key = u"k"_s};
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
        VERIFY_CODE(0, installed);
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
        VERIFY_CODE(0, verified);
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
};

LOCKSCOPE_TEST(tst_TeamHistoryRights)

} // namespace tst_TeamHistoryRights
#include "tst_TeamHistoryRights.moc"
