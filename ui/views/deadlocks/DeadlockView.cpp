// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/DeadlockView.h"

#include "core/base/ShownText.h"
#include "core/deadlock/Finding.h"
#include "core/deadlock/Words.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/deadlocks/DeadlockPicture.h"
#include "ui/views/deadlocks/DeadlockWordsView.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

void addFact(QStringList& lines, const QString& name, const QString& value)
{
    if (!value.isEmpty())
        lines << u"  %1: %2"_s.arg(name, value);
}

QStringList factsOf(const deadlock::Participant& session)
{
    QStringList lines;
    addFact(lines, u"User"_s, session.user);
    addFact(lines, u"Program"_s, session.program);
    addFact(lines, u"Host"_s, session.host);
    addFact(lines, u"Database"_s, session.database);
    addFact(lines, u"Isolation"_s, session.isolation);
    addFact(lines, u"Transaction since"_s, session.transactionStarted.sourceText);
    if (session.openTransactions)
        addFact(lines, u"Open transactions"_s, QString::number(*session.openTransactions));
    if (session.priority)
        addFact(lines, u"Deadlock priority"_s, QString::number(*session.priority));
    if (session.logUsed)
        addFact(lines, u"Log used"_s, u"%1 bytes"_s.arg(*session.logUsed));
    addFact(lines, u"Waited for"_s, session.waitResource);
    addFact(lines, u"Statement"_s, session.statement.trimmed());
    if (session.inputBuffer.trimmed() != session.statement.trimmed())
        addFact(lines, u"Sent last"_s, session.inputBuffer.trimmed());
    return lines;
}

/// Laying out more than a person reads would stop the window.
QString readable(const QString& text)
{
    constexpr qsizetype maximum = 200'000;
    return text.size() <= maximum ? inLines(text)
                                  : inLines(text.left(maximum))
            + u"\n\n… %L1 characters more; the export for programs has them."_s.arg(text.size() - maximum);
}

} // namespace

QString deadlockSessions(const deadlock::Deadlock& deadlock)
{
    QStringList parts;
    const QList<deadlock::Link> links = deadlock.links();
    for (const int participant : deadlock.participants) {
        const deadlock::Participant& session = deadlock.participant(participant);
        const QString victim = deadlock.isVictim(participant) ? u", the victim"_s : QString();
        QStringList lines{u"Session %1%2"_s.arg(session.sessionLabel(), victim)};
        for (const deadlock::Link& link : links)
            if (link.waiter == participant)
                lines << u"  "_s + deadlock::sentenceOf(deadlock, link);
        parts << (lines + factsOf(session)).join(u'\n');
    }
    return parts.join(u"\n\n"_s);
}

DeadlockView::DeadlockView(QWidget* parent)
    : QTabWidget(parent)
    , m_cure(named("deadlockCure", demiBold(1.0, selectable(wrapped(new QLabel)))))
    , m_picture(new DeadlockPicture)
    , m_words(new DeadlockWordsView)
{
    setObjectName(u"deadlockView"_s);
    setDocumentMode(true);
    m_cure->setMargin(8);
    auto* area = new QScrollArea;
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setWidget(m_picture);
    auto* picture = new QWidget(this);
    addAll(*withoutMargins(new QVBoxLayout(picture)), {m_cure, {area, 1}});
    addTab(picture, u"&Picture"_s);
    addTab(m_words, u"In &words"_s);
    m_sessions = addText(u"&Sessions"_s, u"deadlockSessions"_s);
    m_report = addText(u"&Report"_s, u"deadlockReport"_s);
    m_report->setFont(theme::monospace());
    show(std::nullopt);
}

QPlainTextEdit* DeadlockView::addText(const QString& title, const QString& name)
{
    auto* text = new QPlainTextEdit(this);
    text->setObjectName(name);
    text->setReadOnly(true);
    text->setFrameShape(QFrame::NoFrame);
    text->setTabChangesFocus(true);
    addTab(text, title);
    return text;
}

void DeadlockView::addPanel(QWidget* panel, const QString& title)
{
    setTabEnabled(addTab(panel, title), false);
}

void DeadlockView::show(const std::optional<deadlock::Deadlock>& deadlock)
{
    m_cure->setVisible(deadlock.has_value());
    m_cure->setText(deadlock ? inOneLine(deadlockCure(deadlock::findingsOf(*deadlock))) : QString());
    m_picture->show(deadlock);
    m_words->show(deadlock);
    m_sessions->setPlainText(deadlock ? readable(deadlockSessions(*deadlock)) : QString());
    m_report->setPlainText(deadlock ? readable(deadlock->report->raw) : QString());
    for (int tab = 1; tab < count(); ++tab)
        setTabEnabled(tab, deadlock.has_value());
}

} // namespace lockscope::ui
