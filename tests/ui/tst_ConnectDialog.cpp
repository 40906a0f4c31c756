// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/Picture.h"
#include "tests/support/TestProgram.h"
#include "tests/support/tds/MonitorAnswers.h"
#include "tests/support/tds/SessionAnswers.h"
#include "ui/dialogs/ConnectDialog.h"
#include "ui/theme/Theme.h"

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test::tds;
using lockscope::test::keepPicture;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int patience = 30'000;

template <class Widget> Widget* field(const ConnectDialog& dialog, const char* name)
{
    auto* const found = dialog.findChild<Widget*>(QString::fromLatin1(name));
    if (!found)
        qFatal("The dialog has no field %s.", name);
    return found;
}

void choose(const ConnectDialog& dialog, const char* name, const QString& startsWith)
{
    auto* const box = field<QComboBox>(dialog, name);
    const int index = box->findText(startsWith, Qt::MatchStartsWith);
    if (index < 0)
        qFatal("%s has no entry %s.", name, qPrintable(startsWith));
    box->setCurrentIndex(index);
}

/// A dialog for the double, with its driver list there.
void fillIn(ConnectDialog& dialog, const TdsServer& server)
{
    choose(dialog, "engine", u"SQL Server"_s);
    const auto* drivers = field<QComboBox>(dialog, "driver");
    QVERIFY(QTest::qWaitFor([&] { return drivers->findText(u"FreeTDS"_s) > 0; }, patience));
    choose(dialog, "driver", u"FreeTDS"_s);
    choose(dialog, "encryption", u"Do not encrypt"_s);
    field<QLineEdit>(dialog, "host")->setText(u"127.0.0.1"_s);
    field<QSpinBox>(dialog, "port")->setValue(server.port());
    field<QLineEdit>(dialog, "user")->setText(u"ann"_s);
    field<QLineEdit>(dialog, "database")->setText(u"orders"_s);
    field<QLineEdit>(dialog, "password")->setText(passwordOf(server));
}

void click(const ConnectDialog& dialog, const char* button)
{
    QTest::mouseClick(field<QPushButton>(dialog, button), Qt::LeftButton);
}

/// No field is wider than the dialog, and none is lower than its words need.
void everythingHasRoom(const ConnectDialog& dialog)
{
    for (const auto* child : dialog.findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (!child->isVisible())
            continue;
        const int needed =
            child->hasHeightForWidth() ? child->heightForWidth(child->width()) : child->sizeHint().height();
        const QString which =
            child->objectName() + u" of "_s + QString::fromLatin1(child->metaObject()->className());
        QVERIFY2(child->geometry().right() <= dialog.width(), qPrintable(which));
        QVERIFY2(child->height() + 2 >= needed, qPrintable(which));
    }
}

} // namespace

class tst_ConnectDialog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sqlServerIsTheFirstEngine()
    {
        const ConnectDialog dialog(db::ServerProfile{});
        QCOMPARE(field<QComboBox>(dialog, "engine")->itemText(0), engineName(Engine::SqlServer));
    }

    void aProfileSurvivesTheDialog_data()
    {
        QTest::addColumn<QString>("url");
        QTest::newRow("defaults") << u"sqlserver://ann@db1/shop"_s;
        QTest::newRow("trusting") << u"sqlserver://ann@db1:1444/shop?driver=FreeTDS&trust=yes"_s;
        QTest::newRow("strict")
            << u"sqlserver://ann@db1/shop?certificate=db1.corp&encrypt=strict&intent=readonly"_s;
        QTest::newRow("integrated")
            << u"sqlserver://db1%5CSQLEXPRESS/shop?auth=integrated&spn=MSSQLSvc/db1"_s;
        QTest::newRow("Entra") << u"sqlserver://ann%40corp.com@db1/shop?auth=entra-password"_s;
        QTest::newRow("data source") << u"sqlserver://ann@db1/shop?dsn=Nowhere"_s;
        QTest::newRow("driver that is gone") << u"sqlserver://ann@db1/shop?driver=Old%20driver&encrypt=no"_s;
    }
    void aProfileSurvivesTheDialog()
    {
        QFETCH(QString, url);
        db::ServerProfile profile;
        profile.name = u"x"_s;
        profile.url = db::ServerUrl::parse(url).value();
        const ConnectDialog dialog(profile);
        QCOMPARE(dialog.profile().value(), profile);
        const auto* drivers = field<QComboBox>(dialog, "driver");
        QVERIFY(QTest::qWaitFor([&] { return drivers->findText(u"FreeTDS"_s) > 0; }, patience));
        QCOMPARE(dialog.profile().value(), profile);
    }

    void attachedTablesSurviveTheDialog()
    {
        db::ServerProfile profile;
        profile.name = u"x"_s;
        profile.url = db::ServerUrl::parse(u"sqlserver://ann@db1/shop"_s).value();
        profile.attached = {{u"dbo"_s, u"Locks"_s, u"Name"_s, u"SetTime"_s, false, 300s},
            {{}, u"jobs"_s, u"job"_s, u"since"_s, true, 90s}, {{}, u"plain"_s, u"n"_s, u"t"_s}};
        const ConnectDialog dialog(profile);
        QCOMPARE(field<QLineEdit>(dialog, "attached")->text(),
            u"dbo.Locks(Name,SetTime) local stale 5m; jobs(job,since) stale 1m30s; plain(n,t)"_s);
        QCOMPARE(dialog.profile().value(), profile);
    }

    void anAttachedTableThatCannotBeReadIsSaid_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("hint");
        QTest::newRow("no columns") << u"dbo.Locks"_s << u"schema.table(NameColumn,TimeColumn)"_s;
        QTest::newRow("no age") << u"dbo.Locks(Name,SetTime) stale"_s << u"stale 5m"_s;
        QTest::newRow("no time") << u"dbo.Locks(Name,SetTime) stale soon"_s << u"90s"_s;
        QTest::newRow("at once") << u"dbo.Locks(Name,SetTime) stale 0"_s << u"90s"_s;
    }
    void anAttachedTableThatCannotBeReadIsSaid()
    {
        QFETCH(QString, text);
        QFETCH(QString, hint);
        db::ServerProfile profile;
        profile.url = db::ServerUrl::parse(u"sqlserver://ann@db1/shop"_s).value();
        const ConnectDialog dialog(profile);
        field<QLineEdit>(dialog, "attached")->setText(text);
        QVERIFY(!dialog.profile());
        QVERIFY2(dialog.profile().error().hint.contains(hint), qPrintable(dialog.profile().error().hint));
    }

    void showsOnlyWhatIsNeeded()
    {
        ConnectDialog dialog(db::ServerProfile{});
        dialog.show();
        choose(dialog, "engine", u"SQL Server"_s);
        QVERIFY(field<QComboBox>(dialog, "driver")->isVisible());
        QVERIFY(field<QLineEdit>(dialog, "certificate")->isVisible());
        QVERIFY(!field<QLineEdit>(dialog, "spn")->isVisible());
        choose(dialog, "encryption", u"Do not encrypt"_s);
        QVERIFY(!field<QLineEdit>(dialog, "certificate")->isVisible());
        choose(dialog, "authentication", u"Integrated"_s);
        QVERIFY(field<QLineEdit>(dialog, "spn")->isVisible());
        QVERIFY(!field<QLineEdit>(dialog, "user")->isVisible());
        QVERIFY(!field<QLineEdit>(dialog, "password")->isVisible());
        choose(dialog, "engine", u"PostgreSQL"_s);
        QVERIFY(!field<QComboBox>(dialog, "driver")->isVisible());
        QVERIFY(field<QLineEdit>(dialog, "user")->isVisible());
        choose(dialog, "engine", u"SQLite"_s);
        QVERIFY(!field<QLineEdit>(dialog, "user")->isVisible());
    }

    void tabsFollowTheRows()
    {
        ConnectDialog dialog(db::ServerProfile{});
        choose(dialog, "engine", u"SQL Server"_s);
        choose(dialog, "authentication", u"Integrated"_s);
        dialog.show();
        const QWidget* const engines = field<QComboBox>(dialog, "engine");
        int above = 0;
        for (const char* name : {"engine", "host", "port", "database", "driver", "authentication", "spn",
                 "encryption", "certificate", "readOnlyIntent"}) {
            auto* const one = field<QWidget>(dialog, name);
            QVERIFY2(one->y() > above, name);
            above = one->y();
            if (one == engines)
                one->setFocus();
            QVERIFY2(dialog.focusWidget() == one, name);
            QTest::keyClick(one, Qt::Key_Tab);
        }
    }

    void theTestNamesTheStepThatFailed()
    {
        TdsServer server;
        server.refuseLogins([](const Login&) -> std::optional<ServerMessage> {
            return ServerMessage{18'456, u"Login failed for user 'ann'."_s, 14};
        });
        ConnectDialog dialog(db::ServerProfile{});
        fillIn(dialog, server);
        QSignalSpy finished(&dialog, &ConnectDialog::testFinished);
        click(dialog, "test");
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, patience);
        QVERIFY(!finished.first().first().toBool());
        const QString report = dialog.testReport();
        QVERIFY2(report.contains(u"Port: "_s) && report.contains(u"Log-in: "_s), qPrintable(report));
        QVERIFY2(report.contains(u"Login failed"_s) && report.contains(u"✗"_s), qPrintable(report));
        QVERIFY(!report.contains(passwordOf(server)));
        dialog.show();
        everythingHasRoom(dialog);
        keepPicture(dialog, u"connect-refused"_s);
        // It says nothing about another user.
        field<QLineEdit>(dialog, "user")->setText(u"bob"_s);
        QCOMPARE(dialog.testReport(), QString());
    }

    void aMissingSchemaIsToldOnce()
    {
        TdsServer server;
        Picture picture;
        picture.session(51, "billing");
        picture.schemaInstalled = false;
        MonitorAnswers(server).show(picture);
        addSessionAnswers(server);
        server.answer("sqlserver/schema/exists", [](const Request&, Reply& reply) {
            reply.table({{u"there"_s, bit()}}, {{false}});
        });
        ConnectDialog dialog(db::ServerProfile{});
        fillIn(dialog, server);
        QSignalSpy finished(&dialog, &ConnectDialog::testFinished);
        click(dialog, "test");
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, patience);
        const QString report = dialog.testReport();
        QVERIFY2(report.contains(u"Read 2 sessions"_s), qPrintable(report)); // one is our own
        QVERIFY2(report.count(u"lockctl install"_s) == 1, qPrintable(report));
    }

    void theTestCanBeStopped()
    {
        TdsServer server;
        server.setFault({Fault::Kind::Silence, Fault::Phase::PreLogin, 0});
        ConnectDialog dialog(db::ServerProfile{});
        fillIn(dialog, server);
        QSignalSpy finished(&dialog, &ConnectDialog::testFinished);
        click(dialog, "test");
        auto* const button = field<QPushButton>(dialog, "test");
        QVERIFY(button->isEnabled());
        QCOMPARE(button->text(), u"Stop"_s);
        QTRY_VERIFY_WITH_TIMEOUT(dialog.testReport().contains(u"Port: "_s), patience);
        click(dialog, "test");
        QCOMPARE(finished.count(), 1);
        QCOMPARE(button->text(), u"Test"_s);
        QVERIFY(dialog.testReport().contains(u"Stopped"_s));
    }

    void theNoteSaysWhatADriverCannotDo()
    {
        const TdsServer server;
        ConnectDialog dialog(db::ServerProfile{});
        fillIn(dialog, server);
        choose(dialog, "encryption", u"Encrypt, and verify"_s);
        QVERIFY2(field<QLabel>(dialog, "engineNote")->text().contains(u"FreeTDS can't verify"_s),
            qPrintable(field<QLabel>(dialog, "engineNote")->text()));
    }

    void looksRightInBothThemes_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void looksRightInBothThemes()
    {
        QFETCH(bool, dark);
        TdsServer server;
        Picture picture;
        picture.session(51, "billing");
        MonitorAnswers(server).show(picture);
        addSessionAnswers(server);
        server.answer("sqlserver/schema/exists", [](const Request&, Reply& reply) {
            reply.table({{u"there"_s, bit()}}, {{false}});
        });
        theme::apply(*qApp, dark ? ThemeMode::Dark : ThemeMode::Light);
        ConnectDialog dialog(db::ServerProfile{});
        fillIn(dialog, server);
        dialog.show();
        QSignalSpy finished(&dialog, &ConnectDialog::testFinished);
        click(dialog, "test");
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, patience);
        QVERIFY2(dialog.testReport().contains(u"SQL Server 2022"_s), qPrintable(dialog.testReport()));
        everythingHasRoom(dialog);
        keepPicture(dialog, dark ? u"connect-dark"_s : u"connect-light"_s);
        choose(dialog, "authentication", u"Integrated"_s);
        choose(dialog, "encryption", u"Encrypt, and verify"_s);
        QCoreApplication::processEvents();
        everythingHasRoom(dialog);
        keepPicture(dialog, dark ? u"connect-verify-dark"_s : u"connect-verify-light"_s);
        for (const Engine engine : {Engine::Postgres, Engine::Sqlite}) {
            choose(dialog, "engine", engineName(engine));
            QCoreApplication::processEvents();
            everythingHasRoom(dialog);
        }
    }
};

LOCKSCOPE_TEST(tst_ConnectDialog)
#include "tst_ConnectDialog.moc"
