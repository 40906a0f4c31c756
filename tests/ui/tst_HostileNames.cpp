// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Each text from a server is an attack here: no cell, tip, or line of the details has a character in it that
// nobody sees, that turns the writing, or that ends a cell's line.
#include "tests/support/MadeFrameworks.h"
#include "tests/support/SeenTexts.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"
#include "ui/kit/charts/Card.h"
#include "ui/views/blocking/BlockingTreeModel.h"
#include "ui/views/detail/DetailText.h"
#include "ui/views/locks/LocksPage.h"
#include "ui/views/locktable/LockTableModel.h"
#include "ui/views/overview/OverviewPage.h"
#include "ui/views/page/AppContext.h"
#include "ui/views/scenarios/ScenarioList.h"
#include "ui/views/scenarios/StepBoard.h"
#include "ui/views/sessions/SessionsPage.h"

namespace tst_HostileNames {

using namespace lockscope;
using namespace lockscope::ui;

const QString& hostile = test::hostileName;

static Snapshot harmful()
{
    test::SnapshotBuilder s;
    s.session(51, "a").idleInTransaction(360).running("x");
    s.session(63, "b").running("y");
    s.holds(51, "orders", "AccessExclusiveLock", 360);
    s.waits(63, "orders", "AccessShareLock", 41);
    s.entry("nightly", "ann").lease(600, 700).queue("bob", 20);
    Snapshot snapshot = *s.take();
    snapshot.server = snapshot.serverVersion = hostile;
    for (Session& session : snapshot.sessions) {
        for (QString* text : {&session.user, &session.database, &session.program, &session.host,
                 &session.address, &session.statement, &session.inputBuffer, &session.waitEvent,
                 &session.waitResource, &session.isolation})
            *text = hostile;
    }
    for (Resource& resource : snapshot.resources)
        resource.name = resource.database = hostile;
    const auto spoil = [](LockOwnerInfo& party) { party.owner = party.host = party.program = hostile; };
    for (LockTableEntry& entry : snapshot.entries) {
        entry.table = entry.name = entry.token = entry.badRow = entry.holderText = hostile;
        spoil(entry.party);
    }
    for (LockTableWaiter& waiter : snapshot.entryWaiters) {
        waiter.table = waiter.name = waiter.badRow = hostile;
        spoil(waiter.party);
    }
    snapshot.index();
    return snapshot;
}

static QStringList faultsOf(const QAbstractItemModel& model, const QModelIndex& parent = {})
{
    QStringList faults;
    for (int row = 0; row < model.rowCount(parent); ++row) {
        for (int column = 0; column < model.columnCount(parent); ++column) {
            const QModelIndex index = model.index(row, column, parent);
            for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole), int(Qt::StatusTipRole),
                     int(Qt::AccessibleTextRole), int(Qt::AccessibleDescriptionRole)}) {
                const QString fault = test::deceitIn(index.data(role).toString(), role != Qt::DisplayRole);
                if (!fault.isEmpty())
                    faults << u"column %1, role %2: %3"_s.arg(column).arg(role).arg(fault);
            }
        }
        faults << faultsOf(model, model.index(row, 0, parent));
    }
    return faults;
}

class tst_HostileNames : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_settings = std::make_unique<QSettings>(test::freshPath(u"s.ini"_s), QSettings::IniFormat);
        m_context = std::make_unique<AppContext>(*m_settings);
        m_snapshot = std::make_shared<Snapshot>(harmful());
        m_context->noteSnapshot(*m_snapshot);
    }

    void areVisibleInEveryCell()
    {
        LocksModel locks(*m_context);
        locks.showSnapshot(m_snapshot);
        LockTableModel table(*m_context);
        table.showSnapshot(m_snapshot);
        SessionsModel sessions(*m_context);
        sessions.showSnapshot(m_snapshot);
        BlockingTreeModel blocking(*m_context);
        blocking.apply(blockingForest(*m_snapshot, LockThresholds().hold.amber), m_snapshot->takenAt);
        for (const QAbstractItemModel* model :
            {static_cast<QAbstractItemModel*>(&locks), static_cast<QAbstractItemModel*>(&table),
                static_cast<QAbstractItemModel*>(&sessions), static_cast<QAbstractItemModel*>(&blocking)}) {
            QVERIFY(model->rowCount() > 0);
            const QStringList faults = faultsOf(*model);
            QVERIFY2(faults.isEmpty(), qPrintable(faults.join(u'\n')));
        }
    }

    void areVisibleInTheDetails()
    {
        std::vector<DetailSubject> subjects{
            m_snapshot->sessions[0].key(), m_snapshot->sessions[1].key(), LockTableKey{hostile, hostile}};
        for (const LockRequest& request : m_snapshot->requests)
            subjects.emplace_back(m_snapshot->keyOf(request));
        for (const DetailSubject& subject : subjects) {
            const QString fault = test::deceitIn(
                detailOf(subject, *m_snapshot, m_context->thresholds()).toPlainText().remove(u'\t'), true);
            QVERIFY2(fault.isEmpty(), qPrintable(fault));
        }
    }

    void areVisibleInWhatShowsFilesAndTables()
    {
        TableBoard board;
        board.show({{hostile, {hostile, u"id"_s}, {{hostile, u"1"_s}}, false, {}},
            {hostile, {}, {}, false, hostile}});
        FaultView faults;
        faults.show({{hostile, 1, 1, hostile, hostile}});
        Legend legend;
        legend.setEntries({{Qt::red, hostile, u"3"_s}});
        for (QWidget* widget : std::initializer_list<QWidget*>{&board, &faults, &legend}) {
            widget->resize(400, 200);
            widget->show();
            QVERIFY(QTest::qWaitForWindowExposed(widget));
            const QStringList found = test::deceitsIn(*widget);
            QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
        }
    }

    /// Text gets into HTML by one function, which makes it visible.
    void noHtmlIsMadeOfTextAsItIs()
    {
        QStringList raw;
        for (QDirIterator files(test::sourcePath(u"ui"_s), {u"*.cpp"_s, u"*.h"_s}, QDir::Files,
                 QDirIterator::Subdirectories);
             files.hasNext();) {
            if (test::readFile(files.next()).contains("toHtmlEscaped"))
                raw << files.fileName();
        }
        raw.sort();
        COMPARE_TEXTS(raw, "ToolTipText.h");
    }

private:
    std::unique_ptr<QSettings> m_settings;
    std::unique_ptr<AppContext> m_context;
    SnapshotPtr m_snapshot;
};

LOCKSCOPE_TEST(tst_HostileNames)

} // namespace tst_HostileNames
#include "tst_HostileNames.moc"
