// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/Keychain.h"
#include "core/db/Secrets.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::db;
using namespace Qt::StringLiterals;

class tst_Secrets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        // The tests must neither read nor fill the keychain of whoever runs them.
        qunsetenv("DBUS_SESSION_BUS_ADDRESS");
        qputenv("XDG_RUNTIME_DIR", "/nonexistent");
    }
    void cleanup() { qunsetenv("LOCKSCOPE_PASSWORD"); }

    void theEnvironmentComesFirst()
    {
        qputenv("LOCKSCOPE_PASSWORD", "geheim 🔑");
        QCOMPARE(defaultPasswords()(u"postgresql://ann@db1/shop"_s).value(), u"geheim 🔑"_s);
    }

    void anEmptyPasswordInTheEnvironmentIsOne()
    {
        qputenv("LOCKSCOPE_PASSWORD", "");
        QCOMPARE(defaultPasswords()(u"postgresql://ann@db1/shop"_s).value(), QString());
    }

    void withoutAKeychainThereIsNoPasswordAndNoError()
    {
        const auto password = defaultPasswords()(u"postgresql://ann@db1/shop"_s);
        QVERIFY(password);
        QVERIFY(password->isEmpty());
        QVERIFY(!readKeychain(u"postgresql://ann@db1/shop"_s));
    }

    void storingWithoutAKeychainSaysWhatToDo()
    {
        const auto stored = storePassword(u"postgresql://ann@db1/shop"_s, u"hunter2"_s);
        QVERIFY(!stored);
        QVERIFY(stored.error().hint.contains(u"LOCKSCOPE_PASSWORD"_s));
        QVERIFY(!stored.error().toString().contains(u"hunter2"_s));
    }

    void fixedPasswordsAreAlwaysTheSame() { QCOMPARE(fixedPassword(u"x"_s)(u"any"_s).value(), u"x"_s); }

    void scrubsEveryOccurrence()
    {
        QCOMPARE(scrubbed(u"password=abc and abc again"_s, u"abc"_s), u"password=••• and ••• again"_s);
        QCOMPARE(scrubbed(u"nothing to hide"_s, QString()), u"nothing to hide"_s);
    }
};

QTEST_GUILESS_MAIN(tst_Secrets)
#include "tst_Secrets.moc"
