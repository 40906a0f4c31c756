// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Dangerous actions on a thread of their own: who is answered where, and which refusals are tried again.

#include "core/admin/ServerAdminClient.h"
#include "core/monitor/SnapshotSource.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_ServerAdminClient {

using namespace lockscope;
using namespace lockscope::admin;
using namespace lockscope::test;

constexpr auto server = &TestServer::shared;

class tst_ServerAdminClient : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theClientAnswersOnItsCallersThread()
    {
        const db::ServerProfile profile = profileOf(server().freshDatabase(
            u"INSERT INTO lockscope.lock_entry (name, token, expires_at, owner, host) VALUES ('nightly', 't1', clock_timestamp() + interval '1 hour', 'ann', 'app01')"_s));
        const LockTableEntry shown =
            orDie(monitor::makeSnapshotSource({profile, server().passwords()})->take())->entries.front();
        ServerAdminClient client({profile, server().passwords()});
        std::optional<Result<Done>> answer;
        QThread* thread = nullptr;
        client.ask(
            this, [shown](ServerAdmin& admin) { return admin.releaseEntry(shown, u"r"_s); },
            [&](const Result<Done>& done) {
                answer = done;
                thread = QThread::currentThread();
            });
        const auto readAudit = [](ServerAdmin& admin) { return admin.audit(10); };
        {
            QObject gone;
            client.ask(
                &gone, readAudit, [](const Result<QList<AuditRecord>>&) { QFAIL("answered to nobody"); });
        }
        std::optional<Result<QList<AuditRecord>>> audit;
        client.ask(this, readAudit, [&](const Result<QList<AuditRecord>>& records) { audit = records; });
        TRY_VERIFY(audit);
        QVERIFY(answer && answer->has_value());
        QCOMPARE(thread, QThread::currentThread());
        QCOMPARE((*audit)->size(), 1);
    }

    void onlyAPersonTriesARefusedLogInAgain()
    {
        auto tries = std::make_shared<std::atomic<int>>(0);
        const auto resolve = [tries](const db::Server&) -> Result<db::Server> {
            ++*tries;
            return failure(ErrorKind::Login, u"Wrong password."_s);
        };
        ServerAdminClient client(
            db::Server::at(*db::ServerUrl::parse(u"sandbox:"_s), server().passwords(), resolve));
        const auto request = [](ServerAdmin& admin) { return admin.rights(); };
        std::optional<Result<ActRights>> answer;
        const auto keep = [&](const Result<ActRights>& rights) { answer = rights; };
        client.askUnattended(this, request, keep);
        TRY_VERIFY(answer);
        QCOMPARE(answer->error().kind, ErrorKind::Login);
        QCOMPARE(tries->load(), 1);
        for (int poll = 0; poll < 3; ++poll) {
            answer.reset();
            client.askUnattended(this, request, keep);
            TRY_VERIFY(answer);
            QCOMPARE(answer->error().kind, ErrorKind::Login);
        }
        QCOMPARE(tries->load(), 1);
        answer.reset();
        client.ask(this, request, keep);
        TRY_VERIFY(answer);
        QCOMPARE(tries->load(), 2);
    }

    void theClientTellsWhatFailedAndGoesOn()
    {
        auto reachable = std::make_shared<std::atomic<bool>>(false);
        const auto resolve = [real = profileOf(server().freshDatabase()), reachable](
                                 const db::Server& given) -> Result<db::Server> {
            if (!*reachable)
                return failure(ErrorKind::Connection, u"No server."_s);
            return db::Server{real, given.passwords};
        };
        ServerAdminClient client(
            db::Server::at(*db::ServerUrl::parse(u"sandbox:"_s), server().passwords(), resolve));
        std::optional<Result<QList<AuditRecord>>> answer;
        const auto ask = [&] {
            answer.reset();
            client.ask(
                this, [](ServerAdmin& admin) { return admin.audit(1); },
                [&](const Result<QList<AuditRecord>>& records) { answer = records; });
        };
        ask();
        TRY_VERIFY(answer);
        QVERIFY(!answer->has_value());
        *reachable = true;
        ask();
        TRY_VERIFY(answer);
        QVERIFY(answer->has_value());
    }
};

LOCKSCOPE_TEST(tst_ServerAdminClient)

} // namespace tst_ServerAdminClient
#include "tst_ServerAdminClient.moc"
