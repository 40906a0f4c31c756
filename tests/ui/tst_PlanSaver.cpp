// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// "Save plan…" in the detail of a session: read on a click, written where the user chooses, and why not.

#include "tests/support/tds/MonitorAnswers.h"
#include "tests/ui/WindowTest.h"
#include "ui/views/detail/DetailPane.h"

#include <QtWidgets>

namespace tst_PlanSaver {

using namespace lockscope;
using namespace lockscope::test::tds;
using namespace lockscope::ui;

const QString plan = u"<ShowPlanXML/>"_s;

/// 63 runs by that plan.
static Picture running()
{
    Picture picture;
    picture.session(63, "shop");
    picture.request(63, "SELECT", 1'000).planHandle = u"06AA"_s;
    picture.plans[u"06AA"_s] = plan;
    return picture;
}

class tst_PlanSaver : public test::WindowTest {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QApplication::setAttribute(Qt::AA_DontUseNativeDialogs); }
    void init() { makeFolder(); }
    void cleanup() { dropAll(); }

    void savesThePlanWhereTheUserWantsIt()
    {
        TdsServer server;
        MonitorAnswers answers(server);
        answers.show(running());
        open(urlOf(server), db::fixedPassword(passwordOf(server)));
        QVERIFY(select(u"63"_s));
        QVERIFY(button()->isEnabled());
        const QSignalSpy said(asker(), &SessionAsker::said);
        button()->click();
        TRY_VERIFY(m_window->findChild<QFileDialog*>());
        auto* dialog = m_window->findChild<QFileDialog*>();
        const QString path = m_folder->filePath(u"slow.sqlplan"_s);
        Q_EMIT dialog->fileSelected(path);
        dialog->reject();
        TRY_VERIFY(!said.isEmpty() && said.last().first().toString().contains(path));
        QCOMPARE(QString::fromUtf8(test::readFile(path)), plan);
    }

    void saysWhyThereIsNone()
    {
        TdsServer server;
        MonitorAnswers answers(server);
        Picture picture = running();
        picture.plans[u"06AA"_s] = QString();
        answers.show(picture);
        open(urlOf(server), db::fixedPassword(passwordOf(server)));
        QVERIFY(select(u"63"_s));
        const QSignalSpy said(asker(), &SessionAsker::said);
        button()->click();
        TRY_VERIFY(said.count() >= 2);
        VERIFY_CONTAINS(said.last().first().toString(), u"does not keep the plan"_s);
        QVERIFY(!m_window->findChild<QFileDialog*>());
        // Nothing runs any more: known before the click.
        picture.requests.clear();
        picture.sessions[0].sleeping(1'000);
        answers.show(picture);
        TRY_VERIFY(!button()->isEnabled());
        QVERIFY(button()->toolTip().contains(u"runs nothing"_s));
    }

    /// We don't plan it in its place either; the user can copy the text.
    void postgresHasNone()
    {
        test::TestServer& server = test::TestServer::shared();
        const db::ServerUrl url = server.freshDatabase();
        const auto other = server.connect(url);
        open(url, server.passwords());
        QVERIFY(test::runSql(*other, u"SELECT 1 AS one"_s, {}));
        auto* explain = child<QPushButton>("copyExplain");
        QVERIFY(select(QString::number(other->sessionId().value), explain));
        TRY_VERIFY(explain->isVisible() && explain->isEnabled());
        QVERIFY(!button()->isVisible());
        explain->click();
        QVERIFY(QGuiApplication::clipboard()->text().contains(u"EXPLAIN (VERBOSE)\nSELECT 1 AS one\n;"_s));
    }

private:
    void open(const db::ServerUrl& url, const db::PasswordProvider& passwords)
    {
        showWindow({.passwords = passwords, .interval = 250ms}, QSize(1'200, 800));
        openServer(url, u"prod"_s, u"sessions"_s);
        TRY_VERIFY(view()->model()->rowCount() > 0);
    }
    QAbstractItemView* view() const { return m_window->currentPage()->findChild<QAbstractItemView*>(); }
    QPushButton* button() const { return child<QPushButton>("savePlan"); }
    SessionAsker* asker() const { return m_window->findChild<SessionAsker*>(); }
    bool select(const QString& session) const { return select(session, button()); }
    bool select(const QString& session, const QPushButton* offered) const
    {
        return test::waitUntil([&] {
            for (int row = 0; row < view()->model()->rowCount(); ++row) {
                if (view()->model()->index(row, 0).data().toString() == session) {
                    view()->setCurrentIndex(view()->model()->index(row, 0));
                    return offered->isVisible();
                }
            }
            return false;
        });
    }
};

LOCKSCOPE_TEST(tst_PlanSaver)

} // namespace tst_PlanSaver
#include "tst_PlanSaver.moc"
