// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Names for a screen reader: each control that can be used has one, and the Tab key goes through a page in
// reading order.

#include "tests/support/FakeKeychain.h"
#include "tests/support/MadeFrameworks.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/ui/WindowTest.h"
#include "ui/kit/help/HelpWindow.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/window/MainWindow.h"
#include "ui/views/acts/ActRunner.h"
#include "ui/views/acts/DangerDialog.h"
#include "ui/views/connect/AttachTableDialog.h"
#include "ui/views/connect/ConnectDialog.h"
#include "ui/views/detail/DetailPane.h"
#include "ui/views/incidents/IncidentsPage.h"
#include "ui/views/page/SessionActs.h"
#include "ui/views/settings/SettingsDialog.h"

#include <QtWidgets>

namespace tst_Accessibility {

using namespace lockscope;
using namespace lockscope::ui;
using test::SnapshotBuilder;

static SnapshotPtr contention()
{
    SnapshotBuilder s;
    s.session(51, "billing").idleInTransaction(60).running("UPDATE orders SET paid = true");
    s.session(63, "web").running("LOCK TABLE orders");
    s.holds(51, "public.orders", "AccessExclusiveLock", 60);
    s.waits(63, "public.orders", "AccessExclusiveLock", 12);
    s.entry("nightly", "ann").lease(600, 700).queue("bob", 20);
    s.holds(51, "advisory lock 72707369", "ExclusiveLock", 60, true, ResourceKind::ApplicationLock);
    s.belongs("advisory lock 72707369", test::prismaMatch());
    s.entry("changelog lock", "").of(test::liquibaseMatch(), "app.databasechangeloglock", "build-7");
    s.unread(test::unreadTable(test::liquibaseMatch(), u"databasechangeloglock"_s, u"mallory"_s));
    s.limitation(Limitation::Kind::MissingPermission, "Statements of others are hidden.", "GRANT it.");
    return s.take();
}

static QString path(const QWidget* widget)
{
    QStringList names;
    for (const QWidget* each = widget; each; each = each->parentWidget())
        names.prepend(QLatin1String(each->metaObject()->className())
            + (each->objectName().isEmpty() ? QString() : u'#' + each->objectName()));
    return names.join(u" > "_s);
}

/// Returns whether a widget can be pressed, typed into or walked through by keys.
static bool isInteractive(const QWidget& widget)
{
    if (!widget.isVisible() || widget.isWindow() || widget.focusProxy())
        return false;
    return widget.focusPolicy() != Qt::NoFocus || qobject_cast<const QAbstractButton*>(&widget);
}

static QStringList nameless(const QWidget& in)
{
    QStringList found;
    for (QWidget* widget : in.findChildren<QWidget*>()) {
        if (widget->window() != in.window() || !isInteractive(*widget))
            continue;
        QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(widget);
        QString name = accessible ? accessible->text(QAccessible::Name) : QString();
        // Qt calls a box by what is chosen in it, and leaves its name to the label that belongs to it.
        if (accessible && qobject_cast<const QComboBox*>(widget)
            && accessible->relations(QAccessible::Label).isEmpty())
            name = widget->accessibleName();
        if (name.trimmed().isEmpty())
            found << path(widget);
        if (accessible && accessible->text(QAccessible::Description).startsWith(u'<'))
            found << path(widget) + u": markup"_s;
    }
    return found;
}

static QList<QWidget*> tabStops(const QWidget& in)
{
    QList<QWidget*> stops;
    QWidget* const first = in.window();
    QWidget* at = first;
    do {
        at = at->nextInFocusChain();
        if (at->isVisible() && at->isEnabled() && (at->focusPolicy() & Qt::TabFocus) != 0
            && in.isAncestorOf(at) && at->window() == first && !at->focusProxy())
            stops << at;
    } while (at != first);
    return stops;
}

static QRect placeOf(const QWidget& widget)
{
    return {widget.mapToGlobal(QPoint(0, 0)), widget.size()};
}

/// Pairs of which the Tab key comes to the second one although one reads it before the first one: it stands
/// to the left in the same row, or above and not in a column further right.
static QStringList backwardSteps(const QWidget& in)
{
    QStringList steps;
    const QList<QWidget*> stops = tabStops(in);
    for (qsizetype i = 1; i < stops.size(); ++i) {
        if (stops[i - 1]->isAncestorOf(stops[i]))
            continue;
        const QRect before = placeOf(*stops[i - 1]);
        const QRect now = placeOf(*stops[i]);
        const bool sameRow = now.top() <= before.center().y() && now.bottom() >= before.center().y();
        const bool above = now.bottom() < before.top() && now.left() <= before.right();
        if (above || (sameRow && now.right() <= before.left()))
            steps << path(stops[i - 1]) + u"\n    then "_s + path(stops[i]);
    }
    return steps;
}

#define VERIFY_ALL_NAMED(widget)                                                                             \
    do {                                                                                                     \
        const QStringList found = nameless(widget);                                                          \
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));                                            \
    } while (false)

#define VERIFY_READING_ORDER(widget)                                                                         \
    do {                                                                                                     \
        const QStringList found = backwardSteps(widget);                                                     \
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));                                            \
    } while (false)

class tst_Accessibility : public test::WindowTest {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        makeFolder();
        showWindow({.keychain = std::make_shared<test::FakeKeychain>()}, QSize(1'280, 800));
    }
    void cleanup() { dropAll(); }

    void theTestSeesWhatHasNoName()
    {
        QWidget window;
        auto* good = new QPushButton(u"Act"_s, &window);
        auto* bad = new QLineEdit(&window);
        bad->setObjectName(u"bad"_s);
        bad->move(0, 60);
        window.show();
        QVERIFY(good->isVisible());
        QCOMPARE(nameless(window).size(), 1);
        QVERIFY(nameless(window).first().contains(u"bad"_s));
    }

    void theTestSeesAWrongOrder()
    {
        QWidget window;
        auto* first = new QPushButton(u"One"_s, &window);
        auto* second = new QPushButton(u"Two"_s, &window);
        second->move(0, 100);
        window.show();
        QCOMPARE(tabStops(window), (QList<QWidget*>{first, second}));
        QVERIFY(backwardSteps(window).isEmpty());
        first->move(0, 200);
        QCOMPARE(backwardSteps(window).size(), 1);
    }

    void theWindowWithoutAServer()
    {
        QVERIFY(tabStops(*m_window).size() > 4);
        VERIFY_ALL_NAMED(*m_window);
    }

    void theWindowThatFailedToConnect()
    {
        showUnreachableServer();
        VERIFY_ALL_NAMED(*m_window);
    }

    void eachPage_data()
    {
        test::addTexts("id",
            {"overview", "blocking", "locks", "lock-table", "sessions", "scenarios", "audit", "deadlocks",
                "lock-order", "incidents"});
    }
    void eachPage()
    {
        QFETCH(const QString, id);
        QCOMPARE(m_window->pageIds().size(), 11);
        showServer(contention);
        m_window->showPage(id);
        QCOMPARE(m_window->currentPage()->id(), id);
        QTRY_VERIFY(m_window->currentPage()->isVisible());
        QCoreApplication::processEvents();
        QVERIFY(!tabStops(*m_window->currentPage()).isEmpty());
        VERIFY_ALL_NAMED(*m_window);
        std::ignore = QTest::qWaitFor([this] { return backwardSteps(*m_window->currentPage()).isEmpty(); });
        VERIFY_READING_ORDER(*m_window->currentPage());
    }

    void eachTabOfTheScenarios()
    {
        showServer(contention);
        m_window->showPage(u"scenarios"_s);
        for (QTabWidget* tabs : m_window->currentPage()->findChildren<QTabWidget*>()) {
            for (int i = 0; i < tabs->count(); ++i) {
                tabs->setCurrentIndex(i);
                QCoreApplication::processEvents();
                VERIFY_ALL_NAMED(*m_window);
            }
        }
    }

    void eachTabOfTheRules()
    {
        showServer(contention);
        m_window->showPage(u"incidents"_s);
        m_window->findChild<IncidentsPage*>()->showView(IncidentsPage::Rules);
        auto* tabs = m_window->findChild<QTabWidget*>(u"ruleFile"_s);
        for (int i = 0; i < tabs->count(); ++i) {
            tabs->setCurrentIndex(i);
            QCoreApplication::processEvents();
            VERIFY_ALL_NAMED(*m_window);
            const auto buttons = tabs->currentWidget()->findChildren<QPushButton*>();
            QVERIFY(buttons.size() >= 3);
            for (QPushButton* button : buttons)
                button->setEnabled(true); // whatever is chosen
            VERIFY_READING_ORDER(*tabs);
        }
    }

    void theDetailOfASession()
    {
        showServer(contention);
        m_window->showPage(u"sessions"_s);
        auto* rows = m_window->currentPage()->findChild<TableView*>();
        QTRY_VERIFY(rows->model()->rowCount() > 0);
        rows->selectRow(0);
        auto* detail = m_window->findChild<DetailPane*>();
        QTRY_VERIFY(detail->findChild<QPlainTextEdit*>()->isVisible());
        VERIFY_ALL_NAMED(*m_window);
        VERIFY_READING_ORDER(*detail);
    }

    void theDialogs()
    {
        const auto check = [](QDialog& dialog) {
            dialog.open();
            QTRY_VERIFY(dialog.isVisible());
            VERIFY_ALL_NAMED(dialog);
            VERIFY_READING_ORDER(dialog);
        };
        {
            ConnectDialog dialog({}, m_window.get(), std::make_shared<test::FakeKeychain>());
            check(dialog);
        }
        {
            SettingsDialog dialog({}, m_window.get());
            check(dialog);
        }
        {
            AcquireDialog dialog(u"nightly"_s, Engine::Postgres, m_window.get());
            check(dialog);
        }
        {
            DangerDialog dialog(*m_settings, m_window.get());
            DangerText text;
            text.title = u"End session 51"_s;
            text.facts = {{u"Session"_s, u"51"_s}};
            text.consequences = {u"It rolls back."_s};
            text.warning = u"Liquibase: an update that still runs is not stopped."_s;
            text.vendorName = u"Liquibase"_s;
            text.vendorCommand = u"liquibase release-locks"_s;
            text.button = u"End"_s;
            dialog.setText(text);
            check(dialog);
        }
        db::Server server;
        server.profile.url.sandbox = true;
        server.resolve = [](const db::Server&) {
            return Result<db::Server>(failure(ErrorKind::Connection, u"No route."_s));
        };
        {
            AttachTableDialog dialog(server, m_window.get());
            check(dialog);
        }
        auto* row = new LockedRowDialog(server, {}, m_window.get()); // deletes itself
        check(*row);
        row->close();
    }

    /// A pane without height in a low window still has its place, and the search passes it.
    void whatIsSquashedFlatIsPassed()
    {
        QWidget page;
        const auto button = [&page](const QRect& place) {
            auto* made = new QPushButton(&page);
            made->setGeometry(place);
            return made;
        };
        button({0, 50, 80, 20});
        button({0, 40, 80, 0});
        QPushButton* right = button({100, 10, 80, 20});
        QPushButton* left = button({0, 10, 80, 20});
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        tabInReadingOrder(page);
        QCOMPARE(left->nextInFocusChain(), right);
    }

    void theManual()
    {
        m_window->help().open(u"index.md"_s);
        VERIFY_ALL_NAMED(*m_window->help().manualWindow());
    }
};

LOCKSCOPE_TEST(tst_Accessibility)

} // namespace tst_Accessibility
#include "tst_Accessibility.moc"
