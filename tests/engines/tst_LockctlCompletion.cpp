// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Completions of the shells agree with the help of lockctl; options may stand before the command.

#include "tests/support/Lockctl.h"
#include "tests/support/TestProgram.h"

namespace tst_LockctlCompletion {

using namespace lockscope;
using test::Lockctl;

/// Commands that have commands.
const QStringList groups{u"scenario"_s, u"recordings"_s};

static QString script(const QString& name)
{
    return test::sourcePath(u"packaging/completions/"_s) + name;
}

class tst_LockctlCompletion : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_environment.insert(u"HOME"_s, m_home.path());
        m_environment.insert(u"XDG_CONFIG_HOME"_s, m_home.path());
        m_environment.insert(u"PATH"_s,
            QFileInfo(test::programPath("lockctl")).path() + u':' + m_environment.value(u"PATH"_s));
        QVERIFY(QDir(m_home.path()).mkdir(u"lockscope"_s));
        test::makeFile(m_home.filePath(u"lockscope/lockscope.conf"_s),
            "[servers]\nsize=2\n1\\name=shop\n1\\url=postgresql://ann@db1/shop\n"
            "2\\name=odd\n2\\url=postgresql://ann@db2/$(touch%20x)\n");
    }

    void helpFitsTheScreen_data() { rowForEachCommand(); }
    void helpFitsTheScreen()
    {
        QFETCH(QString, command);
        const auto help = Lockctl({})(command.split(u' ', Qt::SkipEmptyParts) << u"--help"_s);
        QCOMPARE(help.code, 0);
        for (const QString& line : help.out.split(u'\n'))
            QVERIFY2(line.size() <= 80, qPrintable(line));
        if (command != u"install" && command != u"uninstall" && command != u"scenario list")
            QVERIFY(help.out.contains(u"\nExamples:\n"_s));
        QCOMPARE(Lockctl({})(QStringList{u"help"_s} + command.split(u' ', Qt::SkipEmptyParts)).out, help.out);
    }

    void whatTheHelpTellsIsCompleted_data() { rowForEachCommand(); }
    void whatTheHelpTellsIsCompleted()
    {
        QFETCH(QString, command);
        const QString help = Lockctl({})(command.split(u' ', Qt::SkipEmptyParts) << u"--help"_s).out;
        if (command.isEmpty() || groups.contains(command))
            QCOMPARE(
                offered(u"lockctl %1 "_s.arg(command)), Lockctl::namesIn(help, u"^  ([a-z][a-z-]*) {2,}"_s));
        if (!command.isEmpty() && !groups.contains(command))
            QCOMPARE(offered(u"lockctl %1 -"_s.arg(command)),
                Lockctl::namesIn(help, u"^  (?:-., )?(--?[a-z-]+)"_s));
    }

    void bashKnows_data()
    {
        test::addColumns<QString, QString>("line", "words");
        const auto row = [](const char* line, const char* words) {
            QTest::newRow(line) << QString::fromLatin1(line) << QString::fromLatin1(words);
        };
        row("lockctl wa", "watch");
        row("lockctl --json wa", "watch");
        row("lockctl --server sqlite:///x wa", "watch");
        row("lockctl --server=sqlite:///x wa", "watch");
        row("lockctl --ser", "--server");
        row("lockctl run --te", "--terminate-on-loss");
        row("lockctl run --kind ", "app locked-key locked-table table");
        row("lockctl run --kind=lo", "locked-key locked-table");
        row("lockctl acquire nightly --kind a", "app");
        row("lockctl scenario e", "explore");
        row("lockctl scenario run lost-u", "lost-update");
        row("lockctl scenario run lost-update --variant ro", "row-lock");
        row("lockctl list --server sq", "sqlite:/// sqlserver://");
        row("lockctl list --server sqlite:", "///");
        row("lockctl list --server postgresql://ann@db1", "//ann@db1/shop");
        // A completed value is not executed by the shell.
        row("lockctl list --server postgresql://ann@db2", "//ann@db2/%24%28touch%20x%29");
        row("lockctl run nightly -- li", "");
        row("lockctl release nightly ", "");
        row("lockctl nothing ", "");
        row("LOCKSCOPE_SERVER=sandbox: lockctl wa", "watch");
    }
    void bashKnows()
    {
        QFETCH(QString, line);
        QTEST(offered(line).join(u' '), "words");
    }

    /// The whole way: readline, on a terminal.
    void bashCompletesAtTheKeyboard()
    {
        if (QStandardPaths::findExecutable(u"script"_s).isEmpty())
            QSKIP("No script(1) on this system, which makes a terminal.");
        QProcess process;
        process.setProcessEnvironment(m_environment);
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(u"script"_s, {u"-qec"_s, u"bash --norc --noprofile -i"_s, u"/dev/null"_s});
        QByteArray seen;
        const auto sees = [&](const char* text) {
            return test::waitUntil([&] {
                process.waitForReadyRead(20);
                seen += process.readAll();
                return seen.contains(text);
            });
        };
        process.write("source '" + script(u"lockctl.bash"_s).toUtf8() + "'; echo re''ady\n");
        QVERIFY2(sees("ready"), seen);
        process.write("lockctl end\t--canc\t--he\t\n");
        QVERIFY2(sees("Usage: lockctl end-session"), seen);
        process.write("exit\n");
        QVERIFY2(process.waitForFinished(), seen);
    }

    void otherShells_data()
    {
        test::addColumns<QStringList, QString>("command", "answer");
        QTest::newRow("zsh reads it") << QStringList{u"zsh"_s, u"-n"_s, script(u"_lockctl"_s)} << QString();
        QTest::newRow("zsh") << QStringList{u"zsh"_s, u"-fc"_s,
            u"words=(lockctl --json wa); CURRENT=3; compadd() { print -r -- $found }; _files() { print files }; source $0"_s,
            script(u"_lockctl"_s)}
                             << u"watch\n"_s;
        QTest::newRow("fish") << QStringList{u"fish"_s, u"--no-config"_s, u"-c"_s,
            u"source $argv[1]; complete -C 'lockctl --json wa'"_s, script(u"lockctl.fish"_s)}
                              << u"watch\tthe same, again and again, in place\n"_s;
    }
    void otherShells()
    {
        QFETCH(QStringList, command);
        if (QStandardPaths::findExecutable(command.first()).isEmpty())
            QSKIP("This shell is not installed.");
        QTEST(outputOf(command.first(), command.mid(1)), "answer");
    }

    void optionsMayStandBeforeTheCommand_data()
    {
        QTest::addColumn<QString>("arguments");
        for (const char* arguments : {"--server SERVER install --json", "--server=SERVER --json install",
                 "install --server SERVER --json", "--json install --server=SERVER",
                 "--server sandbox: install --json --server SERVER"})
            QTest::newRow(arguments) << QString::fromLatin1(arguments);
    }
    void optionsMayStandBeforeTheCommand()
    {
        QFETCH(QString, arguments);
        Lockctl lockctl(u"postgresql://nobody@localhost:1/none"_s);
        const auto answer = lockctl(
            arguments.replace(u"SERVER"_s, u"sqlite://"_s + test::freshPath(u"locks.db"_s)).split(u' '));
        VERIFY_CODE(0, answer);
        QVERIFY2(answer.json()[u"after"].toInt() > 0, answer.allOutput());
    }

    void namesThatTheParserCouldMistake_data()
    {
        test::addColumns<QStringList, QString>("before", "name");
        for (const char* name : {"list", "acquire", "scenario", "[a,b]", "[]", "{}", "%%", "-17", "/x:y",
                 "a=b", "@file", "-", "#"})
            QTest::newRow(name) << QStringList() << QString::fromLatin1(name);
        for (const char* name : {"--json", "-h", "++", "-x"})
            QTest::newRow(name) << QStringList{u"--"_s} << QString::fromLatin1(name);
    }
    void namesThatTheParserCouldMistake()
    {
        FETCH(QStringList, before, QString, name);
        const Lockctl lockctl(u"sqlite://"_s + test::freshPath(u"locks.db"_s));
        QCOMPARE(lockctl("install").code, 0);
        const auto acquired = lockctl(Lockctl::words("acquire --json") + before + QStringList{name});
        VERIFY_CODE(0, acquired);
        QCOMPARE(acquired.json()[u"name"].toString(), name);
        const QString token = acquired.json()[u"token"].toString();
        VERIFY_CODE(
            0, lockctl(QStringList{u"release"_s, u"--token="_s + token} + before + QStringList{name}));
    }

private:
    /// Returns the offers of bash for that line, with the cursor at its end.
    QStringList offered(const QString& line) const
    {
        const QString answer = outputOf(u"bash"_s,
            {u"-c"_s,
                u"source \"$0\"; COMP_LINE=$1; COMP_POINT=${#1}; _lockctl lockctl; printf '%s\\n' \"${COMPREPLY[@]}\""_s,
                script(u"lockctl.bash"_s), line});
        QStringList words = answer.split(u'\n', Qt::SkipEmptyParts);
        words.sort();
        return words;
    }

    /// The answer of a program that finds lockctl.
    QString outputOf(const QString& program, const QStringList& arguments) const
    {
        QProcess process;
        process.setProcessEnvironment(m_environment);
        process.setWorkingDirectory(m_home.path());
        process.start(program, arguments);
        process.closeWriteChannel();
        if (!process.waitForFinished())
            return u"does not end"_s;
        return QString::fromUtf8(process.readAllStandardOutput() + process.readAllStandardError());
    }

    void rowForEachCommand() const
    {
        QTest::addColumn<QString>("command");
        QTest::newRow("all") << QString();
        const QStringList commands = Lockctl::commands();
        QVERIFY(commands.size() >= 15);
        for (const QString& command : groups + commands)
            QTest::newRow(qPrintable(command)) << command;
    }

    QTemporaryDir m_home;
    QProcessEnvironment m_environment = QProcessEnvironment::systemEnvironment();
};

LOCKSCOPE_TEST(tst_LockctlCompletion)

} // namespace tst_LockctlCompletion
#include "tst_LockctlCompletion.moc"
