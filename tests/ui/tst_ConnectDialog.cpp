// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/FakeKeychain.h"
#include "tests/support/SeenTexts.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/support/tds/MonitorAnswers.h"
#include "tests/ui/Widgets.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/connect/ConnectDialog.h"

namespace tst_ConnectDialog {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;
using namespace lockscope::test::tds;

static void choose(const ConnectDialog& dialog, const char* name, const QString& startsWith)
{
    auto* const box = field<QComboBox>(dialog, name);
    const int index = box->findText(startsWith, Qt::MatchStartsWith);
    if (index < 0)
        qFatal("%s has no entry %s.", name, qPrintable(startsWith));
    box->setCurrentIndex(index);
}

/// A dialog for the double, with its driver list there.
static void fillIn(ConnectDialog& dialog, const TdsServer& server)
{
    choose(dialog, "engine", u"SQL Server"_s);
    const auto* drivers = field<QComboBox>(dialog, "driver");
    TRY_VERIFY(drivers->findText(u"FreeTDS"_s) > 0);
    choose(dialog, "driver", u"FreeTDS"_s);
    choose(dialog, "encryption", u"Do not encrypt"_s);
    field<QLineEdit>(dialog, "host")->setText(u"127.0.0.1"_s);
    field<QSpinBox>(dialog, "port")->setValue(server.port());
    field<QLineEdit>(dialog, "user")->setText(u"ann"_s);
    field<QLineEdit>(dialog, "database")->setText(u"orders"_s);
    field<QLineEdit>(dialog, "password")->setText(passwordOf(server));
}

static void click(const ConnectDialog& dialog, const char* button)
{
    QTest::mouseClick(field<QPushButton>(dialog, button), Qt::LeftButton);
}

static void showWithoutSchema(TdsServer& server, const Picture& picture)
{
    MonitorAnswers(server).show(picture);
    addSessionAnswers(server);
    server.answer("sqlserver/schema/exists", [](const Request&, Reply& reply) {
        reply.table({{u"there"_s, bit()}}, {{false}});
    });
}

/// No field is wider than the dialog, and none is lower than its words need.
static void everythingHasRoom(const ConnectDialog& dialog)
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

class tst_ConnectDialog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { fitDialogs(*qApp); }

    void eachFieldHasAKeyOfItsOwn()
    {
        for (const Engine engine : allEngines) {
            db::ServerProfile profile;
            profile.url.engine = engine;
            ConnectDialog dialog(profile);
            dialog.show();
            QVERIFY(QTest::qWaitForWindowActive(&dialog));
            QString keys;
            for (const QLabel* label : dialog.findChildren<QLabel*>()) {
                if (!label->isVisible() || !label->buddy())
                    continue;
                const qsizetype at = label->text().indexOf(u'&');
                QVERIFY2(at >= 0, qPrintable(label->text()));
                const QChar key = label->text().at(at + 1).toUpper();
                QVERIFY2(!keys.contains(key), qPrintable(label->text()));
                keys += key;
                QTest::keyClick(&dialog, Qt::Key(key.unicode()), Qt::AltModifier);
                QTRY_VERIFY2(
                    label->buddy()->hasFocus() || !label->buddy()->isEnabled(), qPrintable(label->text()));
            }
            QVERIFY(keys.size() >= 4);
        }
    }

    void sqlServerIsTheFirstEngine()
    {
        const ConnectDialog dialog(db::ServerProfile{});
        QCOMPARE(field<QComboBox>(dialog, "engine")->itemText(0), engineName(Engine::SqlServer));
    }

    void aProfileSurvivesTheDialog_data()
    {
        QTest::addColumn<QString>("url");
        row("defaults", "sqlserver://ann@db1/shop");
        row("trusting", "sqlserver://ann@db1:1444/shop?driver=FreeTDS&trust=yes");
        row("strict", "sqlserver://ann@db1/shop?certificate=db1.corp&encrypt=strict&intent=readonly");
        row("integrated", "sqlserver://db1%5CSQLEXPRESS/shop?auth=integrated&spn=MSSQLSvc/db1");
        row("Entra", "sqlserver://ann%40corp.com@db1/shop?auth=entra-password");
        row("data source", "sqlserver://ann@db1/shop?dsn=Nowhere");
        row("by Qt", "sqlserver://ann@db1/shop?api=qodbc");
        row("file with a name like a secret's", "sqlite:///srv/token=abc/secret=1.db");
        row("driver that is gone", "sqlserver://ann@db1/shop?driver=Old%20driver&encrypt=no");
    }
    void aProfileSurvivesTheDialog()
    {
        QFETCH(QString, url);
        const db::ServerUrl parsed = db::ServerUrl::parse(url).value();
        const db::ServerProfile profile = profileOf(parsed, parsed.display());
        const ConnectDialog dialog(profile);
        QVERIFY2(dialog.profile(), dialog.profile() ? "" : qPrintable(dialog.profile().error().toString()));
        QCOMPARE(dialog.profile().value(), profile);
        if (profile.url.engine != Engine::SqlServer)
            return;
        const auto* drivers = field<QComboBox>(dialog, "driver");
        TRY_VERIFY(drivers->findText(u"FreeTDS"_s) > 0);
        QCOMPARE(dialog.profile().value(), profile);
    }

    void attachedTablesSurviveTheDialog()
    {
        db::ServerProfile profile = profileOf("sqlserver://ann@db1/shop", u"x"_s);
        profile.attached = {{u"dbo"_s, u"Locks"_s, u"Name"_s, u"SetTime"_s, false, 300s},
            {{}, u"jobs"_s, u"job"_s, u"since"_s, true, 90s}, {{}, u"plain"_s, u"n"_s, u"t"_s}};
        const ConnectDialog dialog(profile);
        QCOMPARE(field<QLineEdit>(dialog, "attached")->text(),
            u"dbo.Locks(Name,SetTime) local stale 5m; jobs(job,since) stale 1m30s; plain(n,t)"_s);
        QCOMPARE(dialog.profile().value(), profile);
    }

    void anAttachedTableThatCannotBeReadIsSaid_data()
    {
        addColumns<QString, QString>("text", "hint");
        row("no columns", "dbo.Locks", "schema.table(NameColumn,TimeColumn)");
        row("no age", "dbo.Locks(Name,SetTime) stale", "stale 5m");
        row("no time", "dbo.Locks(Name,SetTime) stale soon", "90s");
        row("at once", "dbo.Locks(Name,SetTime) stale 0", "90s");
    }
    void anAttachedTableThatCannotBeReadIsSaid()
    {
        FETCH(QString, text, QString, hint);
        const db::ServerProfile profile = profileOf("sqlserver://ann@db1/shop");
        const ConnectDialog dialog(profile);
        field<QLineEdit>(dialog, "attached")->setText(text);
        QVERIFY(!dialog.profile());
        VERIFY_CONTAINS(dialog.profile().error().hint, hint);
    }

    void aPastedUrlIsDividedAmongTheFields_data()
    {
        addColumns<QString, QString, QString, QString>("into", "pasted", "url", "password");
        row("PostgreSQL", "host", "postgresql://ann@db1:5433/shop?sslmode=verify-full",
            "postgresql://ann@db1:5433/shop?sslmode=verify-full", QString());
        row("SQL Server, as the name", "name", " sqlserver://ann@db1%5CX/shop?encrypt=no ",
            "sqlserver://ann@db1%5CX/shop?encrypt=no", QString());
        row("SQLite", "database", "sqlite:///srv/locks.db", "sqlite:///srv/locks.db", QString());
        row("with its password", "host", "postgres://ann:p%40ss@db1/shop", "postgresql://ann@db1/shop",
            "p@ss");
        row("an @ in its password", "host", "Postgresql://ann:p@ss@db1/shop", "postgresql://ann@db1/shop",
            "p@ss");
        row("a ? in its password", "host", "postgresql://ann:p?ss@db1/shop", "postgresql://ann@db1/shop",
            "p?ss");
        row("an @ behind the host", "host", "postgresql://ann:pass@db1/shop?application_name=a@b",
            "postgresql://ann@db1/shop?application_name=a@b", "pass");
        row("as the user", "user", "postgresql://ann:pass@db1/shop", "postgresql://ann@db1/shop", "pass");
        row("several hosts", "host", "postgresql://db1:5432,db2:5433/shop",
            "postgresql://db1:5432,db2:5433/shop", QString());
    }
    void aPastedUrlIsDividedAmongTheFields()
    {
        FETCH(QString, into, QString, pasted, QString, url);
        ConnectDialog dialog(db::ServerProfile{});
        dialog.show();
        if (into == u"database"_s)
            choose(dialog, "engine", u"SQLite"_s);
        auto* const target = dialog.findChild<QLineEdit*>(into);
        QGuiApplication::clipboard()->setText(pasted);
        target->setFocus();
        QTest::keySequence(target, QKeySequence::Paste);
        QVERIFY2(dialog.profile(), qPrintable(dialog.profile() ? QString() : dialog.profile().error().what));
        QCOMPARE(dialog.profile()->url.toString(), db::ServerUrl::parse(url)->toString());
        QTEST(dialog.newPassword(), "password");
        QVERIFY(!field<QLineEdit>(dialog, "name")->text().contains(u"//"_s));
    }

    void thePasswordOfOneUrlIsNotForTheNext()
    {
        ConnectDialog dialog(db::ServerProfile{});
        dialog.show();
        auto* const host = field<QLineEdit>(dialog, "host");
        host->setText(u"postgresql://ann:secret@db1/shop"_s);
        QCOMPARE(dialog.newPassword(), u"secret"_s);
        host->setText(u"postgresql://ann@db2/shop"_s);
        QCOMPARE(host->text(), u"db2"_s);
        QCOMPARE(dialog.newPassword(), QString());
    }

    void whatIsTypedIsLeftAloneAndDividedAtTheEnd()
    {
        ConnectDialog dialog(db::ServerProfile{});
        dialog.show();
        auto* const host = field<QLineEdit>(dialog, "host");
        QTest::keyClicks(host, u"postgresql://db1"_s);
        QCOMPARE(host->text(), u"postgresql://db1"_s);
        QTest::keyClicks(host, u"/shop"_s);
        dialog.activateWindow();
        host->setFocus();
        QTRY_VERIFY(host->hasFocus());
        QTest::keyClick(host, Qt::Key_Tab);
        QCOMPARE(host->text(), u"db1"_s);
        QCOMPARE(field<QLineEdit>(dialog, "database")->text(), u"shop"_s);
    }

    void anEmptyFormSavesNothing_data()
    {
        addColumns<QString, QString>("engine", "says");
        row("SQL Server", "SQL Server", "Host is empty");
        row("PostgreSQL", "PostgreSQL", "Host is empty");
        row("SQLite", "SQLite", "File is empty");
    }
    void anEmptyFormSavesNothing()
    {
        FETCH(QString, engine, QString, says);
        ConnectDialog dialog(db::ServerProfile{});
        dialog.show();
        dialog.move(20, 100);
        choose(dialog, "engine", engine);
        QSignalSpy saved(&dialog, &QDialog::accepted);
        auto* const save = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save);
        const QPoint place = save->mapToGlobal(QPoint());
        QTest::mouseClick(save, Qt::LeftButton);
        QCOMPARE(saved.count(), 0);
        QVERIFY(dialog.isVisible());
        VERIFY_CONTAINS(dialog.testReport(), says);
        // The dialog has grown, and the button is where it was.
        QCOMPARE(save->mapToGlobal(QPoint()), place);
        everythingHasRoom(dialog);
    }

    void messagesNameTheField_data()
    {
        addColumns<QString, QString, QString, QString>("engine", "name", "text", "begins");
        row("host", "PostgreSQL", "host", "two words", "Host: “two words”");
        row("SSMS's port", "SQL Server", "host", "db1,1444", "Host: “db1,1444”");
        row("hosts", "PostgreSQL", "host", "db1,,db2", "Host: “db1,,db2”");
        row("option", "PostgreSQL", "options", "sslmode", "Options: “sslmode”");
        row("password", "PostgreSQL", "options", "password=x", "Options: a password");
        row("file", "SQLite", "database", "locks.db", "File: “locks.db”");
        row("attached", "PostgreSQL", "attached", "locks", "Attached lock tables: “locks”");
    }
    void messagesNameTheField()
    {
        FETCH(QString, engine, QString, name, QString, text, QString, begins);
        const ConnectDialog dialog(db::ServerProfile{});
        choose(dialog, "engine", engine);
        field<QLineEdit>(dialog, "host")->setText(u"db1"_s);
        dialog.findChild<QLineEdit*>(name)->setText(text);
        QVERIFY(!dialog.profile());
        const QString said = dialog.profile().error().toString();
        VERIFY_STARTS(said, begins);
        VERIFY_LACKS(said, u"URL"_s);
    }

    void aUrlThatCannotBeReadIsNotRepeated_data()
    {
        QTest::addColumn<QString>("into");
        for (const QString& name : {u"name"_s, u"host"_s, u"database"_s})
            row(qPrintable(name), name);
    }
    void aUrlThatCannotBeReadIsNotRepeated()
    {
        QFETCH(QString, into);
        const ConnectDialog dialog(db::ServerProfile{});
        choose(dialog, "engine", u"PostgreSQL"_s);
        field<QLineEdit>(dialog, "host")->setText(u"db1"_s);
        dialog.findChild<QLineEdit*>(into)->setText(u"mysql://ann:hunter2@db1/shop"_s);
        QVERIFY(!dialog.profile()); // nor saved
        const QString said = dialog.profile().error().toString();
        VERIFY_STARTS(said, into, Qt::CaseInsensitive);
        VERIFY_LACKS(said, u"hunter2"_s);
    }

    /// A connection string was pasted into some field: nobody sees or keeps its secret.
    void aSecretOfAConnectionStringIsNeitherShownNorKept_data()
    {
        addColumns<QString, QString, QString>("engine", "into", "pasted");
        const std::pair<QByteArray, QString> texts[]{
            {"ADO.NET", u"Server=db1;Database=shop;User Id=ann;Password=pl4nted"_s},
            {"ODBC", u"Driver={ODBC Driver 18 for SQL Server};Server=db1;UID=ann;PWD={pl4nted}"_s},
            {"libpq", u"host=db1 dbname=shop user=ann password=pl4nted"_s},
            {"libpq, quoted", u"host=db1 password='pl4nted'"_s},
            {"OAuth", u"host=db1 oauth_client_secret=pl4nted"_s}};
        for (const QString& engine : {u"PostgreSQL"_s, u"SQL Server"_s, u"SQLite"_s})
            for (const char* const into :
                {"name", "host", "user", "database", "options", "attached", "certificate", "spn"})
                for (const auto& [form, text] : texts)
                    row(engine.toUtf8() + ", " + into + ", " + form, engine, into, text);
    }
    void aSecretOfAConnectionStringIsNeitherShownNorKept()
    {
        FETCH(QString, engine, QString, into, QString, pasted);
        ConnectDialog dialog(db::ServerProfile{});
        dialog.show();
        choose(dialog, "engine", engine);
        field<QLineEdit>(dialog, "host")->setText(u"db1"_s);
        if (engine == u"SQLite"_s)
            field<QLineEdit>(dialog, "database")->setText(u"/tmp/none.db"_s);
        auto* const target = dialog.findChild<QLineEdit*>(into);
        if (!target->isVisibleTo(&dialog))
            QSKIP("this engine has no such field");
        target->setText(pasted);
        const auto read = dialog.profile();
        QVERIFY2(!read, "it would be saved");
        VERIFY_LACKS(read.error().toString(), u"pl4nted"_s);
        QSignalSpy saved(&dialog, &QDialog::accepted);
        for (QPushButton* const button : {field<QPushButton>(dialog, "test"),
                 dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save)}) {
            QTest::mouseClick(button, Qt::LeftButton);
            QVERIFY(!dialog.testReport().isEmpty());
            for (QWidget* const widget : dialog.findChildren<QWidget*>())
                if (widget != target && !target->isAncestorOf(widget))
                    tellWidget(*widget, [&](const QString& where, const QString& text) {
                        if (text.contains(u"pl4nted"_s))
                            QFAIL(qPrintable(where + u": "_s + text));
                    });
        }
        QCOMPARE(saved.count(), 0);
        const QString ofField =
            target->toolTip() + target->accessibleName() + target->accessibleDescription();
        VERIFY_LACKS(ofField, u"pl4nted"_s);
    }

    void suggestionsFitTheEngine()
    {
        const ConnectDialog dialog(db::ServerProfile{});
        const auto suggestion = [&](const char* name) {
            return field<QLineEdit>(dialog, name)->placeholderText();
        };
        const auto* port = field<QSpinBox>(dialog, "port");
        choose(dialog, "engine", u"SQL Server"_s);
        QVERIFY(suggestion("host").contains(u"instance"_s) && port->text().contains(u"1433"_s));
        QVERIFY(suggestion("attached").startsWith(u"dbo."_s));
        choose(dialog, "engine", u"PostgreSQL"_s);
        QVERIFY(suggestion("host").contains(u"socket"_s) && port->text().contains(u"5432"_s));
        QVERIFY(suggestion("attached").startsWith(u"public."_s));
        choose(dialog, "engine", u"SQLite"_s);
        QVERIFY(suggestion("database").startsWith(u"/"_s));
        QVERIFY(!field<QPushButton>(dialog, "browse")->isHidden());
        QVERIFY(field<QLineEdit>(dialog, "options")->isHidden());
    }

    void aFileIsBrowsedFor()
    {
        const QString path = freshPath(u"locks.db"_s);
        makeFile(path);
        ConnectDialog dialog(db::ServerProfile{});
        dialog.show();
        choose(dialog, "engine", u"SQLite"_s);
        click(dialog, "browse");
        auto* files = dialog.findChild<QFileDialog*>();
        QVERIFY(files);
        Q_EMIT files->fileSelected(path);
        files->reject();
        QCOMPARE(dialog.profile()->url.database, path);
    }

    void anEnvironmentIsChosen()
    {
        db::ServerProfile profile = profileOf("postgresql://ann@db1/shop", u"x"_s);
        profile.environment = db::Environment::Test;
        const ConnectDialog dialog(profile);
        QCOMPARE(dialog.profile().value(), profile);
        choose(dialog, "environment", u"production"_s);
        QCOMPARE(dialog.profile()->environment, db::Environment::Production);
    }

    void thePasswordFieldSaysWhatIsTrue_data()
    {
        using Outcome = db::Keychain::Outcome;
        addColumns<Outcome, QString, QString, bool>("outcome", "kept", "says", "canKeep");
        row("kept", Outcome::Done, "hunter2", "from the desktop's keychain", true);
        row("none", Outcome::Done, QString(), "no saved password", true);
        row("no keychain", Outcome::NoBackend, QString(), "no saved password", false);
        row("locked", Outcome::Denied, QString(), "keychain is locked", true);
    }
    void thePasswordFieldSaysWhatIsTrue()
    {
        FETCH(db::Keychain::Outcome, outcome, QString, kept, QString, says, bool, canKeep);
        const db::ServerProfile profile = profileOf("postgresql://ann@db1/shop", u"x"_s);
        const auto keychain = std::make_shared<FakeKeychain>();
        if (!kept.isEmpty())
            keychain->write(profile.url.toString(), kept);
        keychain->answer(outcome);
        ConnectDialog dialog(profile, nullptr, keychain);
        dialog.show();
        const auto* password = field<QLineEdit>(dialog, "password");
        TRY_CONTAINS(password->placeholderText(), says);
        QVERIFY(!password->placeholderText().contains(u"hunter2"_s));
        const auto* keep = field<QCheckBox>(dialog, "keepPassword");
        QCOMPARE(keep->isEnabled(), canKeep);
        QCOMPARE(dialog.keepsPassword(), canKeep);
        QCOMPARE(keep->text().contains(u"this run only"_s, Qt::CaseInsensitive), !canKeep);
        // The kept password is for that address only.
        field<QLineEdit>(dialog, "host")->setText(u"db2"_s);
        QVERIFY(!password->placeholderText().contains(u"unchanged"_s));
        field<QLineEdit>(dialog, "host")->setText(u"db1"_s);
        QVERIFY(password->placeholderText().contains(says));
    }

    void aPasswordTypedInThisRunIsUsedAgain()
    {
        const db::ServerProfile profile = profileOf("postgresql://ann@db1/shop");
        const ConnectDialog dialog(profile, nullptr, std::make_shared<FakeKeychain>(), u"typed before"_s);
        QVERIFY(field<QLineEdit>(dialog, "password")->placeholderText().contains(u"as typed"_s));
        QCOMPARE(dialog.passwords()(profile.url.toString()).value(), u"typed before"_s);
        field<QLineEdit>(dialog, "host")->setText(u"db2"_s); // gets nobody else's
        QCOMPARE(dialog.passwords()(dialog.profile()->url.toString()).value(), QString());
    }

    /// A permission to read survives an edit of other fields; another address is another server.
    void approvedTablesSurviveAnEdit()
    {
        db::ServerProfile profile = profileOf("postgresql://ann@db1/shop", u"shop"_s);
        profile.approvedTables = {{u"app"_s, u"shedlock"_s, u"app_owner"_s}};
        ConnectDialog dialog(profile);
        field<QLineEdit>(dialog, "name")->setText(u"another name"_s);
        QCOMPARE(dialog.profile()->approvedTables, profile.approvedTables);
        field<QLineEdit>(dialog, "host")->setText(u"db2"_s);
        QVERIFY(dialog.profile()->approvedTables.isEmpty());
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
        for (const char* name : {"engine", "host", "port", "database", "driver", "api", "authentication",
                 "spn", "encryption", "certificate", "readOnlyIntent"}) {
            auto* const one = field<QWidget>(dialog, name);
            const int place = one->mapTo(&dialog, QPoint()).y();
            QVERIFY2(place > above, name);
            above = place;
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
        TRY_COMPARE(finished.count(), 1);
        QVERIFY(!finished.first().first().toBool());
        const QString report = dialog.testReport();
        QVERIFY2(report.contains(u"Port: "_s) && report.contains(u"Login: "_s), qPrintable(report));
        QVERIFY2(report.contains(u"Login failed"_s) && report.contains(u"✗"_s), qPrintable(report));
        QVERIFY(!report.contains(passwordOf(server)));
        dialog.show();
        everythingHasRoom(dialog);
        keepPicture(dialog, u"connect-refused"_s);
        // It says nothing about another user.
        field<QLineEdit>(dialog, "user")->setText(u"bob"_s);
        QCOMPARE(dialog.testReport(), QString());
    }

    void aMissingSchemaIsReportedOnce()
    {
        TdsServer server;
        Picture picture;
        picture.session(51, "billing");
        picture.schemaInstalled = false;
        showWithoutSchema(server, picture);
        ConnectDialog dialog(db::ServerProfile{});
        fillIn(dialog, server);
        QSignalSpy finished(&dialog, &ConnectDialog::testFinished);
        click(dialog, "test");
        TRY_COMPARE(finished.count(), 1);
        const QString report = dialog.testReport();
        VERIFY_CONTAINS(report, u"Read 2 sessions"_s); // one is our own
        QVERIFY2(report.count(u"lockctl install"_s) == 1, qPrintable(report));
    }

    void theTestCanBeStopped()
    {
        TdsServer server;
        server.setFault({Fault::Kind::Silence, Fault::Phase::PreLogin});
        ConnectDialog dialog(db::ServerProfile{});
        fillIn(dialog, server);
        QSignalSpy finished(&dialog, &ConnectDialog::testFinished);
        click(dialog, "test");
        auto* const button = field<QPushButton>(dialog, "test");
        QVERIFY(button->isEnabled());
        QCOMPARE(button->text(), u"Stop"_s);
        TRY_VERIFY(dialog.testReport().contains(u"Port: "_s));
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
        VERIFY_CONTAINS(field<QLabel>(dialog, "engineNote")->text(), u"FreeTDS can't verify"_s);
    }

    void looksRightInBothThemes_data() { addRows<bool>("dark", {{"light", false}, {"dark", true}}); }
    void looksRightInBothThemes()
    {
        QFETCH(bool, dark);
        TdsServer server;
        Picture picture;
        picture.session(51, "billing");
        showWithoutSchema(server, picture);
        theme::apply(*qApp, dark ? ThemeMode::Dark : ThemeMode::Light);
        ConnectDialog dialog(db::ServerProfile{});
        fillIn(dialog, server);
        dialog.show();
        QSignalSpy finished(&dialog, &ConnectDialog::testFinished);
        click(dialog, "test");
        TRY_COMPARE(finished.count(), 1);
        VERIFY_CONTAINS(dialog.testReport(), u"SQL Server 2022"_s);
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

} // namespace tst_ConnectDialog
#include "tst_ConnectDialog.moc"
