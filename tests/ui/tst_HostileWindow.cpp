// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A real server on which every name is an attack: on no page and in no dialog of the window a text, tip,
// accessible name or painted text has a character in it that nobody sees, that turns the writing, or that
// ends a line.

#include "core/record/RecordingWriter.h"
#include "tests/support/FakeKeychain.h"
#include "tests/support/HarmfulServer.h"
#include "tests/support/SeenTexts.h"
#include "tests/ui/WindowTest.h"
#include "ui/kit/tables/TableView.h"
#include "ui/shell/servers/ServerDialogs.h"
#include "ui/views/acts/DangerDialog.h"
#include "ui/views/connect/AttachTableDialog.h"
#include "ui/views/connect/ConnectDialog.h"
#include "ui/views/history/BiographyDialog.h"
#include "ui/views/history/RangePanel.h"
#include "ui/views/history/RecordingWindow.h"
#include "ui/views/page/SessionActs.h"
#include "ui/views/page/TablePage.h"

#include <QtWidgets>

#include <variant>

namespace tst_HostileWindow {

using namespace lockscope;
using namespace lockscope::ui;
using test::TestServer;

const QString& hostile = test::hostileName;

class tst_HostileWindow : public test::WindowTest {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_server = std::make_unique<test::HarmfulServer>(); }
    void cleanupTestCase() { m_server.reset(); }
    void init()
    {
        m_found.clear();
        m_reported.clear();
        makeFolder();
    }
    void cleanup() { dropAll(); }

    void theTestSeesWhatDeceives()
    {
        QWidget window;
        auto* text = new QLabel(u"a name"_s, &window);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY(test::deceitsIn(window).isEmpty());
        text->setText(u"a\u202Ename"_s);
        QVERIFY(!test::deceitsIn(window).filter(u"text"_s).isEmpty());
        QVERIFY(!test::deceitsIn(window).filter(u"painted"_s).isEmpty());
        text->setText(u"held by\nFORGED"_s);
        QVERIFY(!test::deceitsIn(window).isEmpty());
        text->setText({});
        for (const auto set : {&QWidget::setToolTip, &QWidget::setAccessibleName, &QWidget::setWindowTitle}) {
            (text->*set)(u"a\u200Bname"_s);
            QVERIFY(!test::deceitsIn(window).isEmpty());
            (text->*set)({});
        }
        QVERIFY(test::deceitsIn(window).isEmpty());
    }

    void areVisibleOnEveryPage_data()
    {
        test::addRows<QString>("user", {{"superuser", QString()}, {"without rights", u"poor"_s}});
    }
    void areVisibleOnEveryPage()
    {
        QFETCH(QString, user);
        openWindow(m_server->as(user));
        for (const QString& page : m_window->pageIds()) {
            QVERIFY(m_window->showPage(page));
            QTRY_VERIFY(m_window->currentPage()->isVisible());
            if (page == u"audit"_s && user.isEmpty())
                TRY_VERIFY(test::hostileNamesShownIn(*m_window->currentPage()) > 0);
            check(page);
            // Of the others nothing is known that somebody else named.
            if (QStringList{u"overview"_s, u"blocking"_s, u"locks"_s, u"lock-table"_s, u"sessions"_s}
                    .contains(page)
                && user.isEmpty())
                QVERIFY2(test::hostileNamesShownIn(*m_window->currentPage()) > 0, qPrintable(page));
            auto* const rows = qobject_cast<TablePage*>(m_window->currentPage());
            for (int row = 0; rows && row < rows->view().model()->rowCount(); ++row) {
                rows->view().selectRow(row);
                check(u"%1, row %2"_s.arg(page).arg(row));
            }
        }
        QVERIFY(isNothingFound());
    }

    void areVisibleInTheDialogsOfActs()
    {
        openWindow(m_server->as({}));
        QVERIFY(m_window->showPage(u"lock-table"_s));
        TRY_VERIFY(m_window->snapshot()->entries.size() >= 3);
        const SnapshotPtr seen = m_window->snapshot();
        std::vector<Action> acts{PurgeStaleAction(), InstallSchemaAction(), AcquireAction{hostile}};
        for (const LockTableEntry& entry : seen->entries)
            acts.emplace_back(ReleaseEntryAction{entry});
        for (const Session& session : seen->sessions) {
            acts.emplace_back(EndSessionAction{session});
            acts.emplace_back(CancelStatementAction{session});
        }
        int shown = 0;
        for (const Action& act : acts) {
            Q_EMIT m_window->currentPage()->requestAct(act);
            const QString what = u"act %1"_s.arg(act.index());
            const QPointer dialog = m_window->findChild<QDialog*>();
            QVERIFY2(dialog, qPrintable(what)); // all of these may be asked for
            TRY_VERIFY(dialog->isVisible());
            const auto* answer = dialog->findChild<NoticeBar*>(u"answer"_s);
            TRY_VERIFY(!answer || !answer->text().startsWith(u"Asking"_s));
            check(what);
            shown += test::hostileNamesShownIn(*dialog);
            if (auto* danger = qobject_cast<DangerDialog*>(dialog)) {
                danger->showFailure({ErrorKind::Server, hostile, hostile, hostile, hostile, hostile});
                check(what + u" failed"_s);
                danger->showProgress(hostile, 40);
                check(what + u" goes on"_s);
            }
            dialog->close();
            QTRY_VERIFY(!dialog);
        }
        QVERIFY(shown > 0);
        QVERIFY(isNothingFound());
    }

    void areVisibleInOtherDialogs()
    {
        openWindow(m_server->as({}));
        const db::ServerProfile profile = test::profileOf(m_server->as({}), hostile);
        const auto keychain = std::make_shared<test::FakeKeychain>();
        {
            LogInDialog dialog(profile, keychain, hostile, m_window.get());
            dialog.open();
            check(u"log in"_s);
        }
        {
            ConnectDialog dialog(profile, m_window.get(), keychain, TestServer::shared().password());
            dialog.open();
            check(u"connect"_s);
            auto* test = dialog.findChild<QPushButton*>(u"test"_s);
            test->click(); // fields of one line take no line ends: it may find nobody of that name
            TRY_VERIFY(test->text() == u"Test"_s && !dialog.testReport().isEmpty());
            check(u"connection test"_s);
        }
        {
            AttachTableDialog dialog(m_server->server(), m_window.get());
            dialog.open();
            auto* tables = dialog.findChild<QAbstractItemView*>();
            TRY_VERIFY(tables->model()->rowCount() > 0);
            check(u"attach"_s);
        }
        for (const Resource& resource : m_window->snapshot()->resources) {
            auto* dialog =
                new LockedRowDialog(m_server->server(), resource, m_window.get()); // deletes itself
            dialog->open();
            TRY_VERIFY(!dialog->findChild<QLabel*>(u"lockedRowText"_s)->text().startsWith(u"Asking"_s));
            check(u"row"_s);
            dialog->close();
        }
        QVERIFY(isNothingFound());
    }

    void areVisibleInWhatReadsRecordings()
    {
        const QString folder = m_folder->filePath(test::shortHostileName);
        QVERIFY(QDir().mkpath(folder));
        const QString path = folder + u"/shop.lockscope"_s;
        const auto [from, to] = recordTo(path);
        record::Identity whose;
        whose.server = m_server->as({}).display();
        const record::RecordingClient client(path, whose);
        auto* panel = new RangePanel(client, from, to, nullptr);
        QSignalSpy loaded(panel, &RangePanel::loaded);
        std::vector<record::BiographySubject> subjects;
        connect(panel, &RangePanel::historyRequested, this,
            [&subjects](
                const record::BiographySubject& subject, ServerTime) { subjects.push_back(subject); });
        panel->show();
        TRY_COMPARE(loaded.count(), 1);
        panel->compareWith(from - 1h, to - 1h);
        TRY_COMPARE(loaded.count(), 2);
        for (int tab = 0; tab < panel->tabs().count(); ++tab) {
            panel->tabs().setCurrentIndex(tab);
            auto& table = *qobject_cast<TableView*>(panel->tabs().widget(tab));
            for (int row = 0; row < table.model()->rowCount(); ++row) {
                table.selectRow(row);
                check(u"range, tab %1, row %2"_s.arg(tab).arg(row));
                for (QPushButton* button : panel->findChildren<QPushButton*>())
                    if (button->text().startsWith(u"History"_s))
                        button->click();
            }
        }
        QVERIFY(test::hostileNamesShownIn(*panel) > 0);
        panel->close();
        const auto isLock = [](const auto& one) { return std::holds_alternative<record::RecordedLock>(one); };
        QVERIFY(std::ranges::any_of(subjects, isLock) && !std::ranges::all_of(subjects, isLock));
        for (const record::BiographySubject& subject : subjects) {
            auto* dialog = new BiographyDialog(client, subject, to, nullptr);
            QSignalSpy read(dialog, &BiographyDialog::loaded);
            dialog->show();
            TRY_COMPARE(read.count(), 1);
            QVERIFY(dialog->list().model()->rowCount() > 0);
            for (int row = 0; row < dialog->list().model()->rowCount(); ++row) {
                dialog->list().selectRow(row);
                check(u"history, row %1"_s.arg(row));
            }
            QVERIFY(test::hostileNamesShownIn(*dialog) > 0);
            dialog->close();
        }
        checkCopies(client, path, from, to);
        QVERIFY(isNothingFound());
    }

private:
    /// Records several snapshots of the server. Returns the first and the last time.
    std::pair<ServerTime, ServerTime> recordTo(const QString& path) const
    {
        const auto source = monitor::makeSnapshotSource(m_server->server());
        std::unique_ptr<record::RecordingWriter> writer;
        std::pair<ServerTime, ServerTime> span;
        for (int i = 0; i < 3; ++i) {
            const auto taken = test::orDie(source->take());
            span.second = taken->takenAt;
            if (!writer) {
                span.first = span.second;
                writer = test::orDie(record::RecordingWriter::open(
                    path, {u"test"_s, taken->server, Engine::Postgres, span.first, false, hostile}));
            }
            test::orDie(writer->append(taken, span.second));
        }
        return span;
    }

    /// The dialogs that write files, whose names may mean harm, too; and when that fails.
    void checkCopies(
        const record::RecordingClient& client, const QString& path, ServerTime from, ServerTime to)
    {
        ClipDialog clip(client, from, to);
        QStringList said;
        connect(&clip, &ClipDialog::said, this, [&said](const QString& text) { said << text; });
        clip.show();
        clip.saveTo(path);
        TRY_VERIFY(test::hostileNamesShownIn(clip) > 0);
        check(u"clip that failed"_s);
        clip.saveTo(path + u".clip"_s);
        TRY_VERIFY(!said.isEmpty());
        if (const QString deceit = test::deceitIn(said.front(), false); !deceit.isEmpty())
            m_found << u"clip, message: "_s + deceit;
    }

    void openWindow(const db::ServerUrl& url)
    {
        showWindow({.passwords = test::HarmfulServer::passwords(),
                       .keychain = std::make_shared<test::FakeKeychain>(),
                       .interval = 250ms},
            QSize(1'280, 800));
        m_window->openServer(test::profileOf(url));
        TRY_VERIFY(m_window->snapshot() != nullptr);
    }

    bool isNothingFound() const
    {
        for (const QString& found : m_found)
            qWarning("%s", qPrintable(found));
        return m_found.isEmpty();
    }

    void check(const QString& where)
    {
        QCoreApplication::processEvents();
        for (QWidget* window : QApplication::topLevelWidgets()) {
            if (!window->isVisible())
                continue;
            for (const QString& deceit : test::deceitsIn(*window))
                if (!m_reported.contains(deceit)) {
                    m_reported.insert(deceit);
                    m_found << where + u": "_s + deceit;
                }
        }
    }

    std::unique_ptr<test::HarmfulServer> m_server;
    QSet<QString> m_reported;
    QStringList m_found;
};

LOCKSCOPE_TEST(tst_HostileWindow)

} // namespace tst_HostileWindow
#include "tst_HostileWindow.moc"
