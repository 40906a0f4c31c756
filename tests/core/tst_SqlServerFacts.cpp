// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/SqlServerFacts.h"
#include "core/monitor/sqlserver/SqlServerProbes.h"
#include "tests/support/TakenSnapshot.h"
#include "tests/support/TestProgram.h"

namespace tst_SqlServerFacts {

using namespace lockscope;
using db::SqlServerFacts;
using monitor::SqlServerProbes;

/// Facts that follow from a version and an edition.
class tst_SqlServerFacts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data()
    {
        test::addColumns<QString, int, QString, QString, bool, QString, QString, QString>(
            "version", "edition", "babelfish", "display", "tooOld", "viewGrant", "endRight", "remedy");
        const auto row = [](const char* display, const char* version, int edition, bool tooOld,
                             const char* viewGrant, const char* endRight, const char* remedy,
                             const char* babelfish = "") {
            test::row(display, version, edition, babelfish, display, tooOld, viewGrant, endRight, remedy);
        };
        constexpr const char* state = "GRANT VIEW SERVER STATE TO [login]";
        constexpr const char* performance = "GRANT VIEW SERVER PERFORMANCE STATE TO [login]";
        constexpr const char* end = "ALTER ANY CONNECTION";
        constexpr const char* oneRight = "GRANT VIEW SERVER STATE TO [ann];";
        constexpr const char* twoRights =
            "GRANT VIEW SERVER PERFORMANCE STATE TO [ann]; GRANT VIEW SERVER SECURITY STATE TO [ann];";
        row("SQL Server 2008 R2 10.50.6000.34", "10.50.6000.34", 3, true, state, end, oneRight);
        row("SQL Server 2012 11.0.7001.0", "11.0.7001.0", 2, true, state, end, oneRight);
        row("SQL Server 2014 12.0.6024.0", "12.0.6024.0", 4, true, state, end, oneRight);
        row("SQL Server 2016 13.0.6300.2", "13.0.6300.2", 3, false, state, end, oneRight);
        row("SQL Server 2017 14.0.3465.1", "14.0.3465.1", 4, false, state, end, oneRight);
        row("SQL Server 2019 15.0.4430.1", "15.0.4430.1", 2, false, state, end, oneRight);
        row("SQL Server 2022 16.0.4195.2", "16.0.4195.2", 3, false, performance, end, twoRights);
        row("SQL Server 2025 17.0.1000.7", "17.0.1000.7", 3, false, performance, end, twoRights);
        row("Azure SQL Database 12.0.2000.8", "12.0.2000.8", 5, false, "GRANT VIEW DATABASE STATE TO [user]",
            "KILL DATABASE CONNECTION",
            "GRANT VIEW DATABASE STATE TO [ann's user]; (on the small service tiers: ALTER SERVER ROLE ##MS_ServerStateReader## ADD MEMBER [ann];)");
        row("SQL database in Microsoft Fabric 12.0.2000.8", "12.0.2000.8", 12, false,
            "GRANT VIEW DATABASE STATE TO [user]", "KILL DATABASE CONNECTION",
            "GRANT VIEW DATABASE STATE TO [ann's user]; (on the small service tiers: ALTER SERVER ROLE ##MS_ServerStateReader## ADD MEMBER [ann];)");
        row("Azure SQL Managed Instance 12.0.2000.8", "12.0.2000.8", 8, false, state, end, oneRight);
        row("Babelfish 4.3.0", "12.0.2000.8", 3, false, state, end, oneRight, "4.3.0");
    }
    void init()
    {
        QFETCH_GLOBAL(QString, version);
        QFETCH_GLOBAL(int, edition);
        QFETCH_GLOBAL(QString, babelfish);
        m_facts = {};
        m_facts.productVersion = version;
        m_facts.engineEdition = edition;
        m_facts.babelfishVersion = babelfish;
    }

    void isNamed()
    {
        QFETCH_GLOBAL(QString, display);
        QCOMPARE(m_facts.display(), display);
    }

    void isRefusedIfTooOld()
    {
        QFETCH_GLOBAL(bool, tooOld);
        QCOMPARE(m_facts.isTooOld(), tooOld);
    }

    void namesTheGrants()
    {
        QFETCH_GLOBAL(QString, viewGrant);
        QFETCH_GLOBAL(QString, endRight);
        QCOMPARE(m_facts.grantOf(m_facts.viewStateRight()), viewGrant);
        QCOMPARE(m_facts.endSessionRight(), endRight);
        QVERIFY(!m_facts.maySeeOthers());
        m_facts.rights = {m_facts.viewStateRight()};
        QVERIFY(m_facts.maySeeOthers());
    }

    /// This login can't read the views: the page says which right to grant.
    void probesNameTheRemedy()
    {
        QFETCH_GLOBAL(QString, remedy);
        m_facts.views = {u"dm_tran_locks"_s, u"dm_exec_connections"_s};
        SqlServerProbes probes;
        probes.setFacts(m_facts);
        probes.setNames(u"[ann]"_s, u"[ann's user]"_s);
        const auto denied = failure(ErrorKind::Permission, u"denied"_s);
        QVERIFY(probes.judge(SqlServerProbes::Locks, Failure(denied)));
        QVERIFY(probes.judge(SqlServerProbes::Connections, Failure(denied)));
        QVERIFY(!probes.isOpen(SqlServerProbes::Locks));
        Snapshot snapshot;
        probes.limit(snapshot);
        const auto* limit = test::limitation(snapshot, Limitation::Kind::MissingPermission);
        QVERIFY(limit);
        QCOMPARE(limit->remedy, remedy);
    }

    void microsoftsViewsAreAskedOthersOnlyIfTheyAreThere()
    {
        SqlServerProbes probes;
        m_facts.views = {u"dm_exec_sessions"_s};
        probes.setFacts(m_facts);
        QVERIFY(probes.isOpen(SqlServerProbes::Sessions));
        QCOMPARE(probes.isOpen(SqlServerProbes::Locks), !m_facts.isOtherEngine());
    }

private:
    SqlServerFacts m_facts;
};

LOCKSCOPE_TEST(tst_SqlServerFacts)

} // namespace tst_SqlServerFacts
#include "tst_SqlServerFacts.moc"
