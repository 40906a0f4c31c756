// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/overview/HeadBlockerBanner.h"

#include "core/admin/ByHand.h"
#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/domain/Aftermath.h"
#include "core/domain/Diagnosis.h"
#include "core/domain/FrameworkText.h"
#include "core/domain/HolderLife.h"
#include "core/domain/SnapshotNames.h"
#include "core/domain/WaitTotals.h"
#include "ui/kit/delegates/BadgePainter.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/ActAdvice.h"
#include "ui/views/page/Page.h"
#include "ui/views/page/SessionActs.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QToolButton>

#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int widestProgram = 150;
constexpr int widestCause = 480;
constexpr size_t otherCauses = 2;

/// "Session 51 (billing)", "Prepared 'nightly'"
QString nameOf(const Snapshot& snapshot, SessionId id)
{
    QString name = sessionName(snapshot, id);
    if (isPrepared(snapshot, id))
        return name.left(1).toUpper() + name.mid(1);
    const Session* session = snapshot.session(id);
    name.prepend(u"Session "_s);
    return session && !session->program.isEmpty() ? name + u" (%1)"_s.arg(session->program) : name;
}

} // namespace

QString growthText(const Harm& harm)
{
    return harm.joined > 0 && harm.joined < harm.victims ? u"%1 more in the last minute"_s.arg(harm.joined)
                                                         : QString();
}

NextHeads::NextHeads(QWidget* parent)
    : QWidget(parent)
    , m_layout(new QHBoxLayout(this))
{
    m_layout->setContentsMargins(6, 0, 6, 0);
    m_layout->setSpacing(2);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // a long name must not widen the page
    m_act = addButton(QStringLiteral("otherAct"));
    connect(m_act, &QToolButton::pressed, this, [this] { m_aimedAt = m_offer; });
    connect(m_act, &QToolButton::clicked, this, [this] {
        if (m_aimedAt)
            Q_EMIT actRequested(m_aimedAt->session, m_aimedAt->cancels);
    });
    for (size_t i = 0; i < headsNamed - 1; ++i) {
        QToolButton* button = addButton(QStringLiteral("nextHead%1").arg(i + 2));
        connect(button, &QToolButton::clicked, this, [this, i] { Q_EMIT chosen(m_lines[i].head); });
        m_lines.push_back({button, {}});
    }
    for (size_t i = 0; i < otherCauses; ++i) {
        QToolButton* button = addButton(QStringLiteral("otherCause%1").arg(i + 1));
        connect(button, &QToolButton::clicked, this, [this, i] { Q_EMIT causeChosen(m_others[i].entry); });
        m_others.push_back({button, {}});
    }
    m_layout->addStretch(1);
    hide();
}

QToolButton* NextHeads::addButton(const QString& name)
{
    auto* button = new QToolButton(this);
    button->setAutoRaise(true);
    button->setObjectName(name);
    button->setCursor(Qt::PointingHandCursor);
    button->setFocusPolicy(Qt::StrongFocus);
    button->hide();
    m_layout->addWidget(button, 0, Qt::AlignLeft);
    return button;
}

void NextHeads::say(const SnapshotPtr& snapshot, const AgeThresholds& thresholds, bool bannerNamesHead,
    const std::vector<OtherCause>& others)
{
    size_t shown = 0;
    if (snapshot) {
        const auto& heads = snapshot->blocking().heads();
        for (size_t i = bannerNamesHead ? 1 : 0; i < heads.size() && shown < m_lines.size(); ++i, ++shown)
            sayHead(m_lines[shown], *snapshot, heads[i], thresholds);
    }
    for (size_t i = 0; i < m_lines.size(); ++i)
        m_lines[i].button->setVisible(i < shown);
    for (size_t i = 0; i < m_others.size(); ++i) {
        const bool isThere = i < others.size();
        m_others[i].button->setVisible(isThere);
        if (!isThere)
            continue;
        m_others[i].entry = others[i].entry;
        const QString text = fontMetrics().elidedText(others[i].text, Qt::ElideRight, widestCause);
        m_others[i].button->setText(inMenu(u"%1 %2"_s.arg(theme::levelSign(others[i].level), text)));
        m_others[i].button->setAccessibleName(others[i].text);
        m_others[i].button->setToolTip(toolTipText(others[i].text));
    }
    showIfAny();
}

void NextHeads::offerOtherAct(const SnapshotPtr& snapshot, const ReasonAgainst& reasonAgainst)
{
    const std::optional<Offer> before = std::exchange(m_offer, {});
    const auto& none = std::vector<BlockingGraph::Head>();
    const auto& heads = snapshot ? snapshot->blocking().heads() : none;
    const auto other = heads.empty() ? std::nullopt : otherActThanEnding(*snapshot, heads.front().session);
    if (other) {
        m_offer = {*snapshot->session(other->session), other->cancels};
        const QString reason = reasonAgainst(m_offer->session, m_offer->cancels);
        const QString text = (other->isBetter ? u"better: "_s : u"or "_s) + inOneLine(other->text);
        m_act->setText(inMenu(text) + QChar(0x2026));
        m_act->setAccessibleName(text);
        setReason(m_act, toolTipText(reason), toolTipText(inOneLine(other->losses)));
    }
    // It must not act on another session than when it got the focus.
    const bool isSame = before && m_offer && before->session.key() == m_offer->session.key();
    if (!isSame && window()->focusWidget() == m_act)
        m_act->clearFocus();
    m_act->setVisible(m_offer.has_value());
    showIfAny();
}

void NextHeads::showIfAny()
{
    bool isAny = !m_act->isHidden();
    for (const Line& line : m_lines)
        isAny = isAny || !line.button->isHidden();
    for (const OtherLine& line : m_others)
        isAny = isAny || !line.button->isHidden();
    setVisible(isAny);
    arrange();
}

void NextHeads::sayHead(
    Line& line, const Snapshot& snapshot, const BlockingGraph::Head& head, const AgeThresholds& thresholds)
{
    const Session* session = snapshot.session(head.session);
    line.head = session ? session->key() : SessionKey{head.session, {}};
    const QString name = sessionName(snapshot, head.session);
    const QString growth = growthText(head);
    const bool hasProgram = session && !session->program.isEmpty() && !isPrepared(snapshot, head.session);
    QString text = u"%1 %2 %3"_s.arg(
        theme::levelSign(levelOf(head, thresholds)), name, blocksText(head, head.longest().toString()));
    QString words =
        (isPrepared(snapshot, head.session) ? name : u"Session "_s + name) + u' ' + blocksText(head);
    if (!growth.isEmpty()) {
        text += u", +%1"_s.arg(head.joined);
        words += QStringLiteral(", ") + growth;
    }
    if (hasProgram)
        text +=
            QStringLiteral(" · ") + fontMetrics().elidedText(session->program, Qt::ElideRight, widestProgram);
    line.button->setText(inMenu(text));
    line.button->setAccessibleName(inOneLine(words));
    line.button->setToolTip(toolTipText(inOneLine(words)
        + (hasProgram ? QStringLiteral("\n") + inOneLine(session->program) : QString())
        + u"\nShow its chain"_s));
}

void NextHeads::arrange()
{
    int requested = m_layout->contentsMargins().left() + m_layout->contentsMargins().right();
    for (const auto* button : findChildren<QToolButton*>(Qt::FindDirectChildrenOnly)) {
        if (!button->isHidden())
            requested += button->sizeHint().width() + m_layout->spacing();
    }
    m_layout->setDirection(requested <= width() ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void NextHeads::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

HeadBlockerBanner::HeadBlockerBanner(AppContext& context, QWidget* parent)
    : QFrame(parent)
    , m_context(context)
    , m_sign(new QLabel(this))
    , m_title(named("headTitle", new QLabel(this)))
    , m_reason(named("headReason", new QLabel(this)))
    , m_badge(new FrameworkBadge(this))
    , m_deadlocks(named("recentDeadlocks", new QPushButton(this)))
    , m_chain(named("showChain", new QPushButton(u"Show chain"_s, this)))
    , m_end(named("endHead", new QPushButton(this)))
    , m_copy(named("copyEndHead", new QPushButton(u"Copy statement"_s, this)))
    , m_foot(new QWidget(this))
    , m_answerText(named("headAnswer", new QLabel(m_foot)))
    , m_answer(new ActAnswer(context, this))
{
    auto* row = withSpacing(new QHBoxLayout, 10);
    addAll(*withMargins(new QVBoxLayout(this), {14, 8, 12, 8}, 4), {row, m_foot});
    auto* foot = new QHBoxLayout(m_foot);
    // Below the texts, not below the sign.
    foot->setContentsMargins(QFontMetrics(theme::scaled(1.6)).horizontalAdvance(u'●') + 10, 0, 0, 0);
    foot->setSpacing(10);
    addAll(*foot, {{m_answerText, 1}, m_copy});
    QVBoxLayout* texts = withSpacing(columnOf({m_title, m_reason}), 1);
    addAll(*row, {m_sign, {texts, 1}, m_badge, m_deadlocks, m_chain, m_end});
    m_sign->setFont(theme::scaled(1.6));
    m_title->setFont(theme::scaled(1.45, QFont::DemiBold));
    m_title->setMinimumHeight(m_title->fontMetrics().height()); // with smaller letters, too
    m_deadlocks->setToolTip(u"Go to them: page Deadlocks"_s);
    m_deadlocks->hide();
    for (QLabel* label : {m_title, m_reason, m_answerText}) {
        label->setTextFormat(Qt::PlainText);
        label->setMinimumWidth(80);
    }
    // As high with buttons as without: what is below stays where it is.
    QSizePolicy kept = m_chain->sizePolicy();
    kept.setRetainSizeWhenHidden(true);
    m_chain->setSizePolicy(kept);
    m_copy->setSizePolicy(kept);
    connect(m_chain, &QPushButton::clicked, this, [this] {
        if (m_said.entry)
            Q_EMIT entryRequested(*m_said.entry);
        else
            Q_EMIT chainRequested();
    });
    connect(m_deadlocks, &QPushButton::clicked, this, &HeadBlockerBanner::deadlocksRequested);
    for (QPushButton* button : {m_end, m_copy})
        connect(button, &QPushButton::pressed, this, [this] { m_aimedAt = m_head; });
    connect(m_end, &QPushButton::clicked, this, [this] {
        if (m_aimedAt)
            Q_EMIT endRequested(*m_aimedAt);
    });
    connect(m_copy, &QPushButton::clicked, this, [this] {
        if (!m_aimedAt || m_context.pastTime())
            return;
        QGuiApplication::clipboard()->setText(admin::endByHand(m_context.profile().url.engine, *m_aimedAt));
        Q_EMIT copied(
            u"Statement to end session %1 copied. The audit does not record sessions that are ended by hand."_s
                .arg(m_aimedAt->id.value));
    });
    connect(m_answer, &ActAnswer::changed, this, &HeadBlockerBanner::showButtons);
    // Once it was needed it keeps its space while this server is on view: the parts below stay in place.
    m_foot->hide();
    connect(&context, &AppContext::serverChanged, m_foot, &QWidget::hide);
    say(nullptr, {});
    theme::whenRecolored(*this, [this] { showTexts(); });
}

void HeadBlockerBanner::say(const SnapshotPtr& snapshot, const LockThresholds& thresholds)
{
    const std::optional<Session> before = std::exchange(m_head, {});
    std::vector<Said> causes = snapshot ? causesIn(*snapshot, thresholds) : std::vector<Said>();
    // Causes that have nothing to do with each other don't hide each other: the others have lines below.
    m_others.clear();
    for (size_t i = 1; i < causes.size(); ++i)
        if (!causes[i].isHead)
            m_others.push_back({inOneLine(causes[i].title), causes[i].level, causes[i].entry});
    if (!snapshot)
        m_said = {.title = u"Not read yet"_s, .level = AgeLevel::Normal};
    else if (causes.empty() && snapshot->mayHideLocks())
        m_said = {.title = u"Nobody is seen blocked"_s,
            .reason = u"A part could not be read, so a session may still be blocked."_s,
            .level = AgeLevel::Normal,
            .isPartial = true};
    else if (causes.empty())
        m_said = {.title = u"Nobody is blocked"_s,
            .reason = u"No session waits for a lock of another one."_s,
            .level = AgeLevel::Normal};
    else
        m_said = causes.front();
    if (m_said.isHead) {
        if (const Session* session = snapshot->session(snapshot->blocking().heads().front().session))
            m_head = *session;
    }
    for (QString* text : {&m_said.title, &m_said.reason, &m_said.remedy})
        *text = inOneLine(*text);
    showTexts();
    showButtons();
    if (before && (!m_head || m_head->key() != before->key()))
        leaveActs();
}

/// Returns each cause that there is, the worst first, in the order that alert::isWorse() has for chains. The
/// first wait has the level of the server. What nobody is seen to wait for goes before waits that are short.
std::vector<HeadBlockerBanner::Said> HeadBlockerBanner::causesIn(
    const Snapshot& snapshot, const LockThresholds& thresholds)
{
    std::vector<Said> causes;
    const BlockingGraph& graph = snapshot.blocking();
    const auto& heads = graph.heads();
    const LockTableQueue queue = worstQueue(snapshot);
    const bool isQueueWorse =
        !queue.empty() && (heads.empty() || isWorse(harmOf(queue, snapshot.takenAt), heads.front()));
    if (!graph.cycles().empty())
        causes.push_back(ofRing(snapshot, graph.cycles().front(), thresholds));
    if (isQueueWorse)
        causes.push_back(ofQueue(snapshot, queue, thresholds.wait));
    if (!heads.empty())
        causes.push_back(ofHead(snapshot, heads.front(), thresholds));
    if (!queue.empty() && !isQueueWorse)
        causes.push_back(ofQueue(snapshot, queue, thresholds.wait));
    if (const auto waiters = static_cast<int>(snapshot.waitingSessions().size());
        causes.empty() && waiters > 0)
        causes.push_back({.title = textWithoutBlocker(waiters),
            .reason = reasonWithoutBlocker(),
            .remedy = {},
            .blocked = true});
    const AgeLevel level = levelOf(snapshot, thresholds.wait);
    if (!causes.empty())
        causes.front().level = level;
    if (const LockTableEntry* left = leftBehind(snapshot))
        causes.insert(
            level == AgeLevel::Normal ? causes.begin() : causes.end(), ofLeftBehind(snapshot, *left));
    return causes;
}

/// Takes the focus from buttons that would act on another session now than when they got it.
void HeadBlockerBanner::leaveActs()
{
    for (const QPushButton* button : {m_end, m_copy}) {
        if (window()->focusWidget() == button)
            m_chain->setFocus(Qt::OtherFocusReason);
    }
}

HeadBlockerBanner::Said HeadBlockerBanner::ofHead(
    const Snapshot& snapshot, const BlockingGraph::Head& head, const LockThresholds& thresholds)
{
    const Diagnosis diagnosis = diagnose(snapshot, head.session, thresholds.hold.amber);
    QString title = nameOf(snapshot, head.session) + u' ' + blocksText(head);
    QString reason = diagnosis.summary;
    const FrameworkRole role = frameworkRoleOf(snapshot, head.session);
    if (role.isWaitedFor) {
        // The lock's framework says more than the number of a session; that is on the button.
        const QString inherited = inheritedText(head);
        reason = u"%1, the longest wait %2: %3"_s.arg(
            nameOf(snapshot, head.session) + (inherited.isEmpty() ? QString() : u", "_s + inherited),
            head.longest().toString(), diagnosis.summary);
        title = u"%1, blocks %2"_s.arg(frameworkSummary(snapshot, role), QString::number(head.victims));
    } else if (role.match) {
        reason = sentences({reason, u"It holds %1 besides."_s.arg(frameworkLockTitle(*role.match))});
    }
    if (const QString growth = growthText(head); !growth.isEmpty())
        title += QStringLiteral(", ") + growth;
    return {.title = title,
        .reason = reason,
        .remedy = diagnosis.remedy,
        .level = levelOf(head, thresholds.wait),
        .blocked = true,
        .framework = role.isWaitedFor ? role.match : nullptr,
        .isHead = true};
}

/// Nobody waits where the server could see it; programs that wait for the lock ask for it again and again.
HeadBlockerBanner::Said HeadBlockerBanner::ofLeftBehind(const Snapshot& snapshot, const LockTableEntry& entry)
{
    const QString title = frameworkLockTitle(entry);
    const QString who = whoHolds(entry);
    const QString stored = storedSince(entry);
    const auto age = std::chrono::duration_cast<milliseconds>(snapshot.takenAt - entry.acquiredAt);
    const QString since = entry.acquiredAt.isValid() ? u" for %1"_s.arg(durationInWords(age))
        : stored.isEmpty()                           ? QString()
                                                     : u" since %1"_s.arg(stored.section(u'.', 0, 0));
    const QString locked = who.isEmpty()
        ? u"%1 is still locked%2; the program that took it is gone"_s.arg(title, since)
        : u"%1 is still locked by %2%3, whose program is gone"_s.arg(title, who, since);
    return {.title = locked,
        .reason = sentences(entry.holderLife.evidence
            + QStringList{entry.holderLife.overturnedBy,
                u"A program that waits for it does so by itself, where no server sees it."_s}),
        .remedy = entry.framework->lockDefinition ? entry.framework->lockDefinition->ends : QString(),
        .level = AgeLevel::Amber,
        .blocked = true,
        .entry = LockTableKey{entry.table, entry.name},
        .framework = entry.framework};
}

HeadBlockerBanner::Said HeadBlockerBanner::ofRing(
    const Snapshot& snapshot, const std::vector<SessionId>& ring, const LockThresholds& thresholds)
{
    const QStringList names =
        textOfEach(ring, [&](SessionId session) { return sessionName(snapshot, session); });
    const Diagnosis diagnosis = diagnose(snapshot, ring.front(), thresholds.hold.amber);
    return {.title = u"Deadlock: sessions %1 wait for each other"_s.arg(names.join(QStringLiteral(", "))),
        .reason = diagnosis.summary,
        .remedy = diagnosis.remedy,
        .level = AgeLevel::Red,
        .blocked = true};
}

/// Text for waits that no session blocks, but a row.
HeadBlockerBanner::Said HeadBlockerBanner::ofQueue(
    const Snapshot& snapshot, const LockTableQueue& queue, const AgeThresholds& thresholds)
{
    const LockTableKey key{queue.front()->table, queue.front()->name};
    const Harm harm = harmOf(queue, snapshot.takenAt);
    const LockTableEntry* const entry = entryOf(snapshot, key);
    const QString reason = !entry
        ? u"In the lock table: free at the moment; its turn comes with the next poll."_s
        : entry->isStale(snapshot.takenAt)
        ? u"In the lock table: the lease of %1 on %2 has expired. %3"_s.arg(
            entry->party.program, entry->party.host, verdictInBrief(entry->holderLife))
        : u"In the lock table: held by %1 on %2."_s.arg(entry->party.program, entry->party.host);
    return {.title = u"\"%1\" keeps %2 waiting for %3"_s.arg(
                key.name, QString::number(harm.victims), durationInWords(harm.longestWait)),
        .reason = reason,
        .remedy = u"Ask its holder to release it; on page Lock table its entry can be released."_s,
        .level = levelOf(harm, thresholds),
        .blocked = true,
        .entry = key};
}

void HeadBlockerBanner::setDeadlocks(int lastHour)
{
    const QString text = counted(lastHour, u"deadlock in the last hour", u"deadlocks in the last hour");
    if (m_deadlocks->text() == text && m_deadlocks->isVisibleTo(this) == (lastHour > 0))
        return;
    m_deadlocks->setText(text);
    m_deadlocks->setVisible(lastHour > 0);
    showTexts();
}

void HeadBlockerBanner::setOld(bool old)
{
    if (m_old == old)
        return;
    m_old = old;
    showTexts();
    showButtons();
}

void HeadBlockerBanner::showTexts()
{
    const ThemeColors& colors = theme::colors(palette());
    const bool calm = !m_said.blocked;
    const AgeLevel level = m_old ? AgeLevel::Normal : m_said.level;
    m_badge->say(m_said.framework);
    m_badge->setFaded(m_old);
    layout()->activate(); // the title is as wide as the badge leaves it
    m_sign->setText(theme::levelSign(level));
    const bool hadDeadlocks = m_deadlocks->isVisibleTo(this);
    const QColor calmInk = hadDeadlocks ? colors.text(AgeLevel::Amber, palette())
        : m_said.isPartial              ? colors.muted
                                        : colors.ok;
    theme::setInk(m_sign, m_old ? colors.muted : calm ? calmInk : colors.text(level, palette()));
    theme::setInk(m_title,
        m_old      ? colors.muted
            : calm ? palette().color(QPalette::WindowText)
                   : colors.text(level, palette()));
    theme::setInk(m_reason, colors.muted);
    putTitle();
    m_reason->setText(m_reason->fontMetrics().elidedText(m_said.reason, Qt::ElideRight, m_reason->width()));
    setAccessibleName(
        sentences({m_said.title, m_said.reason, hadDeadlocks ? m_deadlocks->text() : QString()}));
    QStringList lines{m_said.title, m_said.remedy.isEmpty() ? QString() : m_said.reason, m_said.remedy};
    lines.removeAll(QString());
    setToolTip(toolTipText(lines.join(u'\n')));
    update();
}

/// Sets who, how many, how long: never cut. Where one line is too short, smaller letters, then two lines.
void HeadBlockerBanner::putTitle()
{
    m_title->setWordWrap(false);
    for (const double size : {1.45, 1.2, 1.0}) {
        m_title->setFont(theme::scaled(size, QFont::DemiBold));
        if (m_title->fontMetrics().horizontalAdvance(m_said.title) <= m_title->width())
            break;
        m_title->setWordWrap(size <= 1.0);
    }
    // Of two lines none begins with the unit of a number.
    static const QRegularExpression unit(u"(?<=\\d) (?=(?:ms|s|min|h)\\b)"_s);
    m_title->setText(
        m_title->wordWrap() ? QString(m_said.title).replace(unit, QString(QChar::Nbsp)) : m_said.title);
}

void HeadBlockerBanner::showButtons()
{
    m_chain->setVisible(m_said.blocked);
    m_chain->setText(m_said.entry ? u"Show entry"_s : u"Show chain"_s);
    const bool isSession = m_head && (m_head->id.value > 0 || !m_head->unitOfWork.isEmpty());
    m_end->setVisible(isSession && !m_old);
    bool offersStatement = false;
    if (isSession && !m_old) {
        const QString reason = reasonAgainstSessionAct(m_context, &*m_head);
        if (reason.isEmpty())
            m_answer->askFor(*m_head);
        const ActAdvice advice = m_answer->adviceFor(*m_head);
        const QString text = advice.isPossible ? u"End session %1…"_s : u"How to end %1…"_s;
        m_end->setText(text.arg(m_head->id.value));
        setReason(
            m_end, toolTipText(reason), toolTipText(sentences({advice.text, advice.detail, advice.grant})));
        offersStatement = !m_context.pastTime() && !advice.isPossible && advice.offersStatement
            && !admin::endByHand(m_context.profile().url.engine, *m_head).isEmpty();
        m_copy->setText(u"Copy statement for %1"_s.arg(m_head->id.value));
        m_copy->setToolTip(u"Copy the statement that ends exactly this session, to be run elsewhere"_s);
    }
    m_copy->setVisible(offersStatement);
    showAnswer();
}

/// Shows why it can't simply be ended, where that is so.
void HeadBlockerBanner::showAnswer()
{
    QString text;
    if (m_head && !m_old && m_context.admin() && !m_context.pastTime()) {
        const ActAdvice advice = m_answer->adviceFor(*m_head);
        text = reasonAgainstSessionAct(m_context, &*m_head);
        if (text.isEmpty() && !advice.isPossible)
            text = advice.text;
    }
    m_foot->setVisible(m_foot->isVisibleTo(this) || !text.isEmpty());
    // Its own width is not known before it is on view.
    const QMargins margins = layout()->contentsMargins();
    const int space = width() - margins.left() - margins.right() - m_foot->layout()->contentsMargins().left()
        - m_copy->sizeHint().width() - 10;
    m_answerText->setText(m_answerText->fontMetrics().elidedText(inOneLine(text), Qt::ElideRight, space));
    m_answerText->setToolTip(toolTipText(text));
}

void HeadBlockerBanner::paintEvent(QPaintEvent*)
{
    const ThemeColors& colors = theme::colors(palette());
    const AgeLevel level = m_old ? AgeLevel::Normal : m_said.level;
    QPainter painter(this);
    theme::paintBox(painter, QRectF(rect()).adjusted(1, 1, -1, -1), 7,
        level == AgeLevel::Normal ? QPen(colors.border) : QPen(colors.text(level, palette()), 1.5),
        colors.fill(level));
}

void HeadBlockerBanner::resizeEvent(QResizeEvent* event)
{
    QFrame::resizeEvent(event);
    showTexts();
    showAnswer();
}

} // namespace lockscope::ui
