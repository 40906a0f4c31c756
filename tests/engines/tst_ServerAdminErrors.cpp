// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ServerAdminClient.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_ServerAdminErrors {

using namespace lockscope;
using namespace lockscope::admin;
using namespace lockscope::test;

/// Something that fails.
using Attempt = std::function<Result<void>(ServerAdmin&)>;

template <class T> static Result<void> errorOf(const Result<T>& result)
{
    return result ? Result<void>() : Failure(result.error());
}

static LockTableEntry gone()
{
    LockTableEntry entry;
    entry.table = u"lockscope.lock_entry"_s;
    entry.name = u"nightly"_s;
    entry.token = u"t1"_s;
    return entry;
}

static lockscope::Session sessionThat(bool own, bool system)
{
    lockscope::Session session;
    session.id = {2'147'483'647};
    session.started = {1'795'230'727'000'000};
    session.own = own;
    session.system = system;
    return session;
}

static Attempt end(const lockscope::Session& session)
{
    return [session](ServerAdmin& admin) { return errorOf(admin.endSession(session, u"stuck"_s)); };
}

class tst_ServerAdminErrors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theyNameTheServerAndTheRemedy_data()
    {
        test::addColumns<Attempt, bool, bool, ErrorKind, QString>(
            "attempt", "installed", "readOnly", "kind", "remedy");
        const auto row = [](const char* name, const Attempt& attempt, ErrorKind kind, const char* remedy,
                             bool installed = true, bool readOnly = false) {
            QTest::newRow(name) << attempt << installed << readOnly << kind << QString::fromLatin1(remedy);
        };
        constexpr auto again = "Look at the list again";
        constexpr auto install = "lockctl install";
        const Attempt release = [](ServerAdmin& admin) {
            return errorOf(admin.releaseEntry(gone(), u"stuck"_s));
        };
        const Attempt audit = [](ServerAdmin& admin) { return errorOf(admin.audit(10)); };
        const Attempt releaseWithoutReason = [](ServerAdmin& admin) {
            return errorOf(admin.releaseEntry(gone(), u" "_s));
        };
        const Attempt purgeNothing = [](ServerAdmin& admin) { return errorOf(admin.purgeStale({}, u"r"_s)); };
        const Attempt purge = [](ServerAdmin& admin) { return errorOf(admin.purgeStale({gone()}, u"r"_s)); };
        const Attempt installSchema = [](ServerAdmin& admin) { return errorOf(admin.installSchema()); };
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
        FETCH(Attempt, attempt, bool, installed, bool, readOnly, ErrorKind, kind, QString, remedy);
        TestServer& server = TestServer::shared();
        db::ServerProfile profile;
        profile.name = u"the shop's"_s;
        profile.url =
            server.freshDatabase(installed ? TestServer::Schema::Install : TestServer::Schema::None);
        profile.readOnly = readOnly;
        ServerAdminClient client({profile, server.passwords()});
        std::optional<Error> error;
        client.ask(this, attempt,
            [&error](const Result<void>& result) { error = result ? Error() : result.error(); });
        QVERIFY(waitUntil([&error] { return error.has_value(); }));
        QCOMPARE(error->kind, kind);
        QVERIFY(!error->what.isEmpty());
        QVERIFY2(error->server == profile.display() || error->server == profile.url.display(),
            qPrintable(error->toString()));
        QVERIFY2(error->hint.contains(remedy), qPrintable(error->toString()));
    }
};

LOCKSCOPE_TEST(tst_ServerAdminErrors)

} // namespace tst_ServerAdminErrors
#include "tst_ServerAdminErrors.moc"
