// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/scenario/RunConsent.h"

#include "core/base/PostToThread.h"
#include "core/scenario/run/RunSchema.h"
#include "ui/AppContext.h"
#include "ui/scenario/RunQuestion.h"
#include "ui/widgets/ServerStrip.h"

#include <QThreadPool>

#include <algorithm>

namespace lockscope::ui {

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
    const db::ServerUrl url = server.profile.url;
    if (url.sandbox || m_allowed.contains(url.toString()))
        return run();
    auto* dialog = new RunQuestion(server.profile.display(), question, m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    addServerStrip(*dialog, server.profile);
    connect(&m_context, &AppContext::serverChanged, dialog, &QDialog::reject);
    connect(dialog, &QDialog::rejected, this, &RunConsent::refused);
    connect(dialog, &QDialog::accepted, this, [this, dialog, url, run] {
        if (dialog->isNotToBeAskedAgain())
            allow(url);
        run();
    });
    dialog->open();
    QThreadPool::globalInstance()->start([server, takesNames = question.takesNames, to = QPointer(dialog)] {
        postTo(to, [rights = scenario::rightsToRun(server, takesNames)](RunQuestion& asked) {
            asked.showRights(rights);
        });
    });
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
        question.takesNames |= variant && scenario::usesLocks(*variant, locks::LockKind::Table);
    }
    return question;
}

} // namespace lockscope::ui
