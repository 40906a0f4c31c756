// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/detail/ExplainByHand.h"

#include <QRegularExpression>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// The server cuts the text at track_activity_query_size, which is a multiple of 1,024 as a rule, less the
/// end mark; in the middle of a character up to three bytes earlier.
bool mayBeCut(const QString& statement)
{
    const qsizetype size = statement.toUtf8().size();
    return size % 1'024 >= 1'020;
}

/// The text of somebody else is pasted into a terminal: psql runs a program at "\!", and a terminal obeys
/// what steers it. The server shows also what it refused, so the statement may never have been one.
bool maySteer(const QString& statement)
{
    return std::any_of(statement.cbegin(), statement.cend(), [](QChar c) {
        const bool isSpace = c == u'\n' || c == u'\r' || c == u'\t';
        return c == u'\\' || (c.category() == QChar::Other_Control && !isSpace);
    });
}

} // namespace

ExplainByHand explainByHand(const Session& session)
{
    static const QRegularExpression plannable( // behind comments
        u"^(?:\\s|/\\*.*?\\*/|--[^\\n]*\\n)*(SELECT|INSERT|UPDATE|DELETE|MERGE|WITH|VALUES|TABLE)\\b"_s,
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::DotMatchesEverythingOption);
    if (!session.statementVisible)
        return {{}, u"The statement is hidden from our role."_s};
    QString statement = session.statement.trimmed();
    while (statement.endsWith(u';'))
        statement = statement.chopped(1).trimmed();
    if (!plannable.match(statement).hasMatch())
        return {{}, u"EXPLAIN takes queries and changes of rows only."_s};
    if (statement.contains(u';'))
        return {{},
            u"There is a semicolon in it: EXPLAIN would be for its first part, and the rest would run."_s};
    if (maySteer(statement))
        return {{},
            u"There is a backslash or a control character in it: pasted into psql or a terminal, it could run something else."_s};
    if (mayBeCut(session.statement))
        return {{}, u"The server shows only its beginning (track_activity_query_size)."_s};
    static const QRegularExpression parameter(u"\\$[0-9]"_s);
    const QString generic = parameter.match(statement).hasMatch() ? u"GENERIC_PLAN, "_s : QString();
    QString text = u"-- In database %1, as a role with no more rights than %2, with its search_path.\n"_s.arg(
        QString(session.database).simplified(), QString(session.user).simplified());
    if (!generic.isEmpty())
        text += u"-- GENERIC_PLAN, for the values that are not known, needs PostgreSQL 16.\n"_s;
    // The semicolon on a line of its own: the statement may end with a comment.
    return {
        text + u"BEGIN READ ONLY;\nEXPLAIN (%1VERBOSE)\n%2\n;\nROLLBACK;\n"_s.arg(generic, statement), {}};
}

} // namespace lockscope::ui
