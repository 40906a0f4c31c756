// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/RunConsent.h"

#include "core/base/ShownText.h"
#include "core/scenario/run/RunSchema.h"
#include "ui/kit/help/Chapter.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/AppContext.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int questionWidth = 520;

} // namespace

RunQuestion::RunQuestion(const QString& server, const RunConsent::Question& question, QWidget* parent)
    : QDialog(parent)
    , m_answer(named("runAnswer", new NoticeBar(NoticeBar::Shape::Card, this)))
    , m_again(new QCheckBox(u"&Don't ask again about this server while this window is open"_s, this))
{
    setWindowTitle(u"Run a scenario on %1"_s.arg(inOneLine(server)));
    setMinimumWidth(questionWidth);
    explain(*this, QStringLiteral("scenarios.md#on-which-server"));
    const QString asked = inOneLine(u"Run “%1” on “%2”?"_s.arg(question.title, server));
    QLabel* title = demiBold(1.3, wrapped(new QLabel(asked, this)));
    const QString sessions = question.sessions > 0
        ? u"%1 sessions that work as fast as they can, and wait for each other"_s.arg(question.sessions)
        : u"sessions that work as fast as they can, and wait for each other"_s;
    QLabel* text = wrapped(new QLabel(
        u"This server is not the sandbox. The run makes a schema of its own there, opens %1, and removes everything afterwards. Tables of others are not touched, but the server feels the load."_s
            .arg(sessions),
        this));
    m_answer->say({.level = AgeLevel::Normal, .text = u"Asking the server what you may do there…"_s});
    QDialogButtonBox* buttons = cancelButtons(*this);
    m_run = named("runThere", buttons->addButton(u"&Run there"_s, QDialogButtonBox::ActionRole));
    m_run->setAutoDefault(true); // with the focus, Enter presses it, and not Cancel
    m_run->setEnabled(false);
    buttons->button(QDialogButtonBox::Cancel)->setDefault(true);
    buttons->button(QDialogButtonBox::Cancel)->setFocus();
    connect(m_run, &QPushButton::clicked, this, &QDialog::accept);

    addAll(*dialogColumn(*this, 12), {title, text, m_answer, m_again, stretch(1), buttons});
}

void RunQuestion::showRights(const Result<scenario::RunRights>& rights)
{
    m_run->setEnabled(rights && rights->missing.isEmpty());
    if (!rights)
        m_answer->say(BarNotice::of(rights.error()));
    else if (rights->missing.isEmpty())
        m_answer->say({.level = AgeLevel::Normal,
            .text = rights->database.isEmpty()
                ? u"Your rights there are enough."_s
                : u"Your rights there are enough. It runs in the database %1."_s.arg(rights->database)});
    else
        m_answer->say({.level = AgeLevel::Amber,
            .text = u"It can't run there."_s,
            .detail = rights->missing,
            .copyable = rights->remedy});
}

bool RunQuestion::isNotToBeAskedAgain() const
{
    return m_again->isChecked();
}

RunConsent::RunConsent(AppContext& context, QWidget* window)
    : QObject(window)
    , m_context(context)
    , m_window(window)
{
}

void RunConsent::ask(const db::Server& server, const Question& question, const std::function<void()>& run)
{
    // What was asked for before may come to its turn only now.
    if (m_context.pastTime())
        return Q_EMIT refused();
    const db::ServerUrl url = server.profile.url;
    if (url.sandbox || m_allowed.contains(url.toString()))
        return run();
    auto* dialog = deletedOnClose(new RunQuestion(server.profile.display(), question, m_window));
    addServerStrip(*dialog, server.profile);
    closeWithPresent(*dialog, m_context);
    connect(dialog, &QDialog::rejected, this, &RunConsent::refused);
    connect(dialog, &QDialog::accepted, this, [this, dialog, url, run] {
        if (dialog->isNotToBeAskedAgain())
            allow(url);
        run();
    });
    dialog->open();
    m_asking.cancel(); // an earlier question that nobody waits for any more
    m_asking.ask(
        dialog,
        [server, needs = question.needs](
            const std::stop_token&) { return scenario::rightsToRun(server, needs); },
        [dialog](const Result<scenario::RunRights>& rights) { dialog->showRights(rights); });
}

RunConsent::Question questionOf(const QList<scenario::RunOrder>& orders)
{
    RunConsent::Question question;
    for (const scenario::RunOrder& order : orders) {
        if (!order.scenario)
            continue;
        question.title = order.scenario->title;
        question.sessions = std::max(question.sessions, order.sessions);
        const scenario::Variant* const variant = order.scenario->find(order.variant);
        question.needs.names |= variant && scenario::usesLocks(*variant, locks::LockKind::Table);
        question.needs.procedures |= scenario::makesProcedures(order.scenario->setup)
            || (variant && scenario::makesProcedures(variant->setup));
    }
    return question;
}

} // namespace lockscope::ui
