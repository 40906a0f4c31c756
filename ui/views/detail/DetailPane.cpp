// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/detail/DetailPane.h"

#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"
#include "core/db/Dialect.h"
#include "core/monitor/DetailQueries.h"
#include "ui/kit/delegates/BadgePainter.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/SaveDialog.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/Page.h"
#include "ui/views/page/RunThread.h"
#include "ui/views/page/SessionActs.h"

#include <QAbstractTextDocumentLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QStyleOptionButton>
#include <QStylePainter>
#include <QTextCursor>
#include <QTextDocument>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

SectionsText::SectionsText(QWidget* parent)
    : QTextBrowser(parent)
{
    setFrameShape(NoFrame);
    setOpenLinks(false);
    setUndoRedoEnabled(false);
    setTabChangesFocus(true);
    setTextInteractionFlags(
        Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    viewport()->setAutoFillBackground(false);
    document()->setDocumentMargin(0);
    connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
        [this](const QSizeF& size) { setFixedHeight(static_cast<int>(std::ceil(size.height()))); });
}

void SectionsText::say(const QString& html)
{
    if (html != m_text) {
        m_text = html;
        const QString selected = textCursor().selectedText();
        const int place = textCursor().selectionStart();
        setHtml(html);
        if (!selected.isEmpty())
            selectAgain(selected, place);
    }
    setVisible(!html.isEmpty());
}

/// Selects the words at their present place: ages before them may have become longer.
void SectionsText::selectAgain(const QString& words, int place)
{
    QTextCursor best;
    for (QTextCursor at = document()->find(words); !at.isNull(); at = document()->find(words, at)) {
        if (best.isNull() || std::abs(at.selectionStart() - place) < std::abs(best.selectionStart() - place))
            best = at;
    }
    if (!best.isNull())
        setTextCursor(best);
}

namespace {

constexpr qsizetype maxSteps = 6; // the present one and five before it
constexpr size_t maxSessions = 2'000; // of more, nobody reads them one by one

/// A button that gets by with little space: the end of its text gives way to dots, and what surrounds it need
/// not be as wide as the names in it, which are others'.
class ShrinkingButton : public QPushButton {
public:
    using QPushButton::QPushButton;

    QSize minimumSizeHint() const override { return {0, QPushButton::minimumSizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QStyleOptionButton option;
        initStyleOption(&option);
        const int space = style()->subElementRect(QStyle::SE_PushButtonContents, &option, this).width();
        option.text = fontMetrics().elidedText(option.text, Qt::ElideRight, space, Qt::TextShowMnemonic);
        QStylePainter(this).drawControl(QStyle::CE_PushButton, option);
    }
};

QLabel* textLabel(QWidget* parent)
{
    return yielding(
        selectable(wrapped(new QLabel(parent)), Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse));
}

QLabel* sectionHeading(const QString& text, QWidget* parent)
{
    return demiBold(0.82, faint(new QLabel(text, parent)));
}

QPlainTextEdit* statementBox(QWidget* parent)
{
    auto* box = new QPlainTextEdit(parent);
    box->setReadOnly(true);
    box->setFont(theme::monospace());
    box->setFixedHeight(QFontMetrics(theme::monospace()).height() * 7 + 12);
    return box;
}

/// Selects again what was selected, where it stands now. Ages before it may have become longer.
void selectAgain(QLabel* label, const QString& words, int place)
{
    const QString text = label->text();
    qsizetype best = -1;
    for (qsizetype at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
        if (best < 0 || std::abs(at - place) < std::abs(best - place))
            best = at;
    }
    if (best >= 0)
        label->setSelection(static_cast<int>(best), static_cast<int>(words.size()));
}

/// A selection in the text survives the refreshes.
void setTextOf(QLabel* label, const QString& text)
{
    if (label->text() != text) {
        const QString selected = label->selectedText();
        const int place = label->selectionStart();
        label->setText(text);
        if (!selected.isEmpty() && !text.isEmpty())
            selectAgain(label, selected, place);
    }
    label->setVisible(!text.isEmpty());
}

} // namespace

void StatementTrail::note(const Snapshot& snapshot)
{
    if (snapshot.sessions.size() > maxSessions) {
        clear();
        return;
    }
    QHash<SessionKey, Steps> next;
    next.reserve(static_cast<qsizetype>(snapshot.sessions.size()));
    for (const Session& session : snapshot.sessions) {
        if (session.own || session.system || !session.statementVisible || session.statement.isEmpty())
            continue;
        Steps steps = m_steps.take(session.key());
        const bool isNew = steps.all.isEmpty() || steps.all.last().statement != session.statement
            || steps.began != session.statementStarted;
        if (isNew)
            steps.all.append(Step{});
        steps.all.last() = {snapshot.takenAt, session.statement, session.state};
        steps.began = session.statementStarted;
        if (steps.all.size() > maxSteps)
            steps.all.removeFirst();
        next.insert(session.key(), steps);
    }
    m_steps = std::move(next); // those who have left are forgotten
}

QList<StatementTrail::Step> StatementTrail::before(const SessionKey& session) const
{
    QList<Step> steps = m_steps.value(session).all;
    if (!steps.isEmpty())
        steps.removeLast();
    std::reverse(steps.begin(), steps.end());
    return steps;
}

DetailPane::DetailPane(AppContext& context, QWidget* parent)
    : QWidget(parent)
    , m_context(context)
    , m_content(new QWidget)
{
    m_title = named("detailTitle", demiBold(1.3, textLabel(m_content)));
    m_subtitle = faint(textLabel(m_content));
    m_badge = new FrameworkBadge(m_content);
    m_state = named("detailState", textLabel(m_content));
    m_remedyHeading = sectionHeading(u"WHAT RESOLVES IT"_s, m_content);
    m_remedy = textLabel(m_content);
    QWidget* statements = makeStatements();
    makeSections();
    makeButtons();

    // Buttons above what each poll changes: they are not pushed away from the pointer.
    addAll(*withMargins(new QVBoxLayout(m_content), {14, 14, 14, 14}, 6),
        {m_hint, m_title, m_subtitle, m_buttonRow, m_badge, m_state, m_remedyHeading, m_remedy, m_histories,
            statements, m_sections, stretch(1)});

    auto* scroll = new QScrollArea(this);
    scroll->setAccessibleName(u"Detail"_s);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(m_content);
    withoutMargins(new QVBoxLayout(this))->addWidget(scroll);
    setMinimumWidth(220);
    connect(&context, &AppContext::thresholdsChanged, this, [this] { update(); });
    update();
    theme::whenRecolored(*this, [this] { update(); });
}

QWidget* DetailPane::makeStatements()
{
    m_statementHeading = sectionHeading(u"STATEMENT"_s, m_content);
    m_statement = named("detailStatement", u"Statement"_s, statementBox(m_content));
    m_otherHeading = sectionHeading({}, m_content);
    m_otherHeading->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_otherStatement = named("otherStatement", statementBox(m_content));
    auto* statements = new QWidget(m_content);
    m_bothStatements = withoutMargins(new QHBoxLayout(statements));
    m_other = new QWidget(statements);
    auto* own = new QWidget(statements);
    const auto fill = [this](QWidget* side, QLabel* heading, QPlainTextEdit* box) {
        heading->setWordWrap(true);
        addAll(*withoutMargins(new QVBoxLayout(side)), {heading, box});
        m_bothStatements->addWidget(side, 1);
    };
    fill(own, m_statementHeading, m_statement);
    fill(m_other, m_otherHeading, m_otherStatement);
    return statements;
}

void DetailPane::makeSections()
{
    m_sections = named("detailSections", u"What is known of it"_s, new SectionsText(m_content));
    connect(m_sections, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        const QStringList parts = link.toString().split(QLatin1Char('/'));
        if (parts.size() == 2)
            Q_EMIT subjectChosen(SessionKey{{parts[0].toLongLong()}, {parts[1].toLongLong()}});
    });
    m_histories = named("detailHistories", textLabel(m_content));
    m_histories->setTextFormat(Qt::RichText);
    m_histories->setTextInteractionFlags(m_histories->textInteractionFlags() | Qt::LinksAccessibleByKeyboard);
    connect(m_histories, &QLabel::linkActivated, this, [this](const QString& link) {
        const HistorySubjects histories = historiesOf(m_subject, m_snapshot.get());
        if (link == u"lock" && histories.lock)
            Q_EMIT historyRequested(*histories.lock);
        else if (link == u"session" && histories.session)
            Q_EMIT historyRequested(*histories.session);
    });
    m_hint = faint(textLabel(m_content));
    m_hint->setText(
        u"Select a session, a lock or an entry on any page: here is what it holds and waits for, who blocks whom, and what resolves it."_s);
}

void DetailPane::makeButtons()
{
    m_plan = named("savePlan", new QPushButton(u"Save plan…"_s, m_content));
    connect(m_plan, &QPushButton::clicked, this, [this] {
        if (m_text.planOf.id.isValid())
            Q_EMIT planRequested(m_text.planOf);
    });
    m_explain = named("copyExplain", new QPushButton(u"Copy EXPLAIN"_s, m_content));
    connect(m_explain, &QPushButton::clicked, this, [this] {
        if (const Session* subject = session())
            copyByButton(*m_explain, explainByHand(*subject).text);
    });
    m_progress = named("askProgress", new QPushButton(u"How far is it?"_s, m_content));
    connect(m_progress, &QPushButton::clicked, this, [this] {
        const Session* subject = session();
        if (subject && m_context.reasonAgainstAsking().isEmpty())
            Q_EMIT progressRequested(*subject);
    });
    m_vendor = named("copyVendorCommand", new ShrinkingButton(m_content));
    connect(m_vendor, &QPushButton::clicked, this,
        [this] { copyByButton(*m_vendor, inOneLine(m_text.vendorCommand)); });
    m_more = named("readMore", new ShrinkingButton(m_content));
    connect(m_more, &QPushButton::clicked, this, [this] { requestHelp(*this, m_text.helpPage); });
    m_copy = new QPushButton(u"Copy"_s, m_content);
    connect(m_copy, &QPushButton::clicked, this, [this] { copyByButton(*m_copy, m_text.toPlainText()); });
    m_buttonRow = new QWidget(m_content);
    m_buttons = new QVBoxLayout(m_buttonRow);
    m_buttons->setContentsMargins(0, 4, 0, 4);
    m_buttons->setSpacing(6);
    addAll(*m_buttons, {m_progress, m_plan, m_explain, m_vendor, m_more, m_copy});
}

void DetailPane::resizeEvent(QResizeEvent* event)
{
    constexpr int bothFit = 420;
    m_bothStatements->setDirection(width() >= bothFit ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    QWidget::resizeEvent(event);
}

void DetailPane::setSubject(const DetailSubject& subject)
{
    m_subject = subject;
    update();
}

void DetailPane::showSnapshot(const SnapshotPtr& snapshot)
{
    m_snapshot = snapshot;
    if (!snapshot) {
        m_subject = {};
        m_trail.clear();
    }
    update();
}

void DetailPane::update()
{
    const bool nothing = std::holds_alternative<std::monostate>(m_subject)
        || (!m_snapshot && !std::holds_alternative<admin::AuditRecord>(m_subject));
    const Snapshot none;
    const Snapshot& snapshot = m_snapshot ? *m_snapshot : none;
    m_text = nothing ? DetailText() : detailOf(m_subject, snapshot, m_context.thresholds());
    // At a past time it may as well not have begun yet.
    if (m_text.isGone && m_context.pastTime())
        m_text.state = u"Not there at %1."_s.arg(clockText(m_context.pastTime()->at));
    addTrail();
    m_hint->setVisible(nothing);
    setTextOf(m_title, m_text.title);
    setTextOf(m_subtitle, m_text.subtitle);
    theme::setInk(m_state, theme::colors(palette()).text(m_text.level, palette()));
    setTextOf(m_state, theme::withSign(m_text.level, m_text.state));
    m_remedyHeading->setVisible(!m_text.remedy.isEmpty());
    setTextOf(m_remedy, m_text.remedy);

    const QString statement = inLines(m_text.statement.isEmpty() ? m_text.statementNote : m_text.statement);
    m_statementHeading->setText(
        std::holds_alternative<admin::AuditRecord>(m_subject) ? u"STATE BEFORE"_s : u"STATEMENT"_s);
    m_statementHeading->setVisible(!statement.isEmpty());
    m_statement->setVisible(!statement.isEmpty());
    if (m_statement->toPlainText() != statement)
        m_statement->setPlainText(statement);
    m_other->setVisible(!m_text.otherStatement.isEmpty());
    m_bothStatements->parentWidget()->setVisible(!statement.isEmpty() || !m_text.otherStatement.isEmpty());
    m_otherHeading->setText(m_text.otherHeading.toUpper());
    m_otherStatement->setAccessibleName(m_text.otherHeading);
    if (m_otherStatement->toPlainText() != m_text.otherStatement)
        m_otherStatement->setPlainText(m_text.otherStatement);
    showSections();
    showButtons();
    showHistories();
}

void DetailPane::showHistories()
{
    const HistorySubjects histories = historiesOf(m_subject, m_snapshot.get());
    QStringList links;
    const auto add = [&](const QString& name, const QString& text) {
        links << QStringLiteral("<a href='%1' style='color:%2;text-decoration:none'>%3</a>")
                     .arg(name, theme::colors(palette()).accent.name(), text);
    };
    if (m_context.recording() && histories.lock)
        add(u"lock"_s, u"History of the lock"_s);
    if (m_context.recording() && histories.session)
        add(u"session"_s, u"History of the session"_s);
    setTextOf(m_histories, links.join(QStringLiteral(" · ")));
}

void DetailPane::showSections()
{
    // Sentences, and times where it is narrow, stand below their label: beside it there is little space.
    const qsizetype longValue = width() < 300 ? 20 : 48;
    const ThemeColors& colors = theme::colors(palette());
    QString html;
    for (const DetailText::Section& section : m_text.sections) {
        html += QStringLiteral(
            "<p style='margin:10px 0 2px 0;color:%1;font-size:small;font-weight:600'>%2</p><table cellspacing='0' cellpadding='2' width='100%'>")
                    .arg(colors.muted.name(), htmlText(section.heading.toUpper()));
        for (const DetailText::Line& line : section.lines) {
            const QString label = htmlText(line.label);
            const QString value = htmlText(line.value);
            if (line.session.id.isValid()) {
                html += QStringLiteral(
                    "<tr><td colspan='2'><a href='%1/%2' style='color:%3;text-decoration:none'>%4</a> <span style='color:%5'>%6</span></td></tr>")
                            .arg(line.session.id.value)
                            .arg(line.session.started.us)
                            .arg(colors.accent.name(), label, colors.muted.name(), value);
            } else if (label.isEmpty()) {
                html += QStringLiteral("<tr><td colspan='2'>%1</td></tr>").arg(value);
            } else if (line.value.size() > longValue) {
                html += QStringLiteral(
                    "<tr><td colspan='2' style='color:%1'>%2</td></tr><tr><td colspan='2' style='padding-bottom:3px'>%3</td></tr>")
                            .arg(colors.muted.name(), label, value);
            } else {
                html += QStringLiteral(
                    "<tr><td style='white-space:nowrap;padding-right:10px;color:%1'>%2</td><td width='75%'>%3</td></tr>")
                            .arg(colors.muted.name(), label, value);
            }
        }
        html += QStringLiteral("</table>");
    }
    m_sections->say(html);
    // Without a link there is nothing that the Tab key could stop for.
    m_sections->setFocusPolicy(html.contains(QLatin1String("<a ")) ? Qt::StrongFocus : Qt::ClickFocus);
}

void DetailPane::showButtons()
{
    // Buttons are kept while only the row behind them changes, so that a press is not lost to a refresh.
    while (m_actButtons.size() > m_text.buttons.size())
        delete m_actButtons.takeLast();
    while (m_actButtons.size() < m_text.buttons.size()) {
        auto* button = new QPushButton(m_buttonRow);
        const auto place = m_actButtons.size();
        connect(button, &QPushButton::clicked, this, [this, place] {
            if (place < m_text.buttons.size())
                Q_EMIT requestAct(m_text.buttons[place].action);
        });
        m_buttons->insertWidget(static_cast<int>(place), button);
        m_actButtons.append(button);
    }
    if (m_orderedButtons != m_actButtons.size()) {
        m_orderedButtons = m_actButtons.size();
        QList<QWidget*> order(m_actButtons.begin(), m_actButtons.end());
        order << m_progress << m_plan << m_explain << m_vendor << m_more << m_copy << m_histories
              << m_statement << m_otherStatement << m_sections;
        for (qsizetype i = 1; i < order.size(); ++i)
            setTabOrder(order[i - 1], order[i]);
    }
    const QString reason = m_context.reasonAgainstActing();
    for (qsizetype i = 0; i < m_actButtons.size(); ++i) {
        m_actButtons[i]->setText(m_text.buttons[i].text);
        setReason(m_actButtons[i], reason);
    }
    m_buttonRow->setVisible(!m_text.title.isEmpty());
    showPlanButton();
    showByHand();
    showFramework();
}

void DetailPane::showFramework()
{
    constexpr qsizetype widestCommand = 28;
    m_badge->say(m_text.framework);
    const QString command = inOneLine(m_text.vendorCommand);
    m_vendor->setVisible(!command.isEmpty());
    const QString past = m_context.pastTime() ? m_context.reasonAgainstActing() : QString();
    m_vendor->setText(inMenu(u"Copy “%1”"_s.arg(
        command.size() > widestCommand ? command.left(widestCommand) + QChar(0x2026) : command)));
    setReason(m_vendor, past,
        toolTipText(sentences({u"The framework's own way: "_s + command, m_text.vendorNote})));
    m_more->setVisible(!m_text.helpPage.isEmpty());
    if (m_text.framework)
        m_more->setText(inMenu(u"Read more about %1"_s.arg(m_text.framework->frameworkName)));
    setChapter(*m_content, m_text.helpPage);
}

const Session* DetailPane::session() const
{
    const auto* chosen = std::get_if<SessionKey>(&m_subject);
    const SessionKey key = chosen ? *chosen : m_text.planOf;
    const Session* found = m_snapshot && key.id.isValid() ? m_snapshot->session(key.id) : nullptr;
    return found && found->key() == key ? found : nullptr;
}

/// Shows what former polls have seen of it, which costs nothing.
void DetailPane::addTrail()
{
    const Session* subject = session();
    if (!subject)
        return;
    constexpr qsizetype maxShown = 160;
    DetailText::Section section{u"Before, as polls saw it"_s, {}};
    for (const StatementTrail::Step& step : m_trail.before(subject->key())) {
        if (step.seen >= m_snapshot->takenAt)
            continue; // a past time is on view: that was after it
        const QString statement = step.statement.simplified();
        section.lines.append({clockText(step.seen),
            statement.size() > maxShown ? statement.left(maxShown) + QChar(0x2026) : statement, {}});
    }
    if (!section.lines.isEmpty())
        m_text.sections.append(section);
}

/// Offers statements that the operator runs by hand, and the progress that is asked for on request.
void DetailPane::showByHand()
{
    const Session* subject = session();
    const bool isOffered = subject && db::Dialect::of(m_snapshot->engine).can(db::Capability::ExplainByHand);
    const ExplainByHand explain = isOffered ? explainByHand(*subject) : ExplainByHand();
    m_explain->setVisible(isOffered && !subject->system);
    setReason(m_explain, explain.reasonAgainst,
        u"EXPLAIN for its statement, to run yourself. Lockscope does not: to plan a statement can call functions in it, with our rights."_s);
    m_progress->setVisible(isOffered && monitor::reportsProgress(*subject));
    setReason(
        m_progress, m_context.reasonAgainstAsking(), u"Asks the server once, on a connection of its own"_s);
}

void DetailPane::showPlanButton()
{
    QString reason = m_context.reasonAgainst(db::Capability::StatementPlans);
    if (reason.isEmpty())
        reason = m_text.noPlan;
    if (reason.isEmpty())
        reason = m_context.reasonAgainstAsking();
    const bool engineHasPlans = m_context.reasonAgainst(db::Capability::StatementPlans).isEmpty();
    m_plan->setVisible(m_text.planOf.id.isValid() && engineHasPlans);
    setReason(m_plan, reason, u"The plan by which its statement runs, for tools that draw it"_s);
}

SessionAsker::SessionAsker(QWidget* window)
    : QObject(window)
    , m_window(window)
{
}

void SessionAsker::forget()
{
    for (Kind* kind : {&m_plan, &m_progress}) {
        ++kind->request;
        kind->worker.cancel();
    }
}

void SessionAsker::askProgress(const db::Server& server, const Session& session)
{
    Q_EMIT said(u"Asking how far session %1 is…"_s.arg(session.id.value));
    askServer(
        m_progress.worker, server, 10s, this,
        [session](db::Connection& connection, const std::stop_token& stop) {
            return monitor::commandProgress(connection, session, stop);
        },
        [this, id = session.id.value, request = ++m_progress.request](const Result<QString>& progress) {
            if (request == m_progress.request)
                Q_EMIT said(
                    progress ? u"Session %1: %2."_s.arg(id).arg(*progress) : progress.error().toString());
        });
}

void SessionAsker::savePlan(const db::Server& server, const SessionKey& session)
{
    Q_EMIT said(u"Asking for the plan of session %1…"_s.arg(session.id.value));
    askServer(
        m_plan.worker, server, 30s, this,
        [session](db::Connection& connection, const std::stop_token& stop) {
            return monitor::statementPlan(connection, session, stop);
        },
        [this, session, request = ++m_plan.request](const Result<QString>& plan) {
            if (request != m_plan.request)
                return;
            if (plan)
                askWhereToSavePlan(session, *plan);
            else
                Q_EMIT said(plan.error().toString());
        });
}

void SessionAsker::askWhereToSavePlan(const SessionKey& session, const QString& plan)
{
    Q_EMIT said(u"The plan of session %1 is here."_s.arg(session.id.value));
    askWhereToSave(*m_window, u"Save plan"_s, u"Execution plan (*.sqlplan)"_s,
        QStringLiteral("session-%1.sqlplan").arg(session.id.value),
        [self = QPointer(this), plan](const QString& path) {
            if (!self)
                return;
            writeLater(*self, path, plan.toUtf8(), u"The plan is in %1."_s.arg(path),
                [self](const QString& text) { Q_EMIT self->said(text); });
        });
}

} // namespace lockscope::ui
