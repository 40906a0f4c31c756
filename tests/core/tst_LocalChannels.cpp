// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/channels/Channel.h"
#include "tests/support/MadeIncidents.h"
#include "tests/support/NotifySocket.h"
#include "tests/support/Processes.h"
#include "tests/support/TestProgram.h"

namespace tst_LocalChannels {

using namespace lockscope;
using namespace lockscope::alert;
using namespace lockscope::test;

/// A folder with a script in it, which finds it as its first argument.
class Script {
public:
    explicit Script(const QByteArray& lines) { makeFile(path(), "#!/bin/sh\n" + lines, ownProgram); }
    QString path() const { return m_folder.filePath(u"alert"_s); }
    QString folder() const { return m_folder.path(); }
    QByteArray content(const QString& name) const { return contentOf(m_folder.filePath(name)); }
    Result<void> send(const ChannelOptions& options = {}, const std::vector<Notice>& notices = {madeNotice()},
        const std::stop_token& stop = {}) const
    {
        ChannelSettings settings;
        settings.name = u"program"_s;
        settings.kind = ChannelSettings::Kind::Program;
        settings.command = {path(), folder(), u"; touch injected"_s};
        return (*Channel::make(settings, options))->send(notices, stop);
    }

private:
    const QTemporaryDir m_folder;
};

static QMap<QByteArray, QByteArray> fieldsOf(QByteArray entry)
{
    QMap<QByteArray, QByteArray> fields;
    while (!entry.isEmpty()) {
        const qsizetype nameEnd = entry.indexOf('\n');
        const auto size = static_cast<qsizetype>(qFromLittleEndian<quint64>(entry.constData() + nameEnd + 1));
        fields.insert(entry.left(nameEnd), entry.mid(nameEnd + 9, size));
        entry.remove(0, nameEnd + 9 + size + 1);
    }
    return fields;
}

static Result<void> writeToJournal(const QString& path, const Notice& notice)
{
    ChannelSettings settings;
    settings.name = u"journal"_s;
    settings.kind = ChannelSettings::Kind::Journal;
    return (*Channel::make(settings, {.journal = path}))->send({&notice, 1}, {});
}

class tst_LocalChannels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void programGetsJson()
    {
        const Script script("cat > \"$1/got\"; echo \"$2\" > \"$1/second\"\n");
        std::vector<Notice> notices;
        for (int id = 1; id <= 500; ++id)
            notices.push_back(madeNotice(Notice::Kind::Fired, id));
        VERIFY_DONE(script.send({}, notices));
        QCOMPARE(QJsonDocument::fromJson(script.content(u"got"_s))[u"notices"_s].toArray().size(), 500);
        QCOMPARE(script.content(u"second"_s), "; touch injected\n"); // no shell
    }

    void programGetsNoPasswords()
    {
        const Variable password("LOCKSCOPE_PASSWORD", u"hunter2"_s);
        const Script script("env > \"$1/env\"\n");
        QVERIFY(script.send());
        QVERIFY(script.content(u"env"_s).contains("PATH="));
        QVERIFY(!script.content(u"env"_s).contains("hunter2"));
    }

    void failureIsTheFirstLine()
    {
        const Script script("printf 'no \\033[2Jroute\\nmore\\n' >&2; exit 3\n");
        const Result<void> sent = script.send();
        QVERIFY(!sent);
        QVERIFY(sent.error().what.contains(u"exit code 3"_s));
        QVERIFY(sent.error().detail.startsWith(u"no "_s) && sent.error().detail.endsWith(u"route"_s));
        QVERIFY(!sent.error().detail.contains(QChar(0x1b)));
    }

    void muchOutputDoesNotBlock()
    {
        const Script script("yes | head -c 1000000 >&2; yes | head -c 1000000; cat > /dev/null\n");
        QVERIFY(script.send());
    }

    void unreadInputIsNoSignal()
    {
        const Script script("exec 0<&-; sleep 0.1\n");
        QVERIFY(script.send({}, std::vector<Notice>(500, madeNotice())));
    }

    void hangingProgramIsKilledWithItsChildren()
    {
        const Script script("sleep 1000 \"$1\" & sh -c 'sleep 1001; :' \"$1\" & touch \"$1/runs\"; wait\n");
        VERIFY_FAILS(ErrorKind::Timeout, script.send({.programTimeout = milliseconds(500)}));
        QCOMPARE(script.content(u"runs"_s).isNull(), true);
        QVERIFY(QFile::exists(script.folder() + u"/runs"_s));
        QVERIFY(waitUntil([&] { return nothingRunsIn(script.folder()); }));
    }

    void stopKillsIt()
    {
        QVERIFY(isOncePrompt(milliseconds(100), []() -> Taken {
            const Script script("touch \"$1/runs\"; sleep 1000\n");
            std::stop_source stop;
            std::chrono::steady_clock::time_point asked;
            const std::jthread asker([&] {
                static_cast<void>(waitUntil([&] { return QFile::exists(script.folder() + u"/runs"_s); }));
                asked = std::chrono::steady_clock::now();
                stop.request_stop();
            });
            const Result<void> sent = script.send({}, {madeNotice()}, stop.get_token());
            if (sent || sent.error().kind != ErrorKind::Cancelled)
                return failed("not stopped");
            return std::chrono::steady_clock::now() - asked;
        }));
    }

    void programOfOthersIsNotRun()
    {
        const Script script("touch \"$1/ran\"\n");
        QFile(script.path())
            .setPermissions(QFileDevice::ReadOwner | QFileDevice::ExeOwner | QFileDevice::WriteOther);
        VERIFY_FAILS(ErrorKind::Permission, script.send());
        QVERIFY(!QFile::exists(script.folder() + u"/ran"_s));

        ChannelSettings settings;
        settings.name = u"program"_s;
        settings.kind = ChannelSettings::Kind::Program;
        settings.command = {u"alert.sh"_s};
        QCOMPARE(Channel::make(settings).error().kind, ErrorKind::BadInput);
    }

    void journalHasTheFields()
    {
        const QString path = freshPath(u"journal"_s);
        NotifySocket socket(path.toUtf8());
        QVERIFY(writeToJournal(path, madeNotice(Notice::Kind::Escalated)));
        QCOMPARE(socket.received().size(), 1);
        const auto fields = fieldsOf(socket.received().first());
        QCOMPARE(fields.value("PRIORITY"), "2");
        QCOMPARE(fields.value("SYSLOG_IDENTIFIER"), "lockscope");
        QCOMPARE(fields.value("LOCKSCOPE_INCIDENT"), "7");
        QCOMPARE(fields.value("LOCKSCOPE_SERVER"), "db1:5432");
        QVERIFY(!fields.value("LOCKSCOPE_FINGERPRINT").isEmpty());
        QCOMPARE(fields.value("MESSAGE_ID").size(), 32);
        QVERIFY(fields.value("MESSAGE").contains("25 sessions wait"));
        QVERIFY(!fields.value("MESSAGE").contains("4929"));
    }

    void journalTextsEndNoField()
    {
        const QString path = freshPath(u"journal"_s);
        NotifySocket socket(path.toUtf8());
        Notice notice = madeNotice();
        notice.incident.title = u"x\nPRIORITY=0\n"_s;
        notice.incident.cause.server = u"db1\nPRIORITY=0"_s;
        QVERIFY(writeToJournal(path, notice));
        const auto fields = fieldsOf(socket.received().first());
        QCOMPARE(fields.size(), 9);
        QCOMPARE(fields.value("PRIORITY"), "4");
        QCOMPARE(fields.value("LOCKSCOPE_SERVER"), "db1\nPRIORITY=0");
    }

    void journalIsCut()
    {
        const QString path = freshPath(u"journal"_s);
        NotifySocket socket(path.toUtf8());
        Notice notice = madeNotice();
        notice.incident.title = QString(1'000'000, u'ü');
        QVERIFY(writeToJournal(path, notice));
        notice.incident.title.clear();
        notice.incident.reason = QString(1'000'000, u'ü');
        QVERIFY(writeToJournal(path, notice));
    }

    void noJournalIsAnError()
    {
        VERIFY_FAILS(ErrorKind::Connection, writeToJournal(u"/nonexistent/journal"_s, madeNotice()));
    }
};

LOCKSCOPE_TEST(tst_LocalChannels)

} // namespace tst_LocalChannels
#include "tst_LocalChannels.moc"
