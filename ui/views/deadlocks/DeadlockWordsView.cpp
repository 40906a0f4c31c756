// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/DeadlockWordsView.h"

#include "core/base/Sentences.h"
#include "core/deadlock/Finding.h"
#include "core/domain/SnapshotNames.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/views/page/AppContext.h"

#include <QScrollBar>
#include <QSet>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

const QString evidenceLink = u"evidence"_s;

/// Texts of others are shown as they are. Laying out more than a person reads would stop the window.
QString shownText(const QString& text)
{
    constexpr qsizetype maximum = 20'000;
    return htmlText(inOneLine(text.size() <= maximum ? text : text.left(maximum) + u'…'));
}

QString listOf(const QStringList& items, const QString& tag)
{
    constexpr qsizetype maximum = 200;
    if (items.isEmpty())
        return {};
    const QString list =
        u"<%1><li>%2</li></%1>"_s.arg(tag, items.first(std::min(items.size(), maximum)).join(u"</li><li>"_s));
    return items.size() <= maximum
        ? list
        : list + u"<p>… and %1 more; the export for programs has them.</p>"_s.arg(items.size() - maximum);
}

QString heading(const QString& text)
{
    return u"<h4>%1</h4>"_s.arg(text);
}

QString findingText(const deadlock::Finding& finding)
{
    return u"%1 (%2)"_s.arg(shownText(finding.says), deadlock::certaintyName(finding.certainty));
}

/// Remarks on the report itself come behind what it tells.
bool isRemark(const deadlock::Finding& finding)
{
    return finding.id == u"capture"_s;
}

QString evidenceOf(const QList<deadlock::Finding>& findings)
{
    QString all;
    for (const deadlock::Finding& finding : findings) {
        QStringList facts;
        const auto add = [&facts](const QString& name, const QString& value) {
            if (!value.isEmpty())
                facts << u"<i>%1:</i> %2"_s.arg(name, shownText(value));
        };
        add(u"It rests on"_s, finding.restsOn);
        add(u"It may be otherwise"_s, finding.hedge);
        add(u"To be sure"_s, finding.wouldProve);
        if (!facts.isEmpty())
            all += u"<p>%1</p>"_s.arg(findingText(finding)) + listOf(facts, u"ul"_s);
    }
    return all;
}

QString pageOf(const deadlock::Deadlock& deadlock, bool withEvidence, const QString& linkColor)
{
    const QList<deadlock::Finding> findings = deadlock::findingsOf(deadlock);
    QStringList others;
    QStringList remarks;
    for (const deadlock::Finding& finding : findings)
        (isRemark(finding) ? remarks : others) << findingText(finding);
    const QStringList steps = textOfEach(deadlock::sequenceOf(deadlock), shownText);
    QString page = u"<p><b>%1</b></p>"_s.arg(shownText(deadlockCure(findings)));
    page += heading(u"What happened"_s) + listOf(steps, u"ol"_s);
    if (!others.isEmpty())
        page += heading(u"What the report shows"_s) + listOf(others, u"ul"_s);
    if (!remarks.isEmpty())
        page += heading(u"About the report"_s) + listOf(remarks, u"ul"_s);
    const QString evidence = evidenceOf(findings);
    if (!evidence.isEmpty())
        page += u"<h4><a href=\"%1\" style=\"color:%2; text-decoration:none\">%3 Evidence</a></h4>"_s.arg(
                    evidenceLink, linkColor, withEvidence ? u"▾"_s : u"▸"_s)
            + (withEvidence ? evidence : QString());
    return page;
}

class Finder {
public:
    Finder(const DeadlockRow& row, const AppContext& context, const SnapshotPtr& snapshot)
        : m_row(row)
        , m_context(context)
        , m_snapshot(snapshot)
    {
        if (row.identity.server.isEmpty())
            m_reason = u"It comes from a file, which does not name its server."_s;
        else if (row.identity.server != context.profile().display())
            m_reason = u"It is of “%1”, which is not on view."_s.arg(row.identity.server);
    }

    QList<DeadlockJump> find() const
    {
        QList<DeadlockJump> jumps;
        QList<deadlock::Link> links;
        QSet<int> waiters; // once each, however many it waits for
        for (const deadlock::Link& link : m_row.deadlock.links()) {
            if (!waiters.contains(link.waiter))
                links << link;
            waiters.insert(link.waiter);
        }
        for (const deadlock::Link& link : links)
            jumps << session(link);
        for (const deadlock::Link& link : links)
            jumps << lock(link);
        for (const deadlock::Link& link : links)
            jumps << audit(link);
        jumps << jumpTime();
        return jumps;
    }

private:
    const deadlock::Participant& waiter(const deadlock::Link& link) const
    {
        return m_row.deadlock.participant(link.waiter);
    }

    /// Null, with the reason: it is not the one of the deadlock, or none is there.
    const Session* sessionOf(const deadlock::Link& link, QString& reason) const
    {
        const deadlock::Participant& one = waiter(link);
        reason = m_reason;
        if (!reason.isEmpty())
            return nullptr;
        const Session* const found = m_snapshot ? m_snapshot->session(one.session) : nullptr;
        const auto& at = m_row.deadlock.report->time.at;
        if (!found) {
            reason = u"Session %1 is not there %2."_s.arg(
                one.label(), m_context.pastTime() ? u"at the time on view"_s : u"any more"_s);
        } else if (!at || !m_row.deadlock.report->time.isZoneKnown) {
            reason = u"The report does not say when it was: session %1 may be another one by now."_s.arg(
                one.label());
        } else if (found->started.isValid() && found->loggedIn() > *at) {
            reason = u"Session %1 is another one: it began at %2, later than the deadlock."_s.arg(
                one.label(), dateTimeText(found->loggedIn()));
        }
        return reason.isEmpty() ? found : nullptr;
    }

    DeadlockJump session(const deadlock::Link& link) const
    {
        DeadlockJump jump{.text = u"Session %1"_s.arg(waiter(link).label()), .page = u"sessions"_s};
        if (const Session* const found = sessionOf(link, jump.reasonAgainst))
            jump.subject = found->key();
        return jump;
    }

    DeadlockJump lock(const deadlock::Link& link) const
    {
        const deadlock::LockedThing& thing = m_row.deadlock.resource(link.resource);
        DeadlockJump jump{
            .text = u"Lock of session %1: %2"_s.arg(waiter(link).label(), thing.name), .page = u"locks"_s};
        const Session* const found = sessionOf(link, jump.reasonAgainst);
        if (!found)
            return jump;
        const auto isIt = [&](const LockRequest& request) {
            const Resource& resource = m_snapshot->resourceOf(request);
            return request.session == found->id && request.mode.name() == link.awaited
                && resource.key.kind == thing.kind
                && (resource.name == thing.name || resource.name == thing.table);
        };
        const auto request = std::find_if(m_snapshot->requests.begin(), m_snapshot->requests.end(), isIt);
        if (request == m_snapshot->requests.end())
            jump.reasonAgainst = u"Session %1 neither has this lock nor waits for it %2."_s.arg(
                waiter(link).label(), m_context.pastTime() ? u"at the time on view"_s : u"now"_s);
        else
            jump.subject = m_snapshot->keyOf(*request);
        return jump;
    }

    DeadlockJump audit(const deadlock::Link& link) const
    {
        const deadlock::Participant& one = waiter(link);
        return {.text = u"Audit of session %1"_s.arg(one.label()),
            .reasonAgainst = !m_reason.isEmpty() ? m_reason
                : !one.session.isValid()         ? u"The report does not show its number."_s
                                                 : QString(),
            .page = u"audit"_s,
            .filter = u"target:\"session %1\""_s.arg(one.session.value)};
    }

    DeadlockJump jumpTime() const
    {
        DeadlockJump jump{.text = u"The time in the recording"_s, .reasonAgainst = m_reason};
        const deadlock::ReportTime& time = m_row.deadlock.report->time;
        if (jump.reasonAgainst.isEmpty() && (!time.at || !time.isZoneKnown))
            jump.reasonAgainst = u"The report does not say when it was."_s;
        if (jump.reasonAgainst.isEmpty() && !m_context.recording())
            jump.reasonAgainst = u"This server is not recorded."_s;
        if (jump.reasonAgainst.isEmpty())
            jump.jumpTime = time.at;
        return jump;
    }

    const DeadlockRow& m_row;
    const AppContext& m_context;
    const SnapshotPtr& m_snapshot;
    QString m_reason; ///< against all of them
};

} // namespace

QString deadlockCure(const QList<deadlock::Finding>& findings)
{
    const QString cure = deadlock::cureLine(findings);
    return cure.isEmpty() ? u"The report alone shows no cure."_s
                          : u"%1: %2"_s.arg(deadlock::cureHead(findings.first().certainty), cure);
}

DeadlockWordsView::DeadlockWordsView(QWidget* parent)
    : QTextBrowser(parent)
{
    setObjectName(u"deadlockWords"_s);
    setAccessibleName(u"The deadlock in words"_s);
    setFrameShape(QFrame::NoFrame);
    setOpenLinks(false);
    document()->setDocumentMargin(10);
    connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        if (link.toString() == evidenceLink)
            showEvidence(!m_isEvidenceShown);
    });
    theme::whenRecolored(*this, [this] { write(); });
}

void DeadlockWordsView::show(const std::optional<deadlock::Deadlock>& deadlock)
{
    m_deadlock = deadlock;
    write();
    verticalScrollBar()->setValue(0);
}

void DeadlockWordsView::showEvidence(bool shown)
{
    m_isEvidenceShown = shown;
    write();
}

void DeadlockWordsView::write()
{
    const int place = verticalScrollBar()->value();
    setHtml(m_deadlock ? pageOf(*m_deadlock, m_isEvidenceShown, theme::colors(palette()).accent.name())
                       : QString());
    verticalScrollBar()->setValue(place);
}

QList<DeadlockJump> jumpsOf(const DeadlockRow& row, const AppContext& context, const SnapshotPtr& snapshot)
{
    return Finder(row, context, snapshot).find();
}

} // namespace lockscope::ui
