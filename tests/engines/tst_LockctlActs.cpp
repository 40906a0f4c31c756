// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// lockctl for a person at 80 columns and 24 lines: the head blocker, the command that frees the others, and
// an action that is shown, confirmed and applied to exactly what was shown.

#include "tests/support/Lockctl.h"
#include "tests/support/Session.h"
#include "tests/support/Terminal.h"
#include "tests/support/TestProgram.h"

namespace tst_LockctlActs {

using namespace lockscope;
using namespace lockscope::test;
using test::Session;

constexpr int usage = 2;
constexpr int refused = 7;

class tst_LockctlActs : public test::LockctlTest {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_url = m_server->freshDatabase();
        m_server->run(
            m_url, u"CREATE TABLE orders AS SELECT i AS id, 0 AS state FROM generate_series(1, 9) i"_s);
    }

    void theTreeBeginsWithItsHeads()
    {
        // Waiters for one row stand one behind the other; those for a table are alike.
        Session ann(*m_server, m_url, u"a-program-with-a-long-name"_s);
        QVERIFY(ann.begin(u"LOCK TABLE orders"_s));
        std::vector<std::unique_ptr<Session>> waiters;
        for (int i = 0; i < 9; ++i) {
            waiters.push_back(std::make_unique<Session>(*m_server, m_url, u"web"_s));
            waiters.back()->start(u"SELECT * FROM orders WHERE id = %1"_s.arg(i));
            QVERIFY(waiters.back()->waitUntilBlocked());
        }
        Session bob(*m_server, m_url, u"bob"_s);
        Session eve(*m_server, m_url, u"eve"_s);
        QVERIFY(bob.run(u"SELECT pg_advisory_lock(1)"_s));
        QVERIFY(eve.startWaiting(u"SELECT pg_advisory_lock(1)"_s));

        const auto tree = terminal({u"tree"_s});
        QCOMPARE(tree->waitForEnd(), 0);
        const QStringList lines = tree->screen();
        const QByteArray seen = lines.join(u'\n').toUtf8();
        QVERIFY2(lines[0].startsWith(u"2 head blockers, 10 sessions blocked"_s), seen);
        for (const auto& [line, head] : {std::pair(2, &ann), std::pair(3, &bob)}) {
            const QString id = QString::number(head->id().value);
            QVERIFY2(lines[line].startsWith(id) && lines[line].endsWith(u" end-session "_s + id), seen);
        }
        QVERIFY2(lines[2].contains(u"idle in transaction"_s) && lines[2].contains(u" 9 "_s), seen);
        QCOMPARE(seen.count("  waits "), 4); // three of nine, and eve
        QVERIFY2(seen.contains("\n  … and 6 more like this\n"), seen);

        const auto heads = ctl()("tree --heads");
        QVERIFY2(heads.code == 0 && heads.out.count(u'\n') == 4 && !heads.out.contains(u"waits"_s),
            heads.allOutput());
        QCOMPARE(ctl()("tree --all").out.count(u"  waits "_s), 10);
        const auto json = ctl()("tree --json").json();
        QVERIFY(json[u"heads"][0][u"advice"].toString().contains(u"end the session"_s));
    }

    void anActIsShownAndAskedFor_data()
    {
        test::addColumns<QByteArray, int>("answer", "code");
        row("no", QByteArray("n\n"), refused);
        row("only Enter", QByteArray("\n"), refused);
        row("yes", QByteArray("y\n"), 0);
    }
    void anActIsShownAndAskedFor()
    {
        FETCH(const QByteArray, answer, const int, code);
        const Chain chain = block(1, 1);
        const QString waiter = QString::number(chain.waiters[0]->id().value);
        const auto ending = terminal({u"end-session"_s, chain.id(), u"--reason"_s, u"OPS-17"_s});
        QVERIFY2(ending->waitUntilShown(u"End session %1? [y/N]"_s.arg(chain.id())),
            qPrintable(ending->screen().join(u'\n')));
        for (const QString& text :
            {u"idle in transaction"_s, u"UPDATE orders"_s, u"is rolled back"_s, u"Session %1 "_s.arg(waiter)})
            QVERIFY2(ending->shows(text), qPrintable(ending->screen().join(u'\n')));
        QCOMPARE(audited(), u"0"_s);
        QVERIFY(chain.waiters[0]->isRunning());
        ending->type(answer);
        QCOMPARE(ending->waitForEnd(), code);
        QCOMPARE(audited(), code == 0 ? u"1"_s : u"0"_s);
        if (code == 0)
            QVERIFY(chain.waiters[0]->wait());

        QCOMPARE(ctl()("acquire nightly").code, 0);
        const auto releasing = terminal({u"release"_s, u"nightly"_s, u"--force"_s, u"--reason"_s, u"r"_s});
        QVERIFY2(releasing->waitUntilShown(u"Release “nightly”? [y/N]"_s),
            qPrintable(releasing->screen().join(u'\n')));
        QVERIFY(releasing->shows(u"Held by"_s) && releasing->shows(u"Nobody waits for it"_s));
        releasing->type(answer);
        QCOMPARE(releasing->waitForEnd(), code);
        m_server->run(m_url, u"UPDATE lockscope.lock_entry SET expires_at = now() - interval '1 minute'"_s);
        const QString left = code == 0 ? u"0"_s : u"1"_s;
        QCOMPARE(onServer(u"SELECT count(*) FROM lockscope.lock_entry"_s), left);
        if (code == 0)
            return;
        const auto purging = terminal({u"purge"_s});
        QVERIFY2(purging->waitUntilShown(u"Delete it? [y/N]"_s), qPrintable(purging->screen().join(u'\n')));
        QVERIFY(purging->shows(u"nightly"_s));
        purging->type(answer);
        QCOMPARE(purging->waitForEnd(), code);
        QCOMPARE(onServer(u"SELECT count(*) FROM lockscope.lock_entry"_s), u"1"_s);
    }

    void aVictimIsNoHead()
    {
        const Chain chain = block(1, 2);
        for (const QStringList& more : {QStringList{}, QStringList{u"--cancel"_s}}) {
            const auto act = [&](SessionId session) {
                return ctl()(
                    Lockctl::words("end-session %1 --dry-run", QString::number(session.value)) + more);
            };
            const auto first = act(chain.waiters[0]->id());
            const QString head = u"is itself blocked, by %1 "_s.arg(chain.id());
            QVERIFY2(first.code == 0 && first.out.simplified().contains(head), first.allOutput());
            QVERIFY2(first.out.contains(u"frees only those"_s), first.allOutput());
            const auto last = act(chain.waiters[1]->id());
            QVERIFY2(last.out.simplified().contains(head), last.allOutput());
            QVERIFY2(last.out.contains(u"this frees no other session"_s), last.allOutput());
            QVERIFY(!act(chain.head->id()).out.contains(u"itself blocked"_s));
        }
        QCOMPARE(audited(), u"0"_s);
    }

    void withoutATerminalNothingIsDoneUnasked_data()
    {
        QTest::addColumn<QString>("command");
        for (const char* command : {"end-session {head} --reason r",
                 "end-session {waiter} --cancel --reason r", "release nightly --force --reason r", "purge"})
            row(command, QString::fromLatin1(command));
    }
    void withoutATerminalNothingIsDoneUnasked()
    {
        QFETCH(QString, command);
        const Chain chain = block(1, 1);
        QCOMPARE(ctl()("acquire nightly").code, 0);
        m_server->run(m_url, u"UPDATE lockscope.lock_entry SET expires_at = now() - interval '1 minute'"_s);
        command.replace(u"{head}"_s, chain.id());
        command.replace(u"{waiter}"_s, QString::number(chain.waiters[0]->id().value));
        for (const QStringList& more : {QStringList{}, QStringList{u"--json"_s}}) {
            const auto answer = ctl()(command.split(u' ') + more);
            QVERIFY2(answer.code == usage && answer.isOneLineOfError(), answer.allOutput());
            QVERIFY2(answer.err.contains(u"Nothing was done"_s) && answer.err.contains(u"--yes"_s),
                answer.allOutput());
        }
        QCOMPARE(audited(), u"0"_s);
        QVERIFY(chain.waiters[0]->isRunning());
        VERIFY_CODE(0, ctl()(command.split(u' ') + QStringList{u"--yes"_s}));
        QCOMPARE(audited(), u"1"_s);
    }

    void aDryRunOnlyShows()
    {
        const Chain chain = block(1, 1);
        QCOMPARE(ctl()("acquire nightly").code, 0);
        const auto end = ctl()("end-session %1 --dry-run", chain.id());
        QVERIFY2(end.code == 0 && end.out.contains(u"pg_terminate_backend"_s), end.allOutput());
        const auto json = ctl()("end-session %1 --dry-run --json", chain.id());
        QVERIFY2(json.code == 0 && json.json()[u"dry_run"].toBool(), json.allOutput());
        QVERIFY2(json.json()[u"consequences"].toArray().size() > 2, json.allOutput());
        QCOMPARE(json.json()[u"facts"][0][u"name"].toString(), u"Session"_s);
        QVERIFY(!json.json().contains(u"audit_id"_s));
        const auto release = ctl()("release nightly --force --dry-run");
        QVERIFY2(release.code == 0 && release.out.contains(u"Held by"_s), release.allOutput());
        QCOMPARE(audited(), u"0"_s);
        QVERIFY(chain.waiters[0]->isRunning());
        // It also needs no right to change anything here.
        QCOMPARE(ctl()("end-session %1 --dry-run --read-only", chain.id()).code, 0);
    }

    void onlyTheStatementThatWasShownIsCancelled()
    {
        const Chain chain = block(1, 1);
        Session& waiter = *chain.waiters[0];
        const auto cancel = terminal({u"end-session"_s, QString::number(waiter.id().value), u"--cancel"_s,
            u"--reason"_s, u"OPS-17"_s});
        QVERIFY(cancel->waitUntilShown(u"[y/N]"_s));
        QVERIFY(chain.head->run(u"ROLLBACK"_s));
        QVERIFY(waiter.wait());
        waiter.start(u"SELECT pg_sleep(600)"_s);
        QVERIFY(waitUntil([&] {
            return onServer(u"SELECT query FROM pg_stat_activity WHERE pid = %1"_s.arg(waiter.id().value))
                .contains(u"pg_sleep"_s);
        }));
        cancel->type("y\n");
        QCOMPARE(cancel->waitForEnd(), 1);
        QVERIFY(waiter.isRunning());
    }

    void aSavedServerIsNamed()
    {
        const QTemporaryDir home;
        QVERIFY(QDir(home.path()).mkpath(u"lockscope"_s));
        const db::ServerProfile profile = test::profileOf(m_url, u"the shop"_s);
        db::ServerProfile watched = profile;
        watched.name = u"watched"_s;
        watched.readOnly = true;
        {
            QSettings settings(home.filePath(u"lockscope/lockscope.conf"_s), QSettings::IniFormat);
            db::ProfileStore(settings).save({profile, watched});
        }
        Lockctl lockctl = ctl();
        lockctl.unset(u"LOCKSCOPE_SERVER"_s);
        lockctl.set(u"XDG_CONFIG_HOME"_s, home.path());
        VERIFY_CODE(0, lockctl("--server %1 list --json", u"the shop"_s));
        lockctl.set(u"LOCKSCOPE_SERVER"_s, u"the shop"_s);
        QCOMPARE(lockctl("acquire nightly").code, 0);
        QCOMPARE(onServer(u"SELECT name FROM lockscope.lock_entry"_s), u"nightly"_s);
        const auto unknown = lockctl("--server shop list");
        QVERIFY2(
            unknown.code == usage && unknown.err.contains(u"No server is saved under the name \"shop\""_s),
            unknown.allOutput());
        const auto readOnly = lockctl("--server watched acquire other");
        QVERIFY2(readOnly.code == 1 && readOnly.err.contains(u"saved as read-only"_s), readOnly.allOutput());
    }

    void watchActsOnTheHeadThatIsChosen()
    {
        const Chain worst = block(1, 3);
        const Chain other = block(2, 1);
        const auto watch = terminal({u"watch"_s, u"--interval"_s, u"200ms"_s});
        QVERIFY2(watch->waitUntilShown(u"> "_s + worst.id()), qPrintable(watch->screen().join(u'\n')));
        QVERIFY2(watch->waitUntilShown(u"2 head blockers, 4 sessions blocked"_s)
                && watch->waitUntilShown(u"  "_s + other.id())
                && watch->waitUntilShown(u"What resolves it"_s),
            qPrintable(watch->screen().join(u'\n')));
        for (const char* key : {"jk head", "e end", "c cancel", "q quit"})
            QVERIFY2(
                watch->waitUntil([&] { return watch->screen().last().contains(QString::fromLatin1(key)); }),
                qPrintable(watch->screen().join(u'\n')));
        // Only the chain of the chosen one is below.
        const QString waiter = u"  %1  "_s.arg(other.waiters[0]->id().value);
        QVERIFY(!watch->shows(waiter));
        for (const QByteArray& move : {QByteArray("j"), QByteArray("\x1b[B")}) {
            watch->type(move);
            QVERIFY2(watch->waitUntilShown(u"> "_s + other.id()), qPrintable(watch->screen().join(u'\n')));
            QVERIFY(watch->waitUntilShown(waiter));
            watch->type(move == "j" ? "k" : "\x1b[A");
            QVERIFY(watch->waitUntilShown(u"> "_s + worst.id()));
        }
        watch->type("je");
        QVERIFY2(watch->waitUntilShown(u"Reason: _"_s), qPrintable(watch->screen().join(u'\n')));
        for (const QString& text :
            {u"End session "_s + other.id(), u"idle in transaction"_s, u"is rolled back"_s})
            QVERIFY2(watch->waitUntilShown(text), qPrintable(watch->screen().join(u'\n')));
        for (const QString& line : watch->screen())
            QVERIFY(line.size() <= 80);
        watch->type("OPS-17\r");
        QVERIFY(watch->waitUntilShown(u"End session %1? [y/N]"_s.arg(other.id())));
        QCOMPARE(audited(), u"0"_s);
        watch->type("y");
        QVERIFY2(watch->waitUntilShown(u"Session %1 was ended"_s.arg(other.id())),
            qPrintable(watch->screen().join(u'\n')));
        QVERIFY(other.waiters[0]->wait());
        QVERIFY(worst.waiters[0]->isRunning());
        QCOMPARE(onServer(u"SELECT reason FROM lockscope.audit"_s), u"OPS-17"_s);
        QVERIFY(watch->waitUntilShown(u"1 head blocker, 3 sessions blocked"_s));
        watch->type("q");
        QCOMPARE(watch->waitForEnd(), 0);
    }

    void watchAsksBeforeItActs()
    {
        const Chain chain = block(1, 1);
        const auto watch = terminal({u"watch"_s, u"--interval"_s, u"200ms"_s});
        QVERIFY(watch->waitUntilShown(u"> "_s + chain.id()));
        watch->type("e\r"); // without a reason
        QVERIFY(watch->waitUntilShown(u"Reason: _"_s));
        QVERIFY(!watch->shows(u"[y/N]"_s));
        watch->type("\x1b");
        QVERIFY(watch->waitUntilShown(u"Nothing was done."_s));
        watch->type("ewhy\rn");
        QVERIFY(watch->waitUntilShown(u"Nothing was done."_s));
        QVERIFY(watch->waitUntilShown(u"> "_s + chain.id()));
        QCOMPARE(audited(), u"0"_s);
        QVERIFY(chain.waiters[0]->isRunning());
        watch->type("q");
        QCOMPARE(watch->waitForEnd(), 0);
    }

    void watchDoesNothingWhereNothingMayBeDone()
    {
        const Chain chain = block(1, 1);
        const auto watch = terminal({u"watch"_s, u"--read-only"_s});
        QVERIFY(watch->waitUntilShown(u"> "_s + chain.id()));
        watch->type("e");
        QVERIFY2(
            watch->waitUntilShown(u"this server is read-only"_s), qPrintable(watch->screen().join(u'\n')));
        QVERIFY(!watch->shows(u"Reason:"_s));
        watch->type("q");
        QCOMPARE(watch->waitForEnd(), 0);
    }

private:
    std::unique_ptr<Terminal> terminal(const QStringList& arguments, int columns = 80)
    {
        return std::make_unique<Terminal>(test::programPath("lockctl"), arguments,
            QStringList{u"TERM=xterm"_s, u"LOCKSCOPE_SERVER="_s + m_url.toString(),
                u"LOCKSCOPE_PASSWORD="_s + m_server->password()},
            columns, 24);
    }
    QString onServer(const QString& sql) { return test::ask(*m_server->connect(m_url), sql); }
    QString audited() { return onServer(u"SELECT count(*) FROM lockscope.audit"_s); }
    /// A session that is idle in a transaction which locks the row `id`, and `count` similar sessions that
    /// wait for it.
    struct Chain {
        std::unique_ptr<Session> head;
        std::vector<std::unique_ptr<Session>> waiters;
        QString id() const { return QString::number(head->id().value); }
    };
    Chain block(int id, int count);
};

tst_LockctlActs::Chain tst_LockctlActs::block(int id, int count)
{
    Chain chain{std::make_unique<Session>(*m_server, m_url, u"head-%1"_s.arg(id)), {}};
    const QString update = u"UPDATE orders SET state = %2 WHERE id = %1"_s.arg(id);
    if (!chain.head->run(u"BEGIN"_s) || !chain.head->run(update.arg(0)))
        qFatal("could not block");
    for (int i = 0; i < count; ++i) {
        chain.waiters.push_back(std::make_unique<Session>(*m_server, m_url, u"web"_s));
        chain.waiters.back()->start(update.arg(i));
        if (!chain.waiters.back()->waitUntilBlocked())
            qFatal("nobody waits");
    }
    return chain;
}

LOCKSCOPE_TEST(tst_LockctlActs)

} // namespace tst_LockctlActs
#include "tst_LockctlActs.moc"
