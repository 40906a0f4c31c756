// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ServerAdminClient.h"
#include "tests/support/TestProgram.h"
#include "tests/support/tds/AdminAnswers.h"
#include "tests/support/tds/MonitorAnswers.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/views/acts/ActRunner.h"
#include "ui/views/acts/DangerDialog.h"
#include "ui/views/page/SessionActs.h"

#include <QtWidgets>

namespace tst_EndSessionSqlServer {

using namespace lockscope;
using namespace lockscope::test::tds;
using namespace lockscope::ui;
using lockscope::test::waitUntil;

constexpr qint64 loginOf63 = 1'799'999'000'123'333;

static lockscope::Session shown()
{
    lockscope::Session session;
    session.id = {63};
    session.started = {loginOf63};
    session.program = u"shop"_s;
    session.state = SessionState::IdleInTransaction;
    return session;
}

/// −1 if it has closed.
static int percentOf(const QPointer<DangerDialog>& dialog)
{
    return dialog ? dialog->findChild<QProgressBar*>()->value() : -1;
}

/// The window's context on a double with one other session, 63.
struct Bench {
    TdsServer server;
    AdminAnswers acts{server};
    MonitorAnswers answers{server};
    QSettings settings{test::freshPath(u"settings.ini"_s), QSettings::IniFormat};
    AppContext context{settings};
    db::ServerProfile profile;
    std::unique_ptr<admin::ServerAdminClient> client;
    QWidget window;
    ActRunner runner{context, &window};

    Bench()
    {
        profile.url = urlOf(server);
        acts.change([](AdminAnswers::State& state) {
            state.sessions.add({63, loginOf63, true, u"bob"_s, u"app02"_s, u"shop"_s, u"orders"_s, 4'711});
        });
        client = std::make_unique<admin::ServerAdminClient>(
            db::Server{profile, [this](const QString&) -> Result<QString> { return passwordOf(server); }});
        context.setServer(profile, nullptr, client.get());
        window.show();
    }
    /// The dialog in which the end of the session was ordered.
    QPointer<DangerDialog> endSession()
    {
        runner.run(EndSessionAction{shown()});
        auto* dialog = window.findChild<DangerDialog*>();
        if (!dialog)
            qFatal("there is no dialog");
        dialog->findChild<QComboBox*>()->setCurrentText(u"stuck since nine"_s);
        for (QPushButton* button : dialog->findChildren<QPushButton*>()) {
            if (button->text().contains(u"End session"_s))
                QTest::mouseClick(button, Qt::LeftButton);
        }
        return dialog;
    }
};

class tst_EndSessionSqlServer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theDialogFollowsTheRollbackToItsEnd()
    {
        Bench bench;
        bench.acts.change([](AdminAnswers::State& state) { state.workToUndo = 40; });
        QSignalSpy done(&bench.runner, &ActRunner::done);
        const QPointer<DangerDialog> dialog = bench.endSession();
        QVERIFY(waitUntil([&] { return percentOf(dialog) == 40; }));
        QVERIFY(dialog->isVisible());
        bench.acts.change(
            [](AdminAnswers::State& state) { state.sessions.find(63)->rollback->percent = 90; });
        QVERIFY(waitUntil([&] { return percentOf(dialog) == 90; }));
        bench.acts.change([](AdminAnswers::State& state) { state.sessions.remove(63); });
        QVERIFY(waitUntil([&] { return !dialog || !dialog->isVisible(); }));
        QVERIFY(done.last().at(0).toString().contains(u"is gone"_s));
    }

    void theDialogKeepsAskingWhenAQuestionFails()
    {
        Bench bench;
        bench.acts.change([](AdminAnswers::State& state) { state.workToUndo = 40; });
        QSignalSpy done(&bench.runner, &ActRunner::done);
        const QPointer<DangerDialog> dialog = bench.endSession();
        QVERIFY(waitUntil([&] { return percentOf(dialog) == 40; }));

        bench.server.setFault({Fault::Kind::Cut, Fault::Phase::Answer, 0});
        auto* const notice = dialog->findChild<NoticeBar*>(u"failure"_s);
        QVERIFY(waitUntil([notice] { return notice->text().contains(u"Asking again"_s); }));
        QVERIFY(dialog->isVisible());
        for (const QLabel* label : dialog->findChildren<QLabel*>())
            VERIFY_LACKS(label->text(), u"Nothing will be changed"_s);

        bench.acts.change(
            [](AdminAnswers::State& state) { state.sessions.find(63)->rollback->percent = 90; });
        bench.server.setFault({});
        QVERIFY(waitUntil([&] { return percentOf(dialog) == 90; }));
        QCOMPARE(notice->text(), QString());
        bench.acts.change([](AdminAnswers::State& state) { state.sessions.remove(63); });
        QVERIFY(waitUntil([&] { return !dialog || !dialog->isVisible(); }));
        QVERIFY(done.last().at(0).toString().contains(u"is gone"_s));
    }

    void aStatementCannotBeCancelledAndTheWindowSaysWhy()
    {
        const Bench bench;
        const lockscope::Session session = shown();
        QVERIFY(reasonAgainstSessionAct(bench.context, &session).isEmpty());
        VERIFY_CONTAINS(reasonAgainstCancel(bench.context, &session), u"SQL Server"_s);
    }
};

LOCKSCOPE_TEST(tst_EndSessionSqlServer)

} // namespace tst_EndSessionSqlServer
#include "tst_EndSessionSqlServer.moc"
