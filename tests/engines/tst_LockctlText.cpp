// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The arguments and the output of lockctl: text from others can't steer the terminal.

#include "tests/support/Lockctl.h"
#include "tests/support/TestProgram.h"

namespace tst_LockctlText {

using namespace lockscope;
using namespace lockscope::test;

/// C0, C1 (CSI among them), and what turns the writing direction round.
const QString steering = u"a\x1b[31m\u009b31m\u202eb\u200f\u061c\u2066c\u0007\U000e0041"_s;

static bool canSteer(const QString& text)
{
    static const QRegularExpression bad(
        u"[\\x{00}-\\x{09}\\x{0b}-\\x{1f}\\x{7f}-\\x{9f}\\x{61c}\\x{200e}\\x{200f}\\x{2028}-\\x{202e}\\x{2066}-\\x{2069}\\x{e0000}-\\x{e007f}]"_s);
    return bad.match(text).hasMatch();
}

class tst_LockctlText : public test::LockctlTest {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_url = m_server->freshDatabase(); }

    void nothingSteersTheTerminal_data()
    {
        QTest::addColumn<QStringList>("arguments");
        const auto row = [](const char* name, const QStringList& arguments) {
            QTest::newRow(name) << arguments;
        };
        row("a command", {steering});
        row("an option", {u"list"_s, u"--"_s + steering});
        row("an option's value", {u"acquire"_s, u"n"_s, u"--kind"_s, steering});
        row("a duration", {u"acquire"_s, u"n"_s, u"--wait"_s, steering});
        row("too many", {u"list"_s, steering});
        row("a server", {u"list"_s, u"--server"_s, u"postgresql://localhost:1/"_s + steering});
        row("no server", {u"list"_s, u"--server"_s, steering});
        row("a command to run", {u"run"_s, u"n"_s, u"--"_s, steering});
        row("a session", {u"end-session"_s, steering, u"--reason"_s, u"r"_s});
        row("a session that began",
            {u"end-session"_s, u"1"_s, u"--started"_s, steering, u"--reason"_s, u"r"_s});
        row("a lock that nobody has",
            {u"release"_s, steering, u"--force"_s, u"--yes"_s, u"--reason"_s, u"r"_s});
        row("a token", {u"release"_s, steering, u"--token"_s, steering});
        row("a scenario", {u"scenario"_s, u"run"_s, steering});
        row("a scenario's act", {u"scenario"_s, steering});
        row("a scenario's file", {u"scenario"_s, u"check"_s, steering});
        row("a lock that is held", {u"acquire"_s, u"held "_s + steering, u"--no-wait"_s});
        row("the same, JSON", {u"acquire"_s, u"held "_s + steering, u"--no-wait"_s, u"--json"_s});
        row("a lock", {u"acquire"_s, u"free "_s + steering});
        row("the same, JSON", {u"acquire"_s, u"free "_s + steering, u"--json"_s});
        row("a forced release",
            {u"release"_s, u"held "_s + steering, u"--force"_s, u"--yes"_s, u"--reason"_s, u"r"_s});
        row("its JSON",
            {u"release"_s, u"held "_s + steering, u"--force"_s, u"--yes"_s, u"--reason"_s, u"r"_s,
                u"--json"_s});
        row("a list", {u"list"_s});
        row("a list in JSON", {u"list"_s, u"--json"_s});
        row("help", {u"list"_s, u"--help"_s});
    }
    void nothingSteersTheTerminal()
    {
        QFETCH(QStringList, arguments);
        QCOMPARE(ctl()("acquire %1", u"held "_s + steering).code, 0);
        const auto answer = ctl()(arguments);
        QVERIFY2(!answer.out.isEmpty() || !answer.err.isEmpty(), answer.allOutput());
        QVERIFY2(!canSteer(answer.out), answer.allOutput().toPercentEncoding());
        QVERIFY2(!canSteer(answer.err), answer.allOutput().toPercentEncoding());
        QVERIFY2(!answer.err.contains(u".. "_s) && !answer.err.contains(u"..\n"_s), answer.allOutput());
    }

    /// Escaped in JSON, a name is still the name.
    void namesOfAnyKindAreTaken()
    {
        QCOMPARE(ctl()("acquire %1 --json", steering).json()[u"name"].toString(), steering);
        const auto entries = ctl()("list --json").json()[u"entries"].toArray();
        QCOMPARE(entries[0][u"name"].toString(), steering);
    }

    /// Different bytes that are no text would become one name.
    void namesAreText()
    {
        for (const char* bytes : {"bad\\377", "bad\\376"}) {
            const auto process = ctl().startBy(u"sh"_s,
                {u"-c"_s, u"exec $0 \"$(printf '%1')\""_s.arg(QString::fromLatin1(bytes))}, {u"acquire"_s},
                {});
            const auto refused = Lockctl::finish(*process);
            QVERIFY2(refused.code == 2 && refused.err.contains(u"UTF-8"_s), refused.allOutput());
        }
    }

    void namesMayBeginWithADash()
    {
        const QString name = u"--nightly"_s;
        const auto acquired = ctl()("acquire --json -- %1", name);
        VERIFY_CODE(0, acquired);
        QCOMPARE(acquired.json()[u"name"].toString(), name);
        const auto hint = ctl()("run %1 -- true", name);
        QVERIFY2(hint.code == 2 && hint.err.contains(u"after \"--\""_s), hint.allOutput());
        VERIFY_CODE(75, ctl()("run --no-wait -- %1 -- true", name));
        const QString token = acquired.json()[u"token"].toString();
        QCOMPARE(ctl()("release --token %1 -- %2", token, name).code, 0);
        const auto run = ctl()("run -- %1 -- sh -c %2 -- --", name, u"echo $LOCKSCOPE_LOCK $1"_s);
        QVERIFY2(run.out == u"--nightly --\n"_s, run.allOutput());
    }

    void wrongUsageIsAlwaysTwo_data()
    {
        QTest::addColumn<QString>("arguments");
        for (const char* arguments : {"list -- more", "tree more", "watch -- more", "audit more",
                 "purge more", "install more", "uninstall more", "sandbox more", "list --no-such",
                 "tree --no-such", "watch --no-such", "run --no-such", "acquire --no-such",
                 "release --no-such", "purge --no-such", "end-session --no-such", "audit --no-such",
                 "install --no-such", "uninstall --no-such", "scenario --no-such", "sandbox --no-such",
                 "scenario", "scenario run", "scenario dance", "scenario explore", "scenario replay",
                 "scenario check", "acquire", "release n", "end-session", "run -- true", "run n --",
                 "run -- n --", "run -- n m -- true", "run n m -- true", "run n --kill-after 3s -- true",
                 "run n --terminate-on-loss --kill-after soon -- true", "list --limit x", "audit --limit 0",
                 "watch --interval x", "watch -n -1", "scenario run lost-update --sessions 0",
                 "scenario run lost-update --sessions many", "scenario run lost-update --duration x",
                 "scenario run lost-update --set x", "scenario run no-such-scenario",
                 "scenario run lost-update --variant no-such", "list --server"})
            QTest::newRow(arguments) << QString::fromLatin1(arguments);
    }
    void wrongUsageIsAlwaysTwo()
    {
        QFETCH(QString, arguments);
        const auto answer = ctl()(arguments.split(u' '));
        VERIFY_CODE(2, answer);
        QVERIFY2(answer.isOneLineOfError() && answer.out.isEmpty(), answer.allOutput());
        QVERIFY2(!answer.err.contains(u"..\n"_s) && !answer.err.contains(u".. "_s), answer.allOutput());
    }
};

LOCKSCOPE_TEST(tst_LockctlText)

} // namespace tst_LockctlText
#include "tst_LockctlText.moc"
