// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/acts/DangerText.h"

#include "core/domain/SnapshotNames.h"

#include <QRegularExpression>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// Returns the captures of `pattern` in `script`, each once, in its order.
QStringList namesIn(const QString& script, const QString& pattern)
{
    const QRegularExpression expression(
        pattern, QRegularExpression::MultilineOption | QRegularExpression::CaseInsensitiveOption);
    QStringList names;
    for (auto found = expression.globalMatch(script); found.hasNext();) {
        const QString name = found.next().captured(1);
        if (!names.contains(name))
            names << name;
    }
    return names;
}

/// The objects of one kind ("TABLE") that a script creates.
QStringList createdBy(const QString& script, const QString& kind)
{
    return namesIn(script,
        QStringLiteral(R"(^\s*(?:EXEC(?:UTE)?\s*\(N?')?CREATE\s+(?:OR\s+REPLACE\s+)?%1\s+)"
                       R"((?:IF\s+NOT\s+EXISTS\s+)?([\w.\[\]"]+))")
            .arg(kind));
}

} // namespace

QStringList describeFired(const admin::FiredCode& fired)
{
    constexpr int shownCount = 10;
    QStringList lines;
    if (!fired.runs.isEmpty())
        lines << u"This also runs code that is kept in the database: %1."_s.arg(
            nameList(fired.runs, shownCount));
    if (fired.isLeftAlone)
        lines << u"Left alone, since others' code could run with your rights: %1."_s.arg(
            nameList(fired.strangers, shownCount));
    else if (!fired.strangers.isEmpty())
        lines
            << u"No statement is offered to copy, since others' code could run with the rights of those who run it: %1."_s
                   .arg(nameList(fired.strangers, shownCount));
    return lines;
}

QString describeMembers(const QString& role, const QStringList& members)
{
    constexpr int shownCount = 20;
    return members.isEmpty() ? u"Nobody is a member of %1."_s.arg(role)
                             : u"Members of %1: %2."_s.arg(role, nameList(members, shownCount));
}

QString describeAdopted(const QString& role, const QStringList& members)
{
    return u"The role %1 is used as it is: who is a member of it has its rights here. "_s.arg(role)
        + describeMembers(role, members);
}

DangerText describeInstall(const QString& script, const QString& where, const QString& user)
{
    DangerText text;
    text.title = u"Install Lockscope's schema"_s;
    text.button = u"Install"_s;
    text.reasoned = false;
    text.script = script;
    text.facts << DangerText::Fact{u"Where"_s, where};
    if (!user.isEmpty())
        text.facts << DangerText::Fact{u"As"_s, user};
    const std::pair<QString, const char*> kinds[]{{u"Schema"_s, "SCHEMA"}, {u"Tables"_s, "TABLE"},
        {u"Sequences"_s, "SEQUENCE"}, {u"Views"_s, "VIEW"}, {u"Functions"_s, "FUNCTION"},
        {u"Procedures"_s, "PROCEDURE"}};
    for (const auto& [name, kind] : kinds) {
        const QStringList created = createdBy(script, QLatin1String(kind));
        if (!created.isEmpty())
            text.facts << DangerText::Fact{name, created.join(QStringLiteral(", "))};
    }
    // Made in a loop on some engines, hence known by their names.
    const QStringList roles = namesIn(script, QStringLiteral(R"(\b(lockscope_(?:reader|operator|admin))\b)"));
    if (!roles.isEmpty())
        text.facts << DangerText::Fact{u"Roles"_s, roles.join(QStringLiteral(", "))};
    text.consequences << u"Programs can take locks by name here, and those that wait are seen."_s
                      << u"Actions of operators are recorded in the audit from now on."_s
                      << u"Nothing else in the database is touched. Running it again changes nothing."_s;
    return text;
}

} // namespace lockscope::ui
