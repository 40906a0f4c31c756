// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Each dialog of the window, filled with the longest facts that there may be, on each size of screen: no text
// is cut, each button is to be seen, and nothing lies beyond the screen's edge.

#include "tests/support/FakeKeychain.h"
#include "tests/support/MadeRecording.h"
#include "tests/support/TestProgram.h"
#include "tests/ui/Widgets.h"
#include "ui/shell/servers/ServerDialogs.h"
#include "ui/shell/timetravel/TimeDialogs.h"
#include "ui/shell/window/MainWindow.h"
#include "ui/views/acts/ActRunner.h"
#include "ui/views/acts/DangerDialog.h"
#include "ui/views/connect/AttachTableDialog.h"
#include "ui/views/connect/ConnectDialog.h"
#include "ui/views/connect/ImportDialog.h"
#include "ui/views/history/BiographyDialog.h"
#include "ui/views/history/HistoryDialog.h"
#include "ui/views/history/RangePanel.h"
#include "ui/views/history/RecordingWindow.h"
#include "ui/views/incidents/ItemDialog.h"
#include "ui/views/incidents/MuteDialog.h"
#include "ui/views/locktable/LockTablePage.h"
#include "ui/views/page/SessionActs.h"
#include "ui/views/scenarios/ScenarioRunner.h"
#include "ui/views/settings/RecordingFields.h"
#include "ui/views/settings/SettingsDialog.h"

namespace tst_DialogFit {

using namespace lockscope;
using namespace lockscope::ui;
using test::MadeRecording;

const QString longName(63, u'w'); // as PostgreSQL has them
const QString longWord = u"0x"_s + QString(98, u'f');
const QString longSentence =
    u"Its transaction of 2 h 04 min is rolled back change by change, and 37 sessions that wait for it go on one after the other, as far as is known now. "_s
        .repeated(3)
        .trimmed();

static DangerText longestText()
{
    DangerText text;
    text.title = u"Release Liquibase's lock on "_s + longName;
    text.button = u"Cancel statement"_s;
    for (const QString& name : {u"Session"_s, u"User"_s, u"Program"_s, u"Held by"_s, u"Evidence"_s, longName})
        text.facts << DangerText::Fact{name, longName + u" on "_s + longName};
    text.facts << DangerText::Fact{u"Statement"_s, u"INSERT INTO pictures VALUES ("_s + longWord + u')'};
    for (int i = 0; i < 7; ++i)
        text.consequences << longSentence;
    text.warning = longSentence;
    text.vendorName = u"Liquibase"_s;
    text.vendorCommand = u"liquibase --url="_s + longName + u" release-locks"_s;
    text.vendorNote = longSentence;
    text.statement = u"SELECT 1"_s;
    return text;
}

const Error longError{.kind = ErrorKind::Connection,
    .what = longSentence,
    .server = longName + u' ' + longWord,
    .detail = longSentence};

const ActAdvice longAdvice{.level = AgeLevel::Amber,
    .text = u"Your login may not act on this session."_s,
    .detail = longSentence,
    .grant = u"GRANT pg_signal_backend TO "_s + longName + u"; GRANT lockscope_operator TO "_s + longName,
    .needsConsent = true};

static db::ServerProfile longProfile(Engine engine = Engine::Postgres)
{
    db::ServerProfile profile;
    profile.name = longName;
    profile.url.engine = engine;
    profile.url.host = u"127.0.0.1"_s;
    profile.url.port = 1; // refuses
    profile.url.database = longName;
    profile.url.user = longName;
    profile.environment = db::Environment::Production;
    profile.readOnly = true;
    return profile;
}

/// The part that asks for most width.
static QString widest(const QDialog& dialog)
{
    const auto parts = dialog.findChildren<QWidget*>();
    const auto least = [](const QWidget* part) {
        return part->layout() || !part->isVisible()
            ? 0
            : std::max(part->minimumSizeHint().width(), part->minimumWidth());
    };
    const auto found = std::ranges::max_element(parts, {}, least);
    return u"%1 (%2) asks for %3"_s
        .arg(QString::fromLatin1((*found)->metaObject()->className()),
            (*found)->property("text").toString().left(40))
        .arg(least(*found));
}

/// The first label or button of the dialog that is cut, or its edge that is beyond the screen's; else empty.
static QString fault(const QDialog& dialog)
{
    const QRect screen = dialog.screen()->availableGeometry();
    const auto sized = [](QSize size) { return u" (%1×%2)"_s.arg(size.width()).arg(size.height()); };
    if (!screen.contains(dialog.frameGeometry()))
        return u"beyond the screen"_s + sized(dialog.frameGeometry().size()) + widest(dialog);
    for (const QScrollArea* area : dialog.findChildren<QScrollArea*>())
        if (area->isVisible() && area->horizontalScrollBar()->maximum() > 0)
            return u"scrolls sideways: "_s + widest(dialog);
    for (const QLabel* label : dialog.findChildren<QLabel*>()) {
        if (!label->isVisible() || label->text().isEmpty())
            continue;
        const bool isElided = label->sizePolicy().horizontalPolicy() == QSizePolicy::Ignored;
        const QSize requested = label->wordWrap() ? QSize(0, label->heightForWidth(label->width()))
            : isElided                            ? QSize(0, label->sizeHint().height())
                                                  : label->sizeHint();
        if (requested.width() > label->width() || requested.height() > label->height())
            return label->text().left(60) + sized(label->size()) + u" needs"_s + sized(requested);
        if (label->wordWrap() && label->textFormat() == Qt::PlainText
            && label->fontMetrics()
                    .boundingRect(QRect(0, 0, label->width(), 9'999), Qt::TextWordWrap, label->text())
                    .width()
                > label->width())
            return u"a word is cut: "_s + label->text().left(60);
    }
    for (const QAbstractButton* button : dialog.findChildren<QAbstractButton*>()) {
        if (!button->isVisible()
            || !(qobject_cast<const QPushButton*>(button) || qobject_cast<const QCheckBox*>(button)))
            continue;
        const bool scrolls =
            button->parentWidget() != &dialog && !dialog.findChildren<QScrollArea*>().isEmpty();
        const QRect place(button->mapTo(&dialog, QPoint()), button->size());
        if (!scrolls && !dialog.rect().contains(place))
            return u"not to be seen: "_s + button->text();
        if (button->sizeHint().width() > button->width())
            return u"cut: "_s + button->text();
    }
    return {};
}

using Open = std::function<QDialog*()>;

/// Shows the dialogs in a process whose only screen has that size.
class DialogsOnThisScreen : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(MadeRecording::write(m_folder.filePath(u"made.lockscope"_s), longName));
        m_client = std::make_unique<record::RecordingClient>(
            m_folder.filePath(u"made.lockscope"_s), record::Identity());
        m_settings = std::make_unique<QSettings>(m_folder.filePath(u"test.ini"_s), QSettings::IniFormat);
        m_window = std::make_unique<MainWindow>(*m_settings, MainWindow::Options());
        m_window->show();
    }
    void cleanupTestCase() { m_window.reset(); }

    void isSeenWhole_data()
    {
        QTest::addColumn<Open>("open");
        const auto add = [](const char* name, const Open& open) { test::row(name, open); };
        addActs(add);
        addServers(add);
        addRecordings(add);
        addQuestions(add);
    }
    void isSeenWhole()
    {
        QFETCH(const Open, open);
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            theme::apply(*qApp, mode);
            const QPointer dialog(open());
            QVERIFY(dialog);
            dialog->show();
            QTRY_VERIFY(dialog->isVisible());
            m_opened.insert(QString::fromLatin1(dialog->metaObject()->className()).section(u':', -1));
            QTest::qWait(0);
            test::keepPicture(*dialog,
                u"fit-%1-%2x%3-%4"_s.arg(QString::fromLatin1(QTest::currentDataTag()).replace(u' ', u'-'))
                    .arg(dialog->screen()->size().width())
                    .arg(dialog->screen()->size().height())
                    .arg(themeModeName(mode)));
            QTRY_VERIFY2_WITH_TIMEOUT(fault(*dialog).isEmpty(), qPrintable(fault(*dialog)), 1'000);
            delete dialog.data();
        }
    }

    /// A new dialog needs a row above.
    void noneIsForgotten()
    {
        QSet<QString> missing;
        const QRegularExpression declared(u"class (\\w+) : public (?:QDialog|ItemDialog|RecordingWindow)"_s);
        for (QDirIterator files(
                 test::sourcePath(u"ui"_s), {u"*.h"_s}, QDir::Files, QDirIterator::Subdirectories);
             files.hasNext();) {
            if (const auto found = declared.match(QString::fromUtf8(test::readFile(files.next())));
                found.hasMatch())
                missing.insert(found.captured(1));
        }
        QVERIFY(missing.size() > 10);
        missing -= m_opened;
        missing -= {u"ItemDialog"_s, u"RecordingWindow"_s}; // the frames of others
        QVERIFY2(missing.isEmpty(), qPrintable(missing.values().join(u' ')));
    }

private:
    using Add = std::function<void(const char*, const Open&)>;

    void addActs(const Add& add)
    {
        const auto danger = [this](const std::function<void(DangerDialog&)>& then) -> Open {
            return [this, then] {
                auto* dialog = new DangerDialog(*m_settings, m_window.get());
                dialog->setAdvice(askingAdvice());
                dialog->setText(longestText());
                dialog->show();
                QCoreApplication::processEvents();
                then(*dialog);
                return dialog;
            };
        };
        add("act", danger([](DangerDialog& dialog) { dialog.setAdvice(longAdvice); }));
        add("act that failed", danger([](DangerDialog& dialog) {
            dialog.setMore({longSentence, longSentence});
            dialog.setAdvice(longAdvice);
            dialog.showFailure(longError, u"Use this role all the same"_s);
        }));
        add("act that goes on", danger([](DangerDialog& dialog) {
            dialog.showProgressUnknown(u"The end of session 51 was requested"_s, longError);
        }));
        add("nothing to do", danger([](DangerDialog& dialog) { dialog.showNothingToDo(longSentence); }));
        add("short act", [this] {
            auto* dialog = new DangerDialog(*m_settings, m_window.get());
            DangerText text;
            text.title = u"Cancel the statement of session 1058"_s;
            text.button = u"Cancel statement"_s;
            text.facts = {{u"Statement"_s, longSentence}};
            text.consequences = {longSentence};
            dialog->setText(text);
            return dialog;
        });
        add("installation", [this] {
            auto* dialog = new DangerDialog(*m_settings, m_window.get());
            dialog->setText(describeInstall(
                QString::fromUtf8(test::readFile(u":/schema/postgres/install.sql"_s)), longName, longName));
            return dialog;
        });
        add("acquire", [this] {
            return new AcquireDialog(
                QString(db::maxLockNameLength + 1, u'w'), Engine::SqlServer, m_window.get());
        });
        add("run", [this] {
            auto* dialog =
                new RunQuestion(longName, {u"Two transfers that lose an update"_s, 12, {}}, m_window.get());
            dialog->show();
            dialog->showRights(scenario::RunRights{
                longName, longSentence, u"GRANT CREATE ON DATABASE "_s + longName + u" TO "_s + longName});
            return dialog;
        });
    }

    void addServers(const Add& add)
    {
        const auto keychain = std::make_shared<test::FakeKeychain>();
        db::Server server;
        server.profile = longProfile();
        server.profile.url.sandbox = true;
        server.resolve = [](const db::Server&) { return Result<db::Server>(Failure(longError)); };
        for (const auto& [name, engine] : {std::pair("server of PostgreSQL", Engine::Postgres),
                 std::pair("server of SQL Server", Engine::SqlServer),
                 std::pair("file of SQLite", Engine::Sqlite)})
            add(name, [this, keychain, engine = engine] {
                auto* dialog = new ConnectDialog(longProfile(engine), m_window.get(), keychain);
                dialog->show();
                dialog->runTest();
                return dialog;
            });
        add("attach", [this, server] { return new AttachTableDialog(server, m_window.get()); });
        add("row", [this, server] {
            auto* dialog = new LockedRowDialog(server, {}, m_window.get());
            return dialog;
        });
        add("log in", [this, keychain] {
            return new LogInDialog(longProfile(), keychain, longSentence + u' ' + longWord, m_window.get());
        });
        add("settings", [this, keychain] { return new SettingsDialog({}, m_window.get(), keychain); });
        add("recording", [this, keychain] {
            RecordingSettings own;
            own.history = u"postgresql://"_s + longName + u"@db1/history"_s;
            return new RecordingDialog(longProfile(), own, {}, m_window.get(), keychain);
        });
    }

    void addRecordings(const Add& add)
    {
        const ServerTime from = MadeRecording::time(0);
        const ServerTime to = MadeRecording::time(MadeRecording::last);
        add("range", [=, this] { return new RangePanel(*m_client, from, to, nullptr); });
        add("time to compare", [=, this]() -> QDialog* {
            auto* panel = new RangePanel(*m_client, from, to, m_window.get());
            panel->findChild<QToolButton*>(u"compareWith"_s)->menu()->actions().last()->trigger();
            auto* dialog = panel->findChild<QDialog*>(u"compareTime"_s);
            connect(dialog, &QObject::destroyed, panel, &QObject::deleteLater);
            return dialog;
        });
        add("history of a session", [=, this] {
            return new BiographyDialog(*m_client, record::RecordedSession{SessionId{51}, {}}, to, nullptr);
        });
        add("difference", [=, this] { return new DifferenceWindow(*m_client, from, to, nullptr); });
        add("search", [this] { return new SearchWindow(*m_client, nullptr); });
        add("import of servers", [this] { return new ImportDialog({longProfile()}, m_window.get()); });
        add("clip", [=, this] { return new ClipDialog(*m_client, from, to, m_window.get()); });
        add("note", [=, this] { return new NoteDialog(*m_client, to, {}, m_window.get()); });
        add("go to time", [=, this] { return new GoToTimeDialog({from, to}, m_window.get()); });
        add("team's history", [this] {
            return new HistoryDialog(
                u"postgresql://"_s + longName + u"@127.0.0.1:1/"_s + longName,
                [](const QString&) { return db::fixedPassword({}); }, std::make_shared<test::FakeKeychain>(),
                m_window.get());
        });
    }

    void addQuestions(const Add& add)
    {
        alert::Incident incident;
        incident.title = longSentence;
        incident.cause = {u"chain"_s, longName, longName, longName, longName, longName, longName};
        incident.symptoms.resize(1);
        incident.symptoms.first().rule = longName;
        add("mute", [this, incident] { return new MuteDialog(incident, m_window.get()); });
        add("rule", [this] {
            alert::Rule rule = alert::defaultRules().rules.front();
            rule.name = longName;
            rule.scope.programs = {longName};
            rule.scope.times.resize(1);
            auto* dialog = new RuleDialog(rule, u"/recordings/shop.lockscope"_s, m_window.get());
            dialog->showTrial(Failure(longError));
            return dialog;
        });
        add("channel", [this] {
            alert::ChannelSettings channel;
            channel.name = longName;
            channel.kind = alert::ChannelSettings::Kind::Mail;
            channel.url = u"smtp://mail.example.net"_s;
            channel.user = longName;
            channel.from = u"ann@example.net"_s;
            channel.to = {u"dba@example.net"_s};
            channel.secret = u"file:/home/"_s + longName;
            return new ChannelDialog(channel, {longName}, m_window.get());
        });
        add("maintenance", [this] {
            alert::MaintenanceWindow window;
            window.why = longSentence;
            window.scope.servers = {longName};
            window.scope.times.resize(1);
            return new MaintenanceDialog(window, m_window.get());
        });
        add("acknowledge", [this, incident] { return new AcknowledgeDialog(incident, m_window.get()); });
        const auto box = [this] { return m_window->findChild<QMessageBox*>(); };
        add("read a table", [=, this] {
            askToRead(
                {nullptr, longName, longName, longName, longSentence, true}, longProfile(), *m_window, [] {});
            return box();
        });
        add("remove", [=, this] {
            if (!m_window->session())
                m_window->openServer(longProfile());
            m_window->findChild<ServerDialogs*>()->remove(0);
            return box();
        });
    }

    QTemporaryDir m_folder;
    std::unique_ptr<QSettings> m_settings;
    std::unique_ptr<record::RecordingClient> m_client;
    std::unique_ptr<MainWindow> m_window;
    QSet<QString> m_opened; ///< classes
};

class tst_DialogFit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyDialogFits_data()
    {
        test::addColumns<QSize, QString, double>("size", "scale", "letters");
        test::row("1024×700", QSize(1'024, 700), "1", 1.0);
        test::row("1280×800", QSize(1'280, 800), "1", 1.0);
        test::row("1920×1080", QSize(1'920, 1'080), "1", 1.0);
        test::row("1920×1080, twice as large", QSize(1'920, 1'080), "2", 1.0);
        test::row("large letters", QSize(1'280, 800), "1", 1.6);
    }
    void everyDialogFits()
    {
        FETCH(const QSize, size, const QString, scale, const double, letters);
        const QString screens = test::makeFile(test::freshPath(u"screens.json"_s),
            u"{\"screens\": [{\"name\": \"one\", \"x\": 0, \"y\": 0, \"width\": %1, \"height\": %2, \"logicalDpi\": 96, \"logicalBaseDpi\": 96, \"dpr\": 1}]}"_s
                .arg(size.width())
                .arg(size.height())
                .toUtf8());
        const test::Variable platform("QT_QPA_PLATFORM", u"offscreen:configfile="_s + screens);
        const test::Variable factor("QT_SCALE_FACTOR", scale);
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(QCoreApplication::applicationFilePath(),
            {test::thisTest(), u"on-this-screen"_s, QString::number(letters)});
        QVERIFY(process.waitForFinished(180'000));
        const QByteArray said = process.readAll();
        QVERIFY2(process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0, said.constData());
    }
};

static std::optional<int> playOnThisScreen(const QStringList& arguments)
{
    if (arguments.value(1) != u"on-this-screen")
        return {};
    QApplication::setFont(theme::scaled(arguments.value(2).toDouble()));
    DialogsOnThisScreen test;
    return QTest::qExec(&test, {arguments.first(), u"-o"_s, u"-,txt"_s});
}

LOCKSCOPE_TEST_WITH_PARTS(tst_DialogFit, playOnThisScreen)

} // namespace tst_DialogFit

#include "tst_DialogFit.moc"
