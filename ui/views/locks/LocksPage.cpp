// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/locks/LocksPage.h"

#include "core/db/Dialect.h"
#include "core/monitor/ServerMonitor.h"
#include "ui/kit/help/FrameworkPages.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/locks/LocksModel.h"
#include "ui/views/page/LockedRowDialog.h"
#include "ui/views/page/SessionActs.h"

#include <QCheckBox>
#include <QComboBox>
#include <QMenu>
#include <QPushButton>
#include <QSettings>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

const QString hideInternalName = u"hideInternal"_s;
const QString locksGroupingKey = u"pages/locks/grouping"_s;

QStringList waitColumns()
{
    return {QStringLiteral("blocked-by"), QStringLiteral("blocks")};
}

QStringList frameworkColumns()
{
    return {QStringLiteral("framework"), QStringLiteral("framework-lock")};
}

bool hasFrameworks(const SnapshotPtr& snapshot)
{
    return snapshot && std::ranges::any_of(snapshot->resources, [](const Resource& resource) {
        return resource.framework != nullptr;
    });
}

} // namespace

LocksPage::LocksPage(AppContext& context, QWidget* parent)
    : TablePage(pageName, context, parent)
    , m_model(new LocksModel(context))
    , m_grouping(new QComboBox(this))
    , m_hideInternal(named("hideInternal", new QCheckBox(u"Hide &internal locks"_s, this)))
{
    setUp(m_model);
    view().setColumnOffered(QStringLiteral("group"), false);
    m_grouping->addItems(
        {u"Not grouped"_s, u"By resource"_s, u"By session"_s, u"By mode"_s, u"By framework"_s});
    m_grouping->setToolTip(u"Holders and waiters of one resource stay together, waiters in queue order"_s);
    m_grouping->setAccessibleName(u"Grouping"_s);
    m_hideInternal->setToolTip(
        u"Locks that every transaction has on itself, and those of this monitor. One that somebody waits for is always shown."_s);
    addControl(m_grouping);
    addControl(m_hideInternal);
    m_end = addActButton(u"End session…"_s, u"End the session of this row and free its locks (Del)"_s);
    connect(m_grouping, &QComboBox::currentIndexChanged, this, &LocksPage::setGrouping);
    connect(m_hideInternal, &QCheckBox::toggled, m_model, &LocksModel::setNoiseHidden);
    connect(m_hideInternal, &QCheckBox::toggled, this, &LocksPage::showsInternalChanged);
    connect(m_end, &QPushButton::clicked, this, &LocksPage::deleteKeyPressed);

    keepChoice(*m_hideInternal, hideInternalName, true);
    m_grouping->setCurrentIndex(context.settings().value(locksGroupingKey, 1).toInt()); // by resource
    hideUntilSomebodyWaits({}, waitColumns());
    hideUntil(false, {}, frameworkColumns());
    updateActs();
}

void LocksPage::saveLayout()
{
    TablePage::saveLayout();
    context().settings().setValue(locksGroupingKey, m_grouping->currentIndex());
}

bool LocksPage::showsInternal() const
{
    return !m_hideInternal->isChecked();
}

bool LocksPage::showsInternal(const QSettings& settings)
{
    return !settings.value(choiceKey(pageName.id, hideInternalName), true).toBool();
}

void LocksPage::setGrouping(int index)
{
    const auto grouping = static_cast<LockGrouping>(std::clamp(index, 0, 4));
    const bool grouped = grouping != LockGrouping::None;
    view().setOutlineColumn(grouped ? QStringLiteral("group") : QString());
    view().setColumnOffered(QStringLiteral("group"), grouped);
    m_model->setGrouping(grouping);
    // The rows of a group need not repeat the text of its head.
    view().setColumnImplied(QStringLiteral("resource"), grouping == LockGrouping::Resource);
    view().setColumnImplied(QStringLiteral("session"), grouping == LockGrouping::Session);
    view().setColumnImplied(QStringLiteral("program"), grouping == LockGrouping::Session);
    view().setColumnImplied(QStringLiteral("mode"), grouping == LockGrouping::Mode);
    view().setColumnImplied(QStringLiteral("framework"), grouping == LockGrouping::Framework);
}

void LocksPage::showRows(const SnapshotPtr& snapshot)
{
    m_model->showSnapshot(snapshot);
    hideUntilSomebodyWaits(snapshot, waitColumns());
    hideUntil(hasFrameworks(snapshot), snapshot, frameworkColumns());
}

const Session* LocksPage::currentSession() const
{
    const int row = view().chosenViewRow();
    return row < 0 ? nullptr : m_model->sessionAt(row);
}

DetailSubject LocksPage::subjectAt(int viewRow) const
{
    if (const auto key = m_model->keyAt(viewRow))
        return *key;
    if (const Session* session = m_model->sessionAt(viewRow))
        return session->key();
    return {};
}

QString LocksPage::chapterAt(int viewRow) const
{
    const FrameworkMatchPtr framework = m_model->frameworkAt(viewRow);
    return framework ? frameworkChapter(*framework) : QString();
}

bool LocksPage::reveal(const DetailSubject& subject)
{
    const auto* key = std::get_if<LockRequestKey>(&subject);
    const int row = key ? m_model->findRequest(*key) : -1;
    view().selectRow(row);
    return row >= 0;
}

TablePage::EmptyText LocksPage::emptyText() const
{
    if (const QString reason = context().reasonAgainst(db::Capability::LockView); !reason.isEmpty())
        return {u"This engine shows no locks"_s,
            reason + QLatin1Char('\n') + u"Its lock tables are on the page “Lock table”."_s};
    if (m_model->counts().noise > 0)
        return {u"Nobody holds a lock worth showing"_s,
            u"%1 internal ones are hidden; clear “Hide internal locks” to see them."_s.arg(
                m_model->counts().noise)};
    if (const QString reason = snapshot() ? snapshot()->reasonAgainstLocks() : QString(); !reason.isEmpty())
        return {u"No lock can be seen here"_s,
            reason + QLatin1Char('\n') + u"Lock tables are on the page “Lock table”."_s};
    return {u"Nobody holds or waits for a lock"_s,
        u"Rows appear as soon as a transaction locks a table or row, or a program takes an application lock."_s};
}

void LocksPage::updateActs()
{
    if (m_end)
        setReason(m_end, reasonAgainstSessionAct(context(), currentSession()));
}

void LocksPage::deleteKeyPressed()
{
    askToEnd(*this, currentSession());
}

void LocksPage::fillRowMenu(QMenu& menu)
{
    const int row = view().currentViewRow();
    const LockRequest* request = row < 0 ? nullptr : m_model->requestAt(row);
    if (request && snapshot())
        addRowSearch(menu, *this, *snapshot(), *request);
    const Session* session = currentSession();
    if (!session)
        return;
    addSessionActs(menu, *this, *session);
    menu.addSeparator();
    connect(menu.addAction(u"Show in Sessions"_s), &QAction::triggered, this, [this, id = session->id] {
        Q_EMIT openPage(QStringLiteral("sessions"), QStringLiteral("session:%1").arg(id.value));
    });
}

} // namespace lockscope::ui
