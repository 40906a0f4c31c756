// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/overview/OverviewPage.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/SnapshotNames.h"
#include "core/domain/WaitTotals.h"
#include "ui/kit/charts/Card.h"
#include "ui/kit/models/ColumnInfo.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/overview/HeadBlockerBanner.h"
#include "ui/views/overview/OverviewCharts.h"
#include "ui/views/page/SessionActs.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHash>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using monitor::HistorySample;

OverviewPlace placeOf(const std::optional<LockTableKey>& entry, const QString& filter)
{
    if (entry)
        return {QStringLiteral("lock-table"), {}, *entry};
    return {QStringLiteral("locks"), filter, {}};
}

std::vector<OverviewWait> waitsOf(const Snapshot& snapshot)
{
    std::vector<OverviewWait> waits;
    const WaitTargets targets(snapshot);
    for (const SessionWait& wait : snapshot.waitingSessions()) {
        const Age age = wait.age.value_or(Age{milliseconds(0), false});
        if (const LockTableWaiter* const waiter = wait.queued) {
            waits.push_back({.resource = waiter->name,
                .target = waiter->name,
                .who = partyName(waiter->party),
                .session = wait.session,
                .age = age,
                .entry = LockTableKey{waiter->table, waiter->name}});
            continue;
        }
        const Resource& resource = snapshot.resourceOf(*wait.request);
        const Resource* const target = targets.of(*wait.request);
        const Session* const session = snapshot.session(wait.session);
        waits.push_back({.resource = resource.name,
            .target = (target ? *target : resource).name,
            .who = session ? session->program : QString(),
            .session = wait.session,
            .age = age,
            .framework = resource.framework});
    }
    std::stable_sort(waits.begin(), waits.end(),
        [](const OverviewWait& a, const OverviewWait& b) { return a.age.value > b.age.value; });
    return waits;
}

OverviewList mostContended(const Snapshot& snapshot, int maximum, const AgeThresholds& thresholds)
{
    struct Contended {
        QString name;
        std::optional<LockTableKey> entry;
        FrameworkMatchPtr framework;
        int waiters = 0;
        Age longest;
    };
    std::vector<Contended> byName;
    QHash<LockTableKey, size_t> places; // a lock that is no entry of a lock table is of the table ""
    for (const OverviewWait& wait : waitsOf(snapshot)) {
        const auto [place, isNew] = [&] {
            const LockTableKey key = wait.entry.value_or(LockTableKey{{}, wait.resource});
            const auto found = places.constFind(key);
            if (found != places.cend())
                return std::pair(*found, false);
            places.insert(key, byName.size());
            return std::pair(byName.size(), true);
        }();
        if (isNew)
            byName.push_back({.name = wait.resource,
                .entry = wait.entry,
                .framework = wait.framework,
                .longest = wait.age});
        ++byName[place].waiters;
        byName[place].longest = std::max(byName[place].longest, wait.age);
    }
    std::stable_sort(byName.begin(), byName.end(),
        [](const Contended& a, const Contended& b) { return a.waiters > b.waiters; });
    OverviewList list;
    for (const Contended& one : byName) {
        if (list.rows.size() == maximum)
            break;
        list.rows.append({.name = one.name,
            .detail = u"longest %1"_s.arg(one.longest.toString()),
            .number = QString::number(one.waiters),
            .part = static_cast<double>(one.waiters) / byName.front().waiters,
            .level = thresholds.levelOf(one.longest.value),
            .framework = one.framework,
            .isDetailTime = true});
        list.places.append(placeOf(one.entry, QStringLiteral("resource:") + RowFilter::quoted(one.name)));
    }
    return list;
}

OverviewList oldestWaits(const Snapshot& snapshot, int maximum, const AgeThresholds& thresholds)
{
    OverviewList list;
    const std::vector<OverviewWait> waits = waitsOf(snapshot);
    for (const OverviewWait& wait : waits) {
        if (list.rows.size() == maximum)
            break;
        const double longest = std::max<double>(1, static_cast<double>(waits.front().age.value.count()));
        const QString who =
            wait.session.isValid() ? QStringLiteral("%1 %2").arg(wait.session.value).arg(wait.who) : wait.who;
        list.rows.append({.name = who,
            .detail = wait.target,
            .number = wait.age.toString(),
            .part = static_cast<double>(wait.age.value.count()) / longest,
            .level = thresholds.levelOf(wait.age.value),
            .framework = wait.framework});
        list.places.append(placeOf(wait.entry,
            wait.session.isValid() ? QStringLiteral("session:%1").arg(wait.session.value)
                                   : QStringLiteral("resource:") + RowFilter::quoted(wait.resource)));
    }
    return list;
}

namespace {

constexpr int listRows = 6;
constexpr int listRowsOfLowPage = 3;
constexpr int linesForAllCharts = 42;

} // namespace

OverviewPage::OverviewPage(AppContext& appContext, QWidget* parent)
    : Page(pageName, appContext, parent)
{
    auto* column = withMargins(new QVBoxLayout(this), {14, 14, 14, 14}, 10);
    m_head = named("headStrip", new HeadBlockerBanner(context(), this));
    column->addWidget(m_head);
    m_nextHeads = new NextHeads(this);
    column->addWidget(m_nextHeads);
    connect(m_nextHeads, &NextHeads::chosen, this,
        [this](SessionKey head) { Q_EMIT showSubject(QStringLiteral("blocking"), head); });
    connect(m_nextHeads, &NextHeads::causeChosen, this, [this](const std::optional<LockTableKey>& entry) {
        Q_EMIT showSubject(entry ? QStringLiteral("lock-table") : QStringLiteral("blocking"),
            entry ? DetailSubject(*entry) : DetailSubject());
    });
    connect(m_nextHeads, &NextHeads::actRequested, this, [this](const Session& session, bool cancels) {
        Q_EMIT requestAct(
            cancels ? Action(CancelStatementAction{session}) : Action(EndSessionAction{session}));
    });
    connect(m_head, &HeadBlockerBanner::chainRequested, this, [this] {
        Q_EMIT showSubject(QStringLiteral("blocking"),
            m_head->head() ? DetailSubject(m_head->head()->key()) : DetailSubject());
    });
    connect(m_head, &HeadBlockerBanner::entryRequested, this,
        [this](const LockTableKey& entry) { Q_EMIT showSubject(QStringLiteral("lock-table"), entry); });
    connect(m_head, &HeadBlockerBanner::endRequested, this,
        [this](const Session& session) { Q_EMIT requestAct(EndSessionAction{session}); });
    connect(m_head, &HeadBlockerBanner::deadlocksRequested, this, [this] {
        go({QStringLiteral("deadlocks"), {}, {}});
    });
    connect(m_head, &HeadBlockerBanner::copied, this, &OverviewPage::statusMessage);
    auto* tiles = withSpacing(new QHBoxLayout, 10);
    makeTiles(tiles);
    column->addLayout(tiles);

    m_charts = new OverviewCharts(this);
    column->addWidget(m_charts, 7);
    connectCharts();

    auto* lists = withSpacing(new QHBoxLayout, 10);
    m_contendedCard = new Card(u"Most contended now"_s, this);
    m_contended = new TopList(listRows, this);
    m_contendedCard->body()->addWidget(m_contended);
    m_oldestCard = new Card(u"Oldest waits"_s, this);
    m_oldest = new TopList(listRows, this);
    m_oldestCard->body()->addWidget(m_oldest);
    addAll(*lists, {{m_contendedCard, 1}, {m_oldestCard, 1}});
    column->addLayout(lists, 3);
    connect(m_contended, &TopList::chosen, this, [this](int row) { go(m_contendedPlaces.value(row)); });
    connect(m_oldest, &TopList::chosen, this, [this](int row) { go(m_oldestPlaces.value(row)); });
}

void OverviewPage::go(const OverviewPlace& place)
{
    if (!std::holds_alternative<std::monostate>(place.subject))
        Q_EMIT showSubject(place.page, place.subject);
    else if (!place.page.isEmpty())
        Q_EMIT openPage(place.page, place.filter);
}

OverviewPlace OverviewPage::placeOfLongestWait() const
{
    const std::vector<OverviewWait> waits = m_snapshot ? waitsOf(*m_snapshot) : std::vector<OverviewWait>();
    return placeOf(waits.empty() ? std::nullopt : waits.front().entry, QStringLiteral("state:waiting"));
}

/// The page of locks, unless all that is held is in lock tables.
OverviewPlace OverviewPage::placeOfHolders() const
{
    const bool onlyEntries =
        m_snapshot && !m_snapshot->entries.empty() && monitor::figuresOf(*m_snapshot).holdingSessions == 0;
    return {onlyEntries ? QStringLiteral("lock-table") : QStringLiteral("locks"),
        onlyEntries ? QString() : QStringLiteral("state:holding"), {}};
}

void OverviewPage::makeTiles(QHBoxLayout* row)
{
    const auto make = [&](const QString& title, const char* name, std::function<OverviewPlace()> place) {
        auto* tile = named(name, new MetricTile(title, this));
        connect(tile, &QAbstractButton::clicked, this, [this, place = std::move(place)] { go(place()); });
        row->addWidget(tile, 1);
        return tile;
    };
    const auto always = [](const QString& page, const QString& filter) {
        return [page, filter] { return OverviewPlace{page, filter, {}}; };
    };
    m_waiters = make(u"Waiters"_s, "tileWaiters", [this] { return placeOfLongestWait(); });
    m_longest = make(u"Longest wait"_s, "tileLongest", [this] { return placeOfLongestWait(); });
    m_heads = make(u"Head blockers"_s, "tileHeads", always(QStringLiteral("blocking"), {}));
    m_stale = make(
        u"Stale entries"_s, "tileStale", always(QStringLiteral("lock-table"), QStringLiteral("state:stale")));
    m_holders = make(u"Locks held"_s, "tileHolders", [this] { return placeOfHolders(); });
}

void OverviewPage::connectCharts()
{
    connect(
        m_charts, &OverviewCharts::timeChosen, this, [this](OverviewCharts::Chart chart, ServerTime time) {
            switch (chart) {
            case OverviewCharts::Chart::Waiters:
            case OverviewCharts::Chart::Longest:
                return goToTime(time, placeOfLongestWait());
            case OverviewCharts::Chart::Stale:
                return goToTime(time, {QStringLiteral("lock-table"), QStringLiteral("state:stale"), {}});
            case OverviewCharts::Chart::Holders:
                return goToTime(time, placeOfHolders());
            case OverviewCharts::Chart::Sessions:
                return goToTime(time, {QStringLiteral("sessions"), {}, {}});
            }
        });
}

OverviewPlace OverviewPage::placeOfName(const QString& name) const
{
    const auto isOfIt = [&](const auto& row) { return row.name == name; };
    const bool isEntry = m_snapshot
        && (std::any_of(m_snapshot->entries.begin(), m_snapshot->entries.end(), isOfIt)
            || std::any_of(m_snapshot->entryWaiters.begin(), m_snapshot->entryWaiters.end(), isOfIt));
    return isEntry
        ? OverviewPlace{QStringLiteral("lock-table"), QStringLiteral("name:") + RowFilter::quoted(name), {}}
        : OverviewPlace{QStringLiteral("locks"), QStringLiteral("resource:") + RowFilter::quoted(name), {}};
}

/// Goes to the rows, which are there for the newest snapshot. A former time is gone to if it is recorded;
/// else only its figures are kept: they are shown, with the present rows of the lock most waited for then.
void OverviewPage::goToTime(ServerTime time, const OverviewPlace& now)
{
    if (!m_history || m_history->samples().empty())
        return;
    const auto& samples = m_history->samples();
    if (time == samples.back().at) {
        go(now);
        return;
    }
    const auto found = std::find_if(
        samples.cbegin(), samples.cend(), [&](const HistorySample& sample) { return sample.at == time; });
    if (found == samples.cend()) {
        Q_EMIT statusMessage(u"Nothing was read at that time."_s);
        return;
    }
    if (context().recording()) {
        Q_EMIT travelRequested(time);
        return;
    }
    QStringList texts;
    for (const auto& [name, waiters] : found->byName) {
        if (texts.size() < 3)
            texts << u"%1 for %2"_s.arg(waiters).arg(m_history->name(name));
    }
    const QString waited = found->waiters == 0 ? u"nobody waited"_s
                                               : u"%1 waited, longest %2 (%3)"_s.arg(found->waiters)
                                                     .arg(found->longestWait.toString(), texts.join(u", "_s));
    go(found->byName.empty() ? now : placeOfName(m_history->name(found->byName.front().first)));
    // First what matters: the line may be too short for the rest.
    Q_EMIT statusMessage(
        u"These rows are the present ones; those of %1 are not kept, only figures: %2."_s.arg(
            clockText(time), waited));
}

/// A chart that is squeezed to a few pixels shows nothing: of those that show the tiles' figures, too, the
/// space goes to the one of the waiters.
void OverviewPage::resizeEvent(QResizeEvent* event)
{
    m_charts->setSmallerShown(height() >= linesForAllCharts * fontMetrics().height());
    fitLists();
    Page::resizeEvent(event);
}

bool OverviewPage::event(QEvent* event)
{
    const bool isDone = Page::event(event);
    if (event->type() == QEvent::LayoutRequest)
        fitLists();
    return isDone;
}

/// Lets the lists give up their last rows where not all has space, as on a low page or above a notice.
void OverviewPage::fitLists()
{
    const int least =
        layout()->totalMinimumSize().height() + (listRows - m_contended->most()) * m_contended->rowHeight();
    const int rows = least <= height() ? listRows : listRowsOfLowPage;
    m_contended->setMost(rows);
    m_oldest->setMost(rows);
}

void OverviewPage::setHistory(const monitor::History* history, bool isPast)
{
    m_history = history;
    m_isPast = isPast;
    showTitles({});
    m_charts->setHistory(history, isPast);
}

void OverviewPage::refreshCharts()
{
    if (m_snapshot)
        m_charts->refresh();
}

void OverviewPage::setPreferences(const Preferences& preferences)
{
    m_preferences = preferences;
    if (m_snapshot)
        showSnapshot(m_snapshot);
}

void OverviewPage::showSnapshot(const SnapshotPtr& snapshot)
{
    m_snapshot = snapshot;
    constexpr microseconds lastHour = std::chrono::hours(1);
    m_head->setDeadlocks(
        snapshot && m_countDeadlocks ? m_countDeadlocks(snapshot->takenAt - lastHour, snapshot->takenAt) : 0);
    m_head->say(snapshot, m_preferences.ages);
    m_nextHeads->say(snapshot, m_preferences.ages.wait, m_head->namesHead(), m_head->others());
    m_nextHeads->offerOtherAct(snapshot, [this](const Session& session, bool cancels) {
        return cancels ? reasonAgainstCancel(context(), &session)
                       : reasonAgainstSessionAct(context(), &session);
    });
    if (!snapshot) {
        showNothing();
        return;
    }
    showTiles();
    m_charts->refresh();
    const OverviewList contended = mostContended(*snapshot, listRows, m_preferences.ages.wait);
    const QString unseen = snapshot->mayHideLocks() ? u"Nobody is seen waiting."_s : QString();
    m_contended->setRows(contended.rows, unseen.isEmpty() ? u"Nobody waits for anything."_s : unseen);
    m_contendedPlaces = contended.places;
    const OverviewList oldest = oldestWaits(*snapshot, listRows, m_preferences.ages.wait);
    m_oldest->setRows(oldest.rows, unseen.isEmpty() ? u"No wait is under way."_s : unseen);
    m_oldestPlaces = oldest.places;
}

QString OverviewPage::reasonAgainstFilter() const
{
    return u"The overview has no table to filter. A click on a number or a line opens the rows behind it."_s;
}

/// Names the age of rows that are old.
void OverviewPage::showTitles(const std::optional<milliseconds>& dataAge)
{
    const QString when = dataAge ? u"%1 ago"_s.arg(durationInWords(*dataAge)) : QString();
    m_contendedCard->setTitle(u"Most contended "_s + (dataAge ? when : m_isPast ? u"then"_s : u"now"_s));
    m_oldestCard->setTitle(dataAge ? u"Oldest waits %1"_s.arg(when) : u"Oldest waits"_s);
}

void OverviewPage::showHealth(monitor::Health health, const std::optional<Error>&, milliseconds dataAge)
{
    const bool old = isDataOld(health);
    for (MetricTile* tile : {m_holders, m_waiters, m_longest, m_stale, m_heads})
        tile->setOld(old);
    m_head->setOld(old);
    for (TopList* list : {m_contended, m_oldest})
        list->setFaded(old);
    showTitles(old && !m_isPast ? std::optional(dataAge) : std::nullopt);
    m_charts->setStopped(!m_isPast && (old || health == monitor::Health::Paused));
}

void OverviewPage::showTiles()
{
    const BlockingGraph& graph = m_snapshot->blocking();
    const monitor::Figures figures = monitor::figuresOf(*m_snapshot);
    const AgeThresholds& wait = m_preferences.ages.wait;
    const auto over = [](const AgeThresholds& limits, AgeLevel level) {
        return u"over %1"_s.arg(durationInWords(level == AgeLevel::Red ? limits.red : limits.amber));
    };
    const AgeLevel waitLevel =
        figures.waiters > 0 ? wait.levelOf(figures.longestWait.value) : AgeLevel::Normal;

    m_waiters->show(QString::number(figures.waiters),
        figures.waiters > 0 ? u"for "_s + counted(qint64(figures.waitersByName.size()), u"lock")
                            : u"nobody waits"_s,
        levelOf(*m_snapshot, wait));
    m_longest->show(figures.waiters > 0 ? figures.longestWait.toString() : QStringLiteral("0:00"),
        waitLevel == AgeLevel::Normal
            ? (figures.longestWaiter.isValid() ? u"session %1"_s.arg(figures.longestWaiter.value)
                    : figures.waiters > 0      ? u"in a queue"_s
                                               : u"nobody waits"_s)
            : over(wait, waitLevel),
        waitLevel);

    const auto rings = static_cast<int>(graph.cycles().size());
    AgeLevel headLevel = rings > 0 ? AgeLevel::Red : AgeLevel::Normal;
    for (const BlockingGraph::Head& head : graph.heads())
        headLevel = std::max(headLevel, levelOf(head, wait));
    QString headNote = graph.heads().empty() ? u"no chain"_s : u"%1 blocked"_s.arg(graph.blockedCount());
    if (rings > 0)
        headNote = counted(rings, u"deadlock");
    m_heads->show(QString::number(graph.heads().size()), headNote, headLevel);

    m_stale->show(QString::number(figures.stale),
        figures.stale > 0 ? u"past their lease"_s
                          : u"of "_s + counted(qint64(m_snapshot->entries.size()), u"entry", u"entries"),
        staleLevel(figures.stale));
    // However old: nobody is hurt by a lock that nobody waits for, and waits have tiles of their own.
    const AgeLevel holdLevel =
        std::min(m_preferences.ages.hold.levelOf(figures.oldestHold.value), AgeLevel::Amber);
    m_holders->show(QString::number(figures.holders),
        figures.holders > 0 ? u"%1 the oldest"_s.arg(figures.oldestHold.toString()) : u"nothing is locked"_s,
        figures.holders > 0 ? holdLevel : AgeLevel::Normal);
}

/// Red only if somebody waits for one of them: the others are a matter of tidiness.
AgeLevel OverviewPage::staleLevel(int stale) const
{
    const Snapshot& snapshot = *m_snapshot;
    const bool hurts =
        std::any_of(snapshot.entries.begin(), snapshot.entries.end(), [&](const LockTableEntry& entry) {
            return entry.isStale(snapshot.takenAt)
                && !queueOf(snapshot, {entry.table, entry.name}, snapshot.takenAt).empty();
        });
    const AgeLevel level = m_preferences.staleLevel(stale);
    return hurts ? level : std::min(level, AgeLevel::Amber);
}

void OverviewPage::showNothing()
{
    for (MetricTile* tile : {m_holders, m_waiters, m_longest, m_stale, m_heads})
        tile->show(QStringLiteral("–"), u"not read yet"_s, AgeLevel::Normal);
    m_charts->empty();
    for (TopList* list : {m_contended, m_oldest})
        list->setRows({}, u"Not read yet."_s);
    m_contendedPlaces.clear();
    m_oldestPlaces.clear();
}

} // namespace lockscope::ui
