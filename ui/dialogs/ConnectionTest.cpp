// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/ConnectionTest.h"

#include "core/monitor/ServerCheck.h"
#include "core/sandbox/Sandbox.h"
#include "ui/dialogs/ConnectDialog.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

TestMark markOf(db::CheckStep::Outcome outcome)
{
    switch (outcome) {
    case db::CheckStep::Outcome::Good:
        return TestMark::Good;
    case db::CheckStep::Outcome::Note:
        return TestMark::Note;
    case db::CheckStep::Outcome::Failed:
        break;
    }
    return TestMark::Failed;
}

} // namespace

bool runConnectionTest(db::ServerProfile profile, db::PasswordProvider passwords, const std::stop_token& stop,
    const TestSink& tell)
{
    auto resolved = sandbox::resolve(profile.url);
    if (!resolved) {
        tell(u"Start the sandbox: %1"_s.arg(resolved.error().toString()), TestMark::Failed);
        return false;
    }
    if (profile.url.sandbox)
        passwords = db::fixedPassword(resolved->password);
    profile.url = resolved->url;
    const auto show = [&](const db::CheckStep& step) {
        const QString told = u"%1: %2"_s.arg(step.name, step.finding);
        tell(step.remedy.isEmpty() ? told : told + QStringLiteral(" → ") + step.remedy, markOf(step.outcome));
    };
    return monitor::checkServer(profile, passwords, show, stop);
}

} // namespace lockscope::ui
