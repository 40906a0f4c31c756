// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/Deadlock.h"

#include "core/base/EnumTable.h"

#include <QHash>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <vector>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

QString RawText::text() const
{
    if (!m_block)
        return m_plain;
    if (!m_block->isPacked)
        return QString::fromUtf8(m_block->bytes.mid(m_begin, m_length));
    // Who reads all texts reads those of one block one after the other.
    thread_local std::shared_ptr<const Block> lastBlock;
    thread_local QByteArray unpacked;
    if (lastBlock != m_block) {
        unpacked = qUncompress(m_block->bytes);
        lastBlock = m_block;
    }
    return QString::fromUtf8(unpacked.constData() + m_begin, m_length);
}

RawText RawTexts::add(const QString& text)
{
    constexpr qsizetype blockBytes = 65'536; // unpacked in a fraction of a millisecond
    if (!m_open)
        m_open = std::make_shared<RawText::Block>();
    RawText raw;
    raw.m_block = m_open;
    raw.m_size = text.size();
    raw.m_begin = m_open->bytes.size();
    m_open->bytes += text.toUtf8();
    raw.m_length = m_open->bytes.size() - raw.m_begin;
    if (m_open->bytes.size() >= blockBytes)
        pack();
    return raw;
}

void RawTexts::pack()
{
    if (!m_open)
        return;
    m_open->bytes = qCompress(m_open->bytes, 1);
    m_open->bytes.squeeze(); // it had reserved the size of the whole
    m_open->isPacked = true;
    m_open.reset();
}

QString ReportTime::toString() const
{
    if (!at)
        return u"unknown time"_s;
    QString text = at->toIsoString();
    text.chop(4); // milliseconds are enough
    text[10] = u' ';
    return text + (isZoneKnown ? u" UTC"_s : u" (server's time)"_s);
}

QString Participant::label() const
{
    if (!session.isValid())
        return key;
    const QString number = QString::number(session.value);
    return thread.value_or(0) == 0 ? number : u"%1:%2"_s.arg(number).arg(*thread);
}

QList<int> Cycle::participants() const
{
    QList<int> all;
    for (const Link& link : links)
        all << link.waiter;
    return all;
}

QStringList Deadlock::tables() const
{
    QSet<QString> tables;
    const QList<Link> all = links();
    for (const Link& link : all) {
        const LockedThing& thing = resource(link.resource);
        const bool isGuessed = thing.table.isEmpty() && thing.isTransaction;
        tables.insert(isGuessed ? firstTable(participant(link.waiter).statement) : thing.table);
    }
    tables.remove({});
    if (tables.isEmpty()) {
        for (const Link& link : all)
            tables.insert(firstTable(participant(link.waiter).statement));
        tables.remove({});
    }
    QStringList sorted = tables.values();
    sorted.sort();
    return sorted;
}

QList<Link> Deadlock::links() const
{
    if (rings.size() == 1)
        return cycle().links;
    QList<Link> all;
    std::set<std::array<int, 3>> known;
    for (const int ring : rings)
        for (const Link& link : report->cycles[ring].links)
            if (known.insert({link.waiter, link.blocker, link.resource}).second)
                all << link;
    return all;
}

bool Deadlock::isVictim(int at) const
{
    return std::ranges::any_of(victims, [&](int victim) {
        return victim == at
            || (participant(at).session.isValid() && participant(victim).session == participant(at).session
                && participants.contains(at));
    });
}

QList<int> leadersOf(const DeadlockReport& report)
{
    QHash<SessionId, int> leaders;
    for (int i = 0; i < report.participants.size(); ++i) {
        const Participant& one = report.participants[i];
        const auto known = leaders.find(one.session);
        if (known == leaders.end())
            leaders.insert(one.session, i);
        else if (one.thread == 0 && report.participants[*known].thread.value_or(0) != 0)
            *known = i;
    }
    QList<int> all;
    for (int i = 0; i < report.participants.size(); ++i) {
        const SessionId session = report.participants[i].session;
        all << (session.isValid() ? leaders.value(session) : i);
    }
    return all;
}

namespace {

/// Joins numbers into groups; each group has the name of one of its members.
class Groups {
public:
    explicit Groups(qsizetype count)
        : m_next(size_t(count))
    {
        std::iota(m_next.begin(), m_next.end(), 0);
    }
    int groupOf(int at)
    {
        while (m_next[size_t(at)] != at)
            at = m_next[size_t(at)] = m_next[size_t(m_next[size_t(at)])];
        return at;
    }
    void join(int one, int other) { m_next[size_t(groupOf(one))] = groupOf(other); }

private:
    std::vector<int> m_next;
};

} // namespace

QList<Deadlock> deadlocksOf(const ReportPtr& report)
{
    QList<Deadlock> all;
    if (report->cycles.isEmpty())
        return all;
    const QList<int> leaders = leadersOf(*report);
    const bool areRingsApart = report->engine == Engine::Postgres;
    Groups groups(leaders.size());
    if (!areRingsApart)
        for (const Link& link : report->links)
            groups.join(leaders[link.waiter], leaders[link.blocker]);
    QHash<int, int> deadlockOf;
    for (int i = 0; i < report->cycles.size(); ++i) {
        const int group = areRingsApart ? i : groups.groupOf(leaders[report->cycles[i].links[0].waiter]);
        const int at = deadlockOf.value(group, int(all.size()));
        if (at == all.size()) {
            deadlockOf.insert(group, at);
            all << Deadlock{.report = report, .index = at};
        }
        all[at].rings << i;
    }
    const bool isOne = all.size() == 1;
    if (areRingsApart && !isOne) {
        for (Deadlock& each : all) {
            each.participants = each.cycle().participants();
            each.victims = each.cycle().victims;
        }
        return all;
    }
    // Who is named without a wait belongs to the event, if there is only one.
    const auto ownerOf = [&](int at) {
        return isOne ? 0 : deadlockOf.value(groups.groupOf(leaders[at]), -1);
    };
    for (int i = 0; i < leaders.size(); ++i)
        if (const int at = ownerOf(i); at >= 0 && leaders[i] == i)
            all[at].participants << i;
    for (const int victim : report->victims)
        if (const int at = ownerOf(victim); at >= 0)
            all[at].victims << victim;
    return all;
}

QString sourceFormatName(SourceFormat format)
{
    static constexpr EnumTable<SourceFormat> names({u"XML of a deadlock", u"XML of an extended event",
        u"text of trace flag 1222", u"text of trace flag 1204", u"log of PostgreSQL",
        u"log of PostgreSQL in CSV", u"log of PostgreSQL in JSON", u"snapshot"});
    return names[format].toString();
}

namespace {

/// The words of a statement from left to right; names in quotes are one word, texts and comments are none.
class StatementWords {
public:
    explicit StatementWords(const QString& text)
        : m_text(text)
    {
    }

    /// Returns an empty text at the end. Names with points in them come whole.
    QString next()
    {
        skip();
        const qsizetype begin = m_at;
        while (m_at < m_text.size()) {
            const QChar c = m_text[m_at];
            if (c == u'"' || c == u'[' || c == u'`')
                m_at = pastQuote(c == u'[' ? u']' : c);
            else if (c.isLetterOrNumber() || c == u'_' || c == u'.' || c == u'@' || c == u'#' || c == u'$')
                ++m_at;
            else
                break;
        }
        if (m_at == begin && m_at < m_text.size())
            ++m_at; // a sign by itself
        return m_text.mid(begin, m_at - begin);
    }

private:
    void skip()
    {
        while (m_at < m_text.size()) {
            const QStringView rest = QStringView(m_text).mid(m_at);
            if (m_text[m_at].isSpace())
                ++m_at;
            else if (rest.startsWith(u"--"))
                m_at = endOf(u"\n"_s, 0);
            else if (rest.startsWith(u"/*"))
                m_at = endOf(u"*/"_s, 2);
            else if (m_text[m_at] == u'\'')
                m_at = pastQuote(u'\'');
            else
                return;
        }
    }
    qsizetype endOf(const QString& closing, qsizetype opening) const
    {
        const qsizetype end = m_text.indexOf(closing, m_at + opening);
        return end < 0 ? m_text.size() : end + closing.size();
    }
    qsizetype pastQuote(QChar closing) const
    {
        const qsizetype end = m_text.indexOf(closing, m_at + 1);
        return end < 0 ? m_text.size() : end + 1;
    }

    const QString& m_text;
    qsizetype m_at = 0;
};

bool isOneOf(const QString& word, std::initializer_list<QStringView> words)
{
    return std::ranges::any_of(words, [&](QStringView each) { return each == word; });
}

bool isIntroduction(const QString& word)
{
    return isOneOf(word,
        {u"update", u"into", u"from", u"join", u"table", u"truncate", u"merge", u"insert", u"delete",
            u"copy"});
}

bool isBetween(const QString& word)
{
    return isOneOf(
        word, {u"only", u"if", u"not", u"exists", u"into", u"from", u"table", u"concurrently", u"lateral"});
}

bool isName(const QString& word)
{
    const bool isWord = !word.isEmpty()
        && (word[0].isLetter() || word[0] == u'_' || word[0] == u'#' || word[0] == u'"' || word[0] == u'[');
    return isWord
        && !isOneOf(
            word.toLower(), {u"set", u"select", u"on", u"of", u"or", u"stdin", u"values", u"default"});
}

/// Functions whose arguments have FROM among them.
bool takesFrom(const QString& word)
{
    return isOneOf(word, {u"extract", u"substring", u"trim", u"overlay"});
}

/// SQL Server takes hints in parentheses right behind a table, as functions have their arguments.
bool isHint(const QString& word)
{
    return isOneOf(word,
        {u"nolock", u"readuncommitted", u"readcommitted", u"readcommittedlock", u"updlock", u"holdlock",
            u"serializable", u"repeatableread", u"rowlock", u"paglock", u"tablock", u"tablockx", u"xlock",
            u"readpast", u"nowait", u"index"});
}

/// The length of what matches at this place, of texts that are not long: each call takes the same time.
qsizetype lengthAt(const QRegularExpression& pattern, const QString& text, qsizetype at)
{
    constexpr qsizetype maximum = 400;
    return pattern
        .match(text.mid(at, maximum), 0, QRegularExpression::NormalMatch,
            QRegularExpression::AnchorAtOffsetMatchOption)
        .capturedLength();
}

/// The place behind "(@P0 int,@P1 dbo.Ids READONLY)", else `at`.
qsizetype pastDeclarations(const QString& text, qsizetype at)
{
    static const QRegularExpression declaration(
        u"@\\w+ (?:[\\w.]|\\[[^\\]]*\\])+(?:\\([^)]*\\))?(?: READONLY)?(?: OUT(?:PUT)?)?,? ?"_s,
        QRegularExpression::CaseInsensitiveOption);
    qsizetype end = at + 1;
    while (const qsizetype length = std::max<qsizetype>(lengthAt(declaration, text, end), 0))
        end += length;
    return end > at + 1 && end < text.size() && text[end] == u')' ? end + 1 : at;
}

/// Returns where the statement itself begins.
qsizetype beginOf(const QString& text)
{
    static const QRegularExpression option(
        u"SET\\s+\\w+\\s+(?:ON|OFF|-?\\d+|LOW|NORMAL|HIGH)\\s*;?(?=\\s|$)|SET\\s+TRANSACTION\\s+ISOLATION\\s+LEVEL\\s+(?:READ\\s+\\w+|REPEATABLE\\s+READ|SNAPSHOT|SERIALIZABLE)\\s*;?"_s,
        QRegularExpression::CaseInsensitiveOption);
    const auto past = [&text](const QString& closing, qsizetype from) {
        const qsizetype end = text.indexOf(closing, from);
        return end < 0 ? text.size() : end + closing.size();
    };
    qsizetype at = 0;
    while (at < text.size()) {
        const QStringView rest = QStringView(text).mid(at, 2);
        const qsizetype before = at;
        if (text[at].isSpace())
            ++at;
        else if (rest == u"--")
            at = past(u"\n"_s, at);
        else if (rest == u"/*")
            at = past(u"*/"_s, at + 2);
        else if (text[at] == u'(')
            at = pastDeclarations(text, at);
        else if (text[at].toLower() == u's')
            at += std::max<qsizetype>(lengthAt(option, text, at), 0);
        if (at == before)
            break;
    }
    return at;
}

} // namespace

QString bareStatement(const QString& statement)
{
    // Documented forms: "sp_executesql (Transact-SQL)", and what drivers send for it.
    static const QRegularExpression wrapper(
        u"EXEC(?:UTE)?\\s+(?:sys\\.|\\[sys\\]\\.)?\\[?sp_executesql\\]?\\s+(?:@\\w+\\s*=\\s*)?N?'"_s,
        QRegularExpression::CaseInsensitiveOption);
    QString bare = statement.mid(beginOf(statement));
    while (true) {
        const qsizetype begin = lengthAt(wrapper, bare, 0);
        if (begin <= 0)
            return bare;
        qsizetype end = bare.indexOf(u'\'', begin);
        while (end >= 0 && end + 1 < bare.size() && bare[end + 1] == u'\'')
            end = bare.indexOf(u'\'', end + 2);
        bare = bare.mid(begin, end < 0 ? -1 : end - begin).replace(u"''"_s, u"'"_s);
        bare.remove(0, beginOf(bare));
    }
}

bool isChange(const QString& statement)
{
    return isOneOf(StatementWords(bareStatement(statement)).next().toLower(),
        {u"insert", u"update", u"delete", u"merge"});
}

QString firstTableAsWritten(const QString& statement)
{
    constexpr int maxWords = 400; // a guess needs no more
    const QString bare = bareStatement(statement);
    StatementWords words(bare);
    QStringList all;
    for (QString word = words.next(); !word.isEmpty() && all.size() < maxWords; word = words.next())
        all << word;
    const auto at = [&all](qsizetype place) { return all.value(place).toLower(); };
    const auto pastParentheses = [&all](qsizetype place) {
        int depth = 0;
        do {
            depth += all[place] == u"(" ? 1 : all[place] == u")" ? -1 : 0;
            ++place;
        } while (depth > 0 && place < all.size());
        return place;
    };
    QString changed; // by UPDATE or DELETE, and it may be an alias
    for (qsizetype i = 0; i < all.size(); ++i) {
        if (takesFrom(at(i)) && at(i + 1) == u"(") {
            i = pastParentheses(i + 1) - 1;
            continue;
        }
        if (!isIntroduction(at(i)))
            continue;
        const bool isRead = at(i) == u"from" || at(i) == u"join";
        const bool isChanged = at(i) == u"update" || at(i) == u"delete";
        qsizetype name = i + 1;
        if (at(name) == u"top")
            name = at(name + 1) == u"(" ? pastParentheses(name + 1) : name + 2;
        while (isBetween(at(name)))
            ++name;
        const bool isFunction = isRead && at(name + 1) == u"(" && !isHint(at(name + 2));
        if (!isName(all.value(name)) || isFunction)
            continue;
        if (changed.isEmpty() && (!isChanged || all[name].contains(u'.')))
            return all[name];
        const qsizetype alias = at(name + 1) == u"as" ? name + 2 : name + 1;
        if (changed.isEmpty())
            changed = all[name];
        else if (isRead && at(alias) == changed.toLower())
            return all[name];
        i = name;
    }
    return changed;
}

QString LockedThing::attribute(QStringView requested) const
{
    for (const auto& [attributeName, value] : attributes)
        if (attributeName.compare(requested, Qt::CaseInsensitive) == 0)
            return value;
    return {};
}

std::optional<AgentStep> agentStepOf(const Participant& one)
{
    static const QRegularExpression form(
        u"^SQLAgent - TSQL JobStep \\(Job 0x([0-9A-F]{32}) : Step (\\d+)\\)"_s,
        QRegularExpression::CaseInsensitiveOption);
    const auto match = form.match(one.program);
    if (!match.hasMatch())
        return std::nullopt;
    // The first three parts of a uniqueidentifier are stored the lowest byte first.
    const QByteArray bytes = QByteArray::fromHex(match.captured(1).toLatin1());
    AgentStep step{{}, match.captured(2)};
    for (const int place : {3, 2, 1, 0, -1, 5, 4, -1, 7, 6, -1, 8, 9, -1, 10, 11, 12, 13, 14, 15})
        step.job += place < 0 ? u"-"_s : QString::fromLatin1(bytes.mid(place, 1).toHex().toUpper());
    return step;
}

QString firstTable(const QString& statement)
{
    return firstTableAsWritten(statement).remove(u'[').remove(u']').remove(u'"');
}

} // namespace lockscope::deadlock
