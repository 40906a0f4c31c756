// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/RunConsent.h"

#include "core/scenario/run/RunSchema.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/AppContext.h"
#include "ui/views/scenarios/RunQuestion.h"

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

RunConsent::RunConsent(AppContext& context, QWidget* window)
    : QObject(window)
    , m_context(context)
    , m_window(window)
{
}

void RunConsent::allow(const db::ServerUrl& url)
{
    m_allowed.insert(url.toString());
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
