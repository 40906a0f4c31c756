// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Acquire… offers the locks of the engine, and asks only for the options of the kind of lock.

#include "tests/support/TestProgram.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/acts/ActRunner.h"

#include <QtWidgets>

namespace tst_AcquireDialog {

using namespace lockscope;
using namespace lockscope::ui;
using locks::AcquireMode;
using locks::LockKind;

static QComboBox& box(const AcquireDialog& dialog, const QString& name)
{
    return *dialog.findChild<QComboBox*>(name);
}

template <class Value> static void choose(const AcquireDialog& dialog, const QString& name, Value value)
{
    box(dialog, name).setCurrentIndex(box(dialog, name).findData(static_cast<int>(value)));
}

class tst_AcquireDialog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { fitDialogs(*qApp); }
    void offersWhatTheEngineHas_data()
    {
        test::addColumns<Engine, int, int>("engine", "kinds", "modes");
        test::row("PostgreSQL", Engine::Postgres, 4, 2);
        test::row("SQL Server", Engine::SqlServer, 4, 5);
        test::row("SQLite", Engine::Sqlite, 1, 0);
    }
    void offersWhatTheEngineHas()
    {
        QFETCH(Engine, engine);
        const AcquireDialog dialog(u"n"_s, engine);
        QTEST(box(dialog, u"lockKind"_s).count(), "kinds");
        QTEST(box(dialog, u"lockMode"_s).count(), "modes");
        QCOMPARE(dialog.lock().kind, LockKind::Table);
        QCOMPARE(dialog.lock().name, u"n"_s);
        QCOMPARE(dialog.lock().wait, milliseconds(-1));
    }

    void asksOnlyWhatMatters()
    {
        AcquireDialog dialog(u"n"_s, Engine::SqlServer);
        dialog.show();
        for (const LockKind kind :
            {LockKind::LockedTable, LockKind::Application, LockKind::LockedKey, LockKind::Table}) {
            choose(dialog, u"lockKind"_s, kind);
            QCOMPARE(box(dialog, u"lockMode"_s).isVisible(), kind == LockKind::Application);
            QCOMPARE(box(dialog, u"lockOwner"_s).isVisible(), kind == LockKind::Application);
            // Nothing is cut when rows appear.
            dialog.layout()->activate();
            for (const QLabel* label : dialog.findChildren<QLabel*>())
                if (label->isVisible() && label->wordWrap())
                    QTRY_VERIFY(label->height() >= label->heightForWidth(label->width()));
        }
    }

    void itsButtonsStayUnderThePointer()
    {
        AcquireDialog dialog(u"n"_s, Engine::SqlServer);
        dialog.show();
        dialog.move(40, 300);
        const auto* buttons = dialog.findChild<QDialogButtonBox*>();
        const QPoint place = buttons->mapToGlobal(QPoint());
        choose(dialog, u"lockKind"_s, LockKind::Application); // two more rows
        QCoreApplication::processEvents();
        QCOMPARE(buttons->mapToGlobal(QPoint()), place);
    }

    void wantsWhatWasChosen()
    {
        AcquireDialog dialog(u"n"_s, Engine::SqlServer);
        choose(dialog, u"lockKind"_s, LockKind::Application);
        choose(dialog, u"lockMode"_s, AcquireMode::Update);
        choose(dialog, u"lockOwner"_s, LockOwner::Transaction);
        QCOMPARE(dialog.lock().kind, LockKind::Application);
        QCOMPARE(dialog.lock().mode, AcquireMode::Update);
        QCOMPARE(dialog.lock().owner, LockOwner::Transaction);
        // The choice for another kind does not count.
        choose(dialog, u"lockKind"_s, LockKind::LockedKey);
        QCOMPARE(dialog.lock().mode, AcquireMode::Exclusive);
        QCOMPARE(dialog.lock().request().owner, LockOwner::Transaction);
    }
};

LOCKSCOPE_TEST(tst_AcquireDialog)

} // namespace tst_AcquireDialog
#include "tst_AcquireDialog.moc"
