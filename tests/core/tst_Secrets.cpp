// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/credentials/Secrets.h"
#include "tests/support/FakeKeychain.h"
#include "tests/support/TestProgram.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace tst_Secrets {

using namespace lockscope;
using namespace lockscope::db;

using Outcome = Keychain::Outcome;

const QString url = u"postgresql://ann@db1/shop"_s;

class tst_Secrets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        // The tests must neither read nor fill the keychain of their user.
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
        const auto password = test::orDie(defaultPasswords()(u"postgresql://ann@db1/shop"_s));
        QVERIFY(password.isEmpty());
        const auto kept = readKeychain(u"postgresql://ann@db1/shop"_s);
        QVERIFY(kept && !*kept);
    }

    void storingWithoutAKeychainSaysWhatToDo()
    {
        const auto stored = writeKeychain(u"postgresql://ann@db1/shop"_s, u"hunter2"_s);
        QVERIFY(!stored);
        QVERIFY(stored.error().hint.contains(u"LOCKSCOPE_PASSWORD"_s));
        QVERIFY(!stored.error().toString().contains(u"hunter2"_s));
    }

    void aPasswordIsKeptAndForgotten()
    {
        const auto keychain = std::make_shared<test::FakeKeychain>();
        const PasswordProvider passwords = defaultPasswords(keychain);
        QCOMPARE(passwords(url).value(), QString());
        QVERIFY(writeKeychain(url, u"hunter2"_s, keychain));
        QCOMPARE(passwords(url).value(), u"hunter2"_s);
        QVERIFY(writeKeychain(url, {}, keychain));
        QVERIFY(keychain->kept().isEmpty());
        QVERIFY(writeKeychain(url, {}, keychain)); // it is gone already
        QCOMPARE(passwords(url).value(), QString());
    }

    void onlyAKeychainWithoutItMeansNoPassword_data()
    {
        test::addColumns<Outcome, bool>("says", "isNone");
        test::row("not found", Outcome::NotFound, true);
        test::row("no keychain", Outcome::NoBackend, true);
        test::row("locked or refused", Outcome::Denied, false);
        test::row("nobody answers", Outcome::NoAnswer, false);
        test::row("broken", Outcome::Failed, false);
    }
    void onlyAKeychainWithoutItMeansNoPassword()
    {
        FETCH(Outcome, says, bool, isNone);
        const auto keychain = std::make_shared<test::FakeKeychain>();
        keychain->answer(says);
        const auto password = defaultPasswords(keychain)(url);
        QCOMPARE(password.has_value(), isNone);
        const auto forgotten = writeKeychain(url, {}, keychain);
        QCOMPARE(forgotten.has_value(), isNone);
        const auto stored = writeKeychain(url, u"hunter2"_s, keychain);
        QVERIFY(!stored);
        QVERIFY(!stored.error().toString().contains(u"hunter2"_s));
        if (!isNone) {
            VERIFY_CONTAINS(password.error().what, u"keychain"_s);
            QVERIFY(password.error().hint.contains(u"LOCKSCOPE_PASSWORD"_s));
            QVERIFY(!forgotten.error().hint.isEmpty());
        }
        qputenv("LOCKSCOPE_PASSWORD", "x"); // the way round it that the hint names
        QCOMPARE(defaultPasswords(keychain)(url).value(), u"x"_s);
    }

    void aBusThatNeverAnswersIsSaidToHang()
    {
        // The kernel takes the call; nobody ever answers it.
        const QByteArray path = QFile::encodeName(test::freshPath(u"bus"_s));
        const int bus = socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        qstrncpy(address.sun_path, path.constData(), sizeof address.sun_path);
        QCOMPARE(bind(bus, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        QCOMPARE(listen(bus, 5), 0);
        qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=" + path);
        const auto tidy = qScopeGuard([bus] {
            qunsetenv("DBUS_SESSION_BUS_ADDRESS");
            close(bus);
        });

        const auto password = defaultPasswords()(u"postgresql://ann@db1/shop"_s);
        VERIFY_FAILS(ErrorKind::Timeout, password);
        QVERIFY(password.error().hint.contains(u"LOCKSCOPE_PASSWORD"_s));
        const auto stored = writeKeychain(u"postgresql://ann@db1/shop"_s, u"hunter2"_s);
        VERIFY_FAILS(ErrorKind::Timeout, stored);
        QVERIFY(!stored.error().toString().contains(u"hunter2"_s));
    }

    void aBusThatIsGoneIsNoKeychain()
    {
        qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
        const auto tidy = qScopeGuard([] { qunsetenv("DBUS_SESSION_BUS_ADDRESS"); });
        const auto password = test::orDie(defaultPasswords()(u"postgresql://ann@db1/shop"_s));
        QVERIFY(password.isEmpty());
    }

    void fixedPasswordsAreAlwaysTheSame() { QCOMPARE(fixedPassword(u"x"_s)(u"any"_s).value(), u"x"_s); }

    void scrubsEveryOccurrence()
    {
        QCOMPARE(scrubbed(u"password=abc and abc again"_s, u"abc"_s), u"password=••• and ••• again"_s);
        QCOMPARE(scrubbed(u"permission denied for table m_item: I'm 'm'"_s, u"m"_s),
            u"permission denied for table m_item: I'••• '•••'"_s);
        QCOMPARE(scrubbed(u"PWD=s3cret;UID=s3crets"_s, u"s3cret"_s), u"PWD=•••;UID=s3crets"_s);
        QCOMPARE(scrubbed(u"caf\u00e9 at caf"_s, u"caf"_s), u"caf\u00e9 at •••"_s);
        QCOMPARE(scrubbed(u"x$a b$y"_s, u"$a  b$"_s), u"x•••y"_s);
        QCOMPARE(scrubbed(u"PWD={a}}b};"_s, u"a}b"_s), u"PWD={•••};"_s);
        QCOMPARE(scrubbed(u"user \"ann\", 'it''s'"_s, u"it's"_s), u"user \"ann\", '•••'"_s);
        QCOMPARE(scrubbed(u"nothing to hide"_s, QString()), u"nothing to hide"_s);
    }

    /// Servers' messages repeat statements.
    void secretsOfRepeatedStatementsAreMasked_data()
    {
        test::addTexts("text",
            {"LINE 1: ALTER ROLE ann PASSWORD 'open sesame' oops", "near ENCRYPTED PASSWORD E'open\\'sesame'",
                "WITH PASSWORD = N'open sesame'", "PASSWORD $x$open sesame$x$ oops",
                "SET app.token TO 'open sesame'", "ALTER USER ann IDENTIFIED BY sesame oops",
                "IDENTIFIED BY 'open sesame'", "SECRET = 'open sesame",
                "at postgres://ann:open@sesame@db1/shop", "OPTIONS (user 'ann', password 'open sesame')"});
    }
    void secretsOfRepeatedStatementsAreMasked()
    {
        QFETCH(QString, text);
        const QString masked = scrubbed(text, {});
        QVERIFY2(!masked.contains(u"sesame"_s) && masked.contains(u"•••"_s), qPrintable(masked));
        QCOMPARE(scrubbed(masked, {}), masked);
        QCOMPARE(masked.contains(u"oops"_s), text.contains(u"oops"_s));
    }

    /// A secret of any characters, in each form in which drivers write one: nothing of it stays.
    void nothingOfASecretStays()
    {
        QRandomGenerator random(4'711);
        const QString characters = u"aZ0 &;='\"{}\\%$@/,.-+é"_s;
        for (int i = 0; i < 20'000; ++i) {
            QString secret = u"s"_s;
            while (secret.size() < 12)
                secret += characters[random.bounded(characters.size())];
            const auto without = [&secret](const QString& signs) {
                QString fit = secret;
                for (const QChar sign : signs)
                    fit.remove(sign);
                return fit + u"7z"_s; // what would be left of one that is cut
            };
            const auto doubled = [](QString text, QChar sign) {
                return text.replace(sign, QString(2, sign));
            };
            const QString quoted = doubled(without(u"\\"_s), u'\'');
            const QString plain = without(u" ;'\"{}"_s);
            const QString ofPairs = without(u";'\"{}"_s);
            const std::array texts{std::pair(u"Password=%1;Server=h"_s, ofPairs),
                std::pair(u"Server=h;Password=%1"_s, ofPairs),
                std::pair(u"Server=h;Pwd=%1;Database=d"_s, ofPairs),
                std::pair(u"Server=h;Pwd={%1};Database=d"_s, doubled(secret + u"7z"_s, u'}')),
                std::pair(u"host=h password=%1 dbname=d"_s, plain),
                std::pair(u"host=h password='%1' dbname=d"_s, quoted),
                std::pair(u"postgresql://h/d?password=%1&sslmode=require"_s, without(u" &;'\"{}"_s)),
                std::pair(u"postgresql://ann:%1@h/d"_s, without(u" /@"_s)),
                std::pair(u"ALTER ROLE ann PASSWORD '%1' oops"_s, quoted),
                std::pair(u"SET x.token TO '%1'"_s, quoted)};
            for (const auto& [text, written] : texts) {
                const QString masked = scrubbed(QString(text).replace(u"%1"_s, written), {});
                QVERIFY2(
                    !masked.contains(u"7z"_s), qPrintable(text + u": "_s + written + u" -> "_s + masked));
                QCOMPARE(scrubbed(masked, {}), masked);
            }
        }
    }

    /// Texts of any length: no limit of the matching lets a secret through, and none takes long.
    void longTextsAreMaskedToo()
    {
        const QString longOne(1'000'000, u'x');
        for (const QString& text :
            {u"PASSWORD '"_s + longOne + u"7z'"_s, u"PASSWORD '"_s + QString(200'000, u'\'') + u"7z"_s,
                u"PASSWORD = E'"_s + QString(u"\\'"_s).repeated(200'000) + u"7z'"_s,
                u"Pwd={"_s + QString(u"}}"_s).repeated(200'000) + u"7z}"_s,
                u"password="_s + longOne + u"7z;"_s, longOne + u"password=7z"_s,
                u"PASSWORD $a$"_s + longOne + u"7z$a$"_s, u"postgresql://ann:"_s + longOne + u"7z@h"_s}) {
            const QString masked = scrubbed(text, {});
            QVERIFY2(!masked.contains(u"7z"_s), qPrintable(masked.right(100)));
        }
    }
};

LOCKSCOPE_TEST(tst_Secrets)

} // namespace tst_Secrets
#include "tst_Secrets.moc"
