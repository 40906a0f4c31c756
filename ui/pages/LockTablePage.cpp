// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/LockTablePage.h"

#include "ui/models/LockTableModel.h"
#include "ui/widgets/HeldLocksPanel.h"
#include "ui/widgets/TableView.h"

#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>

namespace lockscope::ui {

LockTablePage::LockTablePage(AppContext& context, QWidget* parent)
    : TablePage(QStringLiteral("lock-table"), tr("Lock table"), context, parent)
    , m_model(new LockTableModel(context))
{
    setUp(m_model);
    view().setOutlineColumn(QStringLiteral("name"));
    m_acquire = addActButton(tr("Acquire…"), {});
    m_purge = addActButton(tr("Purge stale…"), {});
    m_release = addActButton(tr("Release…"), {});
    connect(m_acquire, &QPushButton::clicked, this, [this] {
        const int row = view().currentViewRow();
        Q_EMIT requestAct(AcquireAction{row < 0 ? QString() : m_model->rowAt(row).key.name});
    });
    connect(m_purge, &QPushButton::clicked, this, [this] { Q_EMIT requestAct(PurgeStaleAction{}); });
    connect(m_release, &QPushButton::clicked, this, &LockTablePage::deleteKeyPressed);
    layout()->addWidget(new HeldLocksPanel(context.heldLocks(), this));
    // A lease runs out between two readings: the buttons follow the clock.
    connect(&context, &AppContext::tick, this, [this] {
        if (isVisible())
            updateActs();
    });
    updateActs();
}

void LockTablePage::showRows(const SnapshotPtr& snapshot)
{
    m_model->showSnapshot(snapshot);
}

const LockTableEntry* LockTablePage::currentEntry() const
{
    const int row = view().currentViewRow();
    if (row < 0)
        return nullptr;
    const LockTableRow& current = m_model->rowAt(row);
    const LockTableRow& name = current.isName() ? current : m_model->rows()[current.parent];
    return name.entry ? &*name.entry : nullptr;
}

DetailSubject LockTablePage::subjectAt(int viewRow) const
{
    return m_model->rowAt(viewRow).key;
}

bool LockTablePage::reveal(const DetailSubject& subject)
{
    const auto* key = std::get_if<LockTableKey>(&subject);
    const int row = key ? m_model->find({*key, 0}) : -1;
    view().selectRow(row);
    return row >= 0;
}

const Limitation* LockTablePage::missingSchema() const
{
    if (!snapshot())
        return nullptr;
    const auto& limitations = snapshot()->limitations;
    const auto found = std::find_if(limitations.begin(), limitations.end(),
        [](const Limitation& l) { return l.kind == Limitation::Kind::MissingSchema; });
    return found == limitations.end() ? nullptr : &*found;
}

TablePage::EmptyText LockTablePage::emptyText() const
{
    if (const Limitation* missing = missingSchema())
        return {missing->what,
            tr("In it, programs take locks by name, and operators see and free them here. You see what will "
               "be created before it is. From a terminal: %1")
                .arg(missing->remedy),
            tr("Install schema…")};
    return {tr("No name is locked"),
        tr("A row appears when a program takes a lock through the lock table: “Acquire…” above, or\n"
           "lockctl run nightly -- COMMAND")};
}

QString LockTablePage::reasonAgainstRelease() const
{
    if (const QString reason = context().reasonAgainstActing(); !reason.isEmpty())
        return reason;
    return currentEntry() ? QString() : tr("Select a held lock first.");
}

void LockTablePage::updateActs()
{
    if (!m_release)
        return;
    const QString acting = context().reasonAgainstActing();
    setReason(m_release, reasonAgainstRelease(), tr("Take this lock away from its holder (Del)"));
    const int stale = m_model->staleCount();
    m_purge->setText(stale > 0 ? tr("Purge %1 stale…").arg(stale) : tr("Purge stale…"));
    setReason(m_purge,
        !acting.isEmpty() ? acting
            : stale == 0  ? tr("No lock is stale.")
                          : QString(),
        tr("Remove the locks whose lease is over; you see which before"));
    const QString noSchema = missingSchema() ? tr("There is no lock table on this server.") : QString();
    const QString noLocks =
        context().heldLocks().canAcquire() ? noSchema : tr("This window can't hold locks on that server.");
    setReason(m_acquire, acting.isEmpty() ? noLocks : acting,
        tr("Take a lock in this window: to test, or to block others on purpose"));
}

void LockTablePage::deleteKeyPressed()
{
    if (const QString reason = reasonAgainstRelease(); !reason.isEmpty())
        Q_EMIT statusMessage(reason);
    else
        Q_EMIT requestAct(ReleaseEntryAction{*currentEntry()});
}

void LockTablePage::emptyActionPressed()
{
    Q_EMIT requestAct(InstallSchemaAction{});
}

void LockTablePage::fillRowMenu(QMenu& menu)
{
    const LockTableEntry* entry = currentEntry();
    if (!entry)
        return;
    const QString reason = reasonAgainstRelease();
    menu.setToolTipsVisible(true);
    QAction* release = menu.addAction(tr("Release “%1”…").arg(entry->name));
    release->setEnabled(reason.isEmpty());
    release->setToolTip(reason);
    connect(release, &QAction::triggered, this,
        [this, shown = *entry] { Q_EMIT requestAct(ReleaseEntryAction{shown}); });
}

} // namespace lockscope::ui
