// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/CommandProgress.h"

#include "core/db/Statement.h"

#include <QLocale>
#include <QRegularExpression>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

/// The statement that reads it; null: there is none.
const char* probeOf(const QString& statement)
{
    static const QRegularExpression command(
        u"^\\s*(?:autovacuum: )?(VACUUM|ANALYZE|CREATE\\s+(?:UNIQUE\\s+)?INDEX|REINDEX|CLUSTER|COPY)\\b(.*)$"_s,
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::DotMatchesEverythingOption);
    const auto match = command.match(statement);
    if (!match.hasMatch())
        return nullptr;
    const QString word = match.captured(1).section(u' ', 0, 0).toUpper();
    static const QRegularExpression full(
        u"^\\s*(?:\\([^)]*\\bFULL\\b|FULL\\b)"_s, QRegularExpression::CaseInsensitiveOption);
    if (word == u"VACUUM")
        return full.match(match.captured(2)).hasMatch() ? "postgres/details/progress_cluster"
                                                        : "postgres/details/progress_vacuum";
    if (word == u"ANALYZE")
        return "postgres/details/progress_analyze";
    if (word == u"CLUSTER")
        return "postgres/details/progress_cluster";
    return word == u"COPY" ? "postgres/details/progress_copy" : "postgres/details/progress_create_index";
}

} // namespace

bool reportsProgress(const Session& session)
{
    return session.id.value > 0 && probeOf(session.statement) != nullptr
        && (session.state == SessionState::Active || session.system);
}

Result<QString> commandProgress(db::Connection& connection, const Session& session, std::stop_token stop)
{
    const QString what = u"Can't show how far session %1 is."_s.arg(session.id.value);
    const char* const probe = probeOf(session.statement);
    if (!probe)
        return failure(
            ErrorKind::Unsupported, what, u"It runs no command whose progress the server shows."_s);
    QString text;
    const auto read = connection.execute(
        db::Statement::get(probe), {session.id.value, session.started},
        [&text](const db::Row& row) {
            const QLocale english(QLocale::English);
            const qint64 done = row.int64(1);
            const qint64 total = row.int64(2);
            text = row.text(0);
            if (total > 0)
                text += u", %1 % (%2 of %3 %4)"_s.arg(done * 100 / total)
                            .arg(english.toString(done), english.toString(total), row.text(3));
            else if (done > 0)
                text += u", %1 %2 so far"_s.arg(english.toString(done), row.text(3));
        },
        std::move(stop));
    if (!read) {
        Error error = read.error();
        error.what = what;
        if (error.kind == ErrorKind::MissingObject)
            error.hint = u"This version of the server does not show the progress of such commands."_s;
        return Failure(std::move(error));
    }
    if (text.isEmpty())
        return failure(ErrorKind::Changed, what,
            u"It is through or has not begun, or your role may not see it (pg_read_all_stats)."_s);
    return text;
}

} // namespace lockscope::monitor
