// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/ServerProfile.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_ServerProfile {

using namespace lockscope;
using namespace lockscope::db;

class tst_ServerProfile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsSavedIsLoaded()
    {
        const QString file = test::freshPath(u"settings.ini"_s);
        AttachedTable attached{.schema = u"dbo"_s,
            .table = u"Locks, old"_s,
            .nameColumn = u"LockName"_s,
            .timeColumn = u"At"_s,
            .utc = false,
            .staleAge = milliseconds(90'000)};
        const QList<ServerProfile> profiles{
            {u"Production 🏭"_s, ServerUrl::parse(u"postgresql://ann@db1/shop?sslmode=verify-full"_s).value(),
                true, {attached, AttachedTable{{}, u"locks"_s}}, Environment::Production, {}, {}, {},
                {u"eu"_s, u"billing; blue"_s}},
            {QString(), ServerUrl::parse(u"sqlite:///srv/locks.db"_s).value(), false,
                {AttachedTable{.schema = {},
                    .table = u"jobs"_s,
                    .nameColumn = u"job"_s,
                    .timeColumn = u"at"_s,
                    .staleAge = milliseconds(90'000),
                    .holderColumn = u"worker"_s,
                    .expiresColumn = u"until"_s,
                    .heldColumn = u"state"_s,
                    .heldValue = u"running, or so"_s}},
                Environment::Unmarked, {{u"app"_s, u"databasechangeloglock"_s, u"app owner"_s}}},
        };
        {
            QSettings settings(file, QSettings::IniFormat);
            ProfileStore(settings).save(profiles);
        }
        QSettings settings(file, QSettings::IniFormat);
        QCOMPARE(ProfileStore(settings).load(), profiles);

        ProfileStore(settings).save({profiles[1]});
        QCOMPARE(ProfileStore(settings).load(), QList<ServerProfile>{profiles[1]});
    }

    void settingsOfFrameworksAreTheServersWhoeverLogsIn()
    {
        QSettings settings(test::freshPath(u"settings.ini"_s), QSettings::IniFormat);
        ProfileStore store(settings);
        const auto ann = ServerUrl::parse(u"postgresql://ann@db1/shop?sslmode=verify-full"_s).value();
        const auto bob = ServerUrl::parse(u"postgresql://bob@db1/shop"_s).value();
        const auto other = ServerUrl::parse(u"postgresql://bob@db2/shop"_s).value();
        const QList<FrameworkSetting> configured{{u"db-scheduler"_s, u"interval"_s, u"1h"_s}};
        store.setFrameworkSettings(ann, configured);
        store.setFrameworkSettings(other, {{u"shedlock"_s, u"zone"_s, u"UTC"_s}});
        QCOMPARE(store.frameworkSettings(bob), configured);
        QCOMPARE(store.frameworkSettings(other).size(), 1);
        // Profiles come with them, and saving profiles loses none.
        store.save({test::profileOf(bob, u"shop"_s)});
        QCOMPARE(store.load().first().frameworkSettings, configured);
        store.setFrameworkSettings(bob, {});
        QVERIFY(store.frameworkSettings(ann).isEmpty());
        QCOMPARE(store.frameworkSettings(other).size(), 1);
    }

    void tagsAreWordsWithCommasBetween()
    {
        COMPARE_TEXTS(tagsFromText(u" eu,, billing  team ,EU,"_s), "eu", "billing team");
        QCOMPARE(tagsText(tagsFromText(u"eu,blue"_s)), u"eu, blue"_s);
        QCOMPARE(tagsFromText(QString(u'x').repeated(99)).value(0).size(), 40);
    }

    void anEnvironmentNobodyKnowsMarksNothing()
    {
        QCOMPARE(environmentFromName(u"test"_s), Environment::Test);
        QCOMPARE(environmentFromName(u"tset"_s), Environment::Unmarked);
        QCOMPARE(environmentFromName({}), Environment::Unmarked);
    }

    void aBrokenUrlLosesOnlyItsOwnProfile()
    {
        QSettings settings(test::freshPath(u"settings.ini"_s), QSettings::IniFormat);
        const ServerProfile good = test::profileOf("sandbox:", u"good"_s);
        ProfileStore(settings).save({good, good});
        settings.setValue(u"servers/1/url"_s, u"rubbish"_s);
        QCOMPARE(ProfileStore(settings).load(), QList<ServerProfile>{good});
    }

    void displaysReadableNames()
    {
        QCOMPARE((AttachedTable{u"dbo"_s, u"Locks"_s}).display(), u"dbo.Locks"_s);
        QCOMPARE((AttachedTable{{}, u"Locks"_s}).display(), u"Locks"_s);
        const ServerUrl url = ServerUrl::parse(u"postgresql://ann@db1/shop"_s).value();
        QCOMPARE(test::profileOf(url).display(), u"ann@db1/shop"_s);
        QCOMPARE(test::profileOf(url, u"Shop"_s).display(), u"Shop"_s);
    }
};

LOCKSCOPE_TEST(tst_ServerProfile)

} // namespace tst_ServerProfile
#include "tst_ServerProfile.moc"
