// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/PlainFile.h"
#include "core/profiles/ProfileFile.h"
#include "tests/support/FakeKeychain.h"
#include "tests/support/FaultyNetwork.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "ui/shell/servers/FleetLanes.h"
#include "ui/shell/servers/ServerDialogs.h"
#include "ui/shell/servers/Servers.h"
#include "ui/views/connect/ImportDialog.h"
#include "ui/views/page/ActAdvice.h"

#include <QtWidgets>

namespace tst_Servers {

using namespace lockscope;
using namespace lockscope::ui;

static db::ServerProfile named(const QString& name, const QString& url)
{
    return test::profileOf(db::ServerUrl::parse(url).value(), name);
}

const QString shop = u"postgresql://ann@db1/shop"_s;

/// The list of servers and the passwords that go with it.
class tst_Servers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPasswordLivesAsLongAsItsServer()
    {
        Servers servers(m_settings, false, m_keychain);
        servers.add(named(u"shop"_s, shop));
        servers.keepPassword(0, u"hunter2"_s);
        const QString key = servers.profile(0).url.toString();
        QCOMPARE(kept(servers), (Passwords{{key, u"hunter2"_s}}));
        QCOMPARE(db::defaultPasswords(m_keychain)(key).value(), u"hunter2"_s);
        servers.keepPassword(0, {}); // the field was left alone
        QCOMPARE(kept(servers), (Passwords{{key, u"hunter2"_s}}));
        servers.remove(0);
        QCOMPARE(kept(servers), Passwords());
    }

    /// The end of the program waits for the threads of the pool.
    void aDemoThatHangsKeepsNoThreadOfThePool()
    {
        const test::SilentPort silent;
        ServerSession::Options options;
        options.demo = true;
        options.passwords = db::fixedPassword({});
        const ServerSession session(named(u"silent"_s, silent.database(1)), options);
        QVERIFY(QThreadPool::globalInstance()->waitForDone(0));
    }

    /// A preview first; only what is ticked is saved.
    void serversOfAFileAreSeenBeforeTheyAreSaved()
    {
        Servers servers(m_settings, false, m_keychain);
        servers.add(named(u"shop"_s, shop));
        servers.keepPassword(0, u"hunter2"_s);
        db::ServerProfile marked = named(u"shop"_s, u"postgresql://ann@db9/shop"_s);
        marked.environment = db::Environment::Production;
        const QString path = test::freshPath(u"servers.json"_s);
        QVERIFY(
            writeFile(path, profiles::writeProfiles({named(u"new <b>"_s, u"postgresql://db2/x"_s), marked})));
        ImportDialog dialog(servers.saved());
        dialog.readFile(path);
        const auto* const items = dialog.findChild<QTreeWidget*>(u"items"_s);
        QTRY_COMPARE(items->topLevelItemCount(), 2);
        QCOMPARE(items->topLevelItem(0)->text(2), u"new"_s);
        QCOMPARE(items->topLevelItem(1)->text(2), u"changed"_s);
        QVERIFY(items->topLevelItem(1)->text(3).contains(u"Environment: not marked becomes production."_s));
        QVERIFY(!items->topLevelItem(0)->toolTip(0).contains(u"<b>"_s)); // it is text
        QCOMPARE(dialog.chosen().size(), 1); // what is there changes on purpose only
        QCOMPARE(servers.saved().size(), 1);
        servers.import(dialog.chosen());
        QCOMPARE(servers.count(), 2);
        QCOMPARE(servers.profile(0).url.host, u"db1"_s);
        items->topLevelItem(1)->setCheckState(0, Qt::Checked);
        servers.import({dialog.chosen().last()});
        QCOMPARE(servers.count(), 2);
        QCOMPARE(servers.profile(0).url.host, u"db9"_s);
        QCOMPARE(kept(servers), Passwords()); // the password was of another address
        QVERIFY(writeFile(path, "{"));
        dialog.readFile(path);
        QTRY_COMPARE(items->topLevelItemCount(), 0);
        QVERIFY(dialog.findChild<QLabel*>(u"message"_s)->text().startsWith(u"servers.json:1:2: "_s));
        QVERIFY(!dialog.findChild<QPushButton*>(u"import"_s)->isEnabled());
    }

    /// A permission to read is kept with the server; for a server opened by URL, until the program ends.
    void anApprovedTableIsKeptWithItsServer()
    {
        const db::ApprovedTable table{u"app"_s, u"databasechangeloglock"_s, u"app_owner"_s};
        {
            Servers servers(m_settings, false, m_keychain);
            servers.add(named(u"shop"_s, shop));
            const int shortLived = servers.rowFor(named(u"today"_s, u"postgresql://ann@db2/shop"_s));
            servers.approve(0, table);
            servers.approve(0, table); // once more says nothing new
            servers.approve(shortLived, table);
            QCOMPARE(servers.profile(0).approvedTables, QList<db::ApprovedTable>{table});
            QCOMPARE(servers.profile(shortLived).approvedTables, QList<db::ApprovedTable>{table});
        }
        const Servers again(m_settings, false, m_keychain);
        QCOMPARE(again.count(), 1);
        QCOMPARE(again.profile(0).approvedTables, QList<db::ApprovedTable>{table});
    }

    /// `lockctl frameworks set` sets it for an address, for all its sessions, saved or not.
    void whatWasReportedOfProgramsHoldsForEveryServerOfThatAddress()
    {
        const db::FrameworkSetting setting{u"db-scheduler"_s, u"interval"_s, u"1h"_s};
        Servers servers(m_settings, false, m_keychain);
        servers.add(named(u"shop"_s, shop));
        db::ProfileStore(m_settings).setFrameworkSettings(servers.profile(0).url, {setting});
        const int byUrl = servers.rowFor(named({}, u"postgresql://bob@db1/shop?sslmode=require"_s));
        const int other = servers.rowFor(named({}, u"postgresql://ann@db2/shop"_s));
        QCOMPARE(servers.open(0, {})->profile().frameworkSettings, QList<db::FrameworkSetting>{setting});
        QCOMPARE(servers.open(byUrl, {})->profile().frameworkSettings, QList<db::FrameworkSetting>{setting});
        QVERIFY(servers.open(other, {})->profile().frameworkSettings.isEmpty());
    }

    void twoRowsOfOneUrlShareIt()
    {
        Servers servers(m_settings, false, m_keychain);
        servers.add(named(u"shop"_s, shop));
        servers.add(named(u"the same, read-only"_s, shop));
        servers.keepPassword(0, u"hunter2"_s);
        const QString key = servers.profile(0).url.toString();
        QCOMPARE(kept(servers), (Passwords{{key, u"hunter2"_s}}));
        servers.remove(0);
        QCOMPARE(kept(servers), (Passwords{{key, u"hunter2"_s}}));
        servers.add(named(u"other"_s, u"postgresql://ann@db2/shop"_s));
        servers.keepPassword(1, u"other"_s);
        const QString otherKey = servers.profile(1).url.toString();
        QCOMPARE(kept(servers), (Passwords{{key, u"hunter2"_s}, {otherKey, u"other"_s}}));
        servers.remove(0);
        QCOMPARE(kept(servers), (Passwords{{otherKey, u"other"_s}}));
        servers.remove(0);
        QCOMPARE(kept(servers), Passwords());
    }

    void aPasswordIsForOneAddressOnly()
    {
        Servers servers(m_settings, false, m_keychain);
        servers.add(named(u"shop"_s, shop));
        servers.keepPassword(0, u"hunter2"_s);
        const QString key = servers.profile(0).url.toString();
        servers.replace(0, named(u"the shop"_s, shop));
        QCOMPARE(kept(servers), (Passwords{{key, u"hunter2"_s}}));
        servers.replace(0, named(u"the shop"_s, u"postgresql://ann@db2/shop"_s));
        QCOMPARE(kept(servers), Passwords());
    }

    void theLastPasswordCounts()
    {
        Servers servers(m_settings, false, m_keychain);
        servers.add(named(u"shop"_s, shop));
        const QString key = servers.profile(0).url.toString();
        for (int i = 0; i <= 200; ++i)
            servers.keepPassword(0, QString::number(i));
        QCOMPARE(kept(servers), (Passwords{{key, u"200"_s}}));
    }

    void consentToALocalAuditIsOfOneServer()
    {
        {
            Servers servers(m_settings, false, m_keychain);
            servers.add(named(u"shop"_s, shop));
            servers.add(named(u"till"_s, u"postgresql://ann@db2/till"_s));
            servers.allowLocalAudit(servers.open(1, {}));
            QCOMPARE(servers.session(1)->profile().localAudit, true);
        }
        const Servers again(m_settings, false, m_keychain);
        QCOMPARE(again.profile(0).localAudit, false);
        QCOMPARE(again.profile(1).localAudit, true);
        QVERIFY(!allowsLocalAudit(m_settings));
    }

    void formerConsentStaysWithTheServersOfThatTime()
    {
        db::ProfileStore(m_settings).save({named(u"shop"_s, shop)}); // as a former version has left it
        allowLocalAudit(m_settings, true);
        {
            Servers servers(m_settings, false, m_keychain);
            QCOMPARE(servers.profile(0).localAudit, true);
            servers.add(named(u"till"_s, u"postgresql://ann@db2/till"_s));
        }
        allowLocalAudit(m_settings, false);
        const Servers again(m_settings, false, m_keychain);
        QCOMPARE(again.profile(0).localAudit, true);
        QCOMPARE(again.profile(1).localAudit, false);
    }

    void aKeychainThatRefusesIsSaid()
    {
        Servers servers(m_settings, false, m_keychain);
        QSignalSpy said(&servers, &Servers::message);
        servers.add(named(u"shop"_s, shop));
        m_keychain->answer(db::Keychain::Outcome::Denied);
        servers.keepPassword(0, u"hunter2"_s);
        QVERIFY(test::waitUntil([&said] { return said.count() == 1; }));
        const QString text = said.takeFirst().first().toString();
        QVERIFY2(
            text.contains(u"Can't store the password"_s) && text.contains(u"unlock"_s), qPrintable(text));
        QVERIFY(!text.contains(u"hunter2"_s));
        servers.remove(0);
        QVERIFY(test::waitUntil([&said] { return said.count() == 1; }));
        QVERIFY(said.first().first().toString().contains(u"Can't remove the password"_s));
    }

    /// The disk of one file must not keep the places of the others from being known.
    void aFileThatHangsHoldsUpNoOther()
    {
        Servers servers(m_settings, false, m_keychain);
        for (const QString& name : {u"hangs"_s, u"answers"_s})
            servers.add(named(name, u"sqlite:///nowhere/%1.db"_s.arg(name)));
        const auto disk = std::make_shared<QSemaphore>();
        const auto freed = qScopeGuard([disk] { disk->release(); });
        FleetLanes lanes(servers, nullptr, [disk](const db::ServerProfile& profile) {
            if (profile.name == u"hangs")
                disk->acquire();
            return watch::identityOf(profile);
        });
        lanes.refresh();
        QTRY_COMPARE(lanes.place(1), u"sqlite:/nowhere/answers.db"_s);
        QCOMPARE(lanes.place(0), QString());
        disk->release();
        QTRY_COMPARE(lanes.place(0), u"sqlite:/nowhere/hangs.db"_s);
    }

    /// A disk that does not answer must not stop the window.
    void aFileIsOpenedOnceItIsFound()
    {
        Servers servers(m_settings, false, m_keychain);
        for (const QString& name : {u"hangs"_s, u"removed"_s})
            servers.add(named(name, u"sqlite:///nowhere/%1.db"_s.arg(name)));
        const auto disk = std::make_shared<QSemaphore>();
        const auto freed = qScopeGuard([disk] { disk->release(2); });
        const QPointer<QThread> window = QThread::currentThread();
        QStringList opened;
        const auto options = [](int) { return ServerSession::Options(); };
        for (const int row : {0, 1})
            servers.openWhenFound(
                row, options,
                [&opened, window](ServerSession* session) {
                    opened << (QThread::currentThread() == window ? session->place() : u"elsewhere"_s);
                },
                [disk](const db::ServerProfile& profile) {
                    disk->acquire();
                    record::Identity identity = watch::identityOf(profile);
                    identity.place += u"-found"_s;
                    return identity;
                });
        QVERIFY(!servers.session(0) && opened.isEmpty());
        // A window that is closed meanwhile opens them at the next start, each once.
        servers.rememberOpen(nullptr, {servers.profile(1)});
        const QList<db::ServerProfile> before = servers.openBefore();
        QCOMPARE(before.size(), 2);
        QCOMPARE(before[0].name + before[1].name, u"hangsremoved"_s);
        servers.remove(1);
        disk->release(2);
        QTRY_COMPARE(opened, QStringList{u"sqlite:/nowhere/hangs.db-found"_s});
        QCOMPARE(servers.count(), 1);
        QVERIFY(servers.session(0));
        // One that is open is there at once.
        servers.openWhenFound(
            0, options, [&opened](ServerSession* session) { opened << session->profile().name; });
        QCOMPARE(opened.last(), u"hangs"_s);
    }

    /// Each click would leave one more thread that waits for the disk.
    void aFileThatHangsIsLookedForOnce()
    {
        Servers servers(m_settings, false, m_keychain);
        servers.add(named(u"hangs"_s, u"sqlite:///nowhere/hangs.db"_s));
        const auto disk = std::make_shared<QSemaphore>();
        const auto freed = qScopeGuard([disk] { disk->release(3); });
        QStringList opened;
        QVERIFY(!servers.isOpening(0));
        for (const QString& click : {u"first"_s, u"second"_s, u"third"_s}) {
            servers.openWhenFound(
                0, [](int) { return ServerSession::Options(); },
                [&opened, click](ServerSession*) { opened << click; },
                [disk](const db::ServerProfile& profile) {
                    disk->acquire();
                    return watch::identityOf(profile);
                });
            QVERIFY(servers.isOpening(0));
        }
        disk->release(); // one thread
        QTRY_VERIFY(!opened.isEmpty());
        COMPARE_TEXTS(opened, "first", "second", "third");
        QVERIFY(servers.session(0) && !servers.isOpening(0));
    }

    /// A disk that does not answer must not stop the window: the files are looked into on another thread.
    void filesOfAnyNameAreToldApart()
    {
        const QTemporaryDir folder;
        const QString recording = folder.filePath(u"from-the-ticket"_s);
        const QString report = folder.filePath(u"report"_s);
        QVERIFY(
            writeFile(recording, QByteArray("SQLite format 3\0", 16)) && writeFile(report, "<deadlock/>"));
        Servers servers(m_settings, false, m_keychain);
        QWidget window;
        ServerDialogs dialogs(servers, m_keychain, window);
        QSignalSpy recordings(&dialogs, &ServerDialogs::recordingChosen);
        QSignalSpy reports(&dialogs, &ServerDialogs::reportsChosen);
        QSignalSpy said(&dialogs, &ServerDialogs::progressed);
        dialogs.openRecording();
        auto* files = window.findChild<QFileDialog*>(u"openRecording"_s);
        QVERIFY(files);
        Q_EMIT files->filesSelected({report, recording, folder.filePath(u"none"_s)});
        QCOMPARE(recordings.size() + reports.size(), 0);
        QCOMPARE(said.first().first().toString(), u"Opening 3 files…"_s);
        QTRY_COMPARE(reports.size(), 1);
        QCOMPARE(reports.first().first().toStringList(), (QStringList{report, folder.filePath(u"none"_s)}));
        QCOMPARE(recordings.size(), 1);
        QCOMPARE(recordings.first().first().toString(), recording);
        // Files that are known by their names do not wait for the others.
        Q_EMIT files->filesSelected({u"a.lockscope"_s, folder.filePath(u"none"_s), u"b.xdl"_s});
        QCOMPARE(recordings.last().first().toString(), u"a.lockscope"_s);
        COMPARE_TEXTS(reports.last().first().toStringList(), "b.xdl");
        QCOMPARE(said.last().first().toString(), u"Opening 1 file…"_s);
        QTRY_COMPARE(reports.size(), 3);
        Q_EMIT files->filesSelected({u"b.xdl"_s});
        QCOMPARE(reports.size(), 4);
        QCOMPARE(said.size(), 2);
    }

    void init()
    {
        m_settings.clear();
        m_keychain = std::make_shared<test::FakeKeychain>();
    }

private:
    using Passwords = QMap<QString, QString>;

    /// Once all is done that is under way: a thread does it.
    Passwords kept(Servers& servers) const
    {
        if (!servers.finishKeychain(std::chrono::seconds(20)))
            qFatal("the keychain has not got everything");
        return m_keychain->kept();
    }

    QSettings m_settings{test::freshPath(u"test.ini"_s), QSettings::IniFormat};
    std::shared_ptr<test::FakeKeychain> m_keychain;
};

LOCKSCOPE_TEST(tst_Servers)

} // namespace tst_Servers
#include "tst_Servers.moc"
