// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ServerAdminClient.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/support/Waiting.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::admin;
using namespace Qt::StringLiterals;
using lockscope::test::TestServer;
using lockscope::test::waitUntil;

namespace {

/// Something that fails, for its error.
using Attempt = std::function<void(ServerAdminClient&, QObject*, const std::function<void(const Error&)>&)>;

template <class T> ServerAdminClient::Reply<T> errorOf(const std::function<void(const Error&)>& tell)
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
    return [session](ServerAdminClient& client, QObject* context, const auto& tell) {
        client.endSession(session, u"stuck"_s, context, errorOf<Done>(tell));
    };
}

} // namespace

Q_DECLARE_METATYPE(Attempt)

class tst_ServerAdminErrors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theyNameTheServerAndTheRemedy_data()
    {
        QTest::addColumn<Attempt>("attempt");
        QTest::addColumn<bool>("installed");
        QTest::addColumn<bool>("readOnly");
        QTest::addColumn<ErrorKind>("kind");
        QTest::addColumn<QString>("remedy");
        const auto row = [](const char* name, const Attempt& attempt, ErrorKind kind, const char* remedy,
                             bool installed = true, bool readOnly = false) {
            QTest::newRow(name) << attempt << installed << readOnly << kind << QString::fromLatin1(remedy);
        };
        constexpr auto again = "Look at the list again";
        constexpr auto install = "lockctl install";
        const Attempt release = [](ServerAdminClient& client, QObject* context, const auto& tell) {
            client.releaseEntry(gone(), u"stuck"_s, context, errorOf<Done>(tell));
        };
        const Attempt audit = [](ServerAdminClient& client, QObject* context, const auto& tell) {
            client.audit(10, context, errorOf<QList<AuditRecord>>(tell));
        };
        const Attempt releaseWithoutReason = [](ServerAdminClient& client, QObject* context,
                                                 const auto& tell) {
            client.releaseEntry(gone(), u" "_s, context, errorOf<Done>(tell));
        };
        const Attempt purgeNothing = [](ServerAdminClient& client, QObject* context, const auto& tell) {
            client.purgeStale({}, u"r"_s, context, errorOf<Done>(tell));
        };
        const Attempt purge = [](ServerAdminClient& client, QObject* context, const auto& tell) {
            client.purgeStale({gone()}, u"r"_s, context, errorOf<Done>(tell));
        };
        const Attempt installSchema = [](ServerAdminClient& client, QObject* context, const auto& tell) {
            client.installSchema(context, errorOf<db::InstallReport>(tell));
        };
        row("release what is gone", release, ErrorKind::Changed, again);
        row("release, nothing installed", release, ErrorKind::MissingObject, install, false);
        row("release, read-only", release, ErrorKind::ReadOnly, "server's settings", true, true);
        row("release without a reason", releaseWithoutReason, ErrorKind::BadInput, "Say why");
        row("purge nothing", purgeNothing, ErrorKind::BadInput, again);
        row("purge what is gone", purge, ErrorKind::Changed, again);
        row("end who has gone", end(sessionThat(false, false)), ErrorKind::Changed, again);
        row("end one's own", end(sessionThat(true, false)), ErrorKind::BadInput, "Close the program");
        row("end the server's", end(sessionThat(false, true)), ErrorKind::BadInput, "with the server");
        row("end, nothing installed", end(sessionThat(false, false)), ErrorKind::MissingObject, install,
            false);
        row("audit, nothing installed", audit, ErrorKind::MissingObject, install, false);
        row("install, read-only", installSchema, ErrorKind::ReadOnly, "server's settings", false, true);
    }
    void theyNameTheServerAndTheRemedy()
    {
        QFETCH(Attempt, attempt);
        QFETCH(bool, installed);
        QFETCH(bool, readOnly);
        QFETCH(ErrorKind, kind);
        QFETCH(QString, remedy);
        TestServer& server = TestServer::shared();
        db::ServerProfile profile;
        profile.name = u"the shop's"_s;
        profile.url =
            server.freshDatabase(installed ? TestServer::Schema::Install : TestServer::Schema::None);
        profile.readOnly = readOnly;
        ServerAdminClient client(
            [profile] { return Result<db::ServerProfile>(profile); }, server.passwords());
        std::optional<Error> error;
        attempt(client, this, [&error](const Error& told) { error = told; });
        QVERIFY(waitUntil([&error] { return error.has_value(); }));
        QCOMPARE(error->kind, kind);
        QVERIFY(!error->what.isEmpty());
        QVERIFY2(error->server == profile.display() || error->server == profile.url.display(),
            qPrintable(error->toString()));
        QVERIFY2(error->hint.contains(remedy), qPrintable(error->toString()));
    }
};

LOCKSCOPE_TEST(tst_ServerAdminErrors)
#include "tst_ServerAdminErrors.moc"
