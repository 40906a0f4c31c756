// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/ConnectionTest.h"

#include "core/db/Connection.h"
#include "core/db/SqlServerCheck.h"
#include "core/monitor/SnapshotSource.h"
#include "core/sandbox/Sandbox.h"
#include "ui/dialogs/ConnectDialog.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

bool failed(const TestSink& tell, const QString& name, const Error& error)
{
    tell(u"%1: %2"_s.arg(name, error.toString()), TestMark::Failed);
    return false;
}

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

bool reach(const db::ServerProfile& profile, const db::PasswordProvider& passwords,
    const std::stop_token& stop, const TestSink& tell)
{
    db::ConnectOptions options;
    options.purpose = db::Purpose::Monitor;
    options.statementTimeout = milliseconds(5'000);
    if (profile.url.engine == Engine::SqlServer) {
        const auto show = [&](const db::CheckStep& step) {
            tell(u"%1: %2"_s.arg(step.name, step.finding), markOf(step.outcome));
        };
        return db::checkSqlServer(profile.url, passwords, options, show, stop);
    }
    const auto connection = db::Connection::open(profile.url, passwords, options);
    if (!connection)
        return failed(tell, connection.error().kind == ErrorKind::Login ? u"Log in"_s : u"Reach the server"_s,
            connection.error());
    tell(u"Connected: %1"_s.arg((*connection)->serverVersion()), TestMark::Good);
    return true;
}

/// A step of checkSqlServer() has looked at the schema already.
bool wasTold(const Limitation& limitation, Engine engine)
{
    return engine == Engine::SqlServer && limitation.kind == Limitation::Kind::MissingSchema;
}

} // namespace

bool runConnectionTest(db::ServerProfile profile, db::PasswordProvider passwords, const std::stop_token& stop,
    const TestSink& tell)
{
    auto resolved = sandbox::resolve(profile.url);
    if (!resolved)
        return failed(tell, u"Start the sandbox"_s, resolved.error());
    if (profile.url.sandbox)
        passwords = db::fixedPassword(resolved->password);
    profile.url = resolved->url;
    if (!reach(profile, passwords, stop, tell) || stop.stop_requested())
        return false;
    auto snapshot = monitor::makeSnapshotSource(profile, passwords)->take(stop);
    if (!snapshot)
        return failed(tell, u"Read the locks"_s, snapshot.error());
    tell(u"Read %1 sessions and %2 locks in %3 ms"_s.arg((*snapshot)->sessions.size())
             .arg((*snapshot)->requests.size() + (*snapshot)->entries.size())
             .arg(static_cast<double>((*snapshot)->cost.roundTrip.count()) / 1e3, 0, 'f', 1),
        TestMark::Good);
    for (const Limitation& limitation : (*snapshot)->limitations) {
        if (!wasTold(limitation, profile.url.engine))
            tell(limitation.what + QLatin1Char(' ') + limitation.remedy, TestMark::Note);
    }
    return true;
}

} // namespace lockscope::ui
