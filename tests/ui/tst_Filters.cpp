// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Filters that are typed, made of a cell, kept, and described.

#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"
#include "tests/ui/Widgets.h"
#include "ui/kit/models/ColumnInfo.h"
#include "ui/kit/tables/TableView.h"
#include "ui/views/sessions/SessionsPage.h"

namespace tst_Filters {

using namespace lockscope;
using namespace lockscope::ui;
using test::SnapshotBuilder;

class tst_Filters : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_settings.clear();
        m_page = std::make_unique<SessionsPage>(m_context);
        m_page->resize(1'200, 500);
        m_page->show();
        SnapshotBuilder s;
        s.session(6, "web").user("ann");
        s.session(63, "web").user("anna");
        s.session(64, "nightly report").user("ann");
        const SnapshotPtr snapshot = s.take();
        m_context.noteSnapshot(*snapshot);
        m_page->showSnapshot(snapshot);
        COMPARE_TEXTS(sessions(), "6", "63", "64");
    }

    void anUnknownColumnIsReported()
    {
        QSignalSpy said(m_page.get(), &Page::statusMessage);
        box().setText(u"usr:ann"_s);
        QCOMPARE(said.count(), 1);
        const QString message = said.first().first().toString();
        QVERIFY2(message.contains(u"“usr”"_s) && message.contains(u"user"_s), qPrintable(message));
        QVERIFY(sessions().isEmpty());
        box().setText(u"usr:anna"_s); // once is enough
        QCOMPARE(said.count(), 1);
        box().setText(u"user:ann"_s);
        QCOMPARE(said.count(), 1);
        QCOMPARE(sessions().size(), 3);
    }

    void whatOnlyHasAColonIsNoColumn_data()
    {
        test::addTexts("word", {"03:12", "x::text", "http://db", "(0,4):1", ":x"});
    }
    void whatOnlyHasAColonIsNoColumn()
    {
        QFETCH(const QString, word);
        QSignalSpy said(m_page.get(), &Page::statusMessage);
        box().setText(word);
        QVERIFY(said.isEmpty());
    }

    void aWholeValueIsNoPartOfAnother()
    {
        box().setText(u"session:6"_s);
        QCOMPARE(sessions().size(), 3);
        box().setText(u"session:=6"_s);
        COMPARE_TEXTS(sessions(), "6");
        box().setText(u"-session:=6"_s);
        COMPARE_TEXTS(sessions(), "63", "64");
    }

    void aUserOrDatabaseIsHidden()
    {
        item(menuAt(0, u"session"_s), u"Hide user “ann”"_s)->trigger();
        QCOMPARE(box().text(), u"-user:=ann"_s);
        COMPARE_TEXTS(sessions(), "63"); // anna is somebody else
        item(menuAt(0, u"session"_s), u"Hide database “shop”"_s)->trigger();
        QVERIFY(sessions().isEmpty());
        QCOMPARE(box().text(), u"-user:=ann -database:=shop"_s);
    }

    void onlyRowsWithTheValueOfTheCell()
    {
        item(menuAt(2, u"program"_s), u"Only program “nightly report”"_s)->trigger();
        COMPARE_TEXTS(sessions(), "64");
        QCOMPARE(box().text(), u"\"program:=nightly report\""_s);
        // An age is another one in a second.
        const QMenu* menu = menuAt(0, u"waits"_s);
        for (const QAction* action : menu->actions())
            QVERIFY(!action->text().startsWith(u"Only "_s));
    }

    void aValueReplacesTheFormerOne()
    {
        QCOMPARE(RowFilter::with(u"late user:=ann"_s, u"user"_s, u"bob"_s, false), u"late user:=bob"_s);
        QCOMPARE(RowFilter::with(u"-user:=ann"_s, u"user"_s, u"bob"_s, true), u"-user:=ann -user:=bob"_s);
        QCOMPARE(RowFilter::with(u"-user:=bob"_s, u"user"_s, u"bob"_s, true), u"-user:=bob"_s);
        QCOMPARE(RowFilter::with(u"\"two words\""_s, u"user"_s, u"a b"_s, false),
            u"\"two words\" \"user:=a b\""_s);
        const QString odd = u"say \"a\" or \"\" -x:=y"_s;
        const QString twice =
            RowFilter::with(RowFilter::with({}, u"program"_s, odd, false), u"user"_s, u"ann"_s, true);
        const auto filter = RowFilter::parse(twice, [](const QString& name) { return name; });
        QCOMPARE(filter.terms(),
            (QList<RowFilter::Term>{{u"program"_s, odd, true, false}, {u"user"_s, u"ann"_s, true, true}}));
        for (const QString& word : {u"plain"_s, odd, u"\""_s, u"\"quoted\""_s, u"nightly \"big\" report"_s}) {
            const auto one = RowFilter::parse(
                u"name:"_s + RowFilter::quoted(word) + u" late"_s, [](const QString& name) { return name; });
            QCOMPARE(one.terms(), (QList<RowFilter::Term>{{u"name"_s, word}, {{}, u"late"_s}}));
        }
    }

    void aFilterIsKept()
    {
        openKept();
        auto* menu = box().findChild<QMenu*>(u"keptFilters"_s);
        QVERIFY(menu && !item(menu, u"&Keep this filter"_s)->isEnabled());
        menu->close();
        box().setText(u"user:=ann & co"_s);
        openKept();
        menu = box().findChildren<QMenu*>(u"keptFilters"_s).last();
        item(menu, u"&Keep this filter"_s)->trigger();
        menu->close();
        // The next window has it, too.
        m_page = std::make_unique<SessionsPage>(m_context);
        COMPARE_TEXTS(box().kept(), "user:=ann & co");
        m_page->show();
        openKept();
        menu = box().findChildren<QMenu*>(u"keptFilters"_s).last();
        item(menu, u"user:=ann && co"_s)->trigger();
        QCOMPARE(box().text(), u"user:=ann & co"_s);
        item(menu->findChild<QMenu*>(), u"user:=ann && co"_s)->trigger();
        QVERIFY(box().kept().isEmpty());
    }

    void theStatementThatEndsASessionIsCopied()
    {
        db::ServerProfile profile;
        profile.url.engine = Engine::Postgres;
        profile.readOnly = true; // it needs no right of ours
        m_context.setServer(profile, nullptr, nullptr);
        item(menuAt(1, u"session"_s), u"Copy the statement that ends 63"_s)->trigger();
        const QString copied = QGuiApplication::clipboard()->text();
        QVERIFY2(copied.contains(u"pg_terminate_backend"_s)
                && copied.contains(u"pid OPERATOR(pg_catalog.=) 63\n"_s),
            qPrintable(copied));
    }

private:
    void openKept()
    {
        m_page->activateWindow();
        box().setFocus();
        QTRY_VERIFY(box().hasFocus());
        QTest::keyClick(&box(), Qt::Key_Down, Qt::AltModifier);
    }

    QMenu* menuAt(int row, const QString& column)
    {
        TableView& view = m_page->view();
        const QModelIndex cell = view.model()->index(row, view.tableModel().columnOf(column));
        view.selectRow(row);
        view.selectionModel()->setCurrentIndex(cell, QItemSelectionModel::NoUpdate);
        QContextMenuEvent asked(QContextMenuEvent::Keyboard, QPoint(), QPoint());
        QCoreApplication::sendEvent(&view, &asked);
        const auto menus = view.findChildren<QMenu*>(Qt::FindDirectChildrenOnly);
        return menus.isEmpty() ? nullptr : menus.last();
    }

    static QAction* item(const QMenu* menu, const QString& text)
    {
        for (QAction* action : menu->actions()) {
            if (action->text() == text)
                return action;
        }
        qWarning() << "no item" << text;
        return nullptr;
    }

    QStringList sessions() const { return test::column(m_page->view().tableModel(), SessionsModel::Id); }

    FilterBox& box() const { return *m_page->findChild<FilterBox*>(); }

    QSettings m_settings{test::freshPath(u"s.ini"_s), QSettings::IniFormat};
    AppContext m_context{m_settings};
    std::unique_ptr<SessionsPage> m_page;
};

LOCKSCOPE_TEST(tst_Filters)

} // namespace tst_Filters
#include "tst_Filters.moc"
