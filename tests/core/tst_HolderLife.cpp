// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// No living holder is called gone, and none is called working because of a session that is not its own.

#include "core/domain/Framework.h"
#include "core/domain/HolderLife.h"
#include "core/domain/LockTable.h"
#include "tests/support/TestProgram.h"

namespace tst_HolderLife {

using namespace lockscope;
using Verdict = HolderLife::Verdict;

const ServerTime now{1'800'000'000'000'000};

static Session session(
    qint64 id, const QString& host, std::chrono::seconds age = 1h, const QString& address = {})
{
    Session session;
    session.id = SessionId{id};
    session.started = now - age;
    session.user = u"app"_s;
    session.program = u"JDBC"_s;
    session.host = host;
    session.address = address.isEmpty() ? host : address;
    return session;
}

static Session ofProcess(qint64 id, const QString& host, qint64 process, std::chrono::seconds age = 1h)
{
    Session one = session(id, host, age, u"10.0.0.5"_s);
    one.clientProcess = process;
    return one;
}

static HolderParts at(const QString& host, const QString& address = {}, qint64 process = 0)
{
    HolderParts parts;
    parts.host = host;
    parts.address = address;
    parts.processId = process;
    return parts;
}

/// Taken so long ago, by a holder that needs a session.
static HolderSigns heldBy(const HolderParts& holder, std::chrono::seconds taken = 10min)
{
    HolderSigns signs;
    signs.namesHolder = true;
    signs.holderText = holder.host + holder.address;
    signs.holder = holder;
    signs.keepsSession = true;
    signs.taken = PossibleTime{now - taken, now - taken};
    return signs;
}

/// Last heard of so long ago, of a framework whose default is `limit`.
static HolderSigns beats(const HolderParts& holder, std::chrono::seconds silence, std::chrono::seconds limit)
{
    HolderSigns signs = heldBy(holder);
    signs.taken.reset();
    signs.keepsSession = false;
    signs.heartbeat = now - silence;
    signs.silence.byDefault = limit;
    return signs;
}

/// Seen last so long ago, and missed since 2 s later.
static EndedHolder ended(qint64 id, bool wasAtWork, std::chrono::seconds lastSeen = 20s)
{
    return {.id = SessionId{id},
        .user = u"app"_s,
        .program = u"JDBC"_s,
        .lastSeen = now - lastSeen,
        .missedSince = now - lastSeen + 2s,
        .wasAtWork = wasAtWork,
        .isByMachine = false,
        .isFollowed = false};
}

static Session with(Session session, const QString& user, const QString& program)
{
    session.user = user;
    session.program = program;
    return session;
}

class tst_HolderLife : public QObject {
    Q_OBJECT

    using Sessions = std::vector<Session>;
    static void add(const char* name, const HolderSigns& signs, const Sessions& sessions, Verdict verdict,
        const QString& evidence, SessionsSeen seen = SessionsSeen::All)
    {
        test::row(name, signs, sessions, seen, verdict, evidence);
    }
    static void addColumns()
    {
        test::addColumns<HolderSigns, Sessions, SessionsSeen, Verdict, QString>(
            "signs", "sessions", "seen", "verdict", "evidence");
    }
    static void judge()
    {
        FETCH(const HolderSigns, signs, const Sessions, sessions, const SessionsSeen, seen, const QString,
            evidence);
        const HolderLife life = judgeHolder(signs, sessions, seen, now).life;
        QVERIFY2(life.evidence.join(u' ').contains(evidence), qPrintable(verdictText(life)));
        for (const QString& sentence : life.evidence)
            QVERIFY2(sentence.endsWith(u'.') && !sentence[0].isLower(), qPrintable(sentence));
        QTEST(life.verdict, "verdict");
        // Nobody is advised to free a lock whose holder is not proven to be gone.
        QCOMPARE(riskOfFreeing(life).isEmpty(), life.verdict == Verdict::Gone);
    }

private Q_SLOTS:
    void aRowOfOursOutlivesItsSession_data()
    {
        QTest::addColumn<qint64>(
            "age"); // of the session that has the number now, in seconds; 0: there is none
        test::addColumns<SessionsSeen, bool, Verdict, QString, QString>(
            "seen", "isExpired", "verdict", "evidence", "risk");
        const auto add = [](const char* name, qint64 age, SessionsSeen seen, bool isExpired, Verdict verdict,
                             const QString& evidence, const QString& risk) {
            test::row(name, age, seen, isExpired, verdict, evidence, risk);
        };
        const QString mayWork =
            u" A row of the lock table outlives its session: its program on web01 may still work."_s;
        const QString isSilent = u" Its lease was not renewed in time."_s;
        add("its session is there", 3'600, SessionsSeen::All, false, Verdict::Works,
            u"Session 13246 is there and took the lock (app, JDBC, from web01)."_s, u"Its holder works"_s);
        add("there, and yet expired", 3'600, SessionsSeen::All, true, Verdict::Works,
            u"Session 13246 is there and took the lock (app, JDBC, from web01)."_s + isSilent,
            u"Its holder works"_s);
        add("its session has ended", 0, SessionsSeen::All, false, Verdict::Unknown,
            u"Session 13246 is gone."_s + mayWork, u"It is unknown whether its holder works"_s);
        add("ended and expired", 0, SessionsSeen::All, true, Verdict::Silent,
            u"Session 13246 is gone."_s + isSilent + mayWork, u"Its holder is only silent"_s);
        add("another session has its number", 60, SessionsSeen::All, false, Verdict::Unknown,
            u"Session 13246 is gone: the one that has its number now began after the lock was taken."_s
                + mayWork,
            u"It is unknown whether its holder works"_s);
        add("not all may be seen", 0, SessionsSeen::Some, true, Verdict::Silent,
            u"Session 13246 is not among those that may be seen here."_s + isSilent + mayWork,
            u"Its holder is only silent"_s);
        add("a copy", 3'600, SessionsSeen::OfCopy, false, Verdict::Unknown,
            u"This database is a copy: its holder's sessions are at the original."_s + mayWork,
            u"It is unknown whether its holder works"_s);
    }

    void aRowOfOursOutlivesItsSession()
    {
        FETCH(const qint64, age, const SessionsSeen, seen, const bool, isExpired);
        LockTableEntry entry;
        entry.acquiredAt = now - 10min;
        entry.expiresAt = isExpired ? now - 1min : now + 1min;
        entry.party.session = SessionId{13246};
        entry.party.host = u"web01"_s;
        const Session its = session(13246, u"web01"_s, std::chrono::seconds(age));
        const HolderLife life = lifeOfWriter(entry, age > 0 ? &its : nullptr, seen, now);
        QTEST(life.verdict, "verdict");
        QTEST(life.evidence.join(u' '), "evidence");
        QFETCH(const QString, risk);
        VERIFY_STARTS(riskOfReleasing(life), risk);
    }

    void judgesBySessions_data()
    {
        addColumns();
        const auto byBoth = heldBy(at(u"build-7"_s, u"10.0.0.5"_s));
        const auto byName = heldBy(at(u"build-7"_s));
        const auto byAddress = heldBy(at({}, u"10.0.0.5"_s));
        const Session its = session(51, u"build-7"_s, 11min, u"10.0.0.5"_s);

        add("its session began before the lock", byBoth, {its}, Verdict::Works,
            u"Session 51 (app, JDBC) from build-7 began before the lock was taken."_s);
        add("by the address alone", byAddress, {session(51, u"10.0.0.5"_s)}, Verdict::Works,
            u"Session 51 (app, JDBC) from 10.0.0.5 began before"_s);
        add("an address within IPv6", heldBy(at({}, u"::ffff:10.0.0.5"_s)), {session(51, u"10.0.0.5"_s)},
            Verdict::Works, u"from ::ffff"_s.left(4));
        add("an address with its zone", heldBy(at({}, u"fe80::1%eth0"_s)), {session(51, u"fe80::1"_s)},
            Verdict::Works, u"from fe80::1"_s);
        add("a name with its domain", heldBy(at(u"BUILD-7.example.org"_s)), {its}, Verdict::Works,
            u"from BUILD-7.example.org"_s);
        add("the program was started again", byBoth, {session(51, u"build-7"_s, 9min, u"10.0.0.5"_s)},
            Verdict::Unknown,
            u"began since the lock was taken: of the holder, or of its program started again."_s);
        HolderSigns whenever = byBoth;
        whenever.taken.reset();
        add("nobody knows when the lock was taken", whenever, {its}, Verdict::Unknown,
            u"may have begun before or after the lock was taken"_s);
        whenever.taken = PossibleTime{now - 15h, now};
        add("by some zones it began before, by others after", whenever, {its}, Verdict::Unknown,
            u"may have begun before or after"_s);
        HolderSigns pooled = byBoth;
        pooled.keepsSession = false;
        add("it needs no session, and others come from that machine", pooled, {its}, Verdict::Unknown,
            u"it may be the holder's, or another program's."_s);
        add("the name agrees, the address does not", byBoth, {session(51, u"build-7"_s, 1h, u"10.0.0.9"_s)},
            Verdict::Unknown, u"No session from build-7 is visible"_s);
        add("the address agrees, the name does not", byBoth, {session(51, u"web"_s, 1h, u"10.0.0.5"_s)},
            Verdict::Unknown, u"No session from build-7 is visible"_s);
        add("a name can't be compared with an address", byName, {session(51, u"10.0.0.5"_s)},
            Verdict::Unknown, u"some show only an address"_s);
        add("another address may be of the same machine", byAddress, {session(51, u"10.0.0.9"_s)},
            Verdict::Unknown, u"No session from 10.0.0.5 is visible"_s);
        add("each machine is 127.0.0.1 to itself", heldBy(at({}, u"127.0.0.1"_s)),
            {session(51, u"127.0.0.1"_s)}, Verdict::Unknown, u"names no machine"_s);
        add("another machine", byBoth, {session(51, u"web"_s, 1h, u"10.0.0.9"_s)}, Verdict::Unknown,
            u"No session from build-7 is seen: behind a pooler, or between two connections, it would not be."_s);
        add("two names with different domains", heldBy(at(u"web.a.org"_s)),
            {session(51, u"web.b.org"_s, 1h, u"10.0.0.6"_s)}, Verdict::Unknown,
            u"No session from web.a.org is seen"_s);
        add("an empty list, as after a restart", byBoth, {}, Verdict::Unknown, u"No session from build-7"_s);
        add("somebody came by the local socket", byName, {session(51, u"local"_s)}, Verdict::Unknown,
            u"by the server's local socket"_s);
        add("the others may not be seen", byBoth, {}, Verdict::Unknown,
            u"among those that may be seen here"_s, SessionsSeen::Some);
        add("no sessions can be seen", byBoth, {}, Verdict::Unknown, u"can't be seen"_s, SessionsSeen::None);
        add("a copy of the database", byBoth, {its}, Verdict::Unknown, u"at the original"_s,
            SessionsSeen::OfCopy);
        add("an empty column", heldBy({}), {its}, Verdict::Unknown, u"The row names no holder."_s);
    }
    void judgesBySessions() { judge(); }

    void judgesBySessionsOfItsMachine_data()
    {
        addColumns();
        const auto byBoth = heldBy(at(u"build-7"_s, u"10.0.0.5"_s));
        const Session its = session(51, u"build-7"_s, 11min, u"10.0.0.5"_s);
        Session ours = its;
        ours.own = true;
        add("of its machine are sessions of two programs", byBoth,
            {its, with(session(52, u"build-7"_s, 1h, u"10.0.0.5"_s), u"app"_s, u"psql"_s)}, Verdict::Unknown,
            u"2 sessions from build-7, the first of them 51 (app, JDBC), began before that: it may be the holder's, or another program's."_s);
        add("of its machine is one of another user that began later", byBoth,
            {its, with(session(52, u"build-7"_s, 1min, u"10.0.0.5"_s), u"ann"_s, u"JDBC"_s)},
            Verdict::Unknown, u"it may be the holder's, or another program's."_s);
        add("of its machine is its program's pool", byBoth,
            {its, session(52, u"build-7"_s, 1h, u"10.0.0.5"_s)}, Verdict::Works,
            u"2 sessions from build-7, the first of them 51 (app, JDBC), began before the lock was taken."_s);
        HolderSigns renewed = byBoth;
        renewed.heartbeat = now - 1min;
        add("of its machine is one that began after the lock, before a sign of life", renewed,
            {session(51, u"build-7"_s, 9min, u"10.0.0.5"_s)}, Verdict::Unknown,
            u"of the holder, or of its program started again."_s);
        add("our own session is nobody's sign of life", byBoth, {ours}, Verdict::Unknown, u"No session"_s);

        const auto byProcess = heldBy(at(u"web"_s, {}, 4'711));
        add("the very process", byProcess, {ofProcess(51, u"web"_s, 4'711), ofProcess(52, u"web"_s, 1)},
            Verdict::Works, u"process 4711 on web, which the row names"_s);
        add("a container started again has the same host and process", byProcess,
            {ofProcess(51, u"web"_s, 4'711, 1min)}, Verdict::Unknown, u"began since the lock was taken"_s);
        add("other processes of that machine", byProcess, {ofProcess(51, u"web"_s, 4'712)}, Verdict::Unknown,
            u"is of another process than 4711"_s);
        HolderSigns named = heldBy({});
        named.holderText = u"51"_s;
        named.holder.session = SessionId{51};
        add("the row names the session", named, {session(51, u"local"_s, 11min)}, Verdict::Works,
            u"The row names that session."_s);
        add("its number was given to a later one", named, {session(51, u"local"_s, 1min)}, Verdict::Unknown,
            u"Session 51"_s);
    }
    void judgesBySessionsOfItsMachine() { judge(); }

    void judgesByTheEndOfSessions_data()
    {
        addColumns();
        HolderSigns signs = heldBy(at(u"build-7"_s, u"10.0.0.5"_s));
        signs.ended = {ended(51, true)};
        add("it ended at work, and nothing of its program is left", signs, {}, Verdict::Gone,
            u"Session 51 (app, JDBC) from build-7 held it, was at work when last seen, 20 s ago, and has ended since. No other session of that program was seen for 18 s"_s);
        signs.ended = {ended(51, true, 12s)};
        add("it has only just ended: a pooler opens the next one later", signs, {}, Verdict::Unknown,
            u"only 15 s without one would prove that it is gone."_s);
        signs.ended = {ended(51, true)};
        signs.ended.front().isFollowed = true;
        add("the next one was seen, and is gone again", signs, {}, Verdict::Unknown,
            u"A session that may be of its program began later: it may work on."_s);
        signs.ended = {ended(51, true)};
        signs.ended.front().isByMachine = true;
        add("its machine tied it, and its program has a session elsewhere", signs,
            {session(60, u"pooler"_s, 1h, u"10.0.0.9"_s)}, Verdict::Unknown, u"has ended since."_s);
        add("its machine tied it, and another program is elsewhere", signs,
            {with(session(60, u"db"_s, 1h, u"10.0.0.9"_s), u"ann"_s, u"psql"_s)}, Verdict::Gone,
            u"No other session"_s);
        add("its machine tied it, and has others of its program", signs,
            {session(52, u"build-7"_s, 1h, u"10.0.0.5"_s)}, Verdict::Unknown,
            u"began before that: it may be the holder's, or another program's."_s);
        signs.ended = {ended(51, true)};
        add("another program of another machine is left", signs, {session(60, u"web"_s, 1h, u"10.0.0.9"_s)},
            Verdict::Gone, u"No other session"_s);
        add("the program was started again", signs, {session(52, u"build-7"_s, 5s, u"10.0.0.5"_s)},
            Verdict::Unknown, u"began since the lock was taken"_s);
        add("its program has a session that may come from there", signs, {session(52, u"10.0.0.77"_s)},
            Verdict::Unknown, u"has ended since"_s);
        add("not all sessions are seen", signs, {}, Verdict::Unknown, u"among those"_s, SessionsSeen::Some);
        signs.ended = {ended(51, false)};
        add("it was idle, as a pooler ends them", signs, {}, Verdict::Unknown,
            u"A pooler ends idle sessions, too: that proves nothing."_s);
        signs.ended = {ended(51, true)};
        signs.keepsSession = false;
        add("its task needs no session", signs, {}, Verdict::Unknown, u"has ended since"_s);
    }
    void judgesByTheEndOfSessions() { judge(); }

    void judgesBySignsOfLife_data()
    {
        addColumns();
        const auto web = at(u"web"_s);
        const Session older = session(51, u"web"_s, 2h);
        add("db-scheduler, silent beyond its default", beats(web, 34min, 30min), {}, Verdict::Silent,
            u"No sign of life for 34 min. Its default limit is 30 min; its program may use another."_s);
        add("db-scheduler with heartbeatInterval(1h), its pool is there", beats(web, 34min, 30min), {older},
            Verdict::Unknown, u"may have begun before or after the lock was taken."_s);
        HolderSigns configured = beats(web, 34min, 30min);
        configured.silence.givenInterval = 1h;
        add("its interval is configured", configured, {}, Verdict::Unknown,
            u"Its last sign of life is 34 min old. Its interval is 1 h, as set for this server."_s);
        configured.silence.configured = 10min;
        add("its limit is configured", configured, {}, Verdict::Silent,
            u"Its limit is 10 min, as set for this server."_s);
        HolderSigns seen = beats(web, 34min, 30min);
        seen.silence.seenInterval = 1h;
        add("its renewals were seen", seen, {}, Verdict::Unknown,
            u"It was renewed every 1 h, as seen here."_s);
        seen.silence.seenInterval = 10s;
        add("what was seen makes no verdict harsher", beats(web, 20min, 30min), {}, Verdict::Unknown,
            u"20 min old"_s);
        add("db-scheduler killed 45 s ago", beats(web, 45s, 30min), {}, Verdict::Unknown,
            u"Its last sign of life is 45 s old."_s);
        add("a fresh sign", beats(web, 3s, 30min), {}, Verdict::Works,
            u"Its last sign of life is 3 s old."_s);
        add("Axon after 10 s", beats(at(u"web"_s, {}, 4711), 11s, 10s), {}, Verdict::Silent,
            u"No sign of life for 11 s."_s);
        add("JobRunr while it is stopped", beats({}, 25s, 20s), {session(51, u"local"_s)}, Verdict::Silent,
            u"No sign of life for 25 s."_s);
        HolderSigns keeps = beats(web, 34min, 30min);
        keeps.keepsSession = true;
        add("nobody knows which is older, its lock or the session of its machine", keeps, {older},
            Verdict::Unknown, u"may have begun before or after the lock was taken"_s);
        keeps.taken = PossibleTime{now - 1h, now - 1h};
        add("a session counts for more than silence", keeps, {older}, Verdict::Works,
            u"No sign of life for 34 min."_s);
        keeps.taken = PossibleTime{now - 3h, now - 3h};
        add("one of its machine began between the lock and the last sign", keeps, {older}, Verdict::Unknown,
            u"began since the lock was taken"_s);
        add("one of its machine began after the last sign", keeps, {session(51, u"web"_s, 5min)},
            Verdict::Silent, u"began since the lock was taken"_s);
        HolderSigns ofProcessThere = keeps;
        ofProcessThere.holder.processId = 4'711;
        add("its process began one between the lock and the last sign", ofProcessThere,
            {ofProcess(51, u"web"_s, 4'711, 2h)}, Verdict::Works, u"began before its last sign of life"_s);
        add("its clock goes wrong", beats(web, -1h, 30min), {}, Verdict::Unknown,
            u"is 1 h ahead of the server's clock"_s);
        add("on a copy signs come late", beats(web, 34min, 30min), {}, Verdict::Unknown, u"a copy"_s,
            SessionsSeen::OfCopy);

        HolderSigns zone = beats(web, 3s, 30min);
        zone.dependsOnZone = true;
        zone.readings = QStringList{u"Held until 14:30 UTC if its program writes UTC."_s};
        add("whether it is held depends on a zone", zone, {older}, Verdict::Unknown,
            u"Held until 14:30 UTC"_s);
    }
    void judgesBySignsOfLife() { judge(); }

    void judgesByWhatElseIsKept_data()
    {
        addColumns();
        HolderSigns listed = beats({}, 45min, 30s);
        listed.namesHolder = false;
        listed.processTable = u"public.workers"_s;
        listed.process = u"7"_s;
        listed.isListed = true;
        add("Procrastinate with a task that blocks", listed, {}, Verdict::Silent,
            u"No sign of life for 45 min."_s);
        listed.isListed = false;
        listed.heartbeat.reset();
        listed.areOthersListed = true;
        add("the others struck it off", listed, {}, Verdict::Silent,
            u"Its process 7 is not in public.workers any more. It has ended, or others struck it off"_s);
        listed.areOthersListed = false;
        add("the list was emptied, as by a restart", listed, {}, Verdict::Unknown,
            u"may have been emptied"_s);
        listed.process = QString();
        add("no process has it", listed, {}, Verdict::Unknown, u"No process in public.workers has it"_s);

        HolderSigns goodJob = beats({}, 45min, 5min);
        goodJob.keys = {4'711};
        add("GoodJob's key is free", goodJob, {session(51, u"local"_s)}, Verdict::Silent,
            u"No session is seen to have the advisory key"_s);
        goodJob.keyHolder = SessionId{51};
        add("GoodJob's key counts for more than its silence", goodJob, {session(51, u"local"_s)},
            Verdict::Works, u"Session 51 (app, JDBC) has the advisory key that goes with this row."_s);

        HolderSigns lease;
        lease.expires = now - 3min;
        HolderSigns longer = lease;
        longer.lockAtMostFor = 2h;
        add("how long its locks last was set", longer, {}, Verdict::Unknown,
            u"Its time ended 3 min ago. Its locks last 2 h, as set for this server."_s, SessionsSeen::None);
        add("its time is over", lease, {}, Verdict::Unknown,
            u"The table does not say who holds it. Its time ended 3 min ago."_s, SessionsSeen::None);
    }
    void judgesByWhatElseIsKept() { judge(); }

    void noVerdictIsGoneWithoutAnEndThatWasSeen()
    {
        // Random rows and random observations: only an end that was watched is a proof.
        quint32 state = 4'711;
        const auto random = [&state](quint32 below) {
            state = state * 1'664'525U + 1'013'904'223U;
            return (state >> 16) % below;
        };
        for (int i = 0; i < 20'000; ++i) {
            HolderSigns signs = heldBy(random(2) ? at(u"web"_s, u"10.0.0.5"_s, random(3)) : HolderParts{},
                std::chrono::seconds(random(7'200)));
            signs.keepsSession = random(2);
            if (random(2))
                signs.heartbeat = now - std::chrono::seconds(random(9'000));
            if (random(2))
                signs.silence.byDefault = std::chrono::seconds(random(3'000));
            if (random(2))
                signs.processTable = u"p"_s;
            signs.isListed = random(2);
            signs.areOthersListed = random(2);
            Sessions sessions;
            for (quint32 n = random(4); n > 0; --n)
                sessions.push_back(session(50 + n, random(2) ? u"web"_s : u"local"_s,
                    std::chrono::seconds(random(9'000)), random(2) ? u"10.0.0.5"_s : u"10.0.0.6"_s));
            const auto seen = SessionsSeen(random(4));
            QVERIFY(judgeHolder(signs, sessions, seen, now).life.verdict != Verdict::Gone);
        }
    }

    void aSessionsLockIsItsSessions()
    {
        const Session one = session(51, u"web"_s);
        QCOMPARE(lifeOfSession(one.id, &one).verdict, Verdict::Works);
        QVERIFY(lifeOfSession(one.id, &one).evidence.first().contains(u"Session 51 (app, JDBC)"_s));
        QCOMPARE(lifeOfSession(SessionId{-4}, nullptr).verdict, Verdict::Unknown); // prepared
    }

    void takesHoldersApart_data()
    {
        test::addColumns<QString, QString, QString>("pattern", "holder", "parts");
        const QString liquibase = u"(?<host>[^#( ]+)(#[^(]*)? ?(\\((?<address>[^)]+)\\))?"_s;
        test::row("Liquibase", liquibase, "build-7 (10.0.0.5)", "build-7|10.0.0.5||0|");
        test::row(
            "Liquibase, IPv6", liquibase, "vm (fd00:0:0:0:0:0:0:2%eth0)", "vm|fd00:0:0:0:0:0:0:2%eth0||0|");
        test::row("Liquibase, described", liquibase, "ci#nightly (10.0.0.5)", "ci|10.0.0.5||0|");
        test::row("goose", "(?<host>.+)-(?<pid>[0-9]+)-[0-9a-f]{8}", "a-b-4711-0a1b2c3d", "a-b|||4711|");
        test::row("a time with a zone", "(?<since>\\S+) - (?<host>[^(]+)\\((?<address>[^)]*)\\)",
            "2027-01-15T08:00:00Z - web(10.0.0.6)", "web|10.0.0.6||0|2027-01-15T08:00:00.000000Z");
        test::row("a time without", "(?<since>\\S+) (?<owner>.*)", "2027-01-15T08:00:00 ann", "||ann|0|");
        test::row("the whole has to fit", "(?<host>[a-z]+)", "web 1", "|||0|");
        test::row("more text than a holder has", "(?<host>a+)", QString(maxMatchedLength + 1, u'a'), "|||0|");
        test::row("no pattern", QString(), "web", "|||0|");
        test::row("no good pattern", "(?<host>", "web", "|||0|");
    }

    void takesHoldersApart()
    {
        FETCH(const QString, pattern, const QString, holder);
        const HolderParts parts = HolderPattern(pattern).partsOf(holder);
        const QString text = QStringList{parts.host, parts.address, parts.owner,
            QString::number(parts.processId), parts.since ? parts.since->toIsoString() : QString()}
                                 .join(u'|');
        QTEST(text, "parts");
    }
};

LOCKSCOPE_TEST(tst_HolderLife)

} // namespace tst_HolderLife
#include "tst_HolderLife.moc"
