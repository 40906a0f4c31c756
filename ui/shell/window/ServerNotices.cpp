// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/ServerNotices.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/domain/FrameworkText.h"
#include "core/domain/Snapshot.h"
#include "core/domain/SnapshotNames.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/servers/ServerSession.h"
#include "ui/shell/timetravel/TimeTravel.h"
#include "ui/views/page/ActAdvice.h"
#include "ui/views/page/AppContext.h"

#include <QRegularExpression>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using monitor::Health;

namespace {

QList<Limitation> thoseOf(const Snapshot& snapshot, const QString& page)
{
    const bool aboutTables = page == QLatin1String("lock-table") || page == QLatin1String("overview");
    QList<Limitation> relevant;
    for (const Limitation& limitation : snapshot.limitations) {
        const bool ofTables = limitation.kind == Limitation::Kind::MissingSchema;
        // An empty lock-table page says it itself.
        const bool said = page == QLatin1String("lock-table") && snapshot.entries.empty();
        if (page != QLatin1String("audit") && (!ofTables || (aboutTables && !said)))
            relevant.append(limitation);
    }
    return relevant;
}

BarNotice noticeOf(const QList<Limitation>& limitations)
{
    const QStringList all = textOfEach(limitations, [](const Limitation& limitation) {
        return sentences({limitation.what, limitation.remedy});
    });
    const Limitation& first = limitations.first();
    QString text = first.what;
    if (limitations.size() > 1)
        text += u" And %1 more."_s.arg(static_cast<int>(limitations.size()) - 1);
    // Only these are cured by a statement that one can copy.
    const bool isStatement =
        first.kind == Limitation::Kind::MissingPermission || first.kind == Limitation::Kind::MissingSchema;
    return {.level = first.kind == Limitation::Kind::Failed ? AgeLevel::Amber : AgeLevel::Normal,
        .text = isStatement ? text : sentences({text, first.remedy}),
        .copyable = isStatement ? first.remedy : QString(),
        .tip = all.join(QLatin1Char('\n'))};
}

} // namespace

ServerNotices::ServerNotices(QWidget* parent)
    : QWidget(parent)
    , m_done(named("doneBar", new NoticeBar(NoticeBar::Shape::Strip, this)))
    , m_health(named("healthBar", new NoticeBar(NoticeBar::Shape::Strip, this)))
    , m_limitations(named("limitationBar", new NoticeBar(NoticeBar::Shape::Strip, this)))
    , m_recorded(named("recordedBar", new NoticeBar(NoticeBar::Shape::Strip, this)))
{
    m_done->setDismissable(true);
    connect(m_done, &NoticeBar::dismissed, this, [this] { m_released.clear(); });
    connect(m_done, &NoticeBar::actionTriggered, this, [this] { Q_EMIT auditRequested(m_doneId); });
    addAll(*withoutMargins(new QVBoxLayout(this), 0), {m_done, m_health, m_limitations, m_recorded});
    m_recorded->setDismissable(true);
    connect(m_recorded, &NoticeBar::dismissed, this, [this] {
        m_announcesRecording = false;
        Q_EMIT recordedDismissed();
    });
    connect(m_recorded, &NoticeBar::actionTriggered, this, &ServerNotices::recordingSettingsRequested);
    m_health->setDismissable(true);
    m_limitations->setDismissable(true);
    connect(m_health, &NoticeBar::actionTriggered, this, &ServerNotices::logInRequested);
    connect(m_health, &NoticeBar::dismissed, this, [this] { m_healthDismissed = m_healthShown; });
    connect(m_limitations, &NoticeBar::actionTriggered, this, &ServerNotices::installRequested);
    connect(m_limitations, &NoticeBar::dismissed, this,
        [this] { m_limitationsDismissed.insert(m_limitationShown); });
}

void ServerNotices::showHealth(const ServerSession& session)
{
    const Health health = session.monitor().health();
    const auto error = session.monitor().lastError();
    const bool failed = health == Health::Failed && error;
    m_healthShown = session.profile().url.toString() + QLatin1Char('\n') + healthWord(health)
        + (failed ? error->what : QString())
        + (failed && error->kind == ErrorKind::Login ? QString::number(session.monitor().failures().count)
                                                     : QString());
    if (m_healthShown == m_healthDismissed && session.isOld())
        return;
    m_healthDismissed.clear();
    const QString asOf = u"As of %1 ago"_s.arg(formatDuration(session.dataAge()));
    const bool asks = failed && error->kind == ErrorKind::Login;
    // A person has tried: with the same words as before nothing would seem to have happened.
    const auto failures = session.monitor().failures();
    const QString again = asks && failures.count > 1
        ? u"Refused again at %1."_s.arg(failures.latest.toString(QStringLiteral("HH:mm:ss")))
        : QString();
    if (health == Health::Silent)
        m_health->say({.level = AgeLevel::Red, .text = u"%1: the server does not answer."_s.arg(asOf)});
    else if (failed)
        m_health->say({.level = AgeLevel::Red,
            .text = sentences({u"%1: %2"_s.arg(asOf, error->what), again}),
            .tip = error->toString()});
    else if (health == Health::Paused)
        m_health->say(
            {.level = AgeLevel::Amber, .text = u"%1: paused. Space resumes, F5 polls once."_s.arg(asOf)});
    else
        m_health->clear();
    m_health->setAction(asks ? u"Log in…"_s : QString());
}

void ServerNotices::showPastView(const TimeTravel& travel)
{
    m_healthShown.clear();
    m_health->setAction({});
    const QString shown = u"Shown is %1."_s.arg(shortDateTimeText(travel.snapshot()->takenAt));
    if (const auto& error = travel.error(); error && travel.position()) {
        m_health->say({.level = AgeLevel::Red,
            .text = sentences(
                {u"%1 can't be shown: %2"_s.arg(shortDateTimeText(*travel.position()), error->what), shown}),
            .tip = error->toString()});
    } else if (const auto& gap = travel.gap()) {
        const bool isEnd = !gap->to.isValid() && travel.source().isFile;
        m_health->say({.level = AgeLevel::Amber,
            .text = isEnd
                ? sentences({u"The recording ends at %1"_s.arg(shortDateTimeText(gap->from)), shown})
                : travel.gapText()});
    } else {
        m_health->clear();
    }
}

void ServerNotices::showLimitations(const Snapshot& snapshot, const Page& page, const AppContext& context)
{
    // A notice with a count is the same one with another number.
    const auto identityOf = [&context](const Limitation& one) {
        static const QRegularExpression digits(QStringLiteral("\\d+"));
        return context.profile().url.toString() + QLatin1Char('\n') + QString(one.what).remove(digits);
    };
    QList<Limitation> relevant = thoseOf(snapshot, page.id());
    const bool showsFrameworks =
        QStringList{u"overview"_s, u"blocking"_s, u"lock-table"_s}.contains(page.id());
    // Live the next poll reads them.
    if (context.pastTime() && !snapshot.frameworkRows && showsFrameworks)
        relevant.append({.kind = Limitation::Kind::Unsupported,
            .what =
                u"Tables of frameworks were not read at that time: no page that shows them was on view."_s});
    const auto isDismissed = [&](const Limitation& one) {
        return m_limitationsDismissed.contains(identityOf(one));
    };
    relevant.erase(std::remove_if(relevant.begin(), relevant.end(), isDismissed), relevant.end());
    m_isLimited = std::ranges::any_of(
        relevant, [](const Limitation& one) { return one.kind != Limitation::Kind::MissingSchema; });
    showOneOfTheFirst();
    if (relevant.isEmpty() || (m_announcesRecording && !m_isLimited)) {
        m_limitations->clear();
        return;
    }
    m_limitationShown = identityOf(relevant.first());
    m_limitations->say(noticeOf(relevant));
    if (relevant.first().kind == Limitation::Kind::MissingSchema && offersInstallation(snapshot))
        m_limitations->setAction(u"Install schema…"_s, context.reasonAgainstActing());
    else
        m_limitations->setAction({});
}

/// Two notices at the first start would take the space of a chart. That something is recorded goes before
/// what is optional; what can't be read goes before both.
void ServerNotices::showOneOfTheFirst()
{
    if (m_announcesRecording && !m_isLimited) {
        m_recorded->say({.level = AgeLevel::Normal,
            .text = u"Lockscope keeps what it sees, including SQL text, on this computer for 7 days"_s,
            .detail = u"Turn it off with “● Recorded” below."_s});
        m_limitations->clear();
    } else {
        m_recorded->clear();
    }
}

void ServerNotices::showDone(const QString& message, qint64 auditId, const QList<LockTableEntry>& released)
{
    m_doneText = message;
    m_doneId = auditId;
    m_released = released;
    m_done->clear(); // one that was dismissed may be done again
    m_done->say({.level = AgeLevel::Normal, .text = message});
    m_done->setAction(auditId == 0 ? QString() : u"Audit record"_s);
}

void ServerNotices::showSince(const Snapshot& snapshot)
{
    if (m_released.size() != 1)
        return;
    const LockTableEntry& was = m_released.first();
    const LockTableEntry* const is = entryOf(snapshot, {was.table, was.name});
    QString since = u"It is free now."_s;
    // A poll that began before the act has the row that was released.
    if (is && is->token == was.token && is->acquiredAt == was.acquiredAt && is->stored == was.stored)
        since.clear();
    else if (is)
        since = u"Now held by %1 for %2."_s.arg(is->framework ? whoHolds(*is) : partyProcessName(is->party),
            durationInWords(std::chrono::duration_cast<milliseconds>(snapshot.takenAt - is->acquiredAt)));
    m_done->say({.level = AgeLevel::Normal, .text = sentences({m_doneText, since})});
}

void ServerNotices::showRecorded(bool shown)
{
    m_announcesRecording = shown;
    m_recorded->setAction(shown ? u"How it is recorded…"_s : QString());
    showOneOfTheFirst();
}

void ServerNotices::clearHealth()
{
    m_health->clear();
}

void ServerNotices::clear()
{
    m_released.clear();
    m_done->clear();
    m_health->clear();
    m_limitations->clear();
    m_isLimited = false;
}

} // namespace lockscope::ui
