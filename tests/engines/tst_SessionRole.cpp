// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// A session of ours acts as the user that logged in, whatever role the database, the user's settings, the
// environment or a pooler's other clients have set.
#include "tests/support/Lockctl.h"
#include "tests/support/PgBouncer.h"
#include "tests/support/TestProgram.h"

namespace tst_SessionRole {

using namespace lockscope;
using namespace lockscope::test;

constexpr std::array purposes{
    db::Purpose::Monitor, db::Purpose::Lock, db::Purpose::Admin, db::Purpose::Workload};

constexpr auto server = &TestServer::shared;

static Result<std::unique_ptr<db::Connection>> openFor(const db::ServerUrl& url, db::Purpose purpose)
{
    return server().at(url).connect(purpose);
}

/// "who logged in, who acts, the path" of a connection.
static QString identity(db::Connection& connection)
{
    return ask(connection,
        u"SELECT pg_catalog.concat_ws(' ', session_user, current_user, pg_catalog.current_setting('search_path'))"_s);
}

/// A role that owns a database, and may preset settings for all sessions in it.
struct Owned {
    Owned()
        : url(server().freshDatabase())
        , mallory(server().asRole(url, u"ALTER DATABASE \"%1\" OWNER TO {role}"_s.arg(url.database)))
    {
    }
    QString expected() const { return u"%1 %1 pg_catalog, pg_temp"_s.arg(url.user); }

    const db::ServerUrl url;
    const db::ServerUrl mallory;
};

class tst_SessionRole : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { qunsetenv("PGOPTIONS"); }

    void aPresetRoleIsTakenBack_data()
    {
        addColumns<QString, bool>("preset", "byOwner");
        row("of the database", "ALTER DATABASE \"{db}\" SET role = '{role}'", true);
        row("of the user", "ALTER ROLE \"{user}\" SET role = '{role}'", false);
        row("of the user in the database", "ALTER ROLE \"{user}\" IN DATABASE \"{db}\" SET role = '{role}'",
            false);
        row("of everybody", "ALTER ROLE ALL SET role = '{role}'", false);
        row("of everybody in the database", "ALTER ROLE ALL IN DATABASE \"{db}\" SET role = '{role}'", false);
        row("the login of the database", "ALTER DATABASE \"{db}\" SET session_authorization = '{role}'",
            true);
        row("the environment", QString(), false);
    }
    void aPresetRoleIsTakenBack()
    {
        FETCH(QString, preset, bool, byOwner);
        const Owned owned;
        const auto admin = server().connect(byOwner ? owned.mallory : owned.url);
        const QString undo = QString(preset).section(u" SET "_s, 0, 0) + u" RESET ALL"_s;
        const auto filled = [&](QString sql) {
            return sql.replace(u"{db}"_s, owned.url.database)
                .replace(u"{user}"_s, owned.url.user)
                .replace(u"{role}"_s, owned.mallory.user)
                .toUtf8();
        };
        if (preset.isEmpty())
            qputenv("PGOPTIONS", "-c role=" + owned.mallory.user.toUtf8());
        else
            QVERIFY(admin->executeScript(filled(preset)));
        for (const db::Purpose purpose : purposes) {
            const auto connection = openFor(owned.url, purpose);
            VERIFY_DONE(connection);
            QCOMPARE(identity(**connection), owned.expected());
            QVERIFY((*connection)->reopen());
            QCOMPARE(identity(**connection), owned.expected());
        }
        if (!preset.isEmpty())
            QVERIFY(admin->executeScript(filled(undo)));
    }

    void aUrlCanNotChooseOne_data()
    {
        QTest::addColumn<QString>("options");
        for (const char* options : {"-c role=x", "-crole=x", "--role=x", "-c jit=off -c ROLE=x",
                 "-c role = x", "-c session_authorization=x", "--session-authorization=x"})
            row(options, QString::fromLatin1(options));
    }
    void aUrlCanNotChooseOne()
    {
        QFETCH(QString, options);
        db::ServerUrl url = server().url();
        url.options.insert(u"options"_s, options);
        const auto refused = openFor(url, db::Purpose::Lock);
        VERIFY_FAILS(ErrorKind::BadInput, refused);
        QVERIFY(refused.error().hint.contains(u"role"_s));
    }
    void otherOptionsPass()
    {
        db::ServerUrl url = server().url();
        url.options.insert(u"options"_s, u"-c work_mem=1MB"_s);
        QCOMPARE(ask(**openFor(url, db::Purpose::Lock), u"SHOW work_mem"_s), u"1MB"_s);
    }

    void behindAPooler_data()
    {
        addRows<PgBouncer::Mode>("mode",
            {{"session", PgBouncer::Mode::Session}, {"transaction", PgBouncer::Mode::Transaction},
                {"statement", PgBouncer::Mode::Statement}});
    }
    void behindAPooler()
    {
        SKIP_FOR(PgBouncer::reasonAgainst());
        QFETCH(PgBouncer::Mode, mode);
        const Owned owned;
        QVERIFY(server()
                    .connect(owned.mallory)
                    ->executeScript(
                        u"ALTER DATABASE \"%1\" SET role = '%2'"_s.arg(owned.url.database, owned.mallory.user)
                            .toUtf8()));
        const PgBouncer pooler(server(), mode, 5);
        for (const QString& text : {QString(), u"session"_s}) {
            if (text == u"session" && mode != PgBouncer::Mode::Session)
                continue;
            db::ServerUrl url = pooler.before(owned.url);
            if (!text.isEmpty())
                url.options.insert(u"pooler"_s, text);
            for (const db::Purpose purpose : {db::Purpose::Monitor, db::Purpose::Lock, db::Purpose::Admin}) {
                const auto connection = openFor(url, purpose);
                VERIFY_DONE(connection);
                QCOMPARE(identity(**connection), owned.expected());
                if (mode != PgBouncer::Mode::Statement) {
                    QVERIFY((*connection)->begin());
                    QCOMPARE(identity(**connection), owned.expected());
                    QVERIFY((*connection)->commit());
                }
            }
        }
    }

    void whatAnotherClientOfThePoolLeft()
    {
        SKIP_FOR(PgBouncer::reasonAgainst());
        const Owned owned;
        const PgBouncer pooler(server(), PgBouncer::Mode::Transaction, 1);
        db::ServerUrl url = pooler.before(owned.url);
        url.options.insert(u"pooler"_s, u"session"_s); // sets for the session, and leaves it behind
        {
            const auto careless = openFor(url, db::Purpose::Lock);
            QVERIFY((*careless)->executeScript(
                "SET SESSION AUTHORIZATION \"" + owned.mallory.user.toUtf8() + '"'));
        }
        url.options.remove(u"pooler"_s);
        QCOMPARE(identity(**openFor(url, db::Purpose::Lock)), owned.expected());
    }

    /// The attack: while a superuser's program polls, the owner's function runs with its rights.
    void noFunctionOfTheDatabasesOwnerRuns()
    {
        const Owned owned;
        const auto mallory = server().connect(owned.mallory);
        QVERIFY(mallory->executeScript(
            "CREATE SCHEMA evil; CREATE SEQUENCE evil.calls; GRANT ALL ON SCHEMA evil TO PUBLIC;CREATE FUNCTION evil.spy(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('evil.calls'); RETURN $1; END $$;"
            "CREATE TABLE evil.shedlock (name varchar(64) PRIMARY KEY, lock_until timestamp NOT NULL, locked_at timestamp NOT NULL, locked_by varchar(255) NOT NULL);CREATE INDEX ON evil.shedlock (evil.spy(name));INSERT INTO evil.shedlock VALUES ('job', now() + interval '1 h', now(), 'host')"));
        QVERIFY(mallory->executeScript("ALTER SEQUENCE evil.calls RESTART"));
        QVERIFY(mallory->executeScript(
            u"ALTER DATABASE \"%1\" SET role = '%2'"_s.arg(owned.url.database, owned.mallory.user).toUtf8()));
        const Lockctl lockctl(owned.url.toString(), server().password());
        for (const QStringList& command : std::initializer_list<QStringList>{{u"list"_s, u"--read-only"_s},
                 {u"list"_s}, {u"tree"_s}, {u"acquire"_s, u"n"_s, u"--no-wait"_s}, {u"purge"_s}}) {
            VERIFY_CODE(0, lockctl(command));
            QCOMPARE(ask(*server().connect(owned.mallory), u"SELECT is_called::text FROM evil.calls"_s),
                u"false"_s);
        }
    }
};

LOCKSCOPE_TEST(tst_SessionRole)

} // namespace tst_SessionRole
#include "tst_SessionRole.moc"
