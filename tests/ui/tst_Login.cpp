// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Logins that are refused, and which passwords are asked for, used and kept.

#include "tests/ui/ShellTest.h"
#include "tests/ui/Widgets.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/shell/servers/ServerDialogs.h"
#include "ui/shell/servers/Servers.h"
#include "ui/views/connect/ConnectDialog.h"

namespace tst_Login {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

class tst_Login : public ShellTest {
    Q_OBJECT

private Q_SLOTS:
    void init() { makeShell(); }
    void cleanup() { dropAll(); }

    void aRefusedLogInIsAskedForAndNotTriedAgain()
    {
        const auto tries = std::make_shared<std::atomic<int>>(0);
        MainWindow::Options options;
        options.interval = 250ms;
        options.passwords = [tries](const QString&) -> Result<QString> {
            ++*tries;
            return u"wrong"_s;
        };
        makeWindow(options);
        m_window->openServer(profileOf(TestServer::shared().freshDatabase(), u"till"_s));
        auto* field = child<QLineEdit>("logInPassword");
        TRY_VERIFY(field->isVisible());
        auto* text = child<QLabel>("troubleText");
        VERIFY_CONTAINS(text->text(), u"not tried again by itself"_s);
        VERIFY_CONTAINS(text->text(), u"Check user and password, then press Log in."_s);
        VERIFY_LACKS(text->text(), u"--password-stdin"_s); // of lockctl
        QVERIFY(!text->text().contains(u"tries again by itself"_s));
        QVERIFY(field->hasFocus());
        keepPicture(*m_window, u"login"_s);

        // A second wrong one is not kept; the right one is, once the server has taken it.
        QTest::keyClicks(field, u"wrong as well"_s);
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(field->text(), QString());
        auto* when = child<QLabel>("troubleWhen");
        QCOMPARE(child<QPushButton>("logIn")->text(), u"Trying…"_s);
        QCOMPARE(when->text(), u"Trying…"_s);
        TRY_STARTS(when->text(), u"Refused again at "_s);
        QVERIFY(when->text().endsWith(u"(attempt 2)."_s));
        QCOMPARE(child<QPushButton>("logIn")->text(), u"Log in"_s);
        QTest::mouseClick(child<QPushButton>("tryAgain"), Qt::LeftButton);
        TRY_ENDS(when->text(), u"(attempt 3)."_s);
        keepPicture(*m_window, u"login-again"_s);
        QTest::keyClicks(field, TestServer::shared().password());
        QVERIFY(child<QCheckBox>("logInKeep")->isChecked());
        QTest::mouseClick(child<QPushButton>("logIn"), Qt::LeftButton);
        TRY_VERIFY(m_window->session()->monitor().snapshot());
        TRY_COMPARE(m_keychain->kept().values(), QStringList{TestServer::shared().password()});
        QCOMPARE(int(*tries), 1);
    }

    void aLogInRefusedLaterIsAskedForOverTheRowsThatAreThere()
    {
        const auto answers = showTill();
        answers->fail(ErrorKind::Login, u"The password has expired."_s);
        auto* bar = child<NoticeBar>("healthBar");
        TRY_VERIFY(bar->isVisible());
        auto* button = bar->findChild<QPushButton*>(u"noticeAction"_s);
        QVERIFY(button->isVisible());
        QTest::mouseClick(button, Qt::LeftButton);
        auto* dialog = m_window->findChild<LogInDialog*>();
        QVERIFY(dialog);
        QCOMPARE(dialog->findChild<ServerStrip*>()->accessibleName(), u"till"_s);
        answers->recover();
        QTest::keyClicks(dialog->findChild<QLineEdit*>(), u"another"_s);
        QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
        TRY_VERIFY(!bar->isVisible());
    }

    void theLogInDialogGoesOnceTheServerLetsUsIn()
    {
        const auto answers = showTill();
        answers->fail(ErrorKind::Login, u"The account is locked."_s);
        auto* bar = child<NoticeBar>("healthBar");
        TRY_VERIFY(bar->isVisible());
        QTest::mouseClick(bar->findChild<QPushButton*>(u"noticeAction"_s), Qt::LeftButton);
        const QPointer dialog(m_window->findChild<LogInDialog*>());
        QVERIFY(dialog);
        QTest::keyClicks(dialog->findChild<QLineEdit*>(), u"never tried"_s);
        answers->recover();
        m_window->session()->monitor().refreshNow(); // asked for before the dialog was opened
        TRY_VERIFY(!dialog);
        QVERIFY(m_window->findChild<Servers*>()->finishKeychain(patience));
        QVERIFY(m_keychain->kept().isEmpty());
    }

    void aPasswordOfTheDialogIsKeptOnceItIsTaken()
    {
        m_window->findChild<ServerDialogs*>()->add();
        auto* dialog = m_window->findChild<ConnectDialog*>();
        QVERIFY(dialog);
        dialog->findChild<QLineEdit*>(u"host"_s)->setText(TestServer::shared().freshDatabase().toString());
        dialog->findChild<QLineEdit*>(u"password"_s)->setText(u"wrong"_s);
        QVERIFY(dialog->keepsPassword());
        dialog->accept();
        auto* field = child<QLineEdit>("logInPassword");
        TRY_VERIFY(field->isVisible());
        QVERIFY(m_window->findChild<Servers*>()->finishKeychain(patience));
        QVERIFY(m_keychain->kept().isEmpty());
        QTest::keyClicks(field, TestServer::shared().password());
        QTest::keyClick(field, Qt::Key_Return);
        TRY_COMPARE(m_keychain->kept().values(), QStringList{TestServer::shared().password()});
    }

    void aMachineWithoutKeychainSaysForNowOnly()
    {
        m_keychain->answer(db::Keychain::Outcome::NoBackend);
        const auto answers = std::make_shared<Answers>(oneBlocksOne());
        answers->fail(ErrorKind::Login, u"Login refused."_s);
        show(named(u"till"_s), answers);
        auto* keep = child<QCheckBox>("logInKeep");
        TRY_VERIFY(keep->isVisible());
        TRY_VERIFY(!keep->isEnabled());
        QVERIFY(!keep->isChecked());
        VERIFY_CONTAINS(keep->text(), u"this run only"_s, Qt::CaseInsensitive);
    }

    void thePasswordOfTheCommandLineIsForItsServerOnly()
    {
        makeWindow({.passwords = [](const QString&) -> Result<QString> { return u"of the command line"_s; }});
        db::ServerProfile other = named(u"other"_s);
        other.url = TestServer::shared().freshDatabase();
        m_keychain->write(other.url.toString(), TestServer::shared().password());
        auto* servers = m_window->findChild<Servers*>();
        servers->add(other);
        m_window->openServer(named(u"127.0.0.1"_s));
        clickServer(0);
        QCOMPARE(m_window->session()->profile().name, u"other"_s);
        // It gets its own from the keychain, or it would not let us in.
        TRY_VERIFY(m_window->session()->monitor().snapshot());
    }
};

LOCKSCOPE_TEST(tst_Login)

} // namespace tst_Login
#include "tst_Login.moc"
