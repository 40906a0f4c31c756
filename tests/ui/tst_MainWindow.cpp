// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/FakeKeychain.h"
#include "tests/ui/Widgets.h"
#include "tests/ui/WindowTest.h"
#include "ui/kit/charts/Card.h"
#include "ui/shell/window/MainWindow.h"
#include "ui/shell/window/SideBar.h"
#include "ui/shell/window/StatusLine.h"
#include "ui/views/acts/DangerDialog.h"
#include "ui/views/connect/ConnectDialog.h"
#include "ui/views/detail/DetailPane.h"
#include "ui/views/overview/HeadBlockerBanner.h"
#include "ui/views/settings/SettingsDialog.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tst_MainWindow {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

/// A session that holds an advisory lock in a transaction.
class Holder {
public:
    explicit Holder(const db::ServerUrl& url)
        : m_connection(TestServer::shared().connect(url))
    {
        test::orDie(m_connection->begin());
        test::orDie(runSql(*m_connection, u"SELECT pg_advisory_xact_lock(4711)"_s, {}));
    }
    qint64 id() const { return m_connection->sessionId().value; }
    void release() { QVERIFY(m_connection->commit()); }

private:
    std::unique_ptr<db::Connection> m_connection;
};

/// A session that waits for it, on a thread of its own, and keeps it until `end`.
class Waiter {
public:
    explicit Waiter(const db::ServerUrl& url)
        : m_connection(TestServer::shared().connect(url))
        , m_id(m_connection->sessionId().value)
        , m_thread([this](const std::stop_token& stop) {
            if (m_connection->begin())
                m_granted =
                    runSql(*m_connection, u"SELECT pg_advisory_xact_lock(4711)"_s, {}, {}, stop).has_value();
        })
    {
    }
    qint64 id() const { return m_id; }
    bool granted() const { return m_granted; }

private:
    std::unique_ptr<db::Connection> m_connection;
    qint64 m_id;
    std::atomic<bool> m_granted = false;
    std::jthread m_thread;
};

static bool isWaiting(db::Connection& witness, qint64 session)
{
    const auto rows =
        runSql(witness, u"SELECT 1 FROM pg_locks WHERE NOT granted AND pid = %1"_s.arg(session), {});
    return rows && *rows > 0;
}

static ServerTime serverNow(db::Connection& witness)
{
    ServerTime now;
    test::orDie(runSql(witness, u"SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"_s, {},
        [&now](const db::Row& row) { now = row.time(0); }));
    return now;
}

/// Accepts connections and never answers.
class SilentServer {
public:
    SilentServer()
        : m_socket(::socket(AF_INET, SOCK_STREAM, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* plain = reinterpret_cast<sockaddr*>(&address);
        if (::bind(m_socket, plain, size) != 0 || ::listen(m_socket, 8) != 0
            || ::getsockname(m_socket, plain, &size) != 0)
            qFatal("no socket to listen on");
        m_port = ntohs(address.sin_port);
    }
    ~SilentServer() { ::close(m_socket); }
    Q_DISABLE_COPY_MOVE(SilentServer)
    db::ServerProfile profile() const
    {
        db::ServerProfile profile;
        profile.name = u"silent"_s;
        profile.url.host = u"127.0.0.1"_s;
        profile.url.port = m_port;
        profile.url.user = u"ann"_s;
        profile.url.database = u"shop"_s;
        return profile;
    }

private:
    int m_socket;
    int m_port = 0;
};

/// Answers as often as it is allowed to, then hangs until a stop is requested.
static auto hangingSource(std::shared_ptr<std::atomic<bool>> hang)
{
    return test::sourceOf([hang = std::move(hang), count = 0](const std::stop_token& stop) mutable {
        while (*hang && !stop.stop_requested())
            std::this_thread::sleep_for(1ms);
        auto snapshot = std::make_shared<Snapshot>();
        snapshot->takenAt = ServerTime{1'800'000'000'000'000} + std::chrono::seconds(++count);
        snapshot->index();
        return snapshot;
    });
}

class tst_MainWindow : public test::WindowTest {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        makeFolder();
        showWindow({.passwords = TestServer::shared().passwords(), .interval = 250ms});
    }
    void cleanup() { dropAll(); }

    void theFirstStartOffersThreeChoices()
    {
        for (const char* name : {"tryItHere", "connectToServer", "openFile"})
            QVERIFY2(child<QAbstractButton>(name)->isVisible(), name);
        QTest::mouseClick(child<QAbstractButton>("connectToServer"), Qt::LeftButton);
        auto* dialog = m_window->findChild<ConnectDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        dialog->reject();
    }

    void aWaiterAppearsAndBecomesTheHolder()
    {
        const db::ServerUrl url = TestServer::shared().freshDatabase();
        open(url).showPage(u"blocking"_s);
        TRY_VERIFY(child<QLabel>("blockingEmpty")->isVisible());
        Holder holder(url);
        auto* tree = child<QTreeView>("blockingTree");
        struct Shown {
            SnapshotPtr snapshot;
            bool hasWaiter;
        };
        std::vector<Shown> shown;
        const QObject untilTheEnd;
        connect(m_window.get(), &MainWindow::snapshotShown, &untilTheEnd, [this, tree, &shown] {
            shown.push_back({m_window->session()->monitor().snapshot(), tree->model()->rowCount() > 0});
        });
        const Waiter waiter(url);
        const auto witness = TestServer::shared().connect(url);
        TRY_VERIFY(isWaiting(*witness, waiter.id()));
        const ServerTime waits = serverNow(*witness);
        TRY_VERIFY(
            !shown.empty() && shown.back().snapshot->takenAt - shown.back().snapshot->cost.server > waits);
        // The first poll that began after the wait shows it, even if it comes late.
        for (const auto& [snapshot, hasWaiter] : shown)
            QVERIFY2(hasWaiter || snapshot->takenAt - snapshot->cost.server <= waits,
                qPrintable(u"not seen in poll %1"_s.arg(snapshot->number)));
        QCOMPARE(tree->model()->rowCount(), 1);
        const QModelIndex head = tree->model()->index(0, 0);
        QVERIFY(head.data().toString().startsWith(QString::number(holder.id())));
        QCOMPARE(tree->model()->rowCount(head), 1);
        QVERIFY(tree->isExpanded(head));
        QVERIFY(tree->model()->index(0, 0, head).data().toString().startsWith(QString::number(waiter.id())));

        tree->setFocus();
        QTest::keyClick(tree, Qt::Key_Down);
        QTRY_COMPARE(child<QLabel>("detailTitle")->text(), u"Session %1"_s.arg(waiter.id()));
        QVERIFY(child<QPlainTextEdit>("detailStatement")->toPlainText().contains(u"pg_advisory_xact_lock"_s));

        holder.release();
        TRY_VERIFY(waiter.granted());
        TRY_VERIFY(child<QLabel>("blockingEmpty")->isVisible());
        TRY_VERIFY(child<SectionsText>("detailSections")->text().contains(u"HOLDS"_s));
    }

    void endingTheHolderInTheDialogFreesItsWaiter()
    {
        const db::ServerUrl url = TestServer::shared().freshDatabase();
        open(url).showPage(u"blocking"_s);
        const Holder holder(url);
        const Waiter waiter(url);
        const QString text = u"End session %1…"_s.arg(holder.id());
        const auto button = [&](const QWidget* parent) -> QPushButton* {
            for (QPushButton* one : parent->findChildren<QPushButton*>()) {
                if (one->isVisible() && one->text() == text)
                    return one;
            }
            return nullptr;
        };
        // The head blocker is selected by itself, so its detail offers to end it.
        TRY_VERIFY(button(m_window.get()) != nullptr);
        QTest::mouseClick(button(m_window.get()), Qt::LeftButton);
        QTRY_VERIFY(m_window->findChild<DangerDialog*>() != nullptr);
        auto* dialog = m_window->findChild<DangerDialog*>();
        QVERIFY(!waiter.granted());
        QTest::keyClicks(dialog->findChild<QComboBox*>()->lineEdit(), u"the client hangs"_s);
        QPushButton* act = nullptr;
        for (QPushButton* one : dialog->findChildren<QPushButton*>()) {
            if (one->isEnabled() && one->text().startsWith(u"End"_s))
                act = one;
        }
        QVERIFY(act);
        QTest::mouseClick(act, Qt::LeftButton);
        // Said for some seconds only.
        TRY_VERIFY(child<QLabel>("statusMessage")->text().contains(u"Audit record"_s));
        TRY_VERIFY(waiter.granted());
        TRY_VERIFY(child<QLabel>("blockingEmpty")->isVisible());
    }

    void theOverviewNamesTheNameThatIsWaitedFor()
    {
        const db::ServerUrl url = TestServer::shared().freshDatabase();
        const auto acquire = [&url](const QString& token, const QString& wait) {
            TestServer::shared().run(url,
                u"SELECT lockscope.acquire_lock('orders/4711', '%1', 60000000, %2, 9223372036854775807, 'ann', 'till-3', 'cashier', 1)"_s
                    .arg(token, wait));
        };
        acquire(u"one"_s, u"false"_s);
        acquire(u"two"_s, u"true"_s);
        open(url).showPage(u"overview"_s);
        auto* strip = child<HeadBlockerBanner>("headStrip");
        TRY_VERIFY(strip->accessibleName().startsWith(u"\"orders/4711\" keeps 1 waiting"_s));
        VERIFY_ENDS(strip->accessibleName(), u"held by cashier on till-3."_s);
        QVERIFY(!child<QPushButton>("endHead")->isVisible());
        QTest::mouseClick(child<QPushButton>("showChain"), Qt::LeftButton);
        QCOMPARE(m_window->currentPage()->id(), u"lock-table"_s);
    }

    void theOverviewNamesTheWorstHeadAndWhatToPress()
    {
        const db::ServerUrl url = TestServer::shared().freshDatabase();
        open(url).showPage(u"overview"_s);
        auto* strip = child<HeadBlockerBanner>("headStrip");
        TRY_COMPARE(strip->accessibleName().section(u'.', 0, 0), u"Nobody is blocked"_s);
        QVERIFY(!child<QPushButton>("endHead")->isVisible());
        const int height = strip->height();
        const Holder holder(url);
        const Waiter waiter(url);
        TRY_VERIFY(strip->accessibleName().startsWith(u"Session %1"_s.arg(holder.id())));
        VERIFY_CONTAINS(strip->accessibleName(), u"blocks 1"_s);
        QCOMPARE(strip->height(), height);

        QTest::mouseClick(child<QPushButton>("endHead"), Qt::LeftButton);
        QTRY_VERIFY(m_window->findChild<DangerDialog*>() != nullptr);
        m_window->findChild<DangerDialog*>()->reject();
        QTRY_VERIFY(m_window->findChild<DangerDialog*>() == nullptr);
        QVERIFY(!waiter.granted());

        QTest::mouseClick(child<QPushButton>("showChain"), Qt::LeftButton);
        auto* tree = child<QTreeView>("blockingTree");
        QVERIFY(tree->isVisible());
        QVERIFY(tree->currentIndex().data().toString().startsWith(QString::number(holder.id())));
    }

    void pausedStaysAsItWas()
    {
        const db::ServerUrl url = TestServer::shared().freshDatabase();
        open(url).showPage(u"overview"_s);
        TRY_COMPARE(tile("tileWaiters"), u"0"_s);
        m_window->setFocus();
        QTest::keyClick(m_window.get(), Qt::Key_Space);
        TRY_COMPARE(m_window->session()->monitor().health(), monitor::Health::Paused);
        const Holder holder(url);
        const Waiter waiter(url);
        const auto number = m_window->session()->monitor().snapshot()->number;
        QTest::qWait(700); // more than two polls' worth: nothing tells of a poll that is not made
        QCOMPARE(m_window->session()->monitor().snapshot()->number, number);
        QCOMPARE(tile("tileWaiters"), u"0"_s);
        QVERIFY(child<QWidget>("healthBar")->isVisible());

        QTest::keyClick(m_window.get(), Qt::Key_F5);
        TRY_VERIFY(m_window->session()->monitor().snapshot()->number > number);
        QTest::mouseClick(child<QToolButton>("pause"), Qt::LeftButton);
        TRY_COMPARE(tile("tileWaiters"), u"1"_s);
        QTRY_VERIFY(!child<QWidget>("healthBar")->isVisible());
    }

    void keysLeadToThePages()
    {
        const QStringList ids = m_window->pageIds();
        for (int i = 0; i < ids.size(); ++i) {
            const Qt::Key key = i < 10 ? static_cast<Qt::Key>(Qt::Key_0 + (i + 1) % 10) : Qt::Key_L;
            QTest::keyClick(m_window.get(), key, Qt::ControlModifier);
            QCOMPARE(m_window->currentPage()->id(), ids[i]);
            QCOMPARE(child<QListWidget>("pages")->currentRow(), i);
        }
        m_window->close();
        QCOMPARE(m_settings->value(u"window/page"_s).toString(), ids.last());
    }

    void theFilterButtonSaysWhyThereIsNothingToFilter()
    {
        open(TestServer::shared().freshDatabase()).showPage(u"overview"_s);
        TRY_VERIFY(child<MetricTile>("tileWaiters")->isVisible());
        auto* button = child<QToolButton>("filterButton");
        QVERIFY(!button->isEnabled());
        VERIFY_CONTAINS(button->toolTip(), u"no table"_s);
        QTest::keyClick(m_window.get(), Qt::Key_F, Qt::ControlModifier);
        QCOMPARE(child<QLabel>("statusMessage")->accessibleName(), button->toolTip());
        for (const QString& page : m_window->pageIds().mid(1)) {
            m_window->showPage(page);
            QVERIFY2(button->isEnabled(), qPrintable(page));
            QTest::mouseClick(button, Qt::LeftButton);
            const bool hasBox = page != u"scenarios"_s; // there the list is chosen from
            QVERIFY2(!hasBox || qobject_cast<QLineEdit*>(m_window->focusWidget()), qPrintable(page));
        }
    }

    void linksAreFollowedByKeys()
    {
        const db::ServerUrl url = TestServer::shared().freshDatabase();
        open(url).showPage(u"blocking"_s);
        const Holder holder(url);
        const Waiter waiter(url);
        auto* links = child<SectionsText>("detailSections");
        TRY_VERIFY(links->isVisible() && links->text().contains(u"<a "_s));
        QCOMPARE(child<QLabel>("detailTitle")->text(), u"Session %1"_s.arg(holder.id()));
        for (int steps = 0; !(links->hasFocus() && links->textCursor().hasSelection()); ++steps) {
            QVERIFY2(steps < 60, "no Tab leads to the link");
            QTest::keyClick(m_window->focusWidget() ? m_window->focusWidget() : m_window.get(), Qt::Key_Tab);
        }
        const QString link = links->textCursor().selectedText();
        VERIFY_CONTAINS(link, QString::number(waiter.id()));
        const QString before = links->text();
        TRY_VERIFY(links->text() != before); // ages grow, and the link stays chosen
        QCOMPARE(links->textCursor().selectedText(), link);
        QTest::keyClick(links, Qt::Key_Return);
        QCOMPARE(child<QLabel>("detailTitle")->text(), u"Session %1"_s.arg(waiter.id()));

        auto* status = m_window->findChild<StatusLine*>();
        auto* said = child<QLabel>("statusMessage");
        status->say(u"Paused."_s);
        QCOMPARE(said->focusPolicy(), Qt::NoFocus);
        status->sayDone(u"Released."_s, 7);
        status->sayNext(u"Set aside."_s); // does not take the link from under the pointer
        VERIFY_STARTS(said->text(), u"Released."_s);
        QVERIFY(said->focusPolicy() & Qt::TabFocus);
        said->setFocus(Qt::TabFocusReason);
        QTest::keyClick(said, Qt::Key_Tab);
        QCOMPARE(said->selectedText(), u"Audit record"_s);
        QTest::keyClick(said, Qt::Key_Return);
        QCOMPARE(m_window->currentPage()->id(), u"audit"_s);
        m_window->setFocus();
        status->findChild<QTimer*>(u"forget"_s)->setInterval(2'000);
        QTRY_COMPARE(said->text(), u"Set aside."_s);
    }

    void aPasswordIsKeptWhereItWasPromised()
    {
        const auto keychain = std::make_shared<test::FakeKeychain>();
        MainWindow::Options options;
        options.keychain = keychain;
        options.passwords = db::defaultPasswords(keychain);
        m_window = std::make_unique<MainWindow>(*m_settings, options);
        m_window->show();
        const db::ServerUrl url = TestServer::shared().freshDatabase();
        const auto enter = [&](const QString& database) {
            QTest::mouseClick(child<QAbstractButton>("connectToServer"), Qt::LeftButton);
            const QPointer<ConnectDialog> dialog = m_window->findChild<ConnectDialog*>();
            QVERIFY(dialog);
            auto* engines = dialog->findChild<QComboBox*>(u"engine"_s);
            engines->setCurrentIndex(engines->findText(engineName(Engine::Postgres)));
            const auto fill = [&](const char* name, const QString& text) {
                dialog->findChild<QLineEdit*>(QLatin1String(name))->setText(text);
            };
            fill("host", url.host);
            dialog->findChild<QSpinBox*>(u"port"_s)->setValue(url.port);
            fill("user", url.user);
            fill("database", database);
            fill("password", TestServer::shared().password());
            dialog->accept();
            QTRY_VERIFY(!dialog);
        };
        enter(url.database);
        TRY_COMPARE(keychain->kept().values(), QStringList{TestServer::shared().password()});
        TRY_VERIFY(m_window->session() && m_window->session()->monitor().snapshot());

        // The next start: nothing is typed, all comes from the keychain; and then the keychain is locked.
        for (const bool locked : {false, true}) {
            m_window = std::make_unique<MainWindow>(*m_settings, options);
            m_window->show();
            keychain->answer(locked ? db::Keychain::Outcome::Denied : db::Keychain::Outcome::Done);
            Q_EMIT m_window->findChild<SideBar*>()->serverChosen(0);
            if (!locked) {
                TRY_VERIFY(m_window->session()->monitor().snapshot());
                continue;
            }
            auto* text = child<QLabel>("troubleText");
            TRY_VERIFY(text->text().contains(u"keychain is locked"_s));
            VERIFY_CONTAINS(text->text(), u"Unlock"_s);
        }
    }

    void aServerThatNeverAnswersLeavesTheWindowAlive()
    {
        const SilentServer silent;
        m_window->openServer(silent.profile());
        QElapsedTimer blocked;
        for (int i = 0; i < 20; ++i) {
            blocked.start();
            m_window->showPage(m_window->pageIds()[i % 2]);
            QCoreApplication::processEvents();
            QVERIFY(blocked.elapsed() < 2'000); // connecting takes at least its time-out of 5 s
        }
        TRY_VERIFY(child<QWidget>("troubleText")->isVisible());
    }

    /// The second click comes before the place of the file can be known.
    void aFileThatIsStillBeingFoundIsSaidToBe()
    {
        const db::ServerProfile file = test::profileOf(
            *db::ServerUrl::parse(u"sqlite://"_s + m_folder->filePath(u"till.db"_s)), u"till"_s);
        const auto* said = child<QLabel>("statusMessage");
        m_window->openServer(file);
        QCOMPARE(said->accessibleName(), u"Opening till…"_s);
        m_window->openServer(file);
        QCOMPARE(said->accessibleName(), u"Still opening till: its disk has not answered yet."_s);
        QTRY_VERIFY(m_window->session());
        QCOMPARE(m_window->session()->profile().name, u"till"_s);
    }

    void aServerThatStopsAnsweringIsSaidToSinceWhen()
    {
        const auto hang = std::make_shared<std::atomic<bool>>(false);
        ServerSession::Options options;
        options.interval = 250ms;
        db::ServerProfile profile;
        profile.name = u"hanging"_s;
        m_window->openSession(new ServerSession(profile, hangingSource(hang), options));
        TRY_VERIFY(m_window->session()->monitor().snapshot() != nullptr);
        *hang = true;
        TRY_COMPARE(m_window->session()->monitor().health(), monitor::Health::Silent);
        QTRY_VERIFY(child<QWidget>("healthBar")->isVisible());
        QStringList texts;
        for (const QLabel* label : child<QWidget>("healthBar")->findChildren<QLabel*>())
            texts << label->text();
        VERIFY_CONTAINS(texts.join(QLatin1Char(' ')), u"does not answer"_s);
        QVERIFY(texts.join(QLatin1Char(' ')).contains(u"As of "_s));
        QTest::keyClick(m_window.get(), Qt::Key_2, Qt::ControlModifier);
        QCOMPARE(m_window->currentPage()->id(), m_window->pageIds()[1]);
        *hang = false;
        TRY_VERIFY(!child<QWidget>("healthBar")->isVisible());
    }

    void anUnreachableServerSaysWhatToDo()
    {
        db::ServerProfile profile;
        profile.url.host = u"127.0.0.1"_s;
        profile.url.port = 1;
        m_window->openServer(profile);
        auto* text = child<QLabel>("troubleText");
        TRY_VERIFY(text->isVisible() && text->text().contains(u"tries again"_s));
        VERIFY_CONTAINS(text->text(), u"127.0.0.1"_s);
    }

    void missingRightsShowTheGrant()
    {
        TestServer& server = TestServer::shared();
        const db::ServerUrl url = server.freshDatabase();
        // Somebody else's session, whose statement the role must not see.
        const auto other = server.connect(url);
        open(server.asRole(url)).showPage(u"blocking"_s);
        auto* copy = child<QWidget>("limitationBar")->findChild<QPushButton*>(u"copyRemedy"_s);
        QVERIFY(copy);
        TRY_VERIFY(copy->isVisible());
        QTest::mouseClick(copy, Qt::LeftButton);
        VERIFY_CONTAINS(QGuiApplication::clipboard()->text(), u"GRANT"_s);
    }

    void thresholdsOfTheUserColourTheTiles()
    {
        const db::ServerUrl url = TestServer::shared().freshDatabase();
        open(url).showPage(u"overview"_s);
        const Holder holder(url);
        const Waiter waiter(url);
        TRY_COMPARE(tile("tileWaiters"), u"1"_s);
        QTest::mouseClick(child<QToolButton>("settings"), Qt::LeftButton);
        auto* dialog = m_window->findChild<SettingsDialog*>();
        QVERIFY(dialog);
        dialog->findChild<QSpinBox*>(u"waitAmber"_s)->setValue(1);
        dialog->findChild<QSpinBox*>(u"waitRed"_s)->setValue(1);
        test::keepPicture(*dialog, u"settings"_s);
        dialog->accept();
        TRY_COMPARE(child<MetricTile>("tileLongest")->level(), AgeLevel::Red);
        QCOMPARE(m_settings->value(u"thresholds/waitRed"_s).toInt(), 1'000);
    }

    void moreLocksThanTheUserWantsAreCounted()
    {
        const db::ServerUrl url = TestServer::shared().freshDatabase();
        const auto farm = TestServer::shared().connect(url);
        QVERIFY(runSql(*farm, u"SELECT pg_advisory_lock(g) FROM generate_series(1, 1500) g"_s, {}));
        open(url).showPage(u"locks"_s);
        const auto shown = [this] {
            const auto snapshot = m_window->session()->monitor().snapshot();
            return snapshot ? snapshot->requests.size() : 0;
        };
        TRY_VERIFY(shown() >= 1'500);
        QVERIFY(!child<QWidget>("limitationBar")->isVisible());

        QTest::mouseClick(child<QToolButton>("settings"), Qt::LeftButton);
        auto* dialog = m_window->findChild<SettingsDialog*>();
        QVERIFY(dialog);
        auto* most = dialog->findChild<QSpinBox*>(u"mostLocks"_s);
        QCOMPARE(most->value(), 100'000);
        most->setValue(1'000);
        dialog->accept();
        TRY_COMPARE(shown(), size_t(1'000));
        TRY_VERIFY(child<QWidget>("limitationBar")->isVisible());
        QStringList texts;
        for (const QLabel* label : child<QWidget>("limitationBar")->findChildren<QLabel*>())
            texts << label->text();
        const QString text = texts.join(QLatin1Char(' '));
        VERIFY_CONTAINS(text, u"Showing 1000 of"_s);
        VERIFY_CONTAINS(text, u"“Locks shown at most”"_s);
        QCOMPARE(Preferences::load(*m_settings).maxLocks, 1'000);
    }

    void theConnectDialogSaysWhichStepFailed()
    {
        const db::ServerUrl url = TestServer::shared().freshDatabase();
        db::ServerProfile profile;
        profile.url.host = u"127.0.0.1"_s;
        profile.url.port = 1;
        ConnectDialog nowhere(profile);
        QSignalSpy finished(&nowhere, &ConnectDialog::testFinished);
        QTest::mouseClick(nowhere.findChild<QPushButton*>(u"test"_s), Qt::LeftButton);
        TRY_COMPARE(finished.count(), 1);
        QVERIFY(!finished.first().first().toBool());
        VERIFY_CONTAINS(nowhere.testReport(), u"Server: Can't connect"_s);

        profile.url = url;
        ConnectDialog wrong(profile);
        QSignalSpy refused(&wrong, &ConnectDialog::testFinished);
        wrong.findChild<QLineEdit*>(u"database"_s)->setText(u"not-there"_s);
        wrong.findChild<QLineEdit*>(u"password"_s)->setText(TestServer::shared().password());
        QTest::mouseClick(wrong.findChild<QPushButton*>(u"test"_s), Qt::LeftButton);
        TRY_COMPARE(refused.count(), 1);
        QVERIFY(!refused.first().first().toBool());
        VERIFY_CONTAINS(wrong.testReport(), u"not-there"_s);
        QVERIFY(!wrong.testReport().contains(TestServer::shared().password()));

        ConnectDialog right(profile);
        QSignalSpy done(&right, &ConnectDialog::testFinished);
        right.findChild<QLineEdit*>(u"password"_s)->setText(TestServer::shared().password());
        QTest::mouseClick(right.findChild<QPushButton*>(u"test"_s), Qt::LeftButton);
        TRY_COMPARE(done.count(), 1);
        QVERIFY2(done.first().first().toBool(), qPrintable(right.testReport()));
        QVERIFY(right.testReport().contains(u"PostgreSQL 1"_s));
    }

private:
    MainWindow& open(const db::ServerUrl& url)
    {
        m_window->openServer(test::profileOf(url, u"test"_s));
        return *m_window;
    }

    QString tile(const char* name) const { return child<MetricTile>(name)->number(); }
};

LOCKSCOPE_TEST(tst_MainWindow)

} // namespace tst_MainWindow
#include "tst_MainWindow.moc"
