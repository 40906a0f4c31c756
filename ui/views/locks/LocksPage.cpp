// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/locks/LocksPage.h"

#include "core/base/EnumTable.h"
#include "core/base/Sentences.h"
#include "core/db/Dialect.h"
#include "core/domain/SnapshotNames.h"
#include "core/monitor/ServerMonitor.h"
#include "core/report/SnapshotTables.h"
#include "ui/kit/delegates/BadgePainter.h"
#include "ui/kit/help/OwnPages.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/AppContext.h"
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

std::vector<ColumnInfo> columnsOfLocks()
{
    return {
        ColumnInfo{u"group"_s, u"Group"_s, {}, 200}.hidden().wide(2).whole(),
        {u"state"_s, u"State"_s, u"Holds the lock, waits for it, or waits to convert it"_s, 100},
        ColumnInfo{u"age"_s, u"Age"_s,
            u"Since when it holds or waits, by the server's clock; ≥ where only a bound is known"_s, 80}
            .ofAges(),
        {u"mode"_s, u"Mode"_s, u"Point at a mode to read what it allows and what it conflicts with"_s},
        ColumnInfo{u"resource"_s, u"Resource"_s, u"What is locked"_s, 170}.wide(1).whole(),
        frameworkColumn(),
        frameworkLockColumn(),
        ColumnInfo{u"kind"_s, u"Kind"_s, {}, 116}.hidden(),
        ColumnInfo{u"session"_s, u"Session"_s, u"The server's number of the session"_s, 66}.ofNumbers(),
        {u"blocked-by"_s, u"Blocked by"_s, u"Sessions that must give way first"_s, 84},
        ColumnInfo{u"blocks"_s, u"Blocks"_s, u"Sessions that wait for this one here"_s, 76}.yield(2),
        ColumnInfo{u"user"_s, u"User"_s, {}, 84}.hidden(),
        ColumnInfo{u"program"_s, u"Program"_s, {}, 104}.wide(1).yield(3),
        ColumnInfo{
            u"statement"_s, u"Statement"_s, u"The running one, or the last one of an idle session"_s, 150}
            .wide(2)
            .yield(4),
        ColumnInfo{u"host"_s, u"Host"_s, {}, 90}.hidden(),
        ColumnInfo{u"database"_s, u"Database"_s, {}, 100}.hidden(),
        ColumnInfo{u"owner"_s, u"Released by"_s, u"The end of the transaction or of the session"_s, 110}
            .hidden(),
        ColumnInfo{u"count"_s, u"Times"_s, u"How often it is held; each needs its release"_s, 64}
            .hidden()
            .ofNumbers(),
    };
}

Glyph glyphOf(RequestState state)
{
    static constexpr EnumTable<RequestState, Glyph> glyphs({Glyph::Holder, Glyph::Waiter, Glyph::Converting});
    return glyphs[state];
}

QString ownerText(LockOwner owner)
{
    static constexpr EnumTable<LockOwner> texts({u"transaction", u"session", u"other"});
    return texts[owner].toString();
}

QString statementText(const Session* session)
{
    if (!session)
        return noValue;
    return session->statementVisible ? session->statement : u"(hidden from our role)"_s;
}

bool sameList(const SessionLists& before, quint32 was, const SessionLists& after, quint32 is)
{
    return std::ranges::equal(before.of(was), after.of(is));
}

SortKey countKey(const SessionLists& lists, quint32 request)
{
    const auto found = lists.of(request);
    return found.empty() ? SortKey() : SortKey(static_cast<qint64>(found.size()));
}

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

LocksModel::LocksModel(const AppContext& context, QObject* parent)
    : KeyedTableModel(columnsOfLocks(), parent)
    , m_context(context)
{
    connect(&context, &AppContext::thresholdsChanged, this, &LocksModel::repaintAll);
}

void LocksModel::showSnapshot(const SnapshotPtr& snapshot)
{
    auto view = LockView::make(snapshot, m_grouping, anchor().get());
    auto lockRows = makeRows(view.get());
    m_sameResource.assign(snapshot ? snapshot->resources.size() : 0, std::nullopt);
    setRows(std::move(lockRows), std::move(view));
}

void LocksModel::setGrouping(LockGrouping grouping)
{
    if (m_grouping == grouping)
        return;
    m_grouping = grouping;
    if (anchor())
        showSnapshot(anchor()->snapshot);
}

const LockRequest* LocksModel::requestAt(int viewRow) const
{
    const LockRow& row = rowAt(viewRow);
    return row.head ? nullptr : &row.view->request(row.index);
}

std::optional<LockRequestKey> LocksModel::keyAt(int viewRow) const
{
    const LockRequest* request = requestAt(viewRow);
    if (!request)
        return std::nullopt;
    return anchor()->snapshot->keyOf(*request);
}

const Session* LocksModel::sessionAt(int viewRow) const
{
    const LockRow& row = rowAt(viewRow);
    if (!row.head)
        return row.view->session(row.index);
    return m_grouping == LockGrouping::Session ? row.view->session(row.view->groups[row.index].sample)
                                               : nullptr;
}

const FrameworkMatchPtr& LocksModel::frameworkAt(const LockRow& row)
{
    return row.view->resource(row.head ? row.view->groups[row.index].sample : row.index).framework;
}

FrameworkMatchPtr LocksModel::frameworkAt(int viewRow) const
{
    const LockRow& row = rowAt(viewRow);
    return row.head && text(storeRow(viewRow), FrameworkColumn).isEmpty() ? nullptr : frameworkAt(row);
}

int LocksModel::findRequest(const LockRequestKey& key) const
{
    for (int row = 0; row < rowCount(); ++row) {
        const LockRequest* request = requestAt(row);
        if (request && request->session == key.session && anchor()->snapshot->keyOf(*request) == key)
            return row;
    }
    return -1;
}

bool LocksModel::sameResource(const LockRow& before, const LockRow& after) const
{
    std::optional<bool>& known = m_sameResource[after.view->request(after.index).resource];
    if (!known)
        known = before.view->resource(before.index) == after.view->resource(after.index);
    return *known;
}

bool LocksModel::same(const LockRow& before, const LockRow& after) const
{
    if (after.head)
        return before.view->groups[before.index] == after.view->groups[after.index];
    const LockRequest& a = before.view->request(before.index);
    const LockRequest& b = after.view->request(after.index);
    const quint32 session = after.view->sessionOf[after.index];
    const bool sameSession = session == LockView::unseen ? !before.view->session(before.index)
                                                         : after.view->sessionSame[session] != 0;
    if (!sameSession || a.state != b.state || a.count != b.count || a.since != b.since
        || a.sinceExact != b.sinceExact || !sameResource(before, after))
        return false;
    if (!before.view->contended[a.resource] && !after.view->contended[b.resource])
        return true;
    return sameList(before.view->blockers, before.index, after.view->blockers, after.index)
        && sameList(before.view->victims, before.index, after.view->victims, after.index);
}

bool LocksModel::isNoise(quint32 row) const
{
    const LockRow& r = rows()[row];
    if (r.head)
        return false;
    const LockRequest& request = r.view->request(r.index);
    // Nobody's wait is ever noise, nor what it waits for.
    if (request.isWaiting() || !r.view->victims.of(r.index).empty())
        return false;
    const Session* session = r.view->session(r.index);
    const Resource& resource = r.view->resource(r.index);
    return resource.internal || isInternalKind(resource.key.kind) || (session && session->own);
}

quint32 LocksModel::parentOf(quint32 row) const
{
    const LockRow& r = rows()[row];
    return r.head || r.view->groups.empty() ? noParent : r.view->groupOf[r.index];
}

QString LocksModel::text(quint32 row, int column) const
{
    const LockRow& r = rows()[row];
    return r.head ? headText(*r.view, r.view->groups[r.index], column)
                  : requestText(*r.view, r.index, column);
}

std::vector<report::Column> LocksModel::reportColumns() const
{
    return report::locksSection({}).columns;
}

std::vector<report::Value> LocksModel::reportCells(const QModelIndex& row) const
{
    const LockRequest* request = requestAt(row.row());
    return request ? report::lockRow(*anchor()->snapshot, *request).cells : std::vector<report::Value>();
}

report::Value LocksModel::value(quint32 row, int column) const
{
    const LockRow& r = rows()[row];
    if (!r.head || column != AgeColumn)
        return textValue(text(row, column));
    const LockView::Group& group = r.view->groups[r.index];
    return ageValue(group.waitingSince, r.view->snapshot->takenAt, group.waitExact);
}

QString LocksModel::headText(const LockView& view, const LockView::Group& group, int column) const
{
    switch (column) {
    case Group:
        return group.title;
    case State: {
        QStringList parts;
        if (group.holders > 0)
            parts << u"%1 hold"_s.arg(group.holders);
        if (group.waiters > 0)
            parts << u"%1 wait"_s.arg(group.waiters);
        return parts.join(QStringLiteral(", "));
    }
    case AgeColumn:
        return group.waitingSince ? ageText(group.waitingSince, m_context.serverNow(), group.waitExact)
                                  : QString();
    case Mode:
        return view.grouping == LockGrouping::Mode ? requestText(view, group.sample, column) : QString();
    case FrameworkColumn:
        return view.grouping == LockGrouping::Resource || view.grouping == LockGrouping::Framework
            ? requestText(view, group.sample, column)
            : QString();
    case ResourceName:
    case FrameworkLock:
    case Kind:
    case Database:
        return view.grouping == LockGrouping::Resource ? requestText(view, group.sample, column) : QString();
    case SessionColumn:
    case User:
    case Program:
    case Host:
    case Statement:
        return view.grouping == LockGrouping::Session ? requestText(view, group.sample, column) : QString();
    default:
        return {};
    }
}

QString LocksModel::requestText(const LockView& view, quint32 request, int column) const
{
    const LockRequest& r = view.request(request);
    const Session* session = view.session(request);
    switch (column) {
    case State:
        return report::stateOf(r.state);
    case AgeColumn:
        return ageText(r.since, m_context.serverNow(), r.sinceExact);
    case Mode:
        return r.mode.title();
    case ResourceName:
        return view.resource(request).name;
    case FrameworkColumn:
        return frameworkText(view.resource(request).framework);
    case FrameworkLock:
        return frameworkLockText(view.resource(request).framework);
    case Kind:
        return resourceKindName(view.resource(request).key.kind);
    case SessionColumn:
        return sessionName(*view.snapshot, r.session);
    case User:
        return session ? session->user : noValue;
    case Program:
        return session ? session->program : noValue;
    case Host:
        return session ? session->host : noValue;
    case Statement:
        return statementText(session);
    case BlockedBy:
        return sessionList(*view.snapshot, view.blockers.of(request));
    case Blocks:
        return sessionList(*view.snapshot, view.victims.of(request));
    case Database:
        return view.resource(request).database;
    case Owner:
        return ownerText(r.owner);
    case Count:
        return QString::number(r.count);
    default:
        return {};
    }
}

SortKey LocksModel::headKey(const LockView& view, const LockView::Group& group, int column) const
{
    switch (column) {
    case State:
        return static_cast<qint64>(group.waiters);
    case AgeColumn:
        return ageKey(group.waitingSince);
    case SessionColumn:
        return view.grouping == LockGrouping::Session ? SortKey(view.request(group.sample).session.value)
                                                      : SortKey();
    default:
        return textKey(headText(view, group, column));
    }
}

SortKey LocksModel::sortKey(quint32 row, int column) const
{
    const LockRow& r = rows()[row];
    const LockView& view = *r.view;
    if (r.head)
        return headKey(view, view.groups[r.index], column);
    const LockRequest& request = view.request(r.index);
    switch (column) {
    case State:
        return static_cast<qint64>(request.state);
    case AgeColumn:
        return ageKey(request.since);
    case Mode:
        return static_cast<qint64>(request.mode.strength());
    case ResourceName:
        return textKey(view.resource(r.index).name);
    case SessionColumn:
        return request.session.value;
    case BlockedBy:
        return countKey(view.blockers, r.index);
    case Blocks:
        return countKey(view.victims, r.index);
    case Count:
        return static_cast<qint64>(request.count);
    default:
        return textKey(requestText(view, r.index, column));
    }
}

/// Locks of the monitor or the server itself don't concern the user.
Tone LocksModel::toneOfAge(const LockView& view, quint32 request) const
{
    const LockRequest& r = view.request(request);
    const Session* session = view.session(request);
    if (!r.since || (!r.isWaiting() && session && (session->own || session->system)))
        return Tone::Normal;
    const LockThresholds& limits = m_context.thresholds();
    return toneOf(
        (r.isWaiting() ? limits.wait : limits.hold).levelOf(ageOf(*r.since, m_context.serverNow())));
}

QVariant LocksModel::cell(quint32 row, int column, int role) const
{
    const LockRow& r = rows()[row];
    if (column == FrameworkColumn)
        return text(row, column).isEmpty() ? QVariant() : frameworkCell(frameworkAt(r), role);
    if (role == Qt::ToolTipRole) {
        const QString tip = tipOf(row, column);
        return tip.isEmpty() ? QVariant() : tip;
    }
    if (r.head) {
        const LockView::Group& head = r.view->groups[r.index];
        if (role == EmphasisRole)
            return column == Group;
        if (column != AgeColumn || !head.waitingSince)
            return {};
        const Tone tone =
            toneOf(m_context.thresholds().wait.levelOf(ageOf(*head.waitingSince, m_context.serverNow())));
        if (role == ToneRole)
            return QVariant::fromValue(tone);
        return role == GlyphRole && tone != Tone::Normal ? QVariant::fromValue(Glyph::Warning) : QVariant();
    }
    const Tone tone = column == State || column == AgeColumn ? toneOfAge(*r.view, r.index) : Tone::Normal;
    if (role == GlyphRole) {
        if (column == State)
            return QVariant::fromValue(glyphOf(r.view->request(r.index).state));
        if (column == AgeColumn && tone != Tone::Normal)
            return QVariant::fromValue(Glyph::Warning);
    }
    if (role == ToneRole)
        return QVariant::fromValue(tone);
    return {};
}

QString LocksModel::tipOf(quint32 row, int column) const
{
    const LockRow& r = rows()[row];
    if (column != Mode || (r.head && m_grouping != LockGrouping::Mode))
        return {};
    const LockMode& mode = r.view->request(r.head ? r.view->groups[r.index].sample : r.index).mode;
    const QStringList conflicts = textOfEach(mode.conflicts(), &LockMode::title);
    return QStringLiteral("<b>%1</b> (%2)<br>%3<br><br>%4")
        .arg(htmlText(mode.title()), htmlText(mode.name()), htmlText(mode.meaning()),
            conflicts.isEmpty()
                ? u"Conflicts with no other mode."_s
                : u"Conflicts with: %1."_s.arg(htmlText(conflicts.join(QStringLiteral(", ")))));
}

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
