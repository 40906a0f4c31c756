// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/IncidentsPage.h"

#include "core/base/Sentences.h"
#include "core/watch/AlertTables.h"
#include "ui/kit/tables/ReportTable.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/incidents/IncidentView.h"
#include "ui/views/incidents/MuteDialog.h"
#include "ui/views/page/AppContext.h"

#include <QBoxLayout>
#include <QButtonGroup>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QToolButton>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

const QString mutesLayoutKey = u"pages/incidents/mutes"_s;
const QString recordedLayoutKey = u"pages/incidents/recorded"_s;

} // namespace

IncidentsPage::IncidentsPage(AppContext& context, IncidentBook& book, QWidget* parent)
    : TablePage(pageName, context, parent)
    , m_book(book)
    , m_model(new ReportModel(watch::incidentsSection({})))
    , m_mutes(new ReportTable(u"mutes"_s, u"Mutes"_s, watch::mutesSection({}), this))
    , m_lists(new QStackedWidget)
    , m_views(new QButtonGroup(this))
    , m_rules(new RuleFileViews(context, book))
    , m_recorded(new RecordedIncidentsView)
    , m_incident(new IncidentView(context))
    , m_pending(named("pendingAlerts", faint(plain(new QLabel))))
    , m_server(named("incidentServer", u"Server"_s, new QComboBox))
    , m_firingOnly(named("firingOnly", new QCheckBox(u"&Firing only"_s)))
{
    setUp(m_model);
    arrange();
    connectParts();
    showList();
}

void IncidentsPage::arrange()
{
    m_server->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_server->setMinimumContentsLength(8);
    m_firingOnly->setToolTip(u"Leaves out those that are over"_s);
    addControl(m_server);
    addControl(m_firingOnly);
    addViewButton(Incidents, u"&Incidents"_s,
        u"Incidents that fire, and those that were resolved in the last 7 days"_s);
    addViewButton(
        Mutes, u"M&utes"_s, u"Mutes that are in force, and those that ended within the last week"_s);
    addViewButton(Rules, u"&Rules"_s,
        u"The rules that find incidents, the channels that send them, maintenance windows"_s);
    addViewButton(
        Recorded, u"Rec&orded"_s, u"Incidents in the recording on view, those of other programs, too"_s);
    m_views->button(Recorded)->hide();
    m_views->button(Incidents)->setChecked(true);
    m_acknowledge = addActButton(u"&Acknowledge…"_s, u"Says that you know of it, and why it goes on"_s);
    m_mute = addActButton(u"&Mute…"_s, u"Keeps it, its rule, program or server quiet, as long as you say"_s);
    m_unmute = addActButton(u"&Unmute"_s, u"Ends the mute"_s);
    for (QPushButton* const each : {m_mute, m_unmute}) // one stands in the place of the other
        each->setMinimumWidth(std::max(m_mute->sizeHint().width(), m_unmute->sizeHint().width()));
    for (QWidget* const each : std::initializer_list<QWidget*>{m_server, m_firingOnly, m_acknowledge})
        keepPlace(*each, true);
    m_mutes->restoreLayout(context().settings(), mutesLayoutKey);
    m_rules->restoreLayout(context().settings());
    m_recorded->restoreLayout(context().settings(), recordedLayoutKey);
    divideView(m_lists, m_incident);
    m_lists->addWidget(&view());
    m_lists->addWidget(m_mutes);
    m_lists->addWidget(m_rules);
    m_lists->addWidget(m_recorded);
    m_pending->setContentsMargins(8, 2, 8, 2);
    m_pending->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_pending->hide();
    layout()->addWidget(m_pending);
}

/// The place of what comes and goes is kept, so that buttons and rows stay under the mouse.
void IncidentsPage::keepPlace(QWidget& widget, bool keeps)
{
    QSizePolicy policy = widget.sizePolicy();
    policy.setRetainSizeWhenHidden(keeps);
    widget.setSizePolicy(policy);
}

void IncidentsPage::addViewButton(View view, const QString& text, const QString& tip)
{
    QToolButton* button = flatButton(text, tip);
    button->setCheckable(true);
    button->setFocusPolicy(Qt::TabFocus);
    m_views->addButton(button, view);
    addControl(button);
}

void IncidentsPage::connectParts()
{
    connect(&m_book, &IncidentBook::changed, this, &IncidentsPage::showList);
    connect(&m_book, &IncidentBook::done, this, [this](const QString& message) {
        m_failure.reset();
        showTrouble();
        Q_EMIT statusMessage(message);
    });
    connect(&m_book, &IncidentBook::failed, this, [this](const Error& error) {
        m_failure = error;
        showTrouble();
    });
    connect(m_server, &QComboBox::currentIndexChanged, this, &IncidentsPage::showList);
    connect(m_firingOnly, &QCheckBox::toggled, this, &IncidentsPage::showList);
    connect(m_views, &QButtonGroup::idClicked, this, [this](int view) { showView(View(view)); });
    connect(m_rules, &RuleFileViews::timeTravelRequested, this, &IncidentsPage::showPast);
    connect(m_acknowledge, &QPushButton::clicked, this, &IncidentsPage::acknowledge);
    connect(m_mute, &QPushButton::clicked, this, &IncidentsPage::mute);
    connect(m_unmute, &QPushButton::clicked, this, &IncidentsPage::unmute);
    connect(m_mutes, &TableView::currentRowChanged, this, &IncidentsPage::updateActs);
    connect(m_mutes, &TableView::statusMessage, this, &Page::statusMessage);
    connect(&view(), &TableView::currentRowChanged, this, &IncidentsPage::showChosen);
    connect(m_recorded, &RecordedIncidentsView::changed, this, [this] {
        showTrouble();
        showChosen();
    });
    connect(m_recorded, &TableView::statusMessage, this, &Page::statusMessage);
    connect(m_incident, &IncidentView::endRequested, this,
        [this](const Session& session) { Q_EMIT requestAct(EndSessionAction{session}); });
    connect(m_incident, &IncidentView::cancelRequested, this,
        [this](const Session& session) { Q_EMIT requestAct(CancelStatementAction{session}); });
    connect(m_incident, &IncidentView::statusMessage, this, &Page::statusMessage);
    connect(m_incident, &IncidentView::timeTravelRequested, this, &IncidentsPage::showPast);
    for (const auto signal : {&AppContext::serverChanged, &AppContext::pastTimeChanged})
        connect(&context(), signal, this, &IncidentsPage::showHead);
}

const alert::Incident* IncidentsPage::chosen() const
{
    const int row = view().currentViewRow();
    return row < 0 ? nullptr : std::any_cast<alert::Incident>(&m_model->rowAt(row).about);
}

const alert::Mute* IncidentsPage::chosenMute() const
{
    return m_mutes->chosen<alert::Mute>();
}

/// Servers come and go with their incidents; the chosen one stays.
void IncidentsPage::showServers()
{
    QStringList servers{u"All servers"_s};
    const QString chosen = m_server->currentIndex() > 0 ? m_server->currentText() : QString();
    if (!chosen.isEmpty())
        servers << chosen;
    if (m_book.list())
        for (const alert::Incident& each : m_book.list()->incidents.all)
            servers << each.cause.server;
    servers.removeDuplicates();
    std::sort(servers.begin() + 1, servers.end());
    QStringList shown;
    for (int i = 0; i < m_server->count(); ++i)
        shown << m_server->itemText(i);
    if (shown == servers)
        return;
    const QSignalBlocker quiet(m_server);
    m_server->clear();
    m_server->addItems(servers);
    m_server->setCurrentIndex(std::max(0, m_server->findText(chosen)));
}

void IncidentsPage::showServer(const QString& server)
{
    showView(Incidents);
    if (m_server->findText(server) < 0)
        m_server->addItem(server); // it stays as long as it is chosen
    m_server->setCurrentIndex(m_server->findText(server));
}

void IncidentsPage::showList()
{
    showServers();
    const IncidentListPtr& list = m_book.list();
    QList<alert::Incident> incidents = list ? list->incidents.all : QList<alert::Incident>();
    const QString server = m_server->currentIndex() > 0 ? m_server->currentText() : QString();
    incidents.removeIf([&](const alert::Incident& each) {
        return (!server.isEmpty() && each.cause.server != server)
            || (m_firingOnly->isChecked() && !each.isFiring());
    });
    const QList<alert::Mute> mutes = list ? list->mutes : QList<alert::Mute>();
    m_model->show(watch::incidentsSection(incidents, mutes));
    m_mutes->showRows(watch::mutesSection(mutes));
    const auto inForce =
        std::ranges::count_if(mutes, [](const alert::Mute& each) { return !each.ended.isValid(); });
    m_views->button(Mutes)->setText(inForce > 0 ? u"M&utes (%1)"_s.arg(inForce) : u"M&utes"_s);
    const auto unread = m_book.unreadText().value_or(IncidentBook::UnreadText{u"Nothing is muted"_s,
        u"Mute… at an incident keeps its cause, rule, program or server quiet for a while. Mutes stand here, with who made them and why, and for a week after their end."_s});
    m_mutes->setEmptyState(unread.title, unread.hint);
    m_rules->show(list);
    showTrouble();
    view().setFaded(m_book.error() && list);
    updateEmptyState();
    view().setColumnEmpty(
        u"handling"_s, !std::ranges::any_of(incidents, [&mutes](const alert::Incident& each) {
            return !each.acknowledgedBy.isEmpty() || alert::muteOf(mutes, each);
        }));
    if (view().currentViewRow() < 0 && !incidents.isEmpty())
        view().selectRow(0);
    showChosen();
    Q_EMIT countTextChanged();
}

/// The worst first: that the list can't be read or written, that an own change was not made, that rules are
/// not used.
void IncidentsPage::showTrouble()
{
    const IncidentListPtr& list = m_book.list();
    const auto rulesError = list ? list->rulesError : std::nullopt;
    const auto say = [this](const Error& error, AgeLevel level, const QString& more) {
        notice().say(
            {.level = level, .text = error.what, .detail = sentences({error.detail, error.hint, more})});
    };
    if (m_book.error())
        say(*m_book.error(), AgeLevel::Red, u"The list of this account may be out of date."_s);
    else if (m_watchError && m_watchError != rulesError) // else it is the rules file's
        say(*m_watchError, AgeLevel::Red, u"New incidents are not kept."_s);
    else if (m_failure)
        say(*m_failure, AgeLevel::Red, {});
    else if (shownView() == Recorded && !m_recorded->missing().isEmpty())
        notice().say({.level = AgeLevel::Amber,
            .text = u"Incidents, or their ends, may be missing in this list."_s,
            .detail = sentences(m_recorded->missing())});
    else if (rulesError)
        say(*rulesError, AgeLevel::Amber, u"The rules of that file are not used."_s);
    else
        notice().clear();
}

void IncidentsPage::setWatchError(const std::optional<Error>& error)
{
    m_watchError = error;
    showTrouble();
}

void IncidentsPage::setPending(const QList<alert::PendingAlert>& pending)
{
    m_pending->setText(pendingText(pending));
    m_pending->setToolTip(pendingList(pending));
    m_pending->setVisible(shownView() == Incidents && !pending.isEmpty());
}

void IncidentsPage::showChosen()
{
    if (const FoundIncident* found =
            shownView() == Recorded ? m_recorded->chosen<FoundIncident>() : nullptr) {
        m_pastReadOf.reset(); // the view forgets that of the own one
        m_incident->setVisible(true);
        m_incident->showRecorded(*found);
        return updateActs();
    }
    const alert::Incident* incident = chosen();
    QStringList advice;
    for (const QString& name : incident ? incident->rules() : QStringList())
        if (const alert::Rule* rule = m_book.list()->rules.rule(name))
            advice << rule->text;
    m_incident->setVisible(incident && shownView() == Incidents);
    m_incident->show(incident ? std::optional(*incident) : std::nullopt, advice);
    readPast();
    showHead();
    updateActs();
}

/// Once for each incident and list.
void IncidentsPage::readPast()
{
    const alert::Incident* incident = chosen();
    if (!incident || !isVisible() || shownView() == Recorded) // there the answer would be dropped
        return;
    if (m_pastReadOf == m_book.list() && m_pastOf == incident->id)
        return;
    m_pastReadOf = m_book.list();
    m_pastOf = incident->id;
    m_book.readPast(this, *incident,
        [this](qint64 id, const Result<IncidentPast>& past) { m_incident->showPast(id, past); });
}

void IncidentsPage::showHead()
{
    const alert::Incident* incident = chosen();
    m_incident->showHead(incident ? headOnView(*incident, context(), snapshot(), m_isOld) : HeadOnView());
}

void IncidentsPage::updateActs()
{
    if (!m_unmute)
        return; // the constructor is not there yet
    const bool isRecorded = shownView() == Recorded;
    for (QWidget* each : std::initializer_list<QWidget*>{m_server, m_firingOnly})
        each->setVisible(shownView() == Incidents);
    for (QWidget* each : std::initializer_list<QWidget*>{m_acknowledge, m_mute})
        each->setVisible(shownView() == Incidents || isRecorded);
    m_unmute->setVisible(shownView() == Mutes);
    keepPlace(*m_mute, shownView() != Mutes);
    keepPlace(*m_pending, shownView() == Incidents);
    m_pending->setVisible(shownView() == Incidents && !m_pending->text().isEmpty());
    const alert::Incident* incident = isRecorded ? nullptr : chosen();
    const FoundIncident* found = isRecorded ? m_recorded->chosen<FoundIncident>() : nullptr;
    const QString none = found ? reasonAgainstHandling(*found)
        : !incident            ? u"Select an incident first."_s
        : incident->isFiring() ? QString()
                               : u"It is over."_s;
    setReason(m_acknowledge,
        none.isEmpty() && !incident->acknowledgedBy.isEmpty()
            ? u"%1 has acknowledged it."_s.arg(incident->acknowledgedBy)
            : none);
    setReason(m_mute, incident ? QString() : none);
    const alert::Mute* mute = chosenMute();
    setReason(m_unmute,
        !mute                       ? u"Select a mute first."_s
            : mute->ended.isValid() ? u"It has ended."_s
                                    : QString());
}

void IncidentsPage::acknowledge()
{
    const alert::Incident* incident = chosen();
    if (!incident)
        return;
    auto* dialog = deletedOnClose(new AcknowledgeDialog(*incident, this));
    connect(dialog, &AcknowledgeDialog::acknowledgeRequested, this,
        [this, id = incident->id](const QString& why) { m_book.acknowledge(id, why); });
    dialog->open();
}

void IncidentsPage::mute()
{
    const alert::Incident* incident = chosen();
    if (!incident)
        return;
    auto* dialog = deletedOnClose(new MuteDialog(*incident, this));
    connect(dialog, &MuteDialog::muteRequested, this, [this](const alert::Mute& mute) { m_book.mute(mute); });
    dialog->open();
}

void IncidentsPage::unmute()
{
    if (const alert::Mute* mute = chosenMute())
        m_book.unmute(mute->id);
}

void IncidentsPage::showPast(ServerTime at)
{
    Q_EMIT timeTravelRequested(at);
    Q_EMIT openPage(u"blocking"_s, {});
}

IncidentsPage::View IncidentsPage::shownView() const
{
    return View(m_lists->currentIndex());
}

void IncidentsPage::showView(View shown)
{
    m_views->button(shown)->setChecked(true);
    m_lists->setCurrentIndex(shown);
    if (shown == Mutes)
        m_mutes->chooseFirst();
    showTrouble();
    showChosen();
    if (isVisible())
        m_lists->currentWidget()->setFocus();
}

void IncidentsPage::setRecording(record::RecordingClient* recording)
{
    m_recorded->setRecording(recording);
    m_views->button(Recorded)->setVisible(recording != nullptr);
    if (recording && shownView() == Incidents)
        showView(Recorded);
    else if (!recording && shownView() == Recorded)
        showView(Incidents);
}

bool IncidentsPage::revealIncident(qint64 id)
{
    const QString key = QString::number(id);
    showView(Incidents);
    if (m_model->find(key) < 0) {
        m_server->setCurrentIndex(0);
        m_firingOnly->setChecked(false);
        setFilter({});
    }
    const int row = m_model->find(key);
    if (row >= 0)
        view().selectRow(row);
    return row >= 0;
}

void IncidentsPage::focusFilter()
{
    showView(Incidents); // it filters those
    TablePage::focusFilter();
}

/// Incidents are those of the store, however the server on view fares.
void IncidentsPage::showHealth(monitor::Health health, const std::optional<Error>&, milliseconds)
{
    m_isOld = isDataOld(health);
    showHead();
}

void IncidentsPage::showEvent(QShowEvent* event)
{
    TablePage::showEvent(event);
    updateEmptyState(); // servers may have come
    readPast();
}

TablePage::EmptyText IncidentsPage::emptyText() const
{
    if (const auto unread = m_book.unreadText())
        return {unread->title, unread->hint};
    if (!m_book.list()->incidents.all.isEmpty())
        return {u"No incident of that kind"_s,
            u"Others are left out by the server that was chosen, or by “Firing only”."_s};
    const WatchedServers servers = m_watched ? m_watched() : WatchedServers();
    const QString watched = servers.watched.isEmpty()
        ? u"No server is watched: open one in the server list."_s
        : u"Watched since %1: %2."_s.arg(shortDateTimeText(servers.since), servers.watched.join(u", "_s));
    const QString others = servers.others.isEmpty()
        ? QString()
        : u"Not watched, because they are not open: %1."_s.arg(servers.others.join(u", "_s));
    return {servers.watched.isEmpty() ? u"Nothing is watched"_s : u"No incident in the last 7 days"_s,
        u"Rules watch for sessions that are blocked, head blockers that idle, queues behind strong locks, old and stale locks, deadlocks, connections that run out, and servers that can't be reached or seen. What fires comes here once for each cause, with the reason and what resolves it.\n"_s
            + sentences({watched, others})};
}

QString IncidentsPage::countText() const
{
    const QString text = TablePage::countText();
    const QString leftOut = m_book.list() ? watch::leftOutText(m_book.list()->incidents) : QString();
    return leftOut.isEmpty() ? text : text + u" · "_s + leftOut;
}

void IncidentsPage::deleteKeyPressed()
{
    m_incident->pressEnd();
}

void IncidentsPage::fillRowMenu(QMenu& menu)
{
    addEntry(menu, *m_acknowledge);
    addEntry(menu, *m_mute);
}

void IncidentsPage::saveLayout()
{
    TablePage::saveLayout();
    m_mutes->saveLayout(context().settings(), mutesLayoutKey);
    m_rules->saveLayout(context().settings());
    m_recorded->saveLayout(context().settings(), recordedLayoutKey);
}

} // namespace lockscope::ui
