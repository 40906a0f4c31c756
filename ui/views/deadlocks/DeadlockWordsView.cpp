// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/DeadlockWordsView.h"

#include "core/deadlock/Words.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"

#include <QScrollBar>

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
    QStringList steps;
    for (const QString& step : deadlock::sequenceOf(deadlock))
        steps << shownText(step);
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

} // namespace lockscope::ui
