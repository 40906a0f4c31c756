// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/AdminClient.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::admin;
using namespace Qt::StringLiterals;
using lockscope::test::TestServer;

namespace {

/// Something that fails, for its error.
using Attempt = std::function<void(AdminClient&, QObject*, const std::function<void(const Error&)>&)>;

template <class T> AdminClient::Reply<T> errorOf(const std::function<void(const Error&)>& tell)
{
    return [tell](const Result<T>& result) { tell(result ? Error() : result.error()); };
}

LockTableEntry gone()
{
    LockTableEntry entry;
    entry.table = u"lockscope.lock_entry"_s;
    entry.name = u"nightly"_s;
    entry.token = u"t1"_s;
    return entry;
}

lockscope::Session sessionThat(bool own, bool system)
{
    lockscope::Session session;
    session.id = {2'147'483'647};
    session.started = {1'795'230'727'000'000};
    session.own = own;
    session.system = system;
    return session;
}

Attempt end(const lockscope::Session& session)
{
    return [session](AdminClient& client, QObject* context, const auto& tell) {
        client.endSession(session, u"stuck"_s, context, errorOf<Done>(tell));
    };
}

} // namespace

Q_DECLARE_METATYPE(Attempt)

class tst_AdminErrors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theyNameTheServerAndTheRemedy_data()
    {
        QTest::addColumn<Attempt>("attempt");
        QTest::addColumn<bool>("installed");
        QTest::addColumn<bool>("readOnly");
        const auto row = [](const char* name, const Attempt& attempt, bool installed = true,
                             bool readOnly = false) {
            QTest::newRow(name) << attempt << installed << readOnly;
        };
        const Attempt release = [](AdminClient& client, QObject* context, const auto& tell) {
            client.releaseEntry(gone(), u"stuck"_s, context, errorOf<Done>(tell));
        };
        const Attempt audit = [](AdminClient& client, QObject* context, const auto& tell) {
            client.audit(10, context, errorOf<QList<AuditRecord>>(tell));
        };
        row("release what is gone", release);
        row("release, nothing installed", release, false);
        row("release, read-only", release, true, true);
        row("release without a reason", [](AdminClient& client, QObject* context, const auto& tell) {
            client.releaseEntry(gone(), u" "_s, context, errorOf<Done>(tell));
        });
        row("purge nothing", [](AdminClient& client, QObject* context, const auto& tell) {
            client.purgeStale({}, u"r"_s, context, errorOf<Done>(tell));
        });
        row("purge what is gone", [](AdminClient& client, QObject* context, const auto& tell) {
            client.purgeStale({gone()}, u"r"_s, context, errorOf<Done>(tell));
        });
        row("end who has gone", end(sessionThat(false, false)));
        row("end one's own", end(sessionThat(true, false)));
        row("end the server's", end(sessionThat(false, true)));
        row("end, nothing installed", end(sessionThat(false, false)), false);
        row("audit, nothing installed", audit, false);
        row(
            "install, read-only",
            [](AdminClient& client, QObject* context, const auto& tell) {
                client.installSchema(context, errorOf<db::InstallReport>(tell));
            },
            false, true);
    }
    void theyNameTheServerAndTheRemedy()
    {
        QFETCH(Attempt, attempt);
        QFETCH(bool, installed);
        QFETCH(bool, readOnly);
        TestServer& server = TestServer::shared();
        db::ServerProfile profile;
        profile.name = u"the shop's"_s;
        profile.url =
            server.freshDatabase(installed ? TestServer::Schema::Install : TestServer::Schema::None);
        profile.readOnly = readOnly;
        AdminClient client([profile] { return Result<db::ServerProfile>(profile); }, server.passwords());
        std::optional<Error> error;
        attempt(client, this, [&error](const Error& told) { error = told; });
        QTRY_VERIFY(error);
        QVERIFY(!error->what.isEmpty());
        QVERIFY2(error->server == profile.display() || error->server == profile.url.display(),
            qPrintable(error->toString()));
        QVERIFY2(error->hint.size() > 10, qPrintable(error->toString()));
    }
};

LOCKSCOPE_TEST(tst_AdminErrors)
#include "tst_AdminErrors.moc"
