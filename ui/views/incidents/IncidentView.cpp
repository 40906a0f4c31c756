// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/IncidentView.h"

#include "core/base/ShownText.h"
#include "core/report/Writer.h"
#include "core/watch/IncidentKeeper.h"
#include "core/watch/IncidentReport.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/incidents/IncidentText.h"
#include "ui/views/overview/ActAnswer.h"
#include "ui/views/page/AppContext.h"
#include "ui/views/page/DateTimeText.h"
#include "ui/views/page/Page.h"
#include "ui/views/page/SessionActs.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

bool isOfServer(const alert::Incident& incident, const QString& place)
{
    return incident.cause.server == watch::causeServer(place);
}

QString reasonAgainstServer(const alert::Incident& incident, const AppContext& context)
{
    const QString& server = incident.cause.server;
    return context.hasServer() && isOfServer(incident, context.place())
        ? QString()
        : u"It is of “%1”, which is not on view."_s.arg(server);
}

QString reasonAgainstPast(const alert::Incident& incident, const AppContext& context)
{
    if (const QString reason = reasonAgainstServer(incident, context); !reason.isEmpty())
        return reason;
    return context.recording() ? QString() : u"This server is not recorded."_s;
}

HeadOnView headOnView(
    const alert::Incident& incident, const AppContext& context, const SnapshotPtr& snapshot, bool isOld)
{
    const alert::IncidentHead& head = incident.head;
    if (!incident.isFiring())
        return {{}, u"It is over: there is nothing to end."_s};
    if (!head.session.isValid())
        return {{}, u"No session is at the head."_s};
    if (const QString reason = reasonAgainstServer(incident, context); !reason.isEmpty())
        return {{}, reason};
    if (const QString reason = context.reasonAgainstActing(); !reason.isEmpty())
        return {{}, reason};
    if (!snapshot || isOld)
        return {
            {}, u"The server does not answer at present: session %1 may be gone."_s.arg(head.session.value)};
    const Session* const found = snapshot->session(head.session);
    if (!found)
        return {{}, u"Session %1 is not there any more."_s.arg(head.session.value)};
    if (!head.started.isValid() || !found->started.isValid())
        return {{},
            u"It is unknown when session %1 began: another one may have its number by now."_s.arg(
                head.session.value)};
    if (found->started != head.started)
        return {{},
            u"Session %1 is another one by now: it began at %2."_s.arg(head.session.value)
                .arg(shortDateTimeText(found->loggedIn()))};
    return {*found, reasonAgainstSessionAct(context, found)};
}

namespace {

/// Blocks for the disk, as it reads the recording.
QByteArray incidentContent(
    const alert::Incident& incident, const IncidentPast& past, report::Form form, bool withStatements)
{
    watch::IncidentFile file;
    file.incident = incident;
    file.steps = past.steps;
    for (const IncidentPast::Similar& each : past.similar)
        file.similar << each.incident;
    file.version = QStringLiteral(LOCKSCOPE_VERSION);
    watch::addOwnRecording(file);
    return rendered(watch::toReport(file, withStatements), form).toUtf8();
}

} // namespace

IncidentExportButton::IncidentExportButton(QWidget* parent)
    : ExportMenu(u"exportIncident"_s,
        u"One file for colleagues: timeline, chain, head blocker, actions, similar ones"_s, parent)
{
    addEntry(u"&Page (HTML)…"_s, [this] { ask(Form::Html, true); });
    addEntry(u"Page &without statements (HTML)…"_s, [this] { ask(Form::Html, false); });
    addSeparator();
    addEntry(u"For a ticket, without statements (&Markdown)…"_s, [this] { ask(Form::Markdown, false); });
    addEntry(u"For programs, without statements (&JSON)…"_s, [this] { ask(Form::Json, false); });
}

void IncidentExportButton::show(
    const std::optional<alert::Incident>& incident, const std::optional<IncidentPast>& past)
{
    m_incident = incident;
    m_past = past.value_or(IncidentPast());
    setEnabled(incident && past);
}

void IncidentExportButton::ask(Form form, bool withStatements)
{
    if (!m_incident)
        return;
    // That one, though another may be selected by the time of the answer.
    askWhereTo(form, u"incident-%1"_s.arg(m_incident->id),
        [this, made = content(form, withStatements)](const QString& path) { write(path, made); });
}

void IncidentExportButton::exportTo(Form form, bool withStatements, const QString& path)
{
    if (m_incident)
        write(path, content(form, withStatements));
}

ExportMenu::Content IncidentExportButton::content(Form form, bool withStatements) const
{
    return [form, withStatements, incident = *m_incident, past = m_past]() -> Result<QByteArray> {
        return incidentContent(incident, past, reportForm(form), withStatements);
    };
}

namespace {

QTextBrowser* makeBrowser(const char* name, const QString& accessibleName)
{
    auto* browser = named(name, accessibleName, new QTextBrowser);
    browser->setFrameShape(QFrame::NoFrame);
    browser->setOpenLinks(false);
    browser->document()->setDocumentMargin(8);
    return browser;
}

/// Each poll brings the same text again: what is selected and where one reads stay.
void showHtml(QTextBrowser& browser, const QString& html)
{
    if (browser.property("html").toString() == html)
        return;
    browser.setProperty("html", html);
    const int place = browser.verticalScrollBar()->value();
    browser.setHtml(html);
    browser.verticalScrollBar()->setValue(place);
}

QLabel* makeLabel(const char* name, QWidget* parent)
{
    return named(name, selectable(wrapped(new QLabel(parent)), Qt::TextSelectableByMouse));
}

} // namespace

IncidentView::IncidentView(AppContext& context, QWidget* parent)
    : QWidget(parent)
    , m_context(context)
    , m_title(demiBold(1.15, makeLabel("incidentTitle", this)))
    , m_facts(faint(makeLabel("incidentFacts", this)))
    , m_end(named("endIncidentHead", pushButton(this)))
    , m_cancel(named("cancelIncidentHead", pushButton(this)))
    , m_past(named("showInPast", pushButton(u"Show in &past"_s, this)))
    , m_export(new IncidentExportButton(this))
    , m_answerText(faint(makeLabel("incidentAnswer", this)))
    , m_halves(new QSplitter(Qt::Horizontal, this))
    , m_story(makeBrowser("incidentStory", u"The incident in words"_s))
    , m_history(makeBrowser("incidentHistory", u"What happened, and similar incidents"_s))
    , m_answer(new ActAnswer(context, this))
{
    setObjectName(u"incidentView"_s);
    arrange();
    for (QPushButton* button : {m_end, m_cancel})
        connect(button, &QPushButton::pressed, this, &IncidentView::aim);
    connect(m_end, &QPushButton::clicked, this, [this] {
        if (m_aimedAt)
            Q_EMIT endRequested(*m_aimedAt);
    });
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        if (m_aimedAt)
            Q_EMIT cancelRequested(*m_aimedAt);
    });
    connect(m_past, &QPushButton::clicked, this, [this] {
        if (m_recorded)
            Q_EMIT timeTravelRequested(m_recorded->at());
        else if (m_incident)
            Q_EMIT timeTravelRequested(
                m_incident->worstAt.isValid() ? m_incident->worstAt : m_incident->since);
    });
    connect(m_export, &ExportMenu::statusMessage, this, &IncidentView::statusMessage);
    connect(m_answer, &ActAnswer::changed, this, &IncidentView::showButtons);
    showTexts();
    showButtons();
    theme::whenRecolored(*this, [this] { showTexts(); });
}

void IncidentView::arrange()
{
    QHBoxLayout* acts = rowOf({m_end, m_cancel, m_past, {m_answerText, 1}, m_export});
    divide(*m_halves, {{m_story, 3}, {m_history, 2}});
    addAll(*withMargins(new QVBoxLayout(this), {0, 4, 0, 0}, 4), {m_title, m_facts, acts, {m_halves, 1}});
}

void IncidentView::show(const std::optional<alert::Incident>& incident, const QStringList& advice)
{
    if ((m_incident ? m_incident->id : 0) != (incident ? incident->id : 0)) {
        m_read.reset();
        m_head = {};
        for (QTextBrowser* each : {m_story, m_history})
            each->verticalScrollBar()->setValue(0);
    }
    m_recorded.reset();
    m_incident = incident;
    m_advice = advice;
    showTexts();
    showButtons();
}

void IncidentView::showRecorded(const FoundIncident& found)
{
    const auto keyOf = [](const FoundIncident& each) { return std::pair(each.at(), each.incident.what); };
    if (!m_recorded || keyOf(*m_recorded) != keyOf(found))
        for (QTextBrowser* each : {m_story, m_history})
            each->verticalScrollBar()->setValue(0);
    m_incident.reset();
    m_read.reset();
    m_head = {};
    m_recorded = found;
    showTexts();
    showButtons();
}

void IncidentView::showPast(qint64 incident, const Result<IncidentPast>& past)
{
    if (!m_incident || m_incident->id != incident)
        return;
    m_read = past;
    showTexts();
}

void IncidentView::showHead(const HeadOnView& head)
{
    m_head = head;
    if (head.session)
        m_answer->askFor(*head.session);
    showButtons();
}

void IncidentView::showRecordedTexts()
{
    m_title->setText(inOneLine(m_recorded->incident.what));
    m_facts->setText(recordedFacts(*m_recorded));
    showHtml(*m_story, recordedStory(*m_recorded));
    showHtml(*m_history, recordedHistory(*m_recorded));
    m_export->hide();
}

void IncidentView::showTexts()
{
    if (m_recorded)
        return showRecordedTexts();
    m_title->setText(m_incident ? inOneLine(m_incident->title) : QString());
    m_facts->setText(m_incident ? incidentFacts(*m_incident) : QString());
    showHtml(*m_story, m_incident ? incidentStory(*m_incident, m_advice) : QString());
    m_export->setVisible(m_incident.has_value());
    m_export->show(m_incident, m_read && *m_read ? std::optional(**m_read) : std::nullopt);
    QString history;
    if (m_incident && m_read)
        history = *m_read ? incidentHistory(*m_incident, **m_read)
                          : u"<p>%1</p>"_s.arg(htmlText(inOneLine(m_read->error().toString())));
    showHtml(*m_history, history);
}

/// Hides the buttons that end something: in a past time nothing can be ended.
void IncidentView::showRecordedButtons()
{
    m_end->hide();
    m_cancel->hide();
    m_past->show();
    setReason(m_past, {}, u"Goes to the second when it fired, page Blocking"_s);
    m_answerText->setText(inOneLine(reasonAgainstHandling(*m_recorded)));
}

void IncidentView::showButtons()
{
    if (m_recorded)
        return showRecordedButtons();
    const bool hasHead = m_incident && m_incident->isFiring() && m_incident->head.session.isValid();
    const qint64 number = hasHead ? m_incident->head.session.value : 0;
    const bool isPossible = m_head.session && m_head.reasonAgainst.isEmpty();
    m_end->setVisible(hasHead);
    m_end->setText(u"&End session %1…"_s.arg(number));
    m_end->setEnabled(isPossible);
    m_end->setToolTip(
        isPossible ? u"Shows what will follow, and asks for a reason first"_s : m_head.reasonAgainst);
    const bool runs = m_head.session && m_head.session->state == SessionState::Active;
    m_cancel->setVisible(hasHead && runs);
    m_cancel->setText(u"&Cancel statement of %1…"_s.arg(number));
    const QString reason = runs ? reasonAgainstCancel(m_context, &*m_head.session) : QString();
    m_cancel->setEnabled(isPossible && reason.isEmpty());
    m_cancel->setToolTip(isPossible ? reason : m_head.reasonAgainst);
    const QString noPast = m_incident ? reasonAgainstPast(*m_incident, m_context) : QString();
    m_past->setVisible(m_incident.has_value());
    setReason(m_past, noPast, u"Goes to the time when most sessions waited, page Blocking"_s);
    QString answer;
    if (hasHead && !isPossible)
        answer = m_head.reasonAgainst;
    else if (hasHead && !m_answer->adviceFor(*m_head.session).isPossible)
        answer = m_answer->adviceFor(*m_head.session).text;
    m_answerText->setText(inOneLine(answer));
}

void IncidentView::aim()
{
    m_aimedAt = m_head.session;
}

void IncidentView::pressEnd()
{
    if (m_end->isVisible())
        m_end->click();
}

} // namespace lockscope::ui
