// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/Secrets.h"
#include "tests/support/FakeKeychain.h"
#include "tests/support/TestProgram.h"
#include "ui/shell/Servers.h"

#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace lockscope;
using namespace lockscope::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr int patience = 10'000;

db::ServerProfile named(const QString& name, const QString& url)
{
    db::ServerProfile profile;
    profile.name = name;
    profile.url = db::ServerUrl::parse(url).value();
    return profile;
}

const QString shop = u"postgresql://ann@db1/shop"_s;

} // namespace

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
        QTRY_COMPARE_WITH_TIMEOUT(m_keychain->kept().value(key), u"hunter2"_s, patience);
        QCOMPARE(db::defaultPasswords(m_keychain)(key).value(), u"hunter2"_s);
        servers.keepPassword(0, {}); // the field was left alone
        servers.remove(0);
        QTRY_VERIFY_WITH_TIMEOUT(m_keychain->kept().isEmpty(), patience);
    }

    void twoRowsOfOneUrlShareIt()
    {
        Servers servers(m_settings, false, m_keychain);
        servers.add(named(u"shop"_s, shop));
        servers.add(named(u"the same, read-only"_s, shop));
        servers.keepPassword(0, u"hunter2"_s);
        QTRY_COMPARE_WITH_TIMEOUT(m_keychain->kept().size(), 1, patience);
        servers.remove(0);
        servers.add(named(u"other"_s, u"postgresql://ann@db2/shop"_s));
        servers.keepPassword(1, u"other"_s);
        QTRY_COMPARE_WITH_TIMEOUT(m_keychain->kept().size(), 2, patience); // the first is still there
        servers.remove(0);
        QTRY_COMPARE_WITH_TIMEOUT(m_keychain->kept().values(), QStringList{u"other"_s}, patience);
        servers.remove(0);
        QTRY_VERIFY_WITH_TIMEOUT(m_keychain->kept().isEmpty(), patience);
    }

    void aKeychainThatRefusesIsSaid()
    {
        Servers servers(m_settings, false, m_keychain);
        QSignalSpy said(&servers, &Servers::message);
        servers.add(named(u"shop"_s, shop));
        m_keychain->answer(db::Keychain::Outcome::Denied);
        servers.keepPassword(0, u"hunter2"_s);
        QTRY_COMPARE_WITH_TIMEOUT(said.count(), 1, patience);
        const QString text = said.takeFirst().first().toString();
        QVERIFY2(
            text.contains(u"Can't store the password"_s) && text.contains(u"unlock"_s), qPrintable(text));
        QVERIFY(!text.contains(u"hunter2"_s));
        servers.remove(0);
        QTRY_COMPARE_WITH_TIMEOUT(said.count(), 1, patience);
        QVERIFY(said.first().first().toString().contains(u"Can't remove the password"_s));
    }

    void init()
    {
        m_settings.clear();
        m_keychain = std::make_shared<test::FakeKeychain>();
    }

private:
    QTemporaryDir m_folder;
    QSettings m_settings{m_folder.filePath(u"test.ini"_s), QSettings::IniFormat};
    std::shared_ptr<test::FakeKeychain> m_keychain;
};

LOCKSCOPE_TEST(tst_Servers)
#include "tst_Servers.moc"
