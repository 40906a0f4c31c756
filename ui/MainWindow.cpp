// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/MainWindow.h"

#include "core/base/Duration.h"
#include "ui/StartPage.h"
#include "ui/detail/DetailPane.h"
#include "ui/dialogs/ActRunner.h"
#include "ui/dialogs/ConnectDialog.h"
#include "ui/dialogs/PlanSaver.h"
#include "ui/dialogs/SettingsDialog.h"
#include "ui/help/Chapter.h"
#include "ui/help/Help.h"
#include "ui/pages/AuditPage.h"
#include "ui/pages/BlockingPage.h"
#include "ui/pages/LockTablePage.h"
#include "ui/pages/LocksPage.h"
#include "ui/pages/OverviewPage.h"
#include "ui/pages/ScenariosPage.h"
#include "ui/pages/SessionsPage.h"
#include "ui/shell/ConnectionErrorPage.h"
#include "ui/shell/Servers.h"
#include "ui/shell/SideBar.h"
#include "ui/shell/StatusLine.h"
#include "ui/shell/TopBar.h"
#include "ui/widgets/KeyAction.h"
#include "ui/widgets/NoticeBar.h"

#include <QAbstractButton>
#include <QApplication>
#include <QCloseEvent>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using monitor::Health;
using namespace std::chrono_literals;

namespace {

/// A server that hangs must not keep the window open; what is left there the next run removes.
constexpr auto longestClosing = 5s;
constexpr int pagesIndex = 2; ///< of the centre

} // namespace

MainWindow::MainWindow(QSettings& settings, Options options, QWidget* parent)
    : QMainWindow(parent)
    , m_settings(settings)
    , m_options(std::move(options))
    , m_preferences(Preferences::load(settings))
    , m_context(settings)
    , m_servers(new Servers(settings, m_options.readOnly, m_options.keychain, this))
    , m_topBar(new TopBar(this))
    , m_sideBar(new SideBar(this))
    , m_statusLine(new StatusLine(this))
    , m_healthBar(new NoticeBar(NoticeBar::Shape::Strip, this))
    , m_limitationBar(new NoticeBar(NoticeBar::Shape::Strip, this))
    , m_centre(new QStackedWidget(this))
    , m_start(new StartPage(this))
    , m_trouble(new ConnectionErrorPage(this))
    , m_pageStack(new QStackedWidget(this))
    , m_detail(new DetailPane(m_context, this))
    , m_splitter(new QSplitter(Qt::Horizontal, this))
    , m_acts(new ActRunner(m_context, this))
    , m_help(new Help(settings, *this, [this] { return chapterOnView(); }))
{
    setWindowTitle(u"Lockscope"_s);
    setWindowIcon(theme::icon(QStringLiteral("lockscope")));
    m_context.setThresholds(m_preferences.ages);
    m_healthBar->setObjectName(QStringLiteral("healthBar"));
    m_limitationBar->setObjectName(QStringLiteral("limitationBar"));

    auto* pages = new QWidget(this);
    auto* column = new QVBoxLayout(pages);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_healthBar);
    column->addWidget(m_limitationBar);
    column->addWidget(m_pageStack, 1);
    // The widest of the hidden pages must not keep the window from fitting a small screen.
    m_pageStack->setMinimumWidth(560);
    m_centre->addWidget(m_start);
    m_centre->addWidget(m_trouble);
    m_centre->addWidget(pages);
    m_splitter->addWidget(m_sideBar);
    m_splitter->addWidget(m_centre);
    m_splitter->addWidget(m_detail);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(1);
    setCentralWidget(m_splitter);
    addToolBar(m_topBar);
    m_topBar->setHelpMenu(m_help->menu());
    connect(m_help, &Help::tourRequested, this, [this] {
        showPage(QStringLiteral("scenarios"), QStringLiteral("tour"));
        if (!m_session)
            m_statusLine->say(u"The tour needs a server. “Try it here” starts one of its own."_s);
    });
    setChapter(*m_start, QStringLiteral("getting-started.md"));
    setChapter(*m_trouble, QStringLiteral("connecting.md#when-it-fails"));
    setChapter(*m_detail, QStringLiteral("window.md#the-detail-pane"));
    setStatusBar(m_statusLine);

    addPages();
    connectBars();
    connectServers();
    addShortcuts();
    restoreLayout();
    m_ageTimer.setInterval(500ms);
    connect(&m_ageTimer, &QTimer::timeout, this, [this] {
        showClock();
        if (m_session && m_session->isOld())
            showHealth();
    });
    m_ageTimer.start();
    showSession(nullptr);
    showServerList();
}

MainWindow::~MainWindow()
{
    // The pages may be asked by their models until the end: no server from here on.
    showSession(nullptr);
}

void MainWindow::addPages()
{
    m_overview = new OverviewPage(m_context, this);
    m_overview->setPreferences(m_preferences);
    addPage(m_overview, QStringLiteral("overview"));
    addPage(new BlockingPage(m_context, this), QStringLiteral("blocking"));
    m_locks = new LocksPage(m_context, this);
    connect(m_locks, &LocksPage::showsInternalChanged, this, [this] { m_servers->setProbes(probes()); });
    addPage(m_locks, QStringLiteral("locks"));
    addPage(new LockTablePage(m_context, this), QStringLiteral("lock-table"));
    addPage(new SessionsPage(m_context, this), QStringLiteral("sessions"));
    m_scenarios = new ScenariosPage(m_context, this);
    addPage(m_scenarios, QStringLiteral("scenarios"));
    connect(m_scenarios, &ScenariosPage::stopped, this, [this] {
        if (std::exchange(m_isClosing, false))
            close();
    });
    auto* audit = new AuditPage(m_context, this);
    addPage(audit, QStringLiteral("audit"));
    connect(m_acts, &ActRunner::refused, this, [this](const QString& reason) { m_statusLine->say(reason); });
    connect(m_acts, &ActRunner::done, this, [this, audit](const QString& message, qint64 auditId) {
        m_statusLine->say(message, auditId);
        audit->reload();
        if (m_session)
            m_session->monitor().refreshNow();
    });
    connect(m_detail, &DetailPane::requestAct, m_acts, &ActRunner::run);
    auto* plans = new PlanSaver(this);
    connect(plans, &PlanSaver::said, this, [this](const QString& text) { m_statusLine->say(text); });
    connect(m_detail, &DetailPane::planRequested, this, [this, plans](const SessionKey& session) {
        if (m_context.server())
            plans->save(*m_context.server(), session);
    });
}

void MainWindow::addPage(Page* page, const QString& iconName)
{
    m_pages.append(page);
    m_pageStack->addWidget(page);
    const int number = static_cast<int>(m_pages.size());
    m_sideBar->addPage(page->title(), iconName, u"Ctrl+%1"_s.arg(number));
    addWindowKey(u"Page %1"_s.arg(page->title()), Qt::CTRL | static_cast<Qt::Key>(Qt::Key_0 + number),
        [this, page] { showPage(page->id()); });

    connect(page, &Page::selectionDetail, m_detail, &DetailPane::setSubject);
    connect(page, &Page::detailRequested, this, [this] { setDetailShown(true); });
    connect(page, &Page::openPage, this, &MainWindow::showPage);
    connect(page, &Page::showSubject, this, [this](const QString& id, const DetailSubject& subject) {
        showPage(id);
        // What is asked for must not stay behind a filter of another time.
        if (!currentPage()->reveal(subject)) {
            currentPage()->setFilter({});
            currentPage()->reveal(subject);
        }
    });
    connect(page, &Page::requestAct, m_acts, &ActRunner::run);
    connect(page, &Page::statusMessage, this, [this](const QString& text) { m_statusLine->say(text); });
    connect(page, &Page::countTextChanged, this, [this, page] {
        if (page == currentPage())
            m_statusLine->showCount(page->countText());
    });
}

void MainWindow::connectBars()
{
    connect(m_topBar, &TopBar::serverChosen, this, &MainWindow::openRow);
    connect(m_topBar, &TopBar::addServerRequested, this, [this] { editServer(-1); });
    connect(m_topBar, &TopBar::pauseToggled, this, [this](bool paused) {
        if (m_session)
            m_session->monitor().setPaused(paused);
    });
    connect(m_topBar, &TopBar::refreshRequested, this, [this] {
        if (m_session)
            m_session->monitor().refreshNow();
    });
    connect(m_topBar, &TopBar::intervalChosen, this, [this](milliseconds interval) {
        if (m_session)
            m_session->monitor().setInterval(interval);
        m_options.interval.reset();
        m_preferences.interval = interval;
        m_preferences.save(m_settings);
    });
    connect(m_topBar, &TopBar::searchRequested, this, &MainWindow::focusFilter);
    connect(m_topBar, &TopBar::detailToggled, this, &MainWindow::setDetailShown);
    connect(m_topBar, &TopBar::settingsRequested, this, &MainWindow::editPreferences);
    connect(m_sideBar, &SideBar::pageChosen, this, [this](int row) {
        if (row >= 0)
            showPage(m_pages[row]->id());
    });
    connect(m_sideBar, &SideBar::serverChosen, this, &MainWindow::openRow);
    connect(m_sideBar, &SideBar::addServerRequested, this, [this] { editServer(-1); });
    connect(m_sideBar, &SideBar::editServerRequested, this, &MainWindow::editServer);
    connect(m_sideBar, &SideBar::removeServerRequested, this, &MainWindow::removeServer);
    connect(m_statusLine, &StatusLine::auditRequested, this,
        [this](qint64 id) { showPage(QStringLiteral("audit"), QStringLiteral("id:%1").arg(id)); });
    connect(m_detail, &DetailPane::subjectChosen, this, [this](const DetailSubject& subject) {
        m_detail->setSubject(subject);
        currentPage()->reveal(subject);
    });
    connect(
        m_limitationBar, &NoticeBar::actionTriggered, this, [this] { m_acts->run(InstallSchemaAction{}); });
    connect(m_start, &StartPage::tryItHere, this, &MainWindow::tryItHere);
    connect(m_start, &StartPage::connectToServer, this, [this] { editServer(-1); });
    connect(m_start, &StartPage::openLockFile, this, &MainWindow::openLockFile);
    connect(m_trouble, &ConnectionErrorPage::retryRequested, this, [this] {
        if (m_session)
            m_session->monitor().refreshNow();
    });
    connect(m_trouble, &ConnectionErrorPage::editRequested, this,
        [this] { editServer(m_servers->rowOf(m_session)); });
}

void MainWindow::connectServers()
{
    connect(m_servers, &Servers::changed, this, &MainWindow::showServerList);
    connect(m_servers, &Servers::message, this, [this](const QString& text) { m_statusLine->say(text); });
    connect(m_servers, &Servers::snapshotChanged, this, [this](ServerSession* session) {
        if (session == m_session)
            showSnapshot();
    });
    connect(m_servers, &Servers::healthChanged, this, [this](ServerSession* session) {
        if (session == m_session)
            showHealth();
    });
    connect(m_servers, &Servers::aboutToClose, this, [this](ServerSession* session) {
        if (session == m_session)
            showSession(nullptr);
    });
}

void MainWindow::addWindowKey(const QString& text, const QKeySequence& keys, std::function<void()> act)
{
    addKey(*this, u"Window"_s, text, {keys}, std::move(act), Qt::WindowShortcut);
}

void MainWindow::addShortcuts()
{
    addWindowKey(u"Pause, resume"_s, Qt::Key_Space, [this] {
        // A focused button keeps its own key.
        if (auto* button = qobject_cast<QAbstractButton*>(focusWidget()))
            button->click();
        else if (m_session)
            m_session->monitor().setPaused(!m_session->monitor().isPaused());
    });
    addWindowKey(u"Ask the server now"_s, Qt::Key_F5, [this] {
        if (m_session)
            m_session->monitor().refreshNow();
    });
    addWindowKey(u"Filter the rows"_s, QKeySequence::Find, [this] { focusFilter(); });
    addWindowKey(u"Show or hide the detail pane"_s, Qt::CTRL | Qt::Key_D,
        [this] { setDetailShown(!m_topBar->isDetailShown()); });
    addWindowKey(u"Export all rows on view"_s, Qt::CTRL | Qt::SHIFT | Qt::Key_E, [this] {
        if (currentPage()->canExportCsv())
            currentPage()->exportCsv();
        else
            m_statusLine->say(u"This page has no rows to export."_s);
    });
}

void MainWindow::openServer(const db::ServerProfile& profile, bool demo)
{
    const int row = m_servers->rowFor(profile);
    ServerSession::Options options;
    options.passwords = m_options.passwords;
    options.interval = m_options.interval.value_or(m_preferences.interval);
    options.probes = probes();
    options.demo = demo;
    showSession(m_servers->open(row, options));
}

void MainWindow::openSession(ServerSession* session)
{
    showSession(m_servers->adopt(session));
}

void MainWindow::openRow(int row)
{
    openServer(m_servers->profile(row));
}

void MainWindow::showSession(ServerSession* session)
{
    if (m_session == session && session)
        return;
    m_session = session;
    m_context.setServer(session ? session->profile() : db::ServerProfile(),
        session ? &session->monitor() : nullptr, session ? session->admin() : nullptr);
    m_context.setServerToAsk(session ? session->server() : std::nullopt);
    m_context.heldLocks().setFactory(session && session->admin()
            ? [session](const locks::LockOptions& lock) { return session->makeLock(lock); }
            : HeldLocks::Factory());
    m_overview->setHistory(session ? &session->history() : nullptr);
    m_scenarios->setServer(m_context.server());
    for (Page* page : std::as_const(m_pages))
        page->showSnapshot(nullptr);
    m_detail->showSnapshot(nullptr);
    m_statusLine->clearServer();
    m_limitationBar->clear();
    m_topBar->setEnabledForServer(session != nullptr);
    m_sideBar->setCurrentServer(m_servers->rowOf(session));
    if (session) {
        m_topBar->setInterval(session->monitor().interval());
        setWindowTitle(u"%1 – Lockscope"_s.arg(session->profile().display()));
        if (session->monitor().snapshot())
            showSnapshot();
    } else {
        setWindowTitle(u"Lockscope"_s);
    }
    setDetailShown(m_topBar->isDetailShown());
    showHealth();
}

void MainWindow::showServerList()
{
    QList<SideBar::Server> rows;
    for (int row = 0; row < m_servers->count(); ++row) {
        const ServerSession* session = m_servers->session(row);
        const QString name = m_servers->profile(row).display();
        rows.append(session ? SideBar::Server{name, healthWord(session->monitor().health()),
                        healthLevel(session->monitor().health()), true}
                            : SideBar::Server{name, u"Not open"_s, AgeLevel::Normal, false});
    }
    m_sideBar->setServers(rows);
    m_sideBar->setCurrentServer(m_servers->rowOf(m_session));
    m_topBar->setServerNames(rows);
}

void MainWindow::showSnapshot()
{
    const SnapshotPtr snapshot = m_session->monitor().snapshot();
    m_context.noteSnapshot(*snapshot);
    m_statusLine->showCost(
        snapshot->cost, m_session->monitor().effectiveInterval(), m_session->monitor().interval());
    m_statusLine->showRights(snapshot->limitations);
    showHealth();
    showCurrentPage();
    if (m_detail->isVisible())
        m_detail->showSnapshot(snapshot);
    showClock();
    Q_EMIT snapshotShown();
}

void MainWindow::showCurrentPage()
{
    if (!m_session || !m_session->monitor().snapshot())
        return;
    // Only the page on view gets snapshots: a hidden one costs nothing.
    Page* page = currentPage();
    page->showSnapshot(m_session->monitor().snapshot());
    m_statusLine->showCount(page->countText());
    showLimitations();
}

void MainWindow::showHealth()
{
    if (!m_session) {
        m_centre->setCurrentWidget(m_start);
        m_healthBar->clear();
        return;
    }
    const monitor::ServerMonitor& monitor = m_session->monitor();
    const Health health = monitor.health();
    const QString name = m_session->profile().display();
    const auto error = monitor.lastError();
    m_context.setClockStopped(m_session->isOld());
    m_topBar->setPaused(monitor.isPaused());
    m_topBar->showServer(name, healthWord(health), healthLevel(health));
    if (!monitor.snapshot()) {
        m_centre->setCurrentWidget(m_trouble);
        if (health == Health::Silent)
            m_trouble->showSilent(name);
        else if (error)
            m_trouble->showError(name, *error);
        else
            m_trouble->showConnecting(name, m_session->profile().url.sandbox);
        return;
    }
    m_centre->setCurrentIndex(pagesIndex);
    const milliseconds age = m_session->dataAge();
    currentPage()->showHealth(health, error, age);
    const QString asOf = u"As of %1 ago"_s.arg(formatDuration(age));
    if (health == Health::Silent)
        m_healthBar->say({AgeLevel::Red, u"%1: the server does not answer."_s.arg(asOf), {}, {}, {}});
    else if (health == Health::Failed && error)
        m_healthBar->say({AgeLevel::Red, u"%1: %2"_s.arg(asOf, error->what), {}, {}, error->toString()});
    else if (health == Health::Paused)
        m_healthBar->say(
            {AgeLevel::Amber, u"%1: paused. Space resumes, F5 polls once."_s.arg(asOf), {}, {}, {}});
    else
        m_healthBar->clear();
    showClock();
}

void MainWindow::showClock()
{
    if (!m_session || !m_session->monitor().snapshot())
        return;
    const Health health = m_session->monitor().health();
    const QString time = m_context.serverNow().toIsoString().mid(11, 8);
    m_topBar->showClock(healthWord(health).toUpper(), healthLevel(health), time);
}

void MainWindow::showLimitations()
{
    const SnapshotPtr snapshot = m_session->monitor().snapshot();
    const QString page = currentPage()->id();
    const bool aboutTables = page == QLatin1String("lock-table") || page == QLatin1String("overview");
    QList<Limitation> relevant;
    for (const Limitation& limitation : snapshot->limitations) {
        const bool ofTables = limitation.kind == Limitation::Kind::MissingSchema;
        // An empty lock-table page says it itself.
        const bool said = page == QLatin1String("lock-table") && snapshot->entries.empty();
        if (page != QLatin1String("audit") && (!ofTables || (aboutTables && !said)))
            relevant.append(limitation);
    }
    if (relevant.isEmpty()) {
        m_limitationBar->clear();
        return;
    }
    QStringList all;
    for (const Limitation& limitation : std::as_const(relevant))
        all << limitation.what + QLatin1Char(' ') + limitation.remedy;
    QString text = relevant.first().what;
    if (relevant.size() > 1)
        text += u" And %1 more."_s.arg(static_cast<int>(relevant.size()) - 1);
    const Limitation::Kind kind = relevant.first().kind;
    // Only these are cured by a statement that one can copy.
    const bool isStatement =
        kind == Limitation::Kind::MissingPermission || kind == Limitation::Kind::MissingSchema;
    const QString remedy = relevant.first().remedy;
    m_limitationBar->say({kind == Limitation::Kind::Failed ? AgeLevel::Amber : AgeLevel::Normal,
        isStatement ? text : (text + QLatin1Char(' ') + remedy).trimmed(), {},
        isStatement ? remedy : QString(), all.join(QLatin1Char('\n'))});
    if (kind == Limitation::Kind::MissingSchema)
        m_limitationBar->setAction(u"Install schema…"_s, m_context.reasonAgainstActing());
    else
        m_limitationBar->setAction({});
}

bool MainWindow::showPage(const QString& id, const QString& filter)
{
    for (qsizetype row = 0; row < m_pages.size(); ++row) {
        if (m_pages[row]->id().compare(id, Qt::CaseInsensitive) != 0)
            continue;
        m_pageStack->setCurrentIndex(static_cast<int>(row));
        m_sideBar->setCurrentPage(static_cast<int>(row));
        if (!filter.isEmpty())
            m_pages[row]->setFilter(filter);
        m_topBar->setReasonAgainstFilter(m_pages[row]->reasonAgainstFilter());
        m_statusLine->showCount(m_pages[row]->countText());
        setDetailShown(m_topBar->isDetailShown());
        showCurrentPage();
        showHealth();
        return true;
    }
    return false;
}

QStringList MainWindow::pageIds() const
{
    QStringList ids;
    for (const Page* page : m_pages)
        ids << page->id();
    return ids;
}

Page* MainWindow::currentPage() const
{
    return m_pages[m_pageStack->currentIndex()];
}

QString MainWindow::chapterOnView() const
{
    const QWidget* focus = focusWidget();
    const QString ofFocus = focus && focus->isVisible() ? chapterOf(*focus) : QString();
    if (!ofFocus.isEmpty())
        return ofFocus;
    const bool showsPage = m_centre->currentIndex() == pagesIndex;
    return chapterOf(showsPage ? *currentPage() : *m_centre->currentWidget());
}

void MainWindow::focusFilter()
{
    if (const QString reason = currentPage()->reasonAgainstFilter(); !reason.isEmpty())
        m_statusLine->say(reason);
    else
        currentPage()->focusFilter();
}

void MainWindow::setDetailShown(bool shown)
{
    m_topBar->setDetailShown(shown);
    m_detail->setVisible(shown && m_session && currentPage()->hasDetail());
    if (m_detail->isVisible() && m_session)
        m_detail->showSnapshot(m_session->monitor().snapshot());
}

void MainWindow::applyPreferences(const Preferences& preferences)
{
    const Preferences before = std::exchange(m_preferences, preferences);
    m_preferences.save(m_settings);
    m_context.setThresholds(m_preferences.ages);
    m_overview->setPreferences(m_preferences);
    if (before.theme != m_preferences.theme)
        theme::apply(*qApp, m_preferences.theme);
    if (before.statements != m_preferences.statements || before.mostLocks != m_preferences.mostLocks)
        m_servers->setProbes(probes());
    if (before.interval != m_preferences.interval && m_session) {
        m_session->monitor().setInterval(m_preferences.interval);
        m_topBar->setInterval(m_preferences.interval);
    }
}

monitor::ProbeSelection MainWindow::probes() const
{
    monitor::ProbeSelection selection;
    selection.statements = m_preferences.statements;
    selection.maxRequests = m_preferences.mostLocks;
    selection.internalLocks = m_locks->showsInternal();
    return selection;
}

void MainWindow::tryItHere()
{
    db::ServerProfile profile;
    profile.name = u"Sandbox"_s;
    profile.url.sandbox = true;
    openServer(profile, true);
}

void MainWindow::openLockFile()
{
    auto* dialog = new QFileDialog(this, u"Open a lock file"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        db::ServerProfile profile;
        profile.url.engine = Engine::Sqlite;
        profile.url.database = QFileInfo(file).absoluteFilePath();
        openServer(profile);
    });
    dialog->open();
}

void MainWindow::editServer(int row)
{
    const db::ServerProfile before = row >= 0 ? m_servers->profile(row) : db::ServerProfile();
    auto* dialog = new ConnectDialog(before, this, m_options.keychain);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, before] {
        const auto profile = dialog->profile();
        if (!profile)
            return;
        int at = -1;
        for (int i = 0; i < m_servers->count(); ++i) {
            if (m_servers->profile(i) == before)
                at = i;
        }
        if (at >= 0) {
            m_servers->replace(at, *profile);
        } else {
            m_servers->add(*profile);
            at = m_servers->count() - 1;
        }
        m_servers->setPasswords(at, dialog->passwords());
        m_servers->keepPassword(at, dialog->newPassword());
        openRow(at);
    });
    dialog->open();
}

void MainWindow::removeServer(int row)
{
    auto* question = new QMessageBox(QMessageBox::Question, u"Remove from the list"_s,
        u"Remove “%1” from the list? Nothing on the server changes."_s.arg(m_servers->profile(row).display()),
        QMessageBox::NoButton, this);
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->addButton(u"Remove"_s, QMessageBox::AcceptRole);
    question->addButton(QMessageBox::Cancel);
    connect(question, &QMessageBox::buttonClicked, this, [this, question, row](QAbstractButton* button) {
        if (question->buttonRole(button) == QMessageBox::AcceptRole && row < m_servers->count())
            m_servers->remove(row);
    });
    question->open();
}

void MainWindow::editPreferences()
{
    auto* dialog = new SettingsDialog(m_preferences, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { applyPreferences(dialog->preferences()); });
    dialog->open();
}

void MainWindow::restoreLayout()
{
    resize(1280, 800);
    restoreGeometry(m_settings.value(QStringLiteral("window/geometry")).toByteArray());
    m_splitter->setSizes({176, 838, 266});
    m_splitter->restoreState(m_settings.value(QStringLiteral("window/splitter")).toByteArray());
    m_topBar->setDetailShown(m_settings.value(QStringLiteral("window/detail"), true).toBool());
    if (!showPage(m_settings.value(QStringLiteral("window/page")).toString()))
        showPage(m_pages.first()->id());
}

void MainWindow::saveLayout()
{
    m_settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    if (m_session)
        m_settings.setValue(QStringLiteral("window/splitter"), m_splitter->saveState());
    m_settings.setValue(QStringLiteral("window/detail"), m_topBar->isDetailShown());
    m_settings.setValue(QStringLiteral("window/page"), currentPage()->id());
    for (Page* page : std::as_const(m_pages))
        page->saveLayout();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    saveLayout();
    if (m_scenarios->isRunning() && !m_isClosing) {
        // Its sessions are to end and its tables to go while there is a program to see to it.
        m_isClosing = true;
        event->ignore();
        setEnabled(false);
        m_statusLine->say(u"Stopping the scenario…"_s);
        m_scenarios->stop();
        QTimer::singleShot(longestClosing, this, &MainWindow::close);
        return;
    }
    m_isClosing = false;
    QMainWindow::closeEvent(event);
}

} // namespace lockscope::ui
