// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/FrameworkText.h"

#include "core/base/Duration.h"
#include "core/base/EnumTable.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/Framework.h"

#include <QRegularExpression>
#include <QSet>
#include <QStringList>

#include <algorithm>
#include <utility>
#include <variant>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

/// The value of `column` as the entry keeps it; empty if it is not among those that are compared.
QString storedIn(const LockTableEntry& entry, const std::optional<FrameworkTime>& time)
{
    if (!time || !entry.framework || !entry.framework->lockDefinition)
        return {};
    const QStringList& columns = entry.framework->lockDefinition->row.compare;
    for (qsizetype i = 0; i < std::min(columns.size(), entry.stored.size()); ++i)
        if (columns[i].compare(time->column, Qt::CaseInsensitive) == 0)
            return entry.stored[i];
    return {};
}

QString titleOf(const FrameworkMatch& match, const QString& name)
{
    if (name.isEmpty())
        return match.badge();
    return name.startsWith(match.frameworkName, Qt::CaseInsensitive) && match.certain
        ? name
        : match.badge() + u' ' + name;
}

const FrameworkRow* rowOf(const LockTableEntry& entry)
{
    return entry.framework && entry.framework->lockDefinition ? &entry.framework->lockDefinition->row
                                                              : nullptr;
}

QString valueText(const FrameworkValue& value)
{
    if (std::holds_alternative<std::monostate>(value))
        return u"NULL"_s;
    if (const auto* truth = std::get_if<bool>(&value))
        return *truth ? u"true"_s : u"false"_s;
    if (const auto* number = std::get_if<qint64>(&value))
        return QString::number(*number);
    return u"“%1”"_s.arg(std::get<QString>(value));
}

/// A value that is written: “done”, or what another column has, perhaps and one more.
QString newValueText(const FrameworkValue& value)
{
    static const QRegularExpression copied(u"^\\{([^{}]+)\\}(\\+1)?$"_s);
    const auto* const text = std::get_if<QString>(&value);
    const auto match = copied.match(text ? *text : QString());
    return !match.hasMatch()   ? valueText(value)
        : match.hasCaptured(2) ? match.captured(1) + u" + 1"_s
                               : match.captured(1);
}

QString conditionText(const FrameworkCondition& condition)
{
    switch (condition.is) {
    case FrameworkCondition::Is::Equal:
        return u"%1 is %2"_s.arg(condition.column, valueText(condition.value));
    case FrameworkCondition::Is::NotEqual:
        return u"%1 is not %2"_s.arg(condition.column, valueText(condition.value));
    case FrameworkCondition::Is::Null:
        return u"%1 is NULL"_s.arg(condition.column);
    case FrameworkCondition::Is::NotNull:
        return u"%1 is not NULL"_s.arg(condition.column);
    case FrameworkCondition::Is::Future:
        return u"%1 has not come"_s.arg(condition.column);
    case FrameworkCondition::Is::Like:
        return u"%1 is like %2"_s.arg(condition.column, valueText(condition.value));
    }
    return {};
}

QString tableText(const FrameworkTable& table)
{
    QStringList parts;
    parts << (table.names.isEmpty() ? u"a table of any name"_s
                                    : u"a table %1"_s.arg(table.names.join(u" or "_s)));
    if (!table.schemas.isEmpty())
        parts << u"in schema %1"_s.arg(table.schemas.join(u" or "_s));
    if (!table.columns.isEmpty())
        parts << u"with the columns %1"_s.arg(table.columns.join(u", "_s));
    if (!table.without.isEmpty())
        parts << u"without %1"_s.arg(table.without.join(u", "_s));
    return parts.join(u' ');
}

QString hashName(KeyFormula::Hash hash)
{
    // Nothing: it hashes nothing.
    static constexpr EnumTable<KeyFormula::Hash> names(
        {{}, u"Java's hash code", u"the CRC-32", u"the FNV-1 hash", u"the MD5 digest", u"the SHA-1 digest",
            u"the SHA-224 digest", u"the SHA-256 digest", u"PostgreSQL's hashtext", {}, {}});
    return names[hash].toString();
}

/// Returns what is hashed, in words: “pg_partman ” + its name.
QString hashedText(const QString& text)
{
    static const QRegularExpression place(u"(\\{(?:database|schema|table|name)\\})"_s);
    const auto literal = [](QString part) { return u"“%1”"_s.arg(part.replace(QChar::Null, u"\\0"_s)); };
    QStringList parts;
    qsizetype end = 0;
    for (auto found = place.globalMatch(text); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        if (match.capturedStart() > end)
            parts << literal(text.mid(end, match.capturedStart() - end));
        const QString of = match.captured().mid(1).chopped(1);
        parts << (of == u"name" ? u"its name"_s : u"the name of the %1"_s.arg(of));
        end = match.capturedEnd();
    }
    if (end < text.size() || parts.isEmpty())
        parts << literal(text.mid(end));
    return parts.join(u" + "_s);
}

QString formulaText(const KeyFormula& formula)
{
    if (formula.hash == KeyFormula::Hash::None)
        return QString::number(formula.add);
    if (formula.hash == KeyFormula::Hash::Any)
        return u"any number"_s;
    if (formula.hash == KeyFormula::Hash::TableId)
        return u"the number of a table"_s;
    QString text = u"%1 of %2"_s.arg(hashName(formula.hash), hashedText(formula.text));
    if (formula.multiply != 1)
        text += u" times %1"_s.arg(formula.multiply);
    if (formula.add != 0)
        text += u" plus %1"_s.arg(formula.add);
    const bool isCut = formula.shiftRight != 0 || formula.mask != -1 || formula.bits != 64;
    return isCut ? text + u" (some of its bits)"_s : text;
}

QString keyText(const AdvisoryKeyRule& rule)
{
    if (rule.objsubid)
        return u"a key of a kind of its own (objsubid %1)"_s.arg(*rule.objsubid);
    if (rule.anyNumber)
        return u"any number"_s;
    if (rule.range)
        return u"likely, a number from %1 to %2"_s.arg(rule.range->first).arg(rule.range->second);
    if (rule.decode == AdvisoryKeyRule::Decode::Ascii7)
        return u"a pair of numbers that spells a name of up to nine characters"_s;
    const QStringList parts = textOfEach(rule.parts, formulaText);
    return parts.size() == 1 ? u"the number %1"_s.arg(parts.first())
                             : u"the pair (%1)"_s.arg(parts.join(u", "_s));
}

QString columnOf(const std::optional<FrameworkTime>& time)
{
    if (!time)
        return {};
    return time->after.count() == 0 ? time->column
                                    : u"%1, and %2 more"_s.arg(time->column, durationInWords(time->after));
}

QString isForeign(const std::optional<FrameworkTime>& time)
{
    return time && time->clocks.values().contains(FrameworkClock::Application)
        ? u" (by the clock of the program that wrote it: shown as it is, never reckoned with)"_s
        : QString();
}

} // namespace

QString frameworkLockKindName(FrameworkLockKind kind)
{
    static constexpr EnumTable<FrameworkLockKind> names(
        {u"row", u"advisory key", u"application lock", u"table"});
    return names[kind].toString();
}

QString frameworkLockTitle(const FrameworkMatch& match)
{
    return titleOf(match, match.name);
}

QString frameworkLockTitle(const LockTableEntry& entry)
{
    return entry.framework && !entry.framework->isAttached() ? titleOf(*entry.framework, entry.name)
                                                             : entry.name;
}

QString resourceTitle(const Resource& resource)
{
    if (!resource.framework)
        return resource.name;
    const QString title = frameworkLockTitle(*resource.framework);
    return resource.name.contains(title) ? resource.name : u"%1 (%2)"_s.arg(title, resource.name);
}

QString whoIs(const QString& account, const QString& host)
{
    if (account.isEmpty() || host.isEmpty())
        return account.isEmpty() ? host : account;
    return account + u'@' + host;
}

QString whoHolds(const LockTableEntry& entry)
{
    const QString text =
        whoIs(entry.party.owner.isEmpty() ? entry.party.program : entry.party.owner, entry.party.host);
    return text.isEmpty() ? entry.holderText : text;
}

QString reasonAgainstFreeing(const LockTableEntry& entry)
{
    if (!entry.framework || entry.framework->isAttached())
        return {};
    const FrameworkRow* row = rowOf(entry);
    if (!row)
        return u"No file here says how %1's locks are freed."_s.arg(entry.framework->frameworkName);
    return row->mayBeFreed ? QString() : entry.framework->lockDefinition->danger;
}

QString storedSince(const LockTableEntry& entry)
{
    const FrameworkRow* row = rowOf(entry);
    return row && !entry.acquiredAt.isValid() ? storedIn(entry, row->since) : QString();
}

QString storedExpiry(const LockTableEntry& entry)
{
    const FrameworkRow* row = rowOf(entry);
    return row && !entry.expiresAt ? storedIn(entry, row->expires) : QString();
}

QHash<SessionId, FrameworkRole> frameworkRoles(const Snapshot& snapshot)
{
    QHash<SessionId, FrameworkRole> roles;
    QSet<std::pair<SessionId, quint32>> inTheWay; // by the locks of frameworks that they hold
    for (const WaitEdge& wait : snapshot.waits)
        if (wait.kind == WaitEdge::Kind::Holder && snapshot.resources[wait.resource].framework
            && !snapshot.blocking().leavesOut(wait.waiter))
            inTheWay.insert({wait.blocker, wait.resource});
    // First what a role says of its session, then how certain it is.
    const auto rank = [](const FrameworkRole& role) {
        return std::pair(role.isWaitedFor ? 2 : role.request->isWaiting() ? 1 : 0, role.match->certain);
    };
    for (const LockRequest& request : snapshot.requests) {
        const FrameworkMatchPtr& match = snapshot.resourceOf(request).framework;
        if (!match)
            continue;
        const SessionId session = snapshot.leaderOf(request.session);
        const FrameworkRole role{
            &request, match, !request.isWaiting() && inTheWay.contains({session, request.resource})};
        FrameworkRole& best = roles[session];
        if (!best.match || rank(role) > rank(best))
            best = role;
    }
    return roles;
}

FrameworkRole frameworkRoleOf(const Snapshot& snapshot, SessionId session)
{
    return frameworkRoles(snapshot).value(session);
}

QString frameworkSummary(const Snapshot& snapshot, const FrameworkRole& role)
{
    if (!role.match)
        return {};
    QString text = frameworkLockTitle(*role.match);
    const Session* session = snapshot.session(role.request->session);
    const QString who = session ? whoIs(session->user, session->host) : QString();
    const auto age = snapshot.ageOf(*role.request);
    if (!who.isEmpty())
        text += u", run by %1"_s.arg(who);
    if (age)
        text += u" for "_s + durationInWords(*age);
    return text;
}

const LockTableEntry* leftBehind(const Snapshot& snapshot)
{
    const LockTableEntry* oldest = nullptr;
    for (const LockTableEntry& entry : snapshot.entries) {
        if (!entry.framework || entry.framework->isAttached()
            || entry.holderLife.verdict != HolderLife::Verdict::Gone)
            continue;
        // Entries whose time is only text have no known age: they go behind the others.
        const auto rank = [](const LockTableEntry& one) {
            return std::pair(!one.acquiredAt.isValid(), one.acquiredAt.us);
        };
        if (!oldest || rank(entry) < rank(*oldest))
            oldest = &entry;
    }
    return oldest;
}

QString plainMarkdown(const QString& text)
{
    QString safe;
    for (const QChar c : inOneLine(text).simplified()) {
        const char16_t code = c.unicode();
        const bool isPunctuation = (code > 0x20 && code < 0x30) || (code > 0x39 && code < 0x41)
            || (code > 0x5a && code < 0x61) || (code > 0x7a && code < 0x7f);
        if (isPunctuation)
            safe += u'\\';
        safe += c;
    }
    return safe;
}

QString kindText(FrameworkLockKind kind)
{
    static constexpr EnumTable<FrameworkLockKind> texts({u"A committed row of a table", u"An advisory key",
        u"An application lock", u"An ordinary lock on a table or its rows, in a transaction"});
    return texts[kind].toString();
}

QString recognitionText(const FrameworkLock& lock)
{
    QStringList parts;
    QStringList rules = textOfEach(lock.keys, keyText);
    if (!rules.isEmpty())
        parts << u"By its key: %1"_s.arg(rules.join(u"; or "_s));
    rules.clear();
    for (const ApplicationLockRule& rule : lock.resources)
        rules << (rule.key ? u"%1, key by %2"_s.arg(rule.pattern, formulaText(*rule.key)) : rule.pattern);
    if (!rules.isEmpty())
        parts << u"By the name of the resource, which fits: %1"_s.arg(rules.join(u"; or "_s));
    const bool isOfTable = lock.kind == FrameworkLockKind::Row || lock.kind == FrameworkLockKind::Table;
    if (lock.table)
        parts << (isOfTable ? u"By %1"_s : u"The name comes from %1"_s).arg(tableText(*lock.table));
    const QStringList conditions = textOfEach(lock.row.held, conditionText);
    if (!conditions.isEmpty())
        parts << u"It is held while %1"_s.arg(conditions.join(u" and "_s));
    else if (lock.kind == FrameworkLockKind::Row)
        parts << u"Each row is a lock that is held"_s;
    for (const FrameworkTable& table : lock.requires_)
        parts << u"It counts only where the database has %1"_s.arg(tableText(table));
    if (lock.ofPlainNumber)
        parts << u"The number is one that any program may use: it is likely, not certain"_s;
    for (auto modes = lock.modes.cbegin(); modes != lock.modes.cend(); ++modes)
        parts << u"On %1 these modes count: %2"_s.arg(engineName(modes.key()), modes->join(u", "_s));
    return sentences(parts);
}

QString rowText(const FrameworkRow& row)
{
    QStringList parts;
    const auto tell = [&parts](const QString& what, const QString& column) {
        if (!column.isEmpty())
            parts << u"%1: %2"_s.arg(what, column);
    };
    tell(u"Who holds it"_s, row.holder);
    tell(u"Since when"_s, columnOf(row.since) + isForeign(row.since));
    tell(u"Until when"_s, columnOf(row.expires) + isForeign(row.expires));
    tell(u"Last sign of life"_s, columnOf(row.heartbeat) + isForeign(row.heartbeat));
    if (row.deadAfter)
        parts << u"The framework takes the holder for dead %1 after that"_s.arg(
            durationInWords(*row.deadAfter));
    if (row.keepsSession)
        parts << u"The holder has a session of this server as long as it holds the lock"_s;
    if (row.process)
        parts << u"The processes that may hold it are in %1"_s.arg(row.process->table);
    return sentences(parts);
}

QString changeText(const FrameworkRow& row)
{
    if (row.update.empty())
        return u"The row is deleted."_s;
    QStringList parts;
    for (const auto& [column, value] : row.update)
        parts << column + u" = "_s + newValueText(value);
    return u"The row stays; in it is written: %1."_s.arg(parts.join(u", "_s));
}

namespace {

const FrameworkLock* lockOf(const LockTableEntry& entry)
{
    return entry.framework ? entry.framework->lockDefinition : nullptr;
}

/// True if the end of the lease is a time, and no text that only its client understands.
bool canBeReckoned(const FrameworkLock& lock, Engine engine)
{
    return lock.row.expires
        && lock.row.expires->clocks.value(engine, FrameworkClock::Application) != FrameworkClock::Application;
}

QString holderInWords(const HolderLife& life)
{
    switch (life.verdict) {
    case HolderLife::Verdict::Works:
        return u"Its holder works."_s;
    case HolderLife::Verdict::Gone:
        return u"Its holder is gone."_s;
    case HolderLife::Verdict::Silent:
        return u"Its holder is silent; whether it works is unknown."_s;
    case HolderLife::Verdict::Unknown:
        break;
    }
    return u"It is unknown whether its holder works."_s;
}

QString expiryInWords(ServerTime expires, ServerTime now)
{
    const auto words = [](microseconds time) {
        return durationInWords(std::chrono::duration_cast<milliseconds>(time));
    };
    return expires <= now ? u"It expired %1 ago."_s.arg(words(now - expires))
                          : u"It expires in %1."_s.arg(words(expires - now));
}

} // namespace

WhatHappens whatHappens(const FrameworkMatch& match)
{
    const FrameworkLock* const lock = match.lockDefinition;
    if (!lock)
        return {};
    return {.purpose = lock->purpose,
        .ends = lock->ends,
        .danger = lock->danger,
        .vendorCommand = lock->vendorCommand,
        .vendorNote = lock->vendorNote};
}

WhatHappens whatHappens(const LockTableEntry& entry, ServerTime now)
{
    WhatHappens effects = entry.framework ? whatHappens(*entry.framework) : WhatHappens();
    const FrameworkLock* const lock = lockOf(entry);
    if (lock && entry.expiresAt)
        effects.now << expiryInWords(*entry.expiresAt, now);
    if (lock)
        effects.now << holderInWords(entry.holderLife);
    return effects;
}

bool isPurgeable(const LockTableEntry& entry, Engine engine, ServerTime now)
{
    if (!entry.isStale(now))
        return false;
    if (!entry.framework)
        return true;
    const FrameworkLock* const lock = lockOf(entry);
    return lock && lock->row.mayBeFreed && canBeReckoned(*lock, engine)
        && lock->row.compare.contains(lock->row.expires->column, Qt::CaseInsensitive);
}

const FrameworkLock* Framework::lock(const QString& lockId) const
{
    const auto found =
        std::ranges::find_if(locks, [&lockId](const FrameworkLock& lock) { return lock.id == lockId; });
    return found == locks.end() ? nullptr : &*found;
}

QRegularExpression wholePattern(const QString& pattern)
{
    // "a)|(b" is fine inside of brackets only.
    const QRegularExpression alone(pattern);
    if (!alone.isValid())
        return alone;
    return QRegularExpression(u"(*LIMIT_MATCH=50000)"_s + QRegularExpression::anchoredPattern(pattern));
}

std::optional<QRegularExpressionMatch> matchWhole(const QRegularExpression& whole, const QString& text)
{
    if (text.size() > maxMatchedLength)
        return std::nullopt;
    auto match = whole.match(text);
    return match.hasMatch() ? std::optional(std::move(match)) : std::nullopt;
}

} // namespace lockscope
