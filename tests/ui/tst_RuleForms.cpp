// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The rules file, edited in the window by mouse and keys: rules, channels and maintenance windows come and
// go, and what people have written around them stays.

#include "core/alert/channels/Channel.h"
#include "core/alert/rules/RuleFile.h"
#include "core/record/RecordingClient.h"
#include "tests/support/HttpServer.h"
#include "tests/support/RecordedPolls.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/ui/Desk.h"
#include "ui/kit/models/TableModel.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/views/incidents/IncidentsPage.h"
#include "ui/views/incidents/ItemDialog.h"

namespace tst_RuleForms {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

const QByteArray ourFile = "{\n"
                           "  \"comment\": \"Night shift\",\n"
                           "  \"channels\": [\n"
                           "    {\"kind\": \"journal\", \"name\": \"log\", \"comment\": \"for auditors\"}\n"
                           "  ]\n"
                           "}\n";

enum Tab { Rules, Channels, Maintenance };

struct Rig : Desk {
    QString rulesPath = folder.filePath(u"alerts.json"_s);
    IncidentBook book;
    IncidentsPage page;

    explicit Rig(Tab tab, const QByteArray& file = ourFile)
        : book((writeRules(file), folder.filePath(u"incidents.sqlite"_s)), rulesPath)
        , page(context, book)
    {
        page.resize(854, 520); // of a window of 1024×700
        page.show();
        page.showView(IncidentsPage::Rules);
        auto* tabs = page.findChild<QTabBar*>();
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(tab).center());
        if (!waitUntil([this] { return book.list() != nullptr; }))
            qFatal("the book can't be read");
    }
    void writeRules(const QByteArray& text) const { test::makeFile(rulesPath, text); }
    QByteArray text() const { return test::contentOf(rulesPath); }
    alert::RuleSet rules() const { return alert::loadRules(rulesPath).value_or(alert::RuleSet()); }
    template <class Widget = QPushButton> Widget* part(const char* name) const
    {
        return page.findChild<Widget*>(QLatin1String(name));
    }
    TableView* table(const char* name) const { return part<TableView>(name); }
    QString cell(const char* name, int row, const QString& column) const
    {
        const TableView* view = table(name);
        return test::cell(*view->model(), row, view->tableModel().columnOf(column));
    }
    void selectRow(const char* name, const QString& item) const
    {
        for (int row = 0; row < table(name)->model()->rowCount(); ++row)
            if (cell(name, row, table(name)->tableModel().columnOf(u"name"_s) < 0 ? u"why"_s : u"name"_s)
                == item)
                return table(name)->selectRow(row);
        qFatal("there is no row %s", qPrintable(item));
    }
};

static void click(QWidget* button)
{
    QTest::mouseClick(button, Qt::LeftButton);
}

static void type(const QWidget& form, const char* name, const QString& text)
{
    auto* line = form.findChild<QLineEdit*>(QLatin1String(name));
    line->selectAll();
    QTest::keyClick(line, Qt::Key_Delete);
    QTest::keyClicks(line, text);
}

static void choose(const QWidget& form, const char* name, int index)
{
    auto* box = form.findChild<QComboBox*>(QLatin1String(name));
    QTest::keyClick(box, Qt::Key_Home);
    for (int i = 0; i < index; ++i)
        QTest::keyClick(box, Qt::Key_Down);
}

static QPushButton* buttonOf(const QWidget& form, const char* name)
{
    return form.findChild<QPushButton*>(QLatin1String(name));
}

static QString labelOf(const QWidget& form, const char* name)
{
    return form.findChild<QLabel*>(QLatin1String(name))->text();
}

/// The entry of “New rule” that begins so.
static QAction* newRule(const Rig& rig, const QString& text)
{
    QMenu* menu = rig.part("newRule")->menu();
    menu->popup({});
    for (QAction* action : menu->actions())
        if (action->text().startsWith(text))
            return action;
    return nullptr;
}

/// Counts how often a button gets grey or is no longer.
struct Changes : QObject {
    explicit Changes(QPushButton& button) { button.installEventFilter(this); }
    bool eventFilter(QObject*, QEvent* event) override
    {
        count += event->type() == QEvent::EnabledChange ? 1 : 0;
        return false;
    }
    int count = 0;
};

static void confirmRemoval(const Rig& rig)
{
    auto* question = rig.part<QMessageBox>("removeItem");
    if (!question || !QTest::qWaitForWindowExposed(question))
        qFatal("nobody asks");
    click(question->findChild<QPushButton*>(u"removeItemNow"_s));
}

class tst_RuleForms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Long waits matter less at night: the user's own rule fires at those times only.
    void aRuleOfOnesOwnComesAndGoes()
    {
        Rig rig(Rules);
        QAction* entry = newRule(rig, u"long wait…"_s);
        QVERIFY(entry);
        entry->trigger();
        auto* form = rig.page.findChild<RuleDialog*>();
        QVERIFY(form && form->isVisible());
        QCOMPARE(form->findChild<QLineEdit*>(u"ruleName"_s)->text(), u"long wait 2"_s);
        QPushButton* save = buttonOf(*form, "saveRule");
        type(*form, "ruleName", u"long wait"_s);
        click(save);
        QTRY_VERIFY(labelOf(*form, "ruleTrouble").contains(u"There is a rule “long wait” already."_s));
        type(*form, "ruleName", u"night"_s);
        type(*form, "ruleTimes", u"sometimes"_s);
        QVERIFY(!save->isEnabled());
        QVERIFY(labelOf(*form, "ruleTrouble").contains(u"“sometimes” is no day"_s));
        type(*form, "ruleTimes", u"mon-fri 22:00-6:00"_s);
        type(*form, "ruleChannels", u"log"_s);
        type(*form, "ruleServers", u"shop*"_s);
        keepPicture(*form, u"rule-form"_s);
        click(save);
        QTRY_VERIFY(rig.rules().rule(u"night"_s));
        const alert::Rule rule = *rig.rules().rule(u"night"_s);
        QCOMPARE(rule.condition, alert::Condition::LongWait);
        COMPARE_TEXTS(rule.scope.servers, "shop*");
        COMPARE_TEXTS(rule.channels, "log");
        QCOMPARE(
            rule.scope.times, (std::vector<alert::TimeRange>{{.days = 0x1f, .from = 22 * 60, .to = 6 * 60}}));
        QVERIFY(rig.text().contains("Night shift") && rig.text().contains("for auditors"));

        QTRY_COMPARE(rig.table("rules")->model()->rowCount(), int(alert::defaultRules().rules.size()) + 1);
        rig.selectRow("rules", u"night"_s);
        QCOMPARE(rig.cell("rules", rig.table("rules")->currentViewRow(), u"only"_s),
            u"servers shop*; Mon–Fri 22:00–06:00"_s);
        QVERIFY(newRule(rig, u"As a copy of “night”…"_s));
        QCOMPARE(buttonOf(rig.page, "removeRule")->text(), u"Re&move…"_s);
        click(buttonOf(rig.page, "removeRule"));
        confirmRemoval(rig);
        QTRY_VERIFY(!rig.rules().rule(u"night"_s));
        QVERIFY(rig.text().contains("Night shift"));
    }

    void backToTheBuiltInRule()
    {
        Rig rig(Rules);
        QPushButton* back = buttonOf(rig.page, "removeRule");
        QCOMPARE(back->text(), u"&Back to the built-in rule…"_s);
        QVERIFY(!back->isEnabled());
        QCOMPARE(back->toolTip(), u"It is as it comes with Lockscope."_s);
        click(buttonOf(rig.page, "turnRule"));
        QTRY_VERIFY(back->isEnabled());
        const QPoint place = back->pos();
        click(back);
        confirmRemoval(rig);
        QTRY_VERIFY(!back->isEnabled());
        QCOMPARE(back->pos(), place);
        QCOMPARE(rig.rules(), *alert::loadRules(rig.rulesPath));
        QVERIFY(rig.rules().rules.front().isOn);
    }

    /// A secret that is typed is in no file that others read.
    void aChannelIsAddedTestedAndRemoved()
    {
        const HttpServer chat([](const HttpServer::Request&) { return HttpServer::status(200, "ok"); });
        Rig rig(Channels);
        click(buttonOf(rig.page, "newChannel"));
        auto* form = rig.page.findChild<ChannelDialog*>();
        QVERIFY(form && form->isVisible());
        QPushButton* test = buttonOf(*form, "testChannel");
        QVERIFY(!test->isEnabled()); // nothing is known of it yet
        type(*form, "channelName", u"team"_s);
        type(*form, "channelUrl", chat.url());
        QVERIFY(!form->findChild<QLineEdit*>(u"channelTo"_s)->isVisible());
        QVERIFY(!form->findChild<QLineEdit*>(u"newSecret"_s)->isVisible());
        choose(*form, "secretPlace", 2);
        type(*form, "channelSecret", rig.folder.filePath(u"team.secret"_s));
        type(*form, "newSecret", u"T0KEN"_s);
        QVERIFY(test->isEnabled());
        click(test);
        TRY_CONTAINS(labelOf(*form, "testAnswer"), u"localhost answers with status 200"_s);
        QCOMPARE(chat.requests().size(), 1);
        QCOMPARE(chat.requests().first().headers.value("authorization"), "Bearer T0KEN");
        QVERIFY(chat.requests().first().body.contains("\"kind\":\"test\""));
        keepPicture(*form, u"channel-form"_s);
        click(buttonOf(*form, "saveChannel"));
        QTRY_COMPARE(rig.rules().channels.size(), size_t(2));
        const alert::ChannelSettings team = rig.rules().channels.back();
        QCOMPARE(team.secret, u"file:"_s + rig.folder.filePath(u"team.secret"_s));
        QCOMPARE(alert::readSecret(team.secret).value_or(QString()), u"T0KEN"_s);
        QVERIFY(!rig.text().contains("T0KEN"));
        QVERIFY(rig.text().contains("for auditors"));

        QTRY_COMPARE(rig.table("channels")->model()->rowCount(), 2);
        rig.selectRow("channels", u"team"_s);
        click(buttonOf(rig.page, "testChosenChannel"));
        QTRY_VERIFY(labelOf(rig.page, "channelsPlace").contains(u"It has arrived after"_s));
        click(buttonOf(rig.page, "removeChannel"));
        confirmRemoval(rig);
        QTRY_COMPARE(rig.rules().channels.size(), size_t(1));
    }

    /// The form says what failed; nothing is kept for later.
    void aTestThatDoesNotArrive()
    {
        const HttpServer closed(
            [](const HttpServer::Request&) { return HttpServer::status(403, "no such team"); });
        Rig rig(Channels);
        click(buttonOf(rig.page, "newChannel"));
        auto* form = rig.page.findChild<ChannelDialog*>();
        type(*form, "channelName", u"team"_s);
        type(*form, "channelUrl", closed.url());
        click(buttonOf(*form, "testChannel"));
        QTRY_VERIFY(labelOf(*form, "testAnswer").contains(u"It has not arrived, and is not sent again."_s));
        QVERIFY(labelOf(*form, "testAnswer").contains(u"status 403"_s));
        QVERIFY(labelOf(*form, "testAnswer").contains(u"no such team"_s));
        QCOMPARE(buttonOf(*form, "testChannel")->text(), u"Send a &test"_s);
        QVERIFY(rig.book.list()->queue.isEmpty());
    }

    void onlyTheFieldsOfItsKind()
    {
        Rig rig(Channels);
        click(buttonOf(rig.page, "newChannel"));
        auto* form = rig.page.findChild<ChannelDialog*>();
        const auto shown = [form] {
            QStringList names;
            for (const QLineEdit* line : form->findChildren<QLineEdit*>())
                if (line->isVisible())
                    names << line->objectName();
            return names;
        };
        COMPARE_TEXTS(shown(), "channelName", "channelUrl");
        choose(*form, "channelKind", 1);
        COMPARE_TEXTS(shown(), "channelName", "channelUrl", "channelFrom", "channelTo", "channelUser");
        choose(*form, "mailWay", 1);
        COMPARE_TEXTS(shown(), "channelName", "channelFrom", "channelTo");
        choose(*form, "channelKind", 2);
        COMPARE_TEXTS(shown(), "channelName", "channelCommand");
        type(*form, "channelName", u"tell"_s);
        type(*form, "channelCommand", u"/usr/local/bin/tell \"two words\""_s);
        COMPARE_TEXTS(form->channel()->command, "/usr/local/bin/tell", "two words");
        choose(*form, "channelKind", 3);
        COMPARE_TEXTS(shown(), "channelName");
        QCOMPARE(form->channel()->kind, alert::ChannelSettings::Kind::Journal);
    }

    /// Five presets of webhooks and the other kinds: a saved channel has the same fields when it is opened
    /// again.
    void eachKindIsSavedAndOpenedAgain()
    {
        std::vector<alert::ChannelSettings> all;
        const auto add = [&all](const QString& name,
                             alert::ChannelSettings::Kind kind) -> alert::ChannelSettings& {
            alert::ChannelSettings& made = all.emplace_back();
            made.name = name;
            made.kind = kind;
            return made;
        };
        using Kind = alert::ChannelSettings::Kind;
        for (int form = 0; form < 5; ++form) {
            alert::ChannelSettings& made = add(u"webhook %1"_s.arg(form), Kind::Webhook);
            made.form = alert::ChannelSettings::Form(form);
            made.secret = u"env:LOCKSCOPE_HOOK"_s;
            if (form < 2)
                made.url = u"https://hooks.example.net/x"_s;
        }
        alert::ChannelSettings& smtp = add(u"smtp"_s, Kind::Mail);
        smtp.url = u"smtp://mail.example.net:587"_s;
        smtp.user = u"lockscope"_s;
        smtp.secret = u"file:/home/ann/mail"_s;
        smtp.from = u"lockscope@example.net"_s;
        smtp.to = QStringList{u"dba@example.net"_s, u"ann@example.net"_s};
        smtp.minSeverity = alert::Severity::Critical;
        alert::ChannelSettings& sendmail = add(u"sendmail"_s, Kind::Mail);
        sendmail.from = u"lockscope@example.net"_s;
        sendmail.to = QStringList{u"dba@example.net"_s};
        sendmail.sendsStatements = true;
        alert::ChannelSettings& program = add(u"program"_s, Kind::Program);
        program.command = QStringList{u"/usr/local/bin/tell"_s, u"a \"quoted\" word"_s, u""_s};
        add(u"journal"_s, Kind::Journal).sendsResolved = false;
        for (const alert::ChannelSettings& each : all) {
            ChannelDialog form(each);
            form.show();
            const auto made = form.channel();
            VERIFY_DONE(made);
            QVERIFY2(*made == each, qPrintable(each.name));
            QVERIFY(!buttonOf(form, "saveChannel")->isEnabled()); // nothing has changed
        }
    }

    /// The form shows the next three times before it is saved.
    void aMaintenanceWindowIsAddedChangedAndRemoved()
    {
        Rig rig(Maintenance);
        click(buttonOf(rig.page, "newMaintenance"));
        auto* form = rig.page.findChild<MaintenanceDialog*>();
        QVERIFY(form && form->isVisible());
        type(*form, "maintenanceWhy", u"backup"_s);
        QVERIFY(labelOf(*form, "maintenanceTrouble").contains(u"has no end"_s));
        type(*form, "maintenanceTimes", u"sat 2:00-4:00"_s);
        type(*form, "maintenanceServers", u"shop*"_s);
        const QString next = labelOf(*form, "maintenanceNext");
        QVERIFY2(next.startsWith(u"Next: "_s) && next.count(u"04:00"_s) == 3, qPrintable(next));
        keepPicture(*form, u"maintenance-form"_s);
        click(buttonOf(*form, "saveMaintenance"));
        QTRY_COMPARE(rig.rules().maintenance.size(), size_t(1));
        QTRY_COMPARE(rig.table("maintenance")->model()->rowCount(), 1);
        QCOMPARE(rig.cell("maintenance", 0, u"times"_s), u"Sat 02:00–04:00"_s);
        QVERIFY(rig.cell("maintenance", 0, u"next"_s).contains(u"04:00"_s));
        QTRY_VERIFY(!rig.page.findChild<MaintenanceDialog*>());
        rig.page.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&rig.page));
        rig.table("maintenance")->setFocus();
        QTest::keyClick(rig.table("maintenance"), Qt::Key_Return);
        form = rig.page.findChild<MaintenanceDialog*>();
        QVERIFY(form);
        type(*form, "maintenanceWhy", u"weekly backup"_s);
        click(buttonOf(*form, "saveMaintenance"));
        QTRY_COMPARE(rig.cell("maintenance", 0, u"why"_s), u"weekly backup"_s);
        click(buttonOf(rig.page, "removeMaintenance"));
        confirmRemoval(rig);
        QTRY_VERIFY(rig.rules().maintenance.empty());
        QVERIFY(rig.text().contains("for auditors"));
    }

    /// Typed values are not lost if they can't be saved.
    void aFormStaysUntilItIsSaved()
    {
        Rig rig(Channels);
        QTest::keyClick(rig.table("channels"), Qt::Key_Return);
        auto* form = rig.page.findChild<ChannelDialog*>();
        QVERIFY(form && form->windowTitle().contains(u"log"_s));
        type(*form, "channelName", u"audit log"_s);
        rig.writeRules(
            QByteArray(ourFile).replace("\"name\": \"log\"", "\"name\": \"log\", \"statements\": true"));
        click(buttonOf(*form, "saveChannel"));
        TRY_CONTAINS(labelOf(*form, "channelTrouble"), u"was changed in the rules file meanwhile"_s);
        QVERIFY(form->isVisible());
        QFile(rig.rulesPath).setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::WriteOther);
        click(buttonOf(*form, "saveChannel"));
        TRY_CONTAINS(labelOf(*form, "channelTrouble"), u"another account may write to that file"_s);
        // The lists say so, too, as soon as it is so.
        QTRY_VERIFY(!buttonOf(rig.page, "editChannel")->isEnabled());
        QVERIFY(buttonOf(rig.page, "newChannel")->toolTip().contains(u"Nothing can be saved"_s));
        QVERIFY(buttonOf(rig.page, "newChannel")->toolTip().contains(u"another account may write"_s));
    }

    /// The file is mended with an editor: the window sees it at once, and names the line until then.
    void aBrokenFileIsShownAtItsLine()
    {
        Rig rig(Rules, "{\n  \"rules\": [\n    {\"nam\": \"x\"}\n  ]\n}\n");
        QVERIFY(labelOf(rig.page, "rulesPlace").contains(u"alerts.json:3:"_s));
        QVERIFY(labelOf(rig.page, "rulesPlace").contains(u"Line 3 is “{\"nam\": \"x\"}”."_s));
        for (const char* name : {"newRule", "editRule", "turnRule", "newChannel", "newMaintenance"})
            QVERIFY2(!buttonOf(rig.page, name)->isEnabled(), name);
        rig.writeRules(ourFile);
        QTRY_VERIFY(buttonOf(rig.page, "editRule")->isEnabled());
        QVERIFY(!labelOf(rig.page, "rulesPlace").contains(u"alerts.json:3:"_s));
    }

    /// A channel that a rule names can be neither removed nor renamed by accident.
    void aChannelThatARuleSendsTo()
    {
        Rig rig(Channels,
            "{\"channels\": [{\"name\": \"log\", \"kind\": \"journal\"}], \"rules\": [{\"name\": \"mine\", \"when\": \"long wait\", \"levels\": [{\"severity\": \"warning\", \"from\": \"5s\"}], \"channels\": [\"log\"]}]}");
        QVERIFY(!buttonOf(rig.page, "removeChannel")->isEnabled());
        QVERIFY(buttonOf(rig.page, "removeChannel")->toolTip().contains(u"mine"_s));
        // A screen reader announces changes only.
        Changes ofRemove(*buttonOf(rig.page, "removeChannel"));
        Changes ofReset(*buttonOf(rig.page, "removeRule"));
        Q_EMIT rig.book.changed();
        QCOMPARE(ofRemove.count + ofReset.count, 0);
        click(buttonOf(rig.page, "editChannel"));
        auto* form = rig.page.findChild<ChannelDialog*>();
        QVERIFY(form->findChild<QLineEdit*>(u"channelName"_s)->isReadOnly());
    }

    /// The list of rules and the form both write the account's file, and leave its comments.
    void rulesAreTurnedOffAndEdited()
    {
        Rig rig(Rules);
        QVERIFY(rig.table("rules")->isVisible());
        const auto ruleText = [&rig](const QString& column) {
            return rig.cell("rules", rig.table("rules")->currentViewRow(), column);
        };
        QCOMPARE(ruleText(u"name"_s), u"blocked sessions"_s);
        QCOMPARE(ruleText(u"critical"_s), u"3 sessions for 5 min, or 25 sessions"_s);
        QCOMPARE(buttonOf(rig.page, "turnRule")->text(), u"&Turn off"_s);
        click(buttonOf(rig.page, "turnRule"));
        QTRY_COMPARE(ruleText(u"state"_s), u"off"_s);
        click(buttonOf(rig.page, "editRule"));
        auto* form = rig.page.findChild<RuleDialog*>();
        QVERIFY(form);
        QPushButton* save = buttonOf(*form, "saveRule");
        QVERIFY(!save->isEnabled()); // nothing has changed
        type(*form, "hold1", u"soon"_s);
        QVERIFY(!save->isEnabled());
        QVERIFY(!labelOf(*form, "ruleTrouble").isEmpty());
        type(*form, "hold1", u"2m"_s);
        type(*form, "rulePrograms", u"billing, report*"_s);
        click(save);
        QTRY_COMPARE(ruleText(u"warning"_s), u"3 sessions for 2 min"_s);
        QCOMPARE(ruleText(u"only"_s), u"programs billing, report*"_s);
        QCOMPARE(ruleText(u"critical"_s), u"3 sessions for 5 min, or 25 sessions"_s);
        QVERIFY(rig.text().contains("Night shift"));
    }

    /// Before the rule is saved: its findings in the recording, beside those of the rule as it is now.
    void aRuleIsTriedOnWhatWasRecorded()
    {
        RecordedPolls recording;
        recordMinute(recording); // 63 waits for 6 s, 70 for 9 s, 80 for 2 s
        recording.end();
        record::RecordingClient client(recording.path());
        Rig rig(Rules);
        rig.context.setServer(profileOf("postgresql://ops@127.0.0.1:1/shop", u"shop"_s), nullptr, nullptr);
        rig.context.setRecording(&client);
        rig.table("rules")->selectRow(1);
        click(buttonOf(rig.page, "editRule"));
        auto* form = rig.page.findChild<RuleDialog*>();
        QVERIFY(form && form->windowTitle().contains(u"long wait"_s));
        TRY_CONTAINS(
            labelOf(*form, "rulePreview"), u"it would have fired not once. As it is now: not once."_s);
        type(*form, "from1", u"7s"_s);
        TRY_CONTAINS(labelOf(*form, "rulePreview"), u"it would have fired once. As it is now: not once."_s);
        auto* found = form->findChild<QListWidget*>(u"ruleFound"_s);
        QCOMPARE(found->count(), 1);
        QSignalSpy travels(&rig.page, &IncidentsPage::timeTravelRequested);
        Q_EMIT found->itemActivated(found->item(0));
        QCOMPARE(travels.size(), 1);
        click(buttonOf(*form, "tryLonger"));
        TRY_STARTS(
            labelOf(*form, "rulePreview"), u"In the last 14 days of shop@db1 it would have fired once."_s);
        rig.context.setRecording(nullptr);
        rig.context.setServer({}, nullptr, nullptr);
    }

    void aRulesFileThatIsMalformed()
    {
        Rig rig(Rules, "{\n  \"rules\": [{\"nam\": 1}]\n}\n");
        VERIFY_CONTAINS(labelOf(rig.page, "rulesPlace"), u"alerts.json:2:"_s);
        QVERIFY(!buttonOf(rig.page, "editRule")->isEnabled());
        QVERIFY(rig.page.findChild<NoticeBar*>()->isVisible());
    }
};

LOCKSCOPE_TEST(tst_RuleForms)

} // namespace tst_RuleForms
#include "tst_RuleForms.moc"
