// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/OverviewPage.h"

#include "core/base/Duration.h"
#include "core/domain/BlockingGraph.h"
#include "ui/charts/Card.h"
#include "ui/charts/MetricTile.h"
#include "ui/charts/TimeChart.h"
#include "ui/charts/TopList.h"
#include "ui/widgets/HeadBlockerBanner.h"
#include "ui/widgets/NextHeads.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using monitor::HistorySample;

namespace {

constexpr int listRows = 6;
constexpr int chartNames = 5;

QString quoted(const QString& word)
{
    return QLatin1Char('"') + QString(word).remove(QLatin1Char('"')) + QLatin1Char('"');
}

/// Somebody who waits, whatever for.
struct Wait {
    QString resource;
    QString who;
    SessionId session;
    Age age;
    std::optional<LockTableKey> entry = {}; ///< of a wait for a name of a lock table
    FrameworkMatchPtr framework = {}; ///< whose lock it is
};

QString partyName(const LockOwnerInfo& party)
{
    QString name = party.owner.isEmpty() ? party.program : party.owner;
    if (!party.host.isEmpty())
        name += u" on %1"_s.arg(party.host);
    return name;
}

std::vector<Wait> waitsOf(const Snapshot& snapshot)
{
    std::vector<Wait> waits;
    for (const LockRequest& request : snapshot.requests) {
        const Session* session = snapshot.session(request.session);
        if (!request.isWaiting() || (session && session->own))
            continue;
        const Resource& resource = snapshot.resourceOf(request);
        waits.push_back({resource.name, session ? session->program : QString(), request.session,
            snapshot.ageOf(request).value_or(Age{milliseconds(0), false}), {}, resource.framework});
    }
    for (const LockTableWaiter& waiter : snapshot.entryWaiters) {
        if (waiter.registeredAt.isValid() && !waiter.isExpired(snapshot.takenAt)) {
            waits.push_back({waiter.name, partyName(waiter.party), waiter.party.session,
                {std::chrono::duration_cast<milliseconds>(snapshot.takenAt - waiter.registeredAt), true},
                LockTableKey{waiter.table, waiter.name}});
        }
    }
    std::stable_sort(
        waits.begin(), waits.end(), [](const Wait& a, const Wait& b) { return a.age.value > b.age.value; });
    return waits;
}

} // namespace

OverviewPage::OverviewPage(AppContext& appContext, QWidget* parent)
    : Page(QStringLiteral("overview"), u"Overview"_s, appContext, parent)
    , m_slots(chartNames)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 14, 14, 14);
    column->setSpacing(10);
    m_head = new HeadBlockerBanner(context(), this);
    m_head->setObjectName(QStringLiteral("headStrip"));
    column->addWidget(m_head);
    m_nextHeads = new NextHeads(this);
    column->addWidget(m_nextHeads);
    connect(m_nextHeads, &NextHeads::chosen, this,
        [this](SessionKey head) { Q_EMIT showSubject(QStringLiteral("blocking"), head); });
    connect(m_head, &HeadBlockerBanner::chainRequested, this, [this] {
        Q_EMIT showSubject(QStringLiteral("blocking"),
            m_head->head() ? DetailSubject(m_head->head()->key()) : DetailSubject());
    });
    connect(m_head, &HeadBlockerBanner::entryRequested, this,
        [this](const LockTableKey& entry) { Q_EMIT showSubject(QStringLiteral("lock-table"), entry); });
    connect(m_head, &HeadBlockerBanner::endRequested, this,
        [this](const Session& session) { Q_EMIT requestAct(EndSessionAction{session}); });
    connect(m_head, &HeadBlockerBanner::copied, this, &OverviewPage::statusMessage);
    auto* tiles = new QHBoxLayout;
    tiles->setSpacing(10);
    makeTiles(tiles);
    column->addLayout(tiles);

    m_waitersCard = new Card(u"Waiters by table or lock"_s, this);
    m_waitersChart =
        new TimeChart(TimeChart::Kind::Stacked, TimeChart::Unit::Count, u"Waiters by table or lock"_s, this);
    m_legend = new Legend(this);
    auto* split = new QHBoxLayout;
    split->setSpacing(12);
    split->addWidget(m_waitersChart, 1);
    split->addWidget(m_legend);
    m_waitersCard->body()->addLayout(split);
    column->addWidget(m_waitersCard, 4);
    column->addLayout(chartsRow(), 3);
    connectCharts();

    auto* lists = new QHBoxLayout;
    lists->setSpacing(10);
    auto* contended = new Card(u"Most contended now"_s, this);
    m_contended = new TopList(listRows, u"Nobody waits for anything."_s, this);
    contended->body()->addWidget(m_contended);
    auto* oldest = new Card(u"Oldest waits"_s, this);
    m_oldest = new TopList(listRows, u"No wait is under way."_s, this);
    oldest->body()->addWidget(m_oldest);
    lists->addWidget(contended, 1);
    lists->addWidget(oldest, 1);
    column->addLayout(lists, 3);
    connect(m_contended, &TopList::chosen, this, [this](int row) { go(m_contendedPlaces.value(row)); });
    connect(m_oldest, &TopList::chosen, this, [this](int row) { go(m_oldestPlaces.value(row)); });
}

void OverviewPage::go(const Place& place)
{
    if (!std::holds_alternative<std::monostate>(place.subject))
        Q_EMIT showSubject(place.page, place.subject);
    else if (!place.page.isEmpty())
        Q_EMIT openPage(place.page, place.filter);
}

/// The entry's row; for a lock of the engine, what the filter leaves on the page of locks.
OverviewPage::Place OverviewPage::placeOf(const std::optional<LockTableKey>& entry, const QString& filter)
{
    if (entry)
        return {QStringLiteral("lock-table"), {}, *entry};
    return {QStringLiteral("locks"), filter, {}};
}

OverviewPage::Place OverviewPage::placeOfLongestWait() const
{
    const std::vector<Wait> waits = m_snapshot ? waitsOf(*m_snapshot) : std::vector<Wait>();
    return placeOf(waits.empty() ? std::nullopt : waits.front().entry, QStringLiteral("state:waiting"));
}

/// The page of locks, unless all that is held is in lock tables.
OverviewPage::Place OverviewPage::placeOfHolders() const
{
    const bool onlyEntries =
        m_snapshot && !m_snapshot->entries.empty() && monitor::figuresOf(*m_snapshot).holdingSessions == 0;
    return {onlyEntries ? QStringLiteral("lock-table") : QStringLiteral("locks"),
        onlyEntries ? QString() : QStringLiteral("state:holding"), {}};
}

void OverviewPage::makeTiles(QHBoxLayout* row)
{
    const auto make = [&](const QString& title, const char* name, std::function<Place()> place) {
        auto* tile = new MetricTile(title, this);
        tile->setObjectName(QLatin1String(name));
        connect(tile, &QAbstractButton::clicked, this, [this, place = std::move(place)] { go(place()); });
        row->addWidget(tile, 1);
        return tile;
    };
    const auto always = [](const QString& page, const QString& filter) {
        return [page, filter] { return Place{page, filter, {}}; };
    };
    m_waiters = make(u"Waiters"_s, "tileWaiters", [this] { return placeOfLongestWait(); });
    m_longest = make(u"Longest wait"_s, "tileLongest", [this] { return placeOfLongestWait(); });
    m_heads = make(u"Head blockers"_s, "tileHeads", always(QStringLiteral("blocking"), {}));
    m_stale = make(
        u"Stale entries"_s, "tileStale", always(QStringLiteral("lock-table"), QStringLiteral("state:stale")));
    m_holders = make(u"Locks held"_s, "tileHolders", [this] { return placeOfHolders(); });
}

QLayout* OverviewPage::chartsRow()
{
    auto* row = new QHBoxLayout;
    row->setSpacing(10);
    const auto make = [&](const QString& title, TimeChart::Unit unit, TimeChart*& chart) {
        auto* card = new Card(title, this);
        chart = new TimeChart(TimeChart::Kind::Line, unit, title, this);
        card->body()->addWidget(chart);
        row->addWidget(card, 1);
        return card;
    };
    m_longestCard = make(u"Longest wait"_s, TimeChart::Unit::Duration, m_longestChart);
    m_staleCard = make(u"Stale entries"_s, TimeChart::Unit::Count, m_staleChart);
    m_holdersCard = make(u"Locks held"_s, TimeChart::Unit::Count, m_holdersChart);
    return row;
}

void OverviewPage::connectCharts()
{
    const auto lead = [this](const TimeChart* chart, std::function<Place()> now) {
        connect(chart, &TimeChart::momentChosen, this,
            [this, now = std::move(now)](ServerTime moment) { goToMoment(moment, now()); });
    };
    lead(m_waitersChart, [this] { return placeOfLongestWait(); });
    lead(m_longestChart, [this] { return placeOfLongestWait(); });
    lead(m_staleChart, [] { return Place{QStringLiteral("lock-table"), QStringLiteral("state:stale"), {}}; });
    lead(m_holdersChart, [this] { return placeOfHolders(); });
}

OverviewPage::Place OverviewPage::placeOfName(const QString& name) const
{
    const auto isOfIt = [&](const auto& row) { return row.name == name; };
    const bool isEntry = m_snapshot
        && (std::any_of(m_snapshot->entries.begin(), m_snapshot->entries.end(), isOfIt)
            || std::any_of(m_snapshot->entryWaiters.begin(), m_snapshot->entryWaiters.end(), isOfIt));
    return isEntry ? Place{QStringLiteral("lock-table"), QStringLiteral("name:") + quoted(name), {}}
                   : Place{QStringLiteral("locks"), QStringLiteral("resource:") + quoted(name), {}};
}

/// Of the newest moment the rows are there. Of former ones only the figures are kept: they are told, and the
/// present rows of what was waited for most then are shown.
void OverviewPage::goToMoment(ServerTime moment, const Place& now)
{
    if (!m_history || m_history->samples().empty())
        return;
    const auto& samples = m_history->samples();
    if (moment == samples.back().at) {
        go(now);
        return;
    }
    const auto found = std::find_if(
        samples.cbegin(), samples.cend(), [&](const HistorySample& sample) { return sample.at == moment; });
    if (found == samples.cend()) {
        Q_EMIT statusMessage(u"Nothing was read at that moment."_s);
        return;
    }
    QStringList told;
    for (const auto& [name, waiters] : found->byName) {
        if (told.size() < 3)
            told << u"%1 for %2"_s.arg(waiters).arg(m_history->name(name));
    }
    const QString waited = found->waiters == 0 ? u"nobody waited"_s
                                               : u"%1 waited, longest %2 (%3)"_s.arg(found->waiters)
                                                     .arg(found->longestWait.toString(), told.join(u", "_s));
    go(found->byName.empty() ? now : placeOfName(m_history->name(found->byName.front().first)));
    Q_EMIT statusMessage(u"At %1 %2. The rows of that moment are not kept; these are the present ones."_s.arg(
        moment.toIsoString().mid(11, 8), waited));
}

void OverviewPage::setHistory(const monitor::History* history)
{
    m_history = history;
    m_slots.clear();
    showCharts();
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
    m_head->say(snapshot, m_preferences.ages.wait);
    m_nextHeads->say(snapshot, m_preferences.ages.wait);
    if (!snapshot) {
        showNothing();
        return;
    }
    showTiles();
    showCharts();
    showContended();
    showOldest();
}

QString OverviewPage::reasonAgainstFilter() const
{
    return u"The overview has no table to filter. A click on a number or a line opens the rows behind it."_s;
}

void OverviewPage::showHealth(monitor::Health health, const std::optional<Error>&, milliseconds)
{
    const bool old = health == monitor::Health::Failed || health == monitor::Health::Silent;
    for (MetricTile* tile : {m_holders, m_waiters, m_longest, m_stale, m_heads})
        tile->setOld(old);
    m_head->setOld(old);
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
        figures.waiters > 0
            ? (figures.waitersByName.size() == 1 ? u"for 1 lock"_s
                                                 : u"for %1 locks"_s.arg(figures.waitersByName.size()))
            : u"nobody waits"_s,
        waitLevel);
    m_longest->show(figures.waiters > 0 ? figures.longestWait.toString() : QStringLiteral("0:00"),
        waitLevel == AgeLevel::Normal
            ? (figures.longestWaiter.isValid() ? u"session %1"_s.arg(figures.longestWaiter.value)
                                               : u"nobody waits"_s)
            : over(wait, waitLevel),
        waitLevel);

    int victims = 0;
    milliseconds longestBehind{0};
    for (const BlockingGraph::Head& head : graph.heads()) {
        victims += head.victims;
        longestBehind = std::max(longestBehind, head.longestWait);
    }
    const auto rings = static_cast<int>(graph.cycles().size());
    const AgeLevel headLevel = rings > 0 ? AgeLevel::Red : wait.levelOf(longestBehind);
    QString headNote = graph.heads().empty() ? u"no chain"_s : u"%1 blocked"_s.arg(victims);
    if (rings > 0)
        headNote = rings == 1 ? u"1 deadlock"_s : u"%1 deadlocks"_s.arg(rings);
    m_heads->show(QString::number(graph.heads().size()), headNote, headLevel);

    m_stale->show(QString::number(figures.stale),
        figures.stale > 0 ? u"past their lease"_s
                          : u"of %1 entries"_s.arg(static_cast<int>(m_snapshot->entries.size())),
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
                && std::any_of(snapshot.entryWaiters.begin(), snapshot.entryWaiters.end(),
                    [&](const LockTableWaiter& waiter) {
                        return waiter.table == entry.table && waiter.name == entry.name
                            && !waiter.isExpired(snapshot.takenAt);
                    });
        });
    const AgeLevel level = m_preferences.staleLevel(stale);
    return hurts ? level : std::min(level, AgeLevel::Amber);
}

void OverviewPage::showCharts()
{
    if (!m_history)
        return;
    ChartData chartData;
    chartData.gaps = gapsOf(*m_history);
    chartData.shown = shownTime(*m_history);
    chartData.newest = m_history->samples().empty() ? ServerTime() : m_history->samples().back().at;
    const auto line = [&](TimeChart* chart, auto value) {
        chartData.series = {lineOf(*m_history, chartData.shown, chart->plotPixels(), QString(), value)};
        chart->setData(chartData);
    };
    line(m_longestChart,
        [](const HistorySample& s) { return static_cast<double>(s.longestWait.value.count()) / 1e3; });
    line(m_staleChart, [](const HistorySample& s) { return s.stale; });
    line(m_holdersChart, [](const HistorySample& s) { return s.holders; });

    const QStringList names = m_slots.place(mostWaitedFor(*m_history, chartNames));
    chartData.series =
        stackedWaiters(*m_history, chartData.shown, m_waitersChart->plotPixels(), names, u"all others"_s);
    const QList<ChartSeries>& shown = chartData.series;
    m_waitersChart->setData(chartData);
    m_waitersCard->setTitle(u"Waiters by table or lock, last %1 minutes"_s.arg(chartData.shown.count() / 60));
    QList<Legend::Entry> entries;
    for (int i = 0; i < shown.size(); ++i) {
        const bool rest = i == shown.size() - 1;
        if (shown[i].name.isEmpty() || (rest && names.contains(QString())))
            continue;
        entries.append({m_waitersChart->seriesColor(i, static_cast<int>(shown.size())), shown[i].name,
            QString::number(shown[i].latest)});
    }
    m_legend->setEntries(entries);
    m_waitersCard->setNote(
        m_history->samples().empty() ? QString() : u"%1 now"_s.arg(m_history->samples().back().waiters));
}

void OverviewPage::showContended()
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
    for (const Wait& wait : waitsOf(*m_snapshot)) {
        const auto [place, isNew] = [&] {
            const LockTableKey key = wait.entry.value_or(LockTableKey{{}, wait.resource});
            const auto found = places.constFind(key);
            if (found != places.cend())
                return std::pair(*found, false);
            places.insert(key, byName.size());
            return std::pair(byName.size(), true);
        }();
        if (isNew)
            byName.push_back({wait.resource, wait.entry, wait.framework, 0, wait.age});
        ++byName[place].waiters;
        byName[place].longest = std::max(byName[place].longest, wait.age);
    }
    std::stable_sort(byName.begin(), byName.end(),
        [](const Contended& a, const Contended& b) { return a.waiters > b.waiters; });
    QList<TopList::Row> rows;
    m_contendedPlaces.clear();
    for (const Contended& one : byName) {
        if (rows.size() == listRows)
            break;
        rows.append({one.name, u"longest %1"_s.arg(one.longest.toString()), QString::number(one.waiters),
            static_cast<double>(one.waiters) / byName.front().waiters,
            m_preferences.ages.wait.levelOf(one.longest.value), one.framework});
        m_contendedPlaces.append(placeOf(one.entry, QStringLiteral("resource:") + quoted(one.name)));
    }
    m_contended->setRows(rows);
}

void OverviewPage::showOldest()
{
    QList<TopList::Row> rows;
    m_oldestPlaces.clear();
    const std::vector<Wait> waits = waitsOf(*m_snapshot);
    for (const Wait& wait : waits) {
        if (rows.size() == listRows)
            break;
        const double longest = std::max<double>(1, static_cast<double>(waits.front().age.value.count()));
        const QString who =
            wait.session.isValid() ? QStringLiteral("%1 %2").arg(wait.session.value).arg(wait.who) : wait.who;
        rows.append(
            {who, wait.resource, wait.age.toString(), static_cast<double>(wait.age.value.count()) / longest,
                m_preferences.ages.wait.levelOf(wait.age.value), wait.framework});
        m_oldestPlaces.append(placeOf(wait.entry,
            wait.session.isValid() ? QStringLiteral("session:%1").arg(wait.session.value)
                                   : QStringLiteral("resource:") + quoted(wait.resource)));
    }
    m_oldest->setRows(rows);
}

void OverviewPage::showNothing()
{
    for (MetricTile* tile : {m_holders, m_waiters, m_longest, m_stale, m_heads})
        tile->show(QStringLiteral("–"), u"not read yet"_s, AgeLevel::Normal);
    for (TimeChart* chart : {m_waitersChart, m_longestChart, m_staleChart, m_holdersChart})
        chart->setData({});
    m_legend->setEntries({});
    m_waitersCard->setNote({});
    m_contended->setRows({});
    m_contendedPlaces.clear();
    m_oldest->setRows({});
    m_oldestPlaces.clear();
}

void OverviewPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    showCharts();
}

void OverviewPage::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange)
        showCharts();
    Page::changeEvent(event);
}

} // namespace lockscope::ui
