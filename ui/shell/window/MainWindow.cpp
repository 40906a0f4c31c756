// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/MainWindow.h"

#include "ui/kit/help/HelpWindow.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/notify/DesktopNotifier.h"
#include "ui/shell/servers/Recordings.h"
#include "ui/shell/servers/ServerDialogs.h"
#include "ui/shell/servers/Servers.h"
#include "ui/shell/servers/ShownServer.h"
#include "ui/shell/timetravel/TimeBar.h"
#include "ui/shell/window/CentralArea.h"
#include "ui/shell/window/ServerDisplay.h"
#include "ui/shell/window/ServerNotices.h"
#include "ui/shell/window/SideBar.h"
#include "ui/shell/window/StatusLine.h"
#include "ui/shell/window/TopBar.h"
#include "ui/shell/window/TravelDisplay.h"
#include "ui/shell/window/WindowKeys.h"
#include "ui/views/acts/ActRunner.h"
#include "ui/views/audit/AuditPage.h"
#include "ui/views/blocking/BlockingPage.h"
#include "ui/views/deadlocks/DeadlockBook.h"
#include "ui/views/detail/DetailPane.h"
#include "ui/views/history/RecordingWindow.h"
#include "ui/views/locks/LocksPage.h"
#include "ui/views/locktable/LockTablePage.h"
#include "ui/views/order/OrderPage.h"
#include "ui/views/overview/OverviewPage.h"
#include "ui/views/scenarios/ScenariosPage.h"
#include "ui/views/sessions/SessionsPage.h"
#include "ui/views/settings/SettingsDialog.h"

#include <QApplication>
#include <QMenu>
#include <QPointer>
#include <QSettings>
#include <QSplitter>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

MainWindow::MainWindow(QSettings& settings, Options options, QWidget* parent)
    : QMainWindow(parent)
    , m_settings(settings)
    , m_options(std::move(options))
    , m_preferences(Preferences::load(settings))
    , m_context(settings)
    , m_servers(new Servers(settings, m_options.readOnly, m_options.keychain, this))
    , m_shown(new ShownServer(m_context, *m_servers, this))
    , m_recorded(new Recordings(settings, *m_servers, m_preferences, this, m_options.keychain))
    , m_reopener(new Reopener(*this))
    , m_dialogs(new ServerDialogs(*m_servers, m_options.keychain, *this))
    , m_topBar(new TopBar(this))
    , m_sideBar(new SideBar(this))
    , m_statusLine(new StatusLine(this))
    , m_mark(new TravelMark(this))
    , m_centre(new CentralArea(m_options.keychain, this))
    , m_pages(&m_centre->pages())
    , m_keys(new WindowKeys(
          *this, {.shown = *m_shown, .pages = *m_pages, .topBar = *m_topBar, .statusLine = *m_statusLine}))
    , m_detail(new DetailPane(m_context, this))
    , m_splitter(new QSplitter(Qt::Horizontal, this))
    , m_acts(new ActRunner(m_context, this))
    , m_histories(new Histories(m_context, *this))
    , m_recordings(new RecordingOpener(*this))
    , m_help(new Help(settings, *this, [this] { return chapterOnView(); }))
{
    fitDialogs(*qApp);
    describePlainly(*qApp);
    setWindowTitle(u"Lockscope"_s);
    setWindowIcon(theme::icon(QStringLiteral("lockscope")));
    m_context.setThresholds(m_preferences.ages);
    assemble();
    addPages();
    connectServers();
    const ServerDisplay::Parts parts{.context = m_context,
        .shown = *m_shown,
        .topBar = *m_topBar,
        .statusLine = *m_statusLine,
        .centre = *m_centre,
        .detail = *m_detail,
        .mark = *m_mark};
    m_travel = new TravelDisplay(parts, this);
    connect(m_travel, &TravelDisplay::timeShown, this, &MainWindow::showTitle);
    connect(m_travel, &TravelDisplay::differencesRequested, m_histories, &Histories::openDifferences);
    connect(m_keys, &WindowKeys::timeRequested, m_travel, &TravelDisplay::askForTime);
    connect(m_keys, &WindowKeys::searchRequested, m_histories, &Histories::openSearch);
    connect(&m_centre->timeBar(), &TimeBar::searchRequested, m_histories, &Histories::openSearch);
    restoreLayout();
    m_display = new ServerDisplay(parts, this);
    connect(m_display, &ServerDisplay::snapshotShown, this, &MainWindow::snapshotShown);
    connectBars();
    showServer();
    showServerList();
}

MainWindow::~MainWindow()
{
    // The pages may be asked by their models until the end: no server from here on.
    m_shown->show(nullptr);
}

void MainWindow::addPages()
{
    connect(m_pages, &PageStack::pageMade, this, [this](Page* page) { connectPage(*page); });
    connect(m_pages, &PageStack::pageShown, this, [this] { m_servers->setProbes(probes()); });
    addPage(OverviewPage::pageName, u"overview"_s, [this] { return makeOverview(); });
    addPage(BlockingPage::pageName, u"blocking"_s, [this] {
        m_blocking = new BlockingPage(m_context, this);
        connect(m_blocking, &BlockingPage::otherServerRequested, this,
            [this] { goToServer(m_otherServer, BlockingPage::pageName.id, std::nullopt); });
        return m_blocking;
    });
    addPage(LocksPage::pageName, u"locks"_s, [this] { return makeLocksPage(); });
    addPage(LockTablePage::pageName, u"lock-table"_s, [this] {
        auto* const page = new LockTablePage(m_context, this);
        connect(page, &LockTablePage::readRequested, this, &MainWindow::askToReadTable);
        return page;
    });
    addPage(SessionsPage::pageName, u"sessions"_s, [this] { return new SessionsPage(m_context, this); });
    addPage(ScenariosPage::pageName, u"scenarios"_s, [this] {
        auto* const page = new ScenariosPage(m_context, this);
        const auto show = [this, page] { page->setServer(m_context.server()); };
        connect(m_shown, &ShownServer::changed, page, show);
        show();
        return page;
    });
    addPage(AuditPage::pageName, u"audit"_s, [this] {
        auto* const page = new AuditPage(m_context, this);
        connect(m_acts, &ActRunner::done, page, &AuditPage::reload);
        return page;
    });
    addDeadlocksPage();
    addPage(OrderPage::pageName, u"lock-order"_s, [this] { return new OrderPage(m_context, this); });
    addIncidentsPage();
    addFleetPage();
    connectActs();
    connectHistories();
    connectQuestions();
}

Page* MainWindow::makeOverview()
{
    m_overview = new OverviewPage(m_context, this);
    m_overview->setPreferences(m_preferences);
    m_overview->setDeadlocks([this](ServerTime from, ServerTime to) {
        return m_deadlocks->count(m_context.profile().display(), from, to);
    });
    m_travel->setOverview(*m_overview);
    return m_overview;
}

Page* MainWindow::makeLocksPage()
{
    m_locks = new LocksPage(m_context, this);
    connect(m_locks, &LocksPage::showsInternalChanged, this, [this] { m_servers->setProbes(probes()); });
    return m_locks;
}

void MainWindow::connectActs()
{
    connect(m_pages, &PageStack::pageShown, m_sideBar, &SideBar::setCurrentPage);
    connect(m_acts, &ActRunner::refused, m_statusLine, &StatusLine::say);
    connect(m_acts, &ActRunner::done, this,
        [this](const QString& message, qint64 auditId, const QList<LockTableEntry>& released) {
            m_statusLine->sayDone(message, auditId);
            m_centre->notices().showDone(message, auditId, released);
            // The next key is not to act on the same row again.
            m_pages->current().selectNothing();
            if (session())
                session()->monitor().refreshNow();
        });
    connect(m_acts, &ActRunner::acted, m_recorded, &Recordings::noteAct);
    connect(m_detail, &DetailPane::requestAct, m_acts, &ActRunner::run);
}

void MainWindow::connectHistories()
{
    connect(m_detail, &DetailPane::historyRequested, this, &MainWindow::openHistory);
    connect(m_histories, &Histories::said, m_statusLine, &StatusLine::say);
    connect(m_histories, &Histories::timeTravelRequested, &m_shown->travel(), &TimeTravel::goTo);
    connect(&m_centre->timeBar(), &TimeBar::rangeReportRequested, this, [this] { openRange(false); });
    connect(&m_centre->timeBar(), &TimeBar::clipRequested, this, [this] {
        if (const auto range = m_centre->timeBar().range())
            m_histories->saveClip(range->first, range->second);
    });
    connect(&m_centre->timeBar(), &TimeBar::compareRequested, this, [this] { openRange(true); });
}

/// The detail pane asks the server through these.
void MainWindow::connectQuestions()
{
    auto* asker = new SessionAsker(this);
    connect(asker, &SessionAsker::said, m_statusLine, &StatusLine::say);
    connect(m_shown, &ShownServer::changed, asker, &SessionAsker::forget);
    const auto canAsk = [this] {
        if (const QString reason = m_context.reasonAgainstAsking(); !reason.isEmpty())
            m_statusLine->say(reason);
        return m_context.reasonAgainstAsking().isEmpty() && m_context.server();
    };
    connect(m_detail, &DetailPane::progressRequested, this, [this, asker, canAsk](const Session& session) {
        if (canAsk())
            asker->askProgress(*m_context.server(), session);
    });
    connect(m_detail, &DetailPane::planRequested, this, [this, asker, canAsk](const SessionKey& key) {
        if (canAsk())
            asker->savePlan(*m_context.server(), key);
    });
}

int MainWindow::addPage(const PageName& name, const QString& iconName, std::function<Page*()> make)
{
    const int place = m_pages->add(name, std::move(make));
    const int number = place + 1;
    m_sideBar->addPage(name.title, iconName, WindowKeys::keysOfPage(number).toString());
    m_keys->addPage(name, number);
    return place;
}

void MainWindow::connectPage(Page& page)
{
    keepReadingOrder(page);
    connect(&page, &Page::detailRequested, this, [this] { m_display->setDetailShown(true); });
    connect(&page, &Page::requestAct, m_acts, &ActRunner::run);
    connect(&page, &Page::statusMessage, m_statusLine, &StatusLine::say);
    connect(&page, &Page::historyRequested, this, &MainWindow::openHistory);
    connect(&page, &Page::stopped, this, &MainWindow::finishClosing);
    connect(&page, &Page::countTextChanged, this, [this, &page] {
        if (&page == currentPage())
            m_statusLine->showCount(page.countText());
    });
}

void MainWindow::openRange(bool compares)
{
    if (const auto range = m_centre->timeBar().range())
        m_histories->openRange(range->first, range->second, compares);
    else
        m_statusLine->say(u"Mark a range in the time bar first."_s);
}

/// Opens the history around the time on view.
void MainWindow::openHistory(const record::BiographySubject& subject)
{
    m_histories->openHistory(subject, m_context.serverNow());
}

void MainWindow::connectBars()
{
    m_topBar->setInterval(m_options.interval.value_or(m_preferences.interval)); // of the next server
    connect(m_topBar, &TopBar::serverChosen, this, [this](int row) { openRow(row); });
    connect(m_topBar, &TopBar::pauseToggled, m_shown, &ShownServer::setPaused);
    connect(m_topBar, &TopBar::refreshRequested, m_shown, &ShownServer::refresh);
    connect(m_topBar, &TopBar::intervalChosen, this, [this](milliseconds interval) {
        if (session())
            session()->monitor().setInterval(interval);
        m_options.interval.reset();
        m_preferences.interval = interval;
        m_preferences.save(m_settings);
    });
    connect(m_topBar, &TopBar::searchRequested, m_keys, &WindowKeys::focusFilter);
    connect(m_topBar, &TopBar::detailToggled, m_display, &ServerDisplay::setDetailShown);
    connect(m_topBar, &TopBar::settingsRequested, this, &MainWindow::editPreferences);
    connect(m_sideBar, &SideBar::pageChosen, this, [this](int row) {
        if (row >= 0)
            showPage(m_pages->ids()[row]);
    });
    connect(m_sideBar, &SideBar::serverChosen, this, [this](int row) { openRow(row); });
    connect(m_sideBar, &SideBar::addServerRequested, m_dialogs, &ServerDialogs::add);
    connect(m_sideBar, &SideBar::editServerRequested, m_dialogs, &ServerDialogs::edit);
    connect(m_sideBar, &SideBar::removeServerRequested, m_dialogs, &ServerDialogs::remove);
    connect(m_statusLine, &StatusLine::auditRequested, this,
        [this](qint64 id) { showPage(QStringLiteral("audit"), QStringLiteral("id:%1").arg(id)); });
    connect(m_detail, &DetailPane::subjectChosen, m_pages, &PageStack::follow);
    connect(&m_centre->notices(), &ServerNotices::auditRequested, m_statusLine, &StatusLine::auditRequested);
    connect(&m_centre->notices(), &ServerNotices::installRequested, this,
        [this] { m_acts->run(InstallSchemaAction{}); });
    connectDialogs();
}

/// The list and the menu of the tool bar offer the same.
void MainWindow::addServerActs(QMenu& menu)
{
    menu.addAction(u"Add a server…"_s, m_dialogs, &ServerDialogs::add);
    menu.addAction(
        u"Open a recording or deadlock reports… (Ctrl+O)"_s, m_dialogs, &ServerDialogs::openRecording);
    menu.addAction(u"Open a team's history… (Ctrl+Shift+O)"_s, this, &MainWindow::askForHistory);
    menu.addSeparator();
    menu.addAction(u"Import servers…"_s, m_dialogs, &ServerDialogs::importServers);
    menu.addAction(u"Export servers…"_s, m_dialogs, &ServerDialogs::exportServers);
}

void MainWindow::connectDialogs()
{
    m_topBar->setServerActs([this](QMenu& menu) { addServerActs(menu); });
    m_sideBar->setServerActs([this](QMenu& menu) { addServerActs(menu); });
    connect(&m_centre->start(), &StartPage::tryItHere, this, &MainWindow::tryItHere);
    connect(&m_centre->start(), &StartPage::connectToServer, m_dialogs, &ServerDialogs::add);
    connect(&m_centre->start(), &StartPage::openFile, m_dialogs, &ServerDialogs::openFile);
    connect(m_dialogs, &ServerDialogs::said, m_statusLine, &StatusLine::sayNext);
    connect(m_dialogs, &ServerDialogs::progressed, m_statusLine, &StatusLine::say);
    addKey(
        *this, u"Window"_s, u"Open a team's history"_s, {Qt::CTRL | Qt::SHIFT | Qt::Key_O},
        [this] { askForHistory(); }, Qt::WindowShortcut);
    connect(&m_centre->notices(), &ServerNotices::recordedDismissed, this,
        [this] { m_settings.setValue(recordingAnnounced, true); });
    connect(&m_centre->notices(), &ServerNotices::recordingSettingsRequested, this, [this] {
        if (session() && session()->recorder())
            m_recorded->edit(*session(), *this);
    });
    connect(m_dialogs, &ServerDialogs::recordingChosen, this,
        [this](const QString& path) { openRecording(path); });
    connect(m_dialogs, &ServerDialogs::reportsChosen, this, &MainWindow::openReports);
    connect(m_recordings, &RecordingOpener::opening, this,
        [this](const QString& place) { m_statusLine->say(u"Opening %1…"_s.arg(place)); });
    connect(m_recordings, &RecordingOpener::opened, this, &MainWindow::showRecording);
    addKey(
        *this, u"Window"_s, u"Open a recording, or reports of deadlocks"_s,
        {QKeySequence(QKeySequence::Open)}, [this] { m_dialogs->openRecording(); }, Qt::WindowShortcut);
    connect(
        &m_centre->notices(), &ServerNotices::logInRequested, this, [this] { m_dialogs->logIn(*session()); });
    connect(&m_centre->trouble(), &ConnectionErrorPage::passwordEntered, this,
        [this](const QString& password, bool keep) {
            m_servers->logIn(m_servers->rowOf(session()), password, keep);
        });
    connect(&m_centre->trouble(), &ConnectionErrorPage::retryRequested, this, [this] {
        if (session() && session()->recording())
            openRecording(session()->recording()->place);
        else
            m_shown->refresh();
    });
    connect(&m_centre->trouble(), &ConnectionErrorPage::editRequested, this,
        [this] { m_dialogs->edit(m_servers->rowOf(session())); });
}

void MainWindow::connectServers()
{
    connect(m_servers, &Servers::changed, this, &MainWindow::showServerList);
    connect(m_servers, &Servers::opened, this, [this](ServerSession* session) {
        for (const auto signal : {&ServerSession::snapshotChanged, &ServerSession::healthChanged})
            connect(session, signal, this, [this, session] { showServerRow(session); });
        showServerRow(session);
    });
    connect(m_servers, &Servers::message, m_statusLine, &StatusLine::sayNext);
    connect(m_shown, &ShownServer::changed, this, &MainWindow::showServer);
    connect(m_dialogs, &ServerDialogs::openRequested, this, [this](int row) { openRow(row); });
    connect(m_reopener, &Reopener::due, this, [this](const db::ServerProfile& profile, bool isOnView) {
        const int row = m_servers->rowOf(profile);
        if (row < 0 || m_servers->session(row)) // the user was faster: has removed or opened it
            return;
        // The user may have chosen another one by now, also one that is still to be found.
        if (isOnView && !session() && m_openings == 0)
            openRow(row);
        else
            m_servers->openWhenFound(
                row, [this](int at) { return openOptions(at); }, [](ServerSession*) {});
    });
}

ServerSession* MainWindow::session() const
{
    return m_shown->session();
}

void MainWindow::openServer(const db::ServerProfile& profile, bool demo)
{
    const int row = m_servers->rowFor(profile);
    // The password of the command line is for the server of the command line.
    m_servers->setPasswords(row, m_options.passwords);
    openRow(row, demo);
}

ServerSession::Options MainWindow::openOptions(int row) const
{
    ServerSession::Options options;
    options.passwords = db::defaultPasswords(m_options.keychain);
    options.interval = m_options.interval.value_or(m_preferences.interval);
    options.probes = probes();
    options.recording = m_recorded->of(m_servers->profile(row));
    return options;
}

void MainWindow::openRow(int row, bool demo, const std::function<void()>& then)
{
    const auto optionsOf = [this, demo](int at) {
        ServerSession::Options options = openOptions(at);
        options.demo = demo;
        return options;
    };
    const bool wasOpening = m_servers->isOpening(row);
    m_servers->openWhenFound(row, optionsOf,
        [this, then, opening = ++m_openings, before = QPointer(session())](ServerSession* opened) {
            if (opening != m_openings || before != session())
                return;
            m_shown->show(opened);
            if (then)
                then();
        });
    if (m_servers->session(row))
        return;
    m_statusLine->say((wasOpening ? u"Still opening %1: its disk has not answered yet."_s : u"Opening %1…"_s)
                          .arg(m_servers->profile(row).display()));
    m_sideBar->setCurrentServer(m_servers->rowOf(session())); // a click has marked the other one
}

void MainWindow::reopenServers()
{
    if (!m_preferences.reopen)
        return;
    const QList<db::ServerProfile> before = m_servers->openBefore();
    for (const db::ServerProfile& profile : before)
        m_servers->rowFor(profile); // in the list at once
    if (before.size() == 1)
        return openRow(m_servers->rowFor(before.first()));
    if (!before.isEmpty())
        showPage(u"fleet"_s);
    m_reopener->start(before);
}

void MainWindow::openSession(ServerSession* session)
{
    m_shown->show(m_servers->adopt(session));
}

void MainWindow::tryItHere()
{
    db::ServerProfile profile;
    profile.name = u"Sandbox"_s;
    profile.url.sandbox = true;
    openServer(profile, true);
}

void MainWindow::showServerList()
{
    QList<SideBar::ServerItem> rows;
    for (int row = 0; row < m_servers->count(); ++row)
        rows.append(
            SideBar::ServerItem::of(m_servers->profile(row), m_servers->session(row), m_preferences.ages));
    m_sideBar->setServers(rows);
    showFleet();
    m_sideBar->setCurrentServer(m_servers->rowOf(session()));
    m_topBar->setServerNames(rows);
}

/// A poll of one server concerns its row alone.
void MainWindow::showServerRow(const ServerSession* session)
{
    const int row = m_servers->rowOf(session);
    if (row < 0)
        return;
    const SideBar::ServerItem shown =
        SideBar::ServerItem::of(m_servers->profile(row), session, m_preferences.ages);
    m_sideBar->setServer(row, shown);
    m_topBar->setServerName(row, shown);
    showFleetSoon();
}

void MainWindow::showServer()
{
    const ServerSession* shown = session();
    m_sideBar->setCurrentServer(m_servers->rowOf(shown));
    sayThatItIsRecorded();
    showTitle();
}

bool MainWindow::showPage(const QString& id, const QString& filter)
{
    return m_pages->show(id, filter);
}

void MainWindow::askToReadTable(const UnreadTable& table)
{
    if (const QString reason = m_context.reasonAgainstAsking(); !reason.isEmpty()) {
        m_statusLine->say(reason);
        return;
    }
    askToRead(table, m_context.profile(), *this, [this, table, asked = QPointer(session())] {
        const int row = asked ? m_servers->rowOf(asked) : -1;
        if (row < 0)
            return;
        m_servers->approve(row, {table.schema, table.table, table.owner});
        openRow(row);
    });
}

QStringList MainWindow::pageIds() const
{
    return m_pages->ids();
}

Page* MainWindow::currentPage() const
{
    return &m_pages->current();
}

QString MainWindow::chapterOnView() const
{
    const QWidget* focus = focusWidget();
    const QString ofFocus = focus && focus->isVisible() ? chapterOf(*focus) : QString();
    if (!ofFocus.isEmpty())
        return ofFocus;
    return m_centre->chapterOnView();
}

void MainWindow::applyPreferences(const Preferences& preferences)
{
    const Preferences before = std::exchange(m_preferences, preferences);
    m_preferences.save(m_settings);
    m_context.setThresholds(m_preferences.ages);
    if (m_overview)
        m_overview->setPreferences(m_preferences);
    m_recorded->setPreferences(m_preferences);
    m_notifier->setSounds(m_preferences.alertSound);
    if (m_tray)
        m_tray->setKeepsWindow(m_preferences.keepInTray);
    if (before.theme != m_preferences.theme)
        theme::apply(*qApp, m_preferences.theme);
    if (before.statements != m_preferences.statements || before.maxLocks != m_preferences.maxLocks)
        m_servers->setProbes(probes());
    if (before.interval != m_preferences.interval) {
        if (session())
            session()->monitor().setInterval(m_preferences.interval);
        m_topBar->setInterval(m_preferences.interval);
    }
}

monitor::ProbeSelection MainWindow::probes() const
{
    monitor::ProbeSelection selection;
    selection.statements = m_preferences.statements;
    selection.maxRequests = m_preferences.maxLocks;
    selection.internalLocks = m_locks ? m_locks->showsInternal() : LocksPage::showsInternal(m_settings);
    // Tables of others are read only while their contents are on view.
    selection.frameworkRows =
        QStringList{u"overview"_s, u"blocking"_s, u"lock-table"_s}.contains(m_pages->current().id());
    return selection;
}

void MainWindow::editPreferences()
{
    auto* dialog = deletedOnClose(new SettingsDialog(m_preferences, this, m_options.keychain));
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        if (const auto typed = dialog->historyPassword())
            m_recorded->logIn(*typed);
        applyPreferences(dialog->preferences());
    });
    dialog->open();
}

} // namespace lockscope::ui
