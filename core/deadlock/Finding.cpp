// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/FindingRules.h"

#include "core/base/EnumTable.h"
#include "core/db/Dialect.h"
#include "core/deadlock/Finding.h"
#include "core/domain/SqlLexer.h"

#include <QRegularExpression>

#include <algorithm>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

bool isShared(const QString& mode)
{
    static const QSet<QString> modes{
        u"S"_s, u"IS"_s, u"RangeS-S"_s, u"Sch-S"_s, u"ShareLock"_s, u"AccessShareLock"_s, u"RowShareLock"_s};
    return modes.contains(mode);
}

bool isWriting(const QString& mode)
{
    static const QSet<QString> modes{
        u"X"_s, u"IX"_s, u"SIX"_s, u"UIX"_s, u"RangeX-X"_s, u"RangeI-N"_s, u"BU"_s};
    return modes.contains(mode);
}

bool isSameTable(const QString& one, const QString& other)
{
    const QStringList parts = one.toLower().split(u'.');
    const QStringList others = other.toLower().split(u'.');
    if (parts.last() != others.last())
        return false;
    for (qsizetype i = 2; i <= std::min(parts.size(), others.size()); ++i) {
        const QString& part = parts[parts.size() - i];
        const QString& another = others[others.size() - i];
        if (part != another && !part.isEmpty() && !another.isEmpty())
            return false;
    }
    return true;
}

bool isSharedAmongEqual(const Deadlock& deadlock, const QString& mode)
{
    const LockMode held = deadlock.mode(mode);
    return mode.isEmpty() || !held.isKnown() || held.compatibleWith(held);
}

QString verbOf(const QString& statement)
{
    return bareStatement(statement).left(30).simplified().section(u' ', 0, 0).toLower();
}

const QString& statementOf(const Deadlock& deadlock, const Link& link)
{
    return deadlock.participant(link.waiter).statement;
}

QString tableOf(const Deadlock& deadlock, const Link& link)
{
    const QString& table = deadlock.resource(link.resource).table;
    return table.isEmpty() ? firstTable(statementOf(deadlock, link)) : table;
}

QString wholeTableOf(const Deadlock& deadlock, const Link& link)
{
    const QString table = tableOf(deadlock, link);
    const QString& database = deadlock.resource(link.resource).database;
    const bool lacksIt =
        deadlock.report->engine == Engine::SqlServer && table.count(u'.') == 1 && !database.isEmpty();
    return lacksIt ? database + u'.' + table : table;
}

QString tableInSql(const Deadlock& deadlock, const Link& link)
{
    // Words of SQL that tables are called by.
    static const QSet<QString> reserved{u"order"_s, u"user"_s, u"group"_s, u"table"_s, u"index"_s, u"key"_s,
        u"transaction"_s, u"plan"_s, u"check"_s, u"file"_s, u"view"_s, u"public"_s, u"end"_s, u"default"_s};
    static const PerEngine<QRegularExpression> plain{.postgres = QRegularExpression(u"^[a-z_][a-z0-9_]*$"_s),
        .sqlServer = QRegularExpression(u"^[A-Za-z_#][A-Za-z0-9_#]*$"_s),
        .sqlite = QRegularExpression(u"^[A-Za-z_][A-Za-z0-9_]*$"_s)};
    if (const QString written = firstTableAsWritten(statementOf(deadlock, link));
        !written.isEmpty() && namesItsTable(deadlock, link))
        return written;
    const Engine engine = deadlock.report->engine;
    QStringList parts = tableOf(deadlock, link).split(u'.');
    for (QString& part : parts) {
        const bool isPlain = part.isEmpty() || plain[engine].match(part).hasMatch();
        if (!isPlain || reserved.contains(part.toLower()))
            part = db::Dialect::of(engine).quoted(part);
    }
    return parts.join(u'.');
}

bool namesItsTable(const Deadlock& deadlock, const Link& link)
{
    const QString& table = deadlock.resource(link.resource).table;
    return table.isEmpty()
        || isSameTable(firstTable(statementOf(deadlock, link)), wholeTableOf(deadlock, link));
}

bool isHidden(const Deadlock& deadlock, const Link& link)
{
    const QString& statement = statementOf(deadlock, link);
    return !namesItsTable(deadlock, link) && !firstTable(statement).isEmpty()
        && !statement.contains(deadlock.resource(link.resource).table.section(u'.', -1), Qt::CaseInsensitive);
}

/// PostgreSQL's check is this statement, in all languages. PostgreSQL 19 mostly checks without one.
bool hasCheckItself(const Deadlock& deadlock)
{
    return deadlock.report->raw.text().contains(u"FOR KEY SHARE OF x"_s);
}

bool isPlainInsert(const QString& statement)
{
    static const QRegularExpression other(
        u"\\bON\\s+CONFLICT\\b|\\b(?:SELECT|TABLE|WITH|EXECUTE)\\b|;(?=\\s*\\S)"_s,
        QRegularExpression::CaseInsensitiveOption);
    return verbOf(statement) == u"insert"
        && !other.match(codeOf(statement, Engine::Postgres, CodePart::All)).hasMatch();
}

bool isCheck(const Deadlock& deadlock, const Link& link)
{
    if (!isChange(statementOf(deadlock, link)) || !isHidden(deadlock, link))
        return false;
    if (deadlock.report->engine == Engine::Postgres)
        return deadlock.resource(link.resource).isReferredTo || hasCheckItself(deadlock);
    return (isShared(link.awaited) && link.awaited != u"Sch-S"_s) || link.awaited == u"U"_s
        || link.awaited.startsWith(u"RangeS"_s);
}

QString codeOf(const QString& statement, Engine engine, CodePart part)
{
    QString text = statement;
    qsizetype at = 0;
    int depth = 0;
    for (SqlLexer lexer(statement, engine, SqlLexer::DoubleQuotes::AsNames); !lexer.atEnd();) {
        using Kind = SqlToken::Kind;
        const SqlToken token = lexer.next();
        if (token.text == u")")
            depth = std::max(0, depth - 1);
        const bool isLeftOut = token.kind == Kind::Comment || token.kind == Kind::Text
            || token.kind == Kind::Unclear || (depth > 0 && part == CodePart::Outermost);
        if (isLeftOut || token.kind == Kind::QuotedName)
            std::fill_n(text.begin() + at, token.text.size(), isLeftOut ? u' ' : u'x');
        depth += token.text == u"(" ? 1 : 0;
        at += token.text.size();
    }
    return text;
}

QString conditionOf(const Deadlock& deadlock, const Link& link)
{
    static const QRegularExpression condition(
        u"\\bWHERE\\b.*?(?=\\s*;|\\s+(?:RETURNING|GROUP\\s+BY|HAVING|WINDOW|UNION|ORDER\\s+BY|LIMIT|OFFSET|FETCH|FOR|OPTION)\\b|\\s*$)"_s,
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::DotMatchesEverythingOption);
    // Columns may be of another table then.
    static const QRegularExpression isOfSeveral(
        u"\\b(?:JOIN|USING)\\b|^(?!SELECT|DELETE|UPDATE)|^UPDATE\\b.*\\bFROM\\b|\\bFROM\\b.*,"_s,
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression qualified(u"([^\\W\\d]\\w*)\\s*\\."_s);
    constexpr qsizetype maxStatement = 4'000;
    constexpr qsizetype maxCondition = 120;
    const Engine engine = deadlock.report->engine;
    const QString bare = bareStatement(statementOf(deadlock, link));
    if (bare.size() > maxStatement)
        return {};
    const QString code = codeOf(bare, engine, CodePart::Outermost);
    const auto found = condition.match(code);
    const QString text = bare.mid(found.capturedStart(), found.capturedLength());
    if (!found.hasMatch() || text.size() > maxCondition || text.contains(u"--"_s) || text.contains(u"/*"_s)
        || text.contains(u"CURRENT OF"_s, Qt::CaseInsensitive) || text.count(u'\'') % 2 != 0
        || found.captured().count(u'(') != found.captured().count(u')')
        || isOfSeveral.match(code.left(found.capturedStart())).hasMatch())
        return {};
    const QString table = firstTable(bare).section(u'.', -1);
    for (auto each = qualified.globalMatch(codeOf(text, engine, CodePart::All)); each.hasNext();)
        if (each.next().captured(1).compare(table, Qt::CaseInsensitive) != 0)
            return {};
    return text.simplified();
}

QString readingFor(const Deadlock& deadlock, const Link& link, const QString& hints, const QString& clause)
{
    QStringList parts{u"SELECT … FROM "_s + tableInSql(deadlock, link)};
    if (!hints.isEmpty())
        parts << u"WITH (%1)"_s.arg(hints);
    const QString condition = conditionOf(deadlock, link);
    parts << (condition.isEmpty() ? u"WHERE …"_s : condition);
    if (!clause.isEmpty())
        parts << clause;
    return parts.join(u' ');
}

Shape::Shape(const Deadlock& deadlock)
{
    const auto add = [](QStringList& all, const QString& table) {
        if (std::ranges::none_of(all, [&](const QString& each) { return isSameTable(each, table); }))
            all << table;
    };
    for (const Link& link : deadlock.links()) {
        const LockedThing& thing = deadlock.resource(link.resource);
        resources.insert(link.resource);
        add(tables, wholeTableOf(deadlock, link));
        add(statementTables, firstTable(statementOf(deadlock, link)));
        kinds.insert(thing.kind);
        if (!thing.index.isEmpty() || thing.element == u"ridlock"_s)
            indexes.insert(thing.index);
        hasUnnamed |= thing.table.isEmpty();
        hasOther |= !thing.isLock;
        hasUnknownHeld |= link.held.isEmpty();
        converts |= link.converts;
    }
}

QString certaintyName(Certainty certainty)
{
    static constexpr EnumTable<Certainty> names({u"certain", u"likely", u"possible"});
    return names[certainty].toString();
}

QString cureHead(Certainty certainty)
{
    return certainty == Certainty::Possible ? u"This may be the cure"_s : u"This is the cure"_s;
}

namespace {

void capture(const Deadlock& deadlock, Findings& out)
{
    for (const QString& complaint : deadlock.report->complaints)
        out << Finding{.id = u"capture"_s,
            .certainty = Certainty::Certain,
            .says = complaint,
            .restsOn = u"How the report was written or read."_s,
            .wouldProve =
                u"Capture it again by extended events (SQL Server) or read the whole log (PostgreSQL)."_s};
}

void victim(const Deadlock& deadlock, Findings& out)
{
    if (deadlock.victims.isEmpty())
        return;
    const int at = deadlock.victims.first();
    const Participant& one = deadlock.participant(at);
    Finding finding{.id = u"victim"_s,
        .certainty = Certainty::Certain,
        .says =
            u"%1 was ended because it noticed first: PostgreSQL ends who has waited deadlock_timeout (1 s by default) and then finds itself in a ring."_s
                .arg(beginningWith(deadlock, at)),
        .restsOn = u"The victim wrote the entry of the log."_s};
    if (deadlock.report->engine == Engine::Postgres) {
        out << finding;
        return;
    }
    bool byPriority = false;
    bool byCost = true;
    bool isLeast = false;
    for (const int other : deadlock.participants) {
        if (deadlock.isVictim(other))
            continue;
        const Participant& rival = deadlock.participant(other);
        byPriority |= one.priority && rival.priority && *one.priority < *rival.priority;
        byCost &= one.logUsed && rival.logUsed && *one.logUsed <= *rival.logUsed;
        isLeast |= one.logUsed < rival.logUsed;
    }
    if (!byPriority && !(byCost && isLeast))
        return;
    finding.certainty = Certainty::Likely;
    finding.says = byPriority
        ? u"%1 was ended because its DEADLOCK_PRIORITY (%2) is lower than another's."_s.arg(
            beginningWith(deadlock, at), QString::number(one.priority.value_or(0)))
        : u"%1 was ended because it had written least (%L2 bytes of the log): to undo it costs least. SET DEADLOCK_PRIORITY changes who is ended, not that somebody is."_s
              .arg(beginningWith(deadlock, at))
              .arg(one.logUsed.value_or(0));
    finding.restsOn = u"Priority and log used of the participants."_s;
    finding.hedge = u"The server does not say why it chose; this is its documented rule."_s;
    out << finding;
}

/// In the order in which their cures are preferred: those that change least come first.
constexpr void (*rules[])(const Deadlock&, Findings&) = {parallel, createIndexConcurrently, applicationLocks,
    conversion, uniqueInserts, foreignKey, keyLookup, readerWriter, batchOrder, longerCycle, oppositeOrder,
    escalation, isolation, heap, readerBlocksWriter, tableLock, missingIndex, sameModule, openTransaction,
    agentJob, costlyVictim, victim, capture};

} // namespace

QList<Finding> findingsOf(const Deadlock& deadlock)
{
    Findings findings;
    for (const auto& apply : rules)
        apply(deadlock, findings);
    const auto cure =
        std::ranges::find_if(findings, [](const Finding& each) { return !each.cure.isEmpty(); });
    if (cure != findings.end())
        std::rotate(findings.begin(), cure, cure + 1);
    const auto rank = [](const Finding& each) {
        // Neither says why it happened: why somebody was chosen, and how the report was read.
        return each.id == u"capture"_s ? 10 : each.id == u"victim"_s ? 9 : int(each.certainty);
    };
    const auto rest = findings.begin() + (cure != findings.end() ? 1 : 0);
    std::stable_sort(rest, findings.end(),
        [&rank](const Finding& one, const Finding& other) { return rank(one) < rank(other); });
    for (auto each = rest; each != findings.end(); ++each)
        each->cure.clear(); // one is the cure
    return findings;
}

QString cureLine(const QList<Finding>& findings)
{
    if (findings.isEmpty() || findings.first().cure.isEmpty())
        return {};
    const Finding& first = findings.first();
    return u"%1 (%2)"_s.arg(first.cure, certaintyName(first.certainty));
}

} // namespace lockscope::deadlock
