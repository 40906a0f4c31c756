// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/IncidentView.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/report/Writer.h"
#include "core/watch/AlertTables.h"
#include "core/watch/IncidentKeeper.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/ActAdvice.h"
#include "ui/views/page/AppContext.h"
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

namespace {

/// A person does not read more, and laying it out would stop the window.
constexpr qsizetype maxStatement = 4'000;
constexpr qsizetype maxChainLines = 200;
constexpr qsizetype maxPendingLines = 20;

QString asLine(const QString& text)
{
    return htmlText(inOneLine(text));
}

QString sectionOf(const QString& title, const QString& html)
{
    return html.isEmpty() ? QString() : u"<h4>%1</h4>"_s.arg(title) + html;
}

QString paragraph(const QString& text)
{
    return text.isEmpty() ? QString() : u"<p>%1</p>"_s.arg(asLine(text));
}

QString codeOf(const QString& html)
{
    return u"<pre style=\"white-space:pre-wrap\">%1</pre>"_s.arg(html);
}

QString listOf(const QStringList& items)
{
    return items.isEmpty() ? QString() : u"<ul><li>%1</li></ul>"_s.arg(items.join(u"</li><li>"_s));
}

QString chainText(const QStringList& chain)
{
    QStringList lines = textOfEach(chain.first(std::min(chain.size(), maxChainLines)), asLine);
    if (chain.size() > maxChainLines)
        lines << u"… and %1 more"_s.arg(chain.size() - maxChainLines);
    return lines.isEmpty() ? QString() : codeOf(lines.join(u'\n'));
}

QString headText(const alert::IncidentHead& head)
{
    if (head.title.isEmpty())
        return {};
    const QString who =
        paragraph(sentences({head.doing.isEmpty() ? head.title : head.title + u": "_s + head.doing}));
    const QString statement = head.statement.trimmed();
    if (statement.isEmpty())
        return who;
    const QString shown = statement.size() > maxStatement ? statement.left(maxStatement) + u'…' : statement;
    return who + codeOf(htmlText(inLines(shown)));
}

QString ruleText(const alert::Symptom& symptom)
{
    const QString state = symptom.isFiring ? alert::severityName(symptom.severity) : u"cleared"_s;
    return u"<b>%1</b> (%2): %3"_s.arg(asLine(symptom.rule), state, asLine(symptom.text));
}

template <class Step> QString stepText(const Step& step)
{
    return u"%1: %2"_s.arg(shortDateTimeText(step.at), asLine(step.what));
}

QString similarText(const IncidentPast::Similar& past)
{
    const alert::Incident& similar = past.incident;
    return u"%1, for %2: %3"_s.arg(shortDateTimeText(similar.since), durationInWords(similar.lasted()),
        asLine(sentences(QStringList{similar.title} + past.acts + QStringList{similar.clearedBy})));
}

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

} // namespace

QString incidentFacts(const alert::Incident& incident)
{
    const QString severity = incident.isFiring()
        ? alert::severityName(incident.severity)
        : u"resolved, at worst %1"_s.arg(alert::severityName(incident.worst));
    QStringList facts{severity.left(1).toUpper() + severity.mid(1), incident.cause.server,
        u"since %1, for %2"_s.arg(shortDateTimeText(incident.since), durationInWords(incident.lasted()))};
    if (incident.worstWaiting > 0)
        facts << (incident.isFiring()
                ? u"%L1 wait now, %L2 at worst"_s.arg(incident.waiting).arg(incident.worstWaiting)
                : u"%L1 waited at worst"_s.arg(incident.worstWaiting));
    if (incident.waited.count() > 0)
        facts << u"cost: at least %1 of waiting"_s.arg(durationInWords(incident.waited));
    if (!incident.acknowledgedBy.isEmpty())
        facts << u"acknowledged by %1%2"_s.arg(incident.acknowledgedBy,
            incident.acknowledgedWhy.isEmpty() ? QString() : u": "_s + incident.acknowledgedWhy);
    return inOneLine(facts.join(u" · "_s));
}

QString incidentStory(const alert::Incident& incident, const QStringList& advice)
{
    const QStringList rules = textOfEach(incident.symptoms, ruleText);
    QString story = paragraph(incident.reason);
    if (!incident.isFiring())
        story += sectionOf(u"How it ended"_s, paragraph(incident.clearedBy));
    QStringList remedies;
    for (const QString& text : QStringList{incident.head.elsewhere, incident.head.remedy} + advice)
        if (!text.isEmpty())
            remedies << paragraph(text);
    story += sectionOf(u"What resolves it"_s, incident.isFiring() ? remedies.join(QString()) : QString());
    story += sectionOf(u"Head blocker"_s, headText(incident.head));
    const QString at =
        incident.worstAt.isValid() ? u" (%1)"_s.arg(shortDateTimeText(incident.worstAt)) : QString();
    story += sectionOf(u"The chain at its worst"_s + at, chainText(incident.chain));
    return story + sectionOf(u"Rules"_s, listOf(rules));
}

QString incidentHistory(const alert::Incident& incident, const IncidentPast& past)
{
    const QStringList steps = textOfEach(past.steps, stepText<watch::IncidentStep>);
    const QStringList similar = textOfEach(past.similar, similarText);
    const QString none =
        incident.isFiring() ? u"None is on record: this cause is new."_s : u"No other one is on record."_s;
    return sectionOf(u"What happened"_s, listOf(steps))
        + sectionOf(
            u"Similar incidents of the past"_s, similar.isEmpty() ? paragraph(none) : listOf(similar));
}

QString recordedFacts(const FoundIncident& found)
{
    const record::RecordedIncident& incident = found.incident;
    const QString fired = incident.fired
        ? u"fired %1"_s.arg(shortDateTimeText(*incident.fired))
        : u"fired before %1, which is not recorded"_s.arg(shortDateTimeText(found.at()));
    QStringList facts{incident.isCritical ? u"At worst critical"_s : u"At worst warning"_s, found.server,
        fired,
        incident.resolved ? u"resolved %1"_s.arg(shortDateTimeText(*incident.resolved))
                          : u"no end is recorded"_s};
    if (incident.waiting > 0)
        facts << u"at least %L1 waited at once, the longest for at least %2"_s.arg(incident.waiting)
                     .arg(durationInWords(incident.longest));
    return inOneLine(facts.join(u" · "_s));
}

QString recordedStory(const FoundIncident& found)
{
    const record::RecordedIncident& incident = found.incident;
    return sectionOf(u"How it ended"_s, paragraph(incident.end))
        + sectionOf(u"Head blocker"_s, paragraph(incident.head))
        + sectionOf(u"Not kept in a recording"_s,
            paragraph(
                u"The chain at its worst, the statement of the head blocker, the rules that fired, and who has acknowledged or muted it. Show in past has the locks and statements of that second."_s));
}

QString recordedHistory(const FoundIncident& found)
{
    return sectionOf(u"What happened"_s, listOf(textOfEach(found.incident.steps, stepText<record::Event>)));
}

QString reasonAgainstHandling(const FoundIncident& found)
{
    return inOneLine(u"Found by %1: acknowledge and mute it there."_s.arg(found.finder));
}

QString pendingText(const QList<alert::PendingAlert>& pending)
{
    if (pending.isEmpty())
        return {};
    const alert::PendingAlert& next = pending.first();
    const QString when =
        next.left > milliseconds(0) ? u"in %1"_s.arg(durationInWords(next.left)) : u"at the next poll"_s;
    const QString text =
        u"Pending: “%1” on %2 fires %3 unless it clears."_s.arg(next.rule, next.cause.server, when);
    return inOneLine(pending.size() == 1 ? text : text + u" %1 more."_s.arg(pending.size() - 1));
}

QString pendingList(const QList<alert::PendingAlert>& pending)
{
    const auto line = [](const alert::PendingAlert& each) {
        return inOneLine(u"%1, in %2: %3 (%4, %5)"_s.arg(each.cause.server, durationInWords(each.left),
            each.text, each.rule, alert::severityName(each.severity)));
    };
    return textOfEach(pending, line).mid(0, maxPendingLines).join(u'\n');
}

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

IncidentView::IncidentView(AppContext& context, QWidget* parent)
    : QWidget(parent)
    , m_context(context)
    , m_title(demiBold(1.15, sentenceLabel("incidentTitle", this)))
    , m_facts(faint(sentenceLabel("incidentFacts", this)))
    , m_end(named("endIncidentHead", pushButton(this)))
    , m_cancel(named("cancelIncidentHead", pushButton(this)))
    , m_past(named("showInPast", pushButton(u"Show in &past"_s, this)))
    , m_export(new IncidentExportButton(this))
    , m_answerText(faint(sentenceLabel("incidentAnswer", this)))
    , m_halves(new QSplitter(Qt::Horizontal, this))
    , m_story(makeBrowser("incidentStory", u"The incident in words"_s))
    , m_history(makeBrowser("incidentHistory", u"What happened, and similar incidents"_s))
    , m_answer(new ActAnswer(context, this))
{
    setObjectName(u"incidentView"_s);
    QHBoxLayout* acts = rowOf({m_end, m_cancel, m_past, {m_answerText, 1}, m_export});
    divide(*m_halves, {{m_story, 3}, {m_history, 2}});
    addAll(*withMargins(new QVBoxLayout(this), {0, 4, 0, 0}, 4), {m_title, m_facts, acts, {m_halves, 1}});
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

void IncidentView::showTexts()
{
    m_export->setVisible(m_incident.has_value());
    if (m_recorded) {
        m_title->setText(inOneLine(m_recorded->incident.what));
        m_facts->setText(recordedFacts(*m_recorded));
        showHtml(*m_story, recordedStory(*m_recorded));
        return showHtml(*m_history, recordedHistory(*m_recorded));
    }
    m_title->setText(m_incident ? inOneLine(m_incident->title) : QString());
    m_facts->setText(m_incident ? incidentFacts(*m_incident) : QString());
    showHtml(*m_story, m_incident ? incidentStory(*m_incident, m_advice) : QString());
    m_export->show(m_incident, m_read && *m_read ? std::optional(**m_read) : std::nullopt);
    QString history;
    if (m_incident && m_read)
        history = *m_read ? incidentHistory(*m_incident, **m_read)
                          : u"<p>%1</p>"_s.arg(htmlText(inOneLine(m_read->error().toString())));
    showHtml(*m_history, history);
}

void IncidentView::showButtons()
{
    if (m_recorded) { // in a past time nothing can be ended
        m_end->hide();
        m_cancel->hide();
        m_past->show();
        setReason(m_past, {}, u"Goes to the second when it fired, page Blocking"_s);
        return m_answerText->setText(inOneLine(reasonAgainstHandling(*m_recorded)));
    }
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

void IncidentView::pressEnd()
{
    if (m_end->isVisible())
        m_end->click();
}

} // namespace lockscope::ui
