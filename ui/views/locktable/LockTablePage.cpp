// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/locktable/LockTablePage.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/domain/FrameworkText.h"
#include "core/monitor/ServerCheck.h"
#include "ui/kit/help/OwnPages.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/locktable/LockTableModel.h"
#include "ui/views/page/ActAdvice.h"

#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

QStringList rowFrameworkColumns()
{
    return {QStringLiteral("framework")};
}

QStringList rowHolderColumns()
{
    return {QStringLiteral("verdict"), QStringLiteral("evidence")};
}

/// One line for each lock of this window, with its Release. Hidden while there is none.
class HeldLocksPanel : public QFrame {
public:
    HeldLocksPanel(HeldLocks& locks, QWidget* parent)
        : QFrame(parent)
        , m_locks(locks)
    {
        withoutMargins(new QVBoxLayout(this));
        connect(&locks, &HeldLocks::changed, this, [this] { rebuild(); });
        rebuild();
    }

private:
    void rebuild()
    {
        // A button of the old lines may be what was just clicked.
        if (m_lines)
            m_lines->deleteLater();
        m_lines = new QWidget(this);
        auto* grid = withMargins(new QGridLayout(m_lines), {8, 4, 8, 4});
        grid->setColumnStretch(3, 1);
        for (int i = 0; i < m_locks.count(); ++i) {
            const HeldLocks::Item& item = m_locks.item(i);
            if (i == 0)
                grid->addWidget(new QLabel(u"Locks of this window:"_s, m_lines), 0, 0);
            const QString name = QStringLiteral("<b>%1</b>").arg(htmlText(inOneLine(item.name)));
            grid->addWidget(new QLabel(name, m_lines), i, 1);
            grid->addWidget(plain(new QLabel(u"on %1"_s.arg(inOneLine(item.server)), m_lines)), i, 2);
            grid->addWidget(wrapped(new QLabel(inOneLine(item.state), m_lines)), i, 3);
            // Made last: a screen reader reads the lock before its button.
            auto* button = new QPushButton(item.ended ? u"Dismiss"_s : u"Release"_s, m_lines);
            connect(button, &QPushButton::clicked, this, [this, i] { m_locks.release(i); });
            grid->addWidget(button, i, 4);
        }
        layout()->addWidget(m_lines);
        setVisible(m_locks.count() > 0);
    }

    HeldLocks& m_locks;
    QWidget* m_lines = nullptr;
};

} // namespace

LockTablePage::LockTablePage(AppContext& context, QWidget* parent)
    : TablePage(pageName, context, parent)
    , m_model(new LockTableModel(context))
    , m_reading(named("frameworkReading", faint(wrapped(new QLabel(this)))))
{
    setUp(m_model);
    view().setOutlineColumn(QStringLiteral("name"));
    m_acquire =
        addActButton(u"Acquire…"_s, u"Take a lock in this window: to test, or to block others on purpose"_s);
    m_purge =
        addActButton(u"Purge stale…"_s, u"Remove the locks whose lease has expired; you see which before"_s);
    m_release = addActButton(u"Release…"_s, u"Take this lock away from its holder (Del)"_s);
    connect(m_acquire, &QPushButton::clicked, this, [this] {
        const int row = view().chosenViewRow();
        Q_EMIT requestAct(AcquireAction{row < 0 ? QString() : m_model->rowAt(row).key.name});
    });
    connect(m_purge, &QPushButton::clicked, this, [this] { Q_EMIT requestAct(PurgeStaleAction{}); });
    connect(m_release, &QPushButton::clicked, this, &LockTablePage::deleteKeyPressed);
    layout()->addWidget(m_reading);
    layout()->addWidget(new HeldLocksPanel(context.heldLocks(), this));
    connect(&notice(), &NoticeBar::actionTriggered, this, [this] {
        if (m_unread)
            Q_EMIT readRequested(*m_unread);
        else
            requestHelp(*this, ownpages::frameworks);
    });
    hideUntil(false, {}, rowFrameworkColumns() + rowHolderColumns());
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
    const bool hasFrameworks = snapshot
        && std::ranges::any_of(
            snapshot->entries, [](const LockTableEntry& entry) { return entry.framework != nullptr; });
    const bool hasEvidence = snapshot && std::ranges::any_of(snapshot->entries, &LockTableEntry::isJudged);
    hideUntil(hasFrameworks, snapshot, rowFrameworkColumns());
    hideUntil(hasEvidence, snapshot, rowHolderColumns());
    showNotice();
    showReading();
}

/// The present way of reading means nothing for a past time.
void LockTablePage::showReading()
{
    const bool isLive = snapshot() && context().hasServer() && !context().pastTime();
    const auto reading = isLive ? monitor::frameworkReadingOf(context().profile().url, *snapshot())
                                : monitor::FrameworkReading();
    m_reading->setText(inOneLine(reading.text));
    m_reading->setToolTip(toolTipText(reading.remedy));
    m_reading->setVisible(!reading.text.isEmpty());
}

/// Shows what is left out here, and why: tables of frameworks that belong to others, files that can't be
/// read.
void LockTablePage::showNotice()
{
    // A table that was allowed and is not read all the same has another reason, which no permission cures.
    const auto mayBeAllowed = [&approved = context().profile().approvedTables](const UnreadTable& unread) {
        return unread.canBeApproved
            && std::ranges::none_of(approved, [&unread](const db::ApprovedTable& table) {
                   return table.schema == unread.schema && table.table == unread.table
                       && (table.owner.isEmpty() || table.owner == unread.owner);
               });
    };
    m_unread.reset();
    if (snapshot() && !snapshot()->unreadTables.empty()) {
        // First one that something can be done about: the others would stand before it for good.
        const auto& tables = snapshot()->unreadTables;
        const auto found = std::ranges::find_if(tables, mayBeAllowed);
        m_unread = found == tables.end() ? tables.front() : *found;
    }
    if (m_unread) {
        const QString whose = m_unread->framework ? m_unread->framework->badge() : u"a framework"_s;
        const size_t more = snapshot()->unreadTables.size() - 1;
        const QString owner = m_unread->owner.isEmpty()
            ? QString()
            : u", which belongs to %1,"_s.arg(inOneLine(m_unread->owner));
        notice().say({.level = AgeLevel::Normal,
            .text = u"%1%2 looks like the lock table of %3 and is not read"_s.arg(
                inOneLine(m_unread->display()), owner, whose),
            .detail = sentences({inOneLine(m_unread->reason),
                more == 0       ? QString()
                    : more == 1 ? u"There is another one like it"_s
                                : u"There are %1 more like it"_s.arg(more)})});
        notice().setAction(
            mayBeAllowed(*m_unread) ? u"Read it…"_s : QString(), context().reasonAgainstAsking());
        return;
    }
    const QString faults = snapshot() ? frameworkFaults(*frameworks::catalogue()) : QString();
    if (faults.isEmpty()) {
        notice().clear();
        notice().setAction({});
        return;
    }
    notice().say({.level = AgeLevel::Amber, .text = faults});
    notice().setAction(u"Show…"_s);
}

QString LockTablePage::chapterAt(int viewRow) const
{
    const FrameworkMatchPtr framework = m_model->rowAt(viewRow).framework();
    return framework ? frameworkChapter(*framework) : QString();
}

const LockTableEntry* LockTablePage::currentEntry() const
{
    const int row = view().chosenViewRow();
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
            u"In it, programs take locks by name, and operators see and free them here. You see what will be created before it is. From a terminal: %1"_s
                .arg(missing->remedy),
            offersInstallation(*snapshot()) ? u"Install schema…"_s : QString()};
    const auto mayHideRows = [](const Limitation& limitation) {
        return limitation.kind == Limitation::Kind::MissingPermission;
    };
    if (snapshot()
        && (snapshot()->isIncomplete() || !snapshot()->unreadTables.empty()
            || std::ranges::any_of(snapshot()->limitations, mayHideRows)))
        return {u"No row is seen"_s,
            u"Not everything is read here, so some name may be locked all the same. The missing tables and the remedies stand below."_s};
    return {u"No name is locked"_s,
        u"A row appears when a program takes a lock through the lock table: “Acquire…” above, or\n"
        "lockctl run nightly -- COMMAND"_s};
}

QString LockTablePage::reasonAgainstRelease() const
{
    if (const QString reason = context().reasonAgainstActing(); !reason.isEmpty())
        return reason;
    const LockTableEntry* entry = currentEntry();
    return entry ? reasonAgainstFreeing(*entry) : u"Select a held lock first."_s;
}

void LockTablePage::updateActs()
{
    if (!m_release)
        return;
    const QString acting = context().reasonAgainstActing();
    setReason(m_release, reasonAgainstRelease());
    const int stale = m_model->staleCount();
    m_purge->setText(stale > 0 ? u"Purge %1 stale…"_s.arg(stale) : u"Purge stale…"_s);
    setReason(m_purge, !acting.isEmpty() ? acting : stale == 0 ? u"No lock is stale."_s : QString());
    const QString noSchema = missingSchema() ? u"There is no lock table on this server."_s : QString();
    const QString noLocks =
        context().heldLocks().canAcquire() ? noSchema : u"This window can't hold locks on that server."_s;
    setReason(m_acquire, acting.isEmpty() ? noLocks : acting);
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
    // An ampersand in a name is none of ours.
    const QString text = u"Release “%1”…"_s.arg(inMenu(entry->name));
    addEntry(menu, *this, text, reasonAgainstRelease(),
        [this, shown = *entry] { Q_EMIT requestAct(ReleaseEntryAction{shown}); });
}

void askToRead(const UnreadTable& table, const db::ServerProfile& profile, QWidget& window,
    const std::function<void()>& agreed)
{
    const QString whose = table.framework ? table.framework->badge() : u"a framework"_s;
    auto* question = new QMessageBox(QMessageBox::Question, u"Read a table"_s,
        u"Read %1 on %2?"_s.arg(inOneLine(table.display()), inOneLine(markedName(profile))),
        QMessageBox::NoButton, &window);
    question->setObjectName(QStringLiteral("readTable"));
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setTextFormat(Qt::PlainText);
    // A file has no owners.
    const bool isOwned = !table.owner.isEmpty();
    const QString description = u"It looks like the lock table of "_s + inOneLine(whose);
    question->setInformativeText(
        sentences({isOwned ? description + u" and belongs to "_s + inOneLine(table.owner) : description,
            inOneLine(table.reason)})
        + u"\n\nAllow it only if that does no harm here. Its rows that are locks are then read with each poll, with the rights of your login, while a page shows locks.\n\n%1 It is kept with this server, and the connection is made again with it."_s
              .arg(isOwned ? u"The permission is for this table as long as it belongs to %1."_s.arg(
                       inOneLine(table.owner))
                           : u"The permission is for the table of this name."_s));
    QPushButton* read = question->addButton(u"Read it"_s, QMessageBox::AcceptRole);
    question->setDefaultButton(question->addButton(QMessageBox::Cancel));
    QObject::connect(read, &QPushButton::clicked, &window, agreed);
    question->open();
}

} // namespace lockscope::ui
