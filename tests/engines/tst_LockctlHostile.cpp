// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A real server on which every name is an attack: lockctl's output has no character that steers a terminal,
// that nobody sees, that turns the writing, or that begins a line of its own.

#include "tests/support/HarmfulServer.h"
#include "tests/support/Lockctl.h"
#include "tests/support/TestProgram.h"

namespace tst_LockctlHostile {

using namespace lockscope;
using namespace lockscope::test;

class LockctlHostile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_server = std::make_unique<HarmfulServer>(); }
    void cleanupTestCase() { m_server.reset(); }

    void writesNothingThatDeceives_data()
    {
        addColumns<QString, QString>("user", "columns");
        row("superuser", QString(), "0");
        row("superuser, narrow", QString(), "60");
        row("without rights", "poor", "0");
    }
    void writesNothingThatDeceives()
    {
        FETCH(QString, user, QString, columns);
        Lockctl lockctl(m_server->as(user).toString(), TestServer::shared().password());
        lockctl.set(u"COLUMNS"_s, columns);
        lockctl.set(u"XDG_STATE_HOME"_s, m_folder.path());
        const QString recording =
            m_folder.filePath(QString::fromLatin1(QTest::currentDataTag()) + u".lockscope"_s);
        const QString name = shortHostileName;
        QStringList found;
        int written = 0;
        for (const QStringList& command : std::initializer_list<QStringList>{{u"list"_s},
                 {u"list"_s, u"--framework"_s}, {u"list"_s, u"--all"_s}, {u"tree"_s},
                 {u"watch"_s, u"-n"_s, u"2"_s, u"--interval"_s, u"100ms"_s}, {u"check"_s},
                 {u"frameworks"_s, u"set"_s, u"shedlock"_s, u"zone="_s + name}, {u"frameworks"_s, u"show"_s},
                 {u"free"_s, u"shedlock"_s, u"--dry-run"_s},
                 {u"free"_s, u"shedlock:"_s + name, u"--dry-run"_s}, {u"free"_s, name, u"--dry-run"_s},
                 {u"release"_s, name + u"no"_s, u"--force"_s, u"--reason"_s, name},
                 {u"release"_s, name, u"--force"_s, u"--yes"_s, u"--reason"_s, name},
                 {u"purge"_s, u"--dry-run"_s}, {u"purge"_s, u"--yes"_s, u"--reason"_s, name}, {u"audit"_s},
                 {u"deadlocks"_s}, {u"order"_s, u"--for"_s, u"1s"_s}, {u"plan"_s, u"1"_s}, {u"install"_s},
                 {u"acquire"_s, name, u"--no-wait"_s}, {u"acquire"_s, u"free"_s + name, u"--no-wait"_s},
                 {u"run"_s, u"job"_s + name, u"--"_s, u"true"_s},
                 {u"end-session"_s, u"1"_s, u"--yes"_s, u"--reason"_s, name},
                 {u"record"_s, u"--for"_s, u"2s"_s, u"--out"_s, recording},
                 {u"list"_s, u"--recording"_s, recording}, {u"tree"_s, u"--recording"_s, recording},
                 {u"history"_s, u"--recording"_s, recording},
                 {u"history"_s, name, u"--recording"_s, recording}, {u"range"_s, u"--recording"_s, recording},
                 {u"recordings"_s, recording}, {u"recordings"_s}, {u"list"_s, u"--recording"_s, name},
                 {u"scenario"_s, u"check"_s, name}, {u"frameworks"_s, u"--check"_s, name},
                 {u"uninstall"_s, u"--dry-run"_s}}) {
            QList<QStringList> lines{command, QStringList{u"--json"_s} + command};
            if (Lockctl::words("audit history range").contains(command.first()))
                for (const QString& form : {u"csv"_s, u"markdown"_s, u"html"_s})
                    lines << command + QStringList{u"--format"_s, form};
            for (const QStringList& line : std::as_const(lines)) {
                const Lockctl::Answer answer = lockctl(line);
                QVERIFY2(answer.code >= 0, qPrintable(command.join(u' ')));
                written += answer.out.contains(u"\\u202e"_s) ? 1 : 0;
                for (QString text : {answer.out, answer.err}) {
                    if (line.contains(u"csv"_s))
                        text.replace(u"\r\n"_s, u"\n"_s); // so lines end in RFC 4180
                    const QString deceit = deceitIn(text, true);
                    if (!deceit.isEmpty() || text.contains(u'\t'))
                        found << line.join(u' ').simplified() + u": "_s + deceit.left(300);
                }
            }
        }
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
        QVERIFY2(written >= 8, qPrintable(QString::number(written))); // the names were written
    }

private:
    std::unique_ptr<HarmfulServer> m_server;
    const QTemporaryDir m_folder;
};

LOCKSCOPE_TEST(LockctlHostile)

} // namespace tst_LockctlHostile
#include "tst_LockctlHostile.moc"
