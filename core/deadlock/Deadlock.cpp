// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/Deadlock.h"

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

QString Participant::sessionLabel() const
{
    return session.isValid() ? QString::number(session.value) : key;
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

QList<int> leadersOf(const Report& report)
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
            all << Deadlock{.report = report, .index = at, .rings = {}, .participants = {}, .victims = {}};
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
    static constexpr std::array<QStringView, 8> names{u"XML of a deadlock", u"XML of an extended event",
        u"text of trace flag 1222", u"text of trace flag 1204", u"log of PostgreSQL",
        u"log of PostgreSQL in CSV", u"log of PostgreSQL in JSON", u"snapshot"};
    return names[size_t(format)].toString();
}

namespace {

/// The words of a statement from left to right; names in quotes are one word, texts and comments are none.
class Words {
public:
    explicit Words(const QString& text)
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

bool isIntroduction(const QString& word)
{
    static const QSet<QString> words{
        u"update"_s, u"into"_s, u"from"_s, u"join"_s, u"table"_s, u"truncate"_s, u"merge"_s};
    return words.contains(word);
}

bool isBetween(const QString& word)
{
    static const QSet<QString> words{u"only"_s, u"top"_s, u"if"_s, u"not"_s, u"exists"_s, u"into"_s,
        u"from"_s, u"table"_s, u"concurrently"_s};
    return words.contains(word);
}

bool isName(const QString& word)
{
    return !word.isEmpty()
        && (word[0].isLetter() || word[0] == u'_' || word[0] == u'#' || word[0] == u'"' || word[0] == u'[');
}

} // namespace

QString bareStatement(const QString& statement)
{
    // Documented forms: "sp_executesql (Transact-SQL)", and what drivers send for it.
    static const QRegularExpression before(
        u"^\\s+|^--[^\\n]*(?:\\n|$)|^/\\*.*?\\*/|^\\((?:@\\w+ [\\w.]+(?:\\([^)]*\\))?(?: OUTPUT)?,? ?)+\\)"
        "|^SET\\s+\\w+\\s+(?:ON|OFF|-?\\d+|LOW|NORMAL|HIGH)\\s*;?(?=\\s|$)"
        "|^SET\\s+TRANSACTION\\s+ISOLATION\\s+LEVEL\\s+(?:READ\\s+\\w+|REPEATABLE\\s+READ|SNAPSHOT|SERIALIZABLE)\\s*;?"_s,
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression wrapper(
        u"^EXEC(?:UTE)?\\s+(?:sys\\.|\\[sys\\]\\.)?\\[?sp_executesql\\]?\\s+(?:@\\w+\\s*=\\s*)?N?'((?:[^']|'')*)(?:'|$)"_s,
        QRegularExpression::CaseInsensitiveOption);
    QString bare = statement;
    while (true) {
        if (const auto found = before.match(bare); found.hasMatch() && found.capturedLength() > 0)
            bare.remove(0, found.capturedLength());
        else if (const auto inner = wrapper.match(bare); inner.hasMatch())
            bare = inner.captured(1).replace(u"''"_s, u"'"_s);
        else
            return bare;
    }
}

bool isChange(const QString& statement)
{
    static const QSet<QString> verbs{u"insert"_s, u"update"_s, u"delete"_s, u"merge"_s};
    return verbs.contains(bareStatement(statement).simplified().section(u' ', 0, 0).toLower());
}

QString firstTable(const QString& statement)
{
    constexpr int maxWords = 400; // a guess needs no more
    Words words(statement);
    bool isIntroduced = false;
    int count = 0;
    for (QString word = words.next(); !word.isEmpty() && count < maxWords; word = words.next(), ++count) {
        const QString small = word.toLower();
        if (isIntroduced && isBetween(small))
            continue;
        if (isIntroduced && isName(word) && small != u"set"_s && small != u"select"_s)
            return word.remove(u'[').remove(u']').remove(u'"');
        isIntroduced = isIntroduction(small);
    }
    return {};
}

} // namespace lockscope::deadlock
