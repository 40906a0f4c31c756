// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/HolderLife.h"
#include "tests/support/TestProgram.h"

#include <QTest>

using namespace lockscope;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using State = HolderLife::State;

namespace {

const ServerTime now{1'800'000'000'000'000};

Session session(qint64 id, const QString& host, const QString& address = {})
{
    Session session;
    session.id = SessionId{id};
    session.host = host;
    session.address = address.isEmpty() ? host : address;
    return session;
}

Session ofProcess(qint64 id, const QString& host, qint64 process)
{
    Session one = session(id, host, u"10.0.0.5"_s);
    one.clientProcess = process;
    return one;
}

HolderSigns heldBy(const QString& told, const HolderParts& holder)
{
    HolderSigns signs;
    signs.namesHolder = true;
    signs.told = told;
    signs.holder = holder;
    signs.keepsSession = true;
    return signs;
}

HolderParts at(const QString& host, const QString& address = {}, qint64 process = 0)
{
    HolderParts parts;
    parts.host = host;
    parts.address = address;
    parts.processId = process;
    return parts;
}

} // namespace

Q_DECLARE_METATYPE(lockscope::HolderSigns)

class tst_HolderLife : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void judges_data()
    {
        QTest::addColumn<HolderSigns>("signs");
        QTest::addColumn<std::vector<Session>>("sessions");
        QTest::addColumn<SessionsSeen>("seen");
        QTest::addColumn<State>("state");
        QTest::addColumn<QString>("reason");
        using Sessions = std::vector<Session>;
        const Sessions none;
        const Sessions two{
            session(51, u"10.0.0.5"_s), session(52, u"10.0.0.5"_s), session(53, u"10.0.0.9"_s)};
        const Sessions named{session(51, u"build-7"_s, u"10.0.0.5"_s), session(52, u"web"_s, u"10.0.0.6"_s)};
        const auto byAddress = heldBy(u"x (10.0.0.5)"_s, at(u"x"_s, u"10.0.0.5"_s));
        const auto byName = heldBy(u"build-8"_s, at(u"build-8"_s));

        QTest::newRow("the address is there")
            << byAddress << two << SessionsSeen::All << State::Alive << u"2 sessions from x"_s;
        QTest::newRow("an address within IPv6")
            << heldBy(u"a"_s, at({}, u"::ffff:10.0.0.5"_s)) << two << SessionsSeen::All << State::Alive
            << u"2 sessions from 10.0.0.5"_s;
        QTest::newRow("an address with its zone")
            << heldBy(u"a"_s, at({}, u"fe80::1%eth0"_s)) << Sessions{session(51, u"fe80::1"_s)}
            << SessionsSeen::All << State::Alive << u"1 session from fe80::1"_s;
        QTest::newRow("the address is not there, but machines have several")
            << byAddress << Sessions{session(53, u"10.0.0.9"_s)} << SessionsSeen::All << State::Unknown
            << u"no session from x that can be told; others are known by their address only"_s;
        QTest::newRow("it comes from another address of its machine")
            << heldBy(u"vm (fd00::2%eth0)"_s, at(u"vm"_s, u"fd00::2%eth0"_s))
            << Sessions{session(53, u"127.0.0.1"_s)} << SessionsSeen::All << State::Unknown
            << u"no session from vm that can be told"_s;
        QTest::newRow("the address is not there, and the others have names")
            << byAddress << Sessions{session(53, u"web"_s, u"10.0.0.9"_s)} << SessionsSeen::All << State::Gone
            << u"no session from x (behind a pooler, or between two connections, it would not be seen)"_s;
        QTest::newRow("nobody is there at all")
            << byName << none << SessionsSeen::All << State::Gone << u"no session from build-8"_s;
        QTest::newRow("a name among names")
            << heldBy(u"BUILD-7.example.org"_s, at(u"BUILD-7.example.org"_s)) << named << SessionsSeen::All
            << State::Alive << u"1 session from BUILD-7.example.org"_s;
        HolderSigns ofTask = byName;
        ofTask.keepsSession = false;
        QTest::newRow("it runs a task, for which it needs no session")
            << ofTask << none << SessionsSeen::All << State::Unknown
            << u"no session from build-8, but it may hold the lock without one"_s;
        ofTask.expires = now - 3min;
        QTest::newRow("its lease is over, its task perhaps not")
            << ofTask << none << SessionsSeen::All << State::Unknown
            << u"no session from build-8, but it may hold the lock without one; its time ended 3 min ago"_s;
        QTest::newRow("a name that is not among names")
            << byName << named << SessionsSeen::All << State::Gone << u"no session from build-8"_s;
        QTest::newRow("two names with different domains")
            << heldBy(u"web.a.org"_s, at(u"web.a.org"_s))
            << Sessions{session(51, u"web.b.org"_s, u"10.0.0.6"_s)} << SessionsSeen::All << State::Gone
            << u"no session from web.a.org"_s;
        QTest::newRow("a name where the server knows addresses")
            << byName << two << SessionsSeen::All << State::Unknown
            << u"no session from build-8 that can be told; others are known by their address only"_s;
        QTest::newRow("the others may not be seen")
            << byAddress << Sessions{session(53, u"10.0.0.9"_s)} << SessionsSeen::Some << State::Unknown
            << u"no session from x among those that may be seen here"_s;
        QTest::newRow("no sessions can be seen") << byAddress << none << SessionsSeen::None << State::Unknown
                                                 << u"the sessions of this server can't be seen"_s;
        QTest::newRow("somebody came by the local socket")
            << byAddress << Sessions{session(51, u"local"_s)} << SessionsSeen::All << State::Unknown
            << u"no session from x, but some that came by the server's local socket"_s;
        Session ours = session(51, u"10.0.0.5"_s);
        ours.own = true;
        QTest::newRow("our own session is nobody's sign of life")
            << byAddress << Sessions{ours} << SessionsSeen::All << State::Gone << u"no session from x"_s;
        QTest::newRow("each machine is 127.0.0.1 to itself")
            << heldBy(u"127.0.0.1"_s, at({}, u"127.0.0.1"_s)) << two << SessionsSeen::All << State::Unknown
            << u"what the row tells of its holder names no machine"_s;

        const auto byProcess = heldBy(u"web:4711"_s, at(u"web"_s, {}, 4'711));
        QTest::newRow("the very process")
            << byProcess << Sessions{ofProcess(51, u"web"_s, 4'711), ofProcess(52, u"web"_s, 1)}
            << SessionsSeen::All << State::Alive << u"1 session of process 4711 on web"_s;
        QTest::newRow("other processes of that machine")
            << byProcess << Sessions{ofProcess(51, u"web"_s, 4'712)} << SessionsSeen::All << State::Unknown
            << u"1 session from web, none of process 4711 as far as their drivers tell it"_s;
        QTest::newRow("processes are not told")
            << byProcess << Sessions{session(51, u"web"_s, u"10.0.0.6"_s)} << SessionsSeen::All
            << State::Alive << u"1 session from web"_s;

        HolderSigns beats = byAddress;
        beats.heartbeat = now - 12min;
        beats.deadAfter = 5min;
        QTest::newRow("it stopped giving signs of life, though its machine is there")
            << beats << two << SessionsSeen::All << State::Gone
            << u"last sign of life 12 min ago; it counts as dead after 5 min"_s;
        beats.heartbeat = now - 5min;
        QTest::newRow("at the limit it lives")
            << beats << none << SessionsSeen::All << State::Alive << u"last sign of life 5 min ago"_s;
        beats.heartbeat = now + 1h;
        QTest::newRow("its clock is another")
            << beats << none << SessionsSeen::All << State::Unknown
            << u"its last sign of life is 1 h ahead of the server's clock"_s;
        beats.heartbeat = now - 5min;
        beats.deadAfter.reset();
        QTest::newRow("nobody says when it is dead") << beats << two << SessionsSeen::All << State::Alive
                                                     << u"last sign of life 5 min ago; 2 sessions from x"_s;

        HolderSigns listed;
        listed.processTable = u"public.processes"_s;
        listed.process = u"7"_s;
        QTest::newRow("its process was struck off the list")
            << listed << two << SessionsSeen::All << State::Gone
            << u"its process 7 is not in public.processes any more"_s;
        listed.process = QString();
        QTest::newRow("no process has it") << listed << two << SessionsSeen::All << State::Gone
                                           << u"no process of public.processes has it any more"_s;
        listed.process = u"7"_s;
        listed.isListed = true;
        listed.heartbeat = now - 1s;
        listed.deadAfter = 5min;
        QTest::newRow("its process gives signs of life")
            << listed << none << SessionsSeen::None << State::Alive << u"last sign of life 1 s ago"_s;

        HolderSigns lease;
        lease.expires = now - 3min;
        QTest::newRow("its time is over")
            << lease << none << SessionsSeen::None << State::Unknown
            << u"the table does not tell who holds it; its time ended 3 min ago"_s;
        lease.expires = now + 3min;
        QTest::newRow("its time is not over") << lease << none << SessionsSeen::None << State::Unknown
                                              << u"the table does not tell who holds it"_s;
        QTest::newRow("an empty column")
            << heldBy({}, {}) << two << SessionsSeen::All << State::Unknown << u"the row names no holder"_s;
        QTest::newRow("a random word")
            << heldBy(u"worker-1f3a"_s, {}) << two << SessionsSeen::All << State::Unknown
            << u"what the row tells of its holder names no machine"_s;
    }

    void judges()
    {
        QFETCH(const HolderSigns, signs);
        QFETCH(const std::vector<Session>, sessions);
        QFETCH(const SessionsSeen, seen);
        QFETCH(const QString, reason);
        const HolderLife life = holderLife(signs, sessions, seen, now);
        QVERIFY2(life.reason.startsWith(reason), qPrintable(life.reason));
        QTEST(life.state, "state");
    }

    void takesHoldersApart_data()
    {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("told");
        QTest::addColumn<QString>("parts");
        const QString liquibase = u"(?<host>[^#( ]+)(#[^(]*)? ?(\\((?<address>[^)]+)\\))?"_s;
        QTest::newRow("Liquibase") << liquibase << u"build-7 (10.0.0.5)"_s << u"build-7|10.0.0.5||0|"_s;
        QTest::newRow("Liquibase, IPv6")
            << liquibase << u"vm (fd00:0:0:0:0:0:0:2%eth0)"_s << u"vm|fd00:0:0:0:0:0:0:2%eth0||0|"_s;
        QTest::newRow("Liquibase, described")
            << liquibase << u"ci#nightly (10.0.0.5)"_s << u"ci|10.0.0.5||0|"_s;
        QTest::newRow("goose") << u"(?<host>.+)-(?<pid>[0-9]+)-[0-9a-f]{8}"_s << u"a-b-4711-0a1b2c3d"_s
                               << u"a-b|||4711|"_s;
        QTest::newRow("a time with a zone")
            << u"(?<since>\\S+) - (?<host>[^(]+)\\((?<address>[^)]*)\\)"_s
            << u"2027-01-15T08:00:00Z - web(10.0.0.6)"_s << u"web|10.0.0.6||0|2027-01-15T08:00:00.000000Z"_s;
        QTest::newRow("a time without")
            << u"(?<since>\\S+) (?<owner>.*)"_s << u"2027-01-15T08:00:00 ann"_s << u"||ann|0|"_s;
        QTest::newRow("the whole has to fit") << u"(?<host>[a-z]+)"_s << u"web 1"_s << u"|||0|"_s;
        QTest::newRow("more text than a holder has")
            << u"(?<host>a+)"_s << QString(1'001, u'a') << u"|||0|"_s;
        QTest::newRow("no pattern") << QString() << u"web"_s << u"|||0|"_s;
        QTest::newRow("no good pattern") << u"(?<host>"_s << u"web"_s << u"|||0|"_s;
    }

    void takesHoldersApart()
    {
        QFETCH(const QString, pattern);
        QFETCH(const QString, told);
        const HolderParts parts = HolderPattern(pattern).partsOf(told);
        const QString text = QStringList{parts.host, parts.address, parts.owner,
            QString::number(parts.processId), parts.since ? parts.since->toIsoString() : QString()}
                                 .join(u'|');
        QTEST(text, "parts");
    }
};

LOCKSCOPE_TEST(tst_HolderLife)
#include "tst_HolderLife.moc"
