// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/Family.h"

#include "core/domain/SqlLexer.h"

#include <QCryptographicHash>
#include <QHash>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>
#include <array>
#include <limits>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

QString statementShape(const QString& statement, Engine engine)
{
    static const QRegularExpression parameters(u"@p\\d+\\b|@\\d+\\b|\\$\\d+\\b"_s);
    static const QRegularExpression lists(u"\\? ?(?:, ?\\? ?)+"_s);
    QString shape = withoutLiterals(bareStatement(statement), engine, SqlLexer::DoubleQuotes::AsNames)
                        .simplified()
                        .toLower();
    shape.replace(parameters, u"?"_s);
    shape.replace(lists, u"?"_s);
    while (shape.endsWith(u';') || shape.endsWith(u' '))
        shape.chop(1);
    return shape;
}

namespace {

/// Returns the text that the source gives of each participant, whether it is the victim or not.
QString commonStatement(const Participant& one)
{
    return one.listedStatement.isEmpty() ? one.statement : one.listedStatement;
}

/// True if each source gives the table, whichever session was the victim: PostgreSQL's log has numbers, which
/// are names where its server was asked.
bool isTableCommon(Engine engine)
{
    return engine != Engine::Postgres;
}

QString linkText(const Deadlock& deadlock, const Link& link)
{
    const LockedThing& thing = deadlock.resource(link.resource);
    const Engine engine = deadlock.report->engine;
    const auto shapeOf = [&](int participant) {
        return statementShape(commonStatement(deadlock.participant(participant)), engine);
    };
    return QStringList{resourceKindName(thing.kind), isTableCommon(engine) ? thing.table : QString(),
        isTableCommon(engine) ? thing.index : QString(), link.awaited, link.held,
        link.converts ? u"converts"_s : QString(), link.isQueue ? u"queue"_s : QString(),
        shapeOf(link.waiter), shapeOf(link.blocker)}
        .join(QChar(0x1f));
}

/// Equal for all of a family as far as that can be.
QStringList tablesOfFamily(const Deadlock& deadlock)
{
    QStringList tables;
    for (const Link& link : deadlock.links()) {
        if (isTableCommon(deadlock.report->engine))
            return deadlock.tables();
        const QString table = firstTable(commonStatement(deadlock.participant(link.waiter)));
        if (!table.isEmpty() && !tables.contains(table))
            tables << table;
    }
    tables.sort();
    return tables.isEmpty() ? deadlock.tables() : tables;
}

} // namespace

QString familyOf(const Deadlock& deadlock)
{
    QStringList links;
    for (const Link& link : deadlock.links())
        links << linkText(deadlock, link);
    links.sort();
    links.removeDuplicates();
    const QString all = engineName(deadlock.report->engine) + QChar(0x1e) + links.join(QChar(0x1e));
    const QByteArray hash = QCryptographicHash::hash(all.toUtf8(), QCryptographicHash::Sha256);
    return u"%1-%2"_s.arg(familyVersion).arg(QString::fromLatin1(hash.toHex().left(12)));
}

QString familyTitle(const Deadlock& deadlock)
{
    QStringList waits;
    for (const Link& link : deadlock.links()) {
        const QString wait =
            link.held.isEmpty() ? link.awaited : u"%1 waits for %2"_s.arg(link.awaited, link.held);
        if (!wait.isEmpty() && !waits.contains(wait))
            waits << wait;
    }
    waits.sort();
    QStringList things = tablesOfFamily(deadlock);
    if (things.isEmpty())
        for (const Link& link : deadlock.links())
            if (const QString kind = resourceKindName(deadlock.resource(link.resource).kind);
                !things.contains(kind))
                things << kind;
    const QString what = things.join(u", "_s);
    return waits.isEmpty() ? what : u"%1: %2"_s.arg(what, waits.join(u", "_s));
}

std::pair<int, int> Family::around(ServerTime time) const
{
    std::pair<int, int> counts{0, 0};
    for (const Deadlock& each : members) {
        if (!each.report->time.at)
            continue;
        ++(*each.report->time.at < time ? counts.first : counts.second);
    }
    return counts;
}

QList<Family> familiesOf(const QList<Deadlock>& deadlocks)
{
    QList<FamilyMember> members;
    for (const Deadlock& each : deadlocks)
        members.append({each, familyOf(each), familyTitle(each)});
    return familiesOf(members);
}

QList<Total> totals(const QList<Deadlock>& deadlocks)
{
    const std::array<std::pair<QStringView, QString Participant::*>, 3> kinds{
        {{u"application", &Participant::program}, {u"host", &Participant::host},
            {u"database", &Participant::database}}};
    QList<Total> all;
    for (const auto& [by, member] : kinds) {
        QList<Total> ofKind;
        QHash<QString, qsizetype> places;
        for (const Deadlock& deadlock : deadlocks) {
            QSet<QString> counted;
            for (const int at : deadlock.participants) {
                const QString& name = deadlock.participant(at).*member;
                if (name.isEmpty())
                    continue;
                if (!places.contains(name)) {
                    places.insert(name, ofKind.size());
                    ofKind << Total{.by = by.toString(), .name = name};
                }
                Total& total = ofKind[places.value(name)];
                total.deadlocks += counted.contains(name) ? 0 : 1;
                total.victims += deadlock.isVictim(at) ? 1 : 0;
                counted.insert(name);
            }
        }
        std::ranges::stable_sort(
            ofKind, [](const Total& one, const Total& other) { return one.deadlocks > other.deadlocks; });
        all << ofKind;
    }
    return all;
}

QList<int> countsOver(const Family& family, ServerTime from, microseconds step, int count)
{
    QList<int> counts(count, 0);
    for (const Deadlock& each : family.members) {
        if (!each.report->time.at || *each.report->time.at < from)
            continue;
        const qint64 place = (*each.report->time.at - from) / step;
        if (place < count)
            ++counts[place];
    }
    return counts;
}

QList<Family> familiesOf(const QList<FamilyMember>& members)
{
    QList<Family> families;
    QHash<QString, qsizetype> known;
    for (const FamilyMember& each : members) {
        if (!known.contains(each.family)) {
            known.insert(each.family, families.size());
            families << Family{.id = each.family, .title = each.title};
        }
        Family& family = families[known.value(each.family)];
        family.members << each.deadlock;
        if (const auto at = each.deadlock.report->time.at) {
            family.first = family.first ? std::min(*family.first, *at) : *at;
            family.last = family.last ? std::max(*family.last, *at) : *at;
        }
    }
    const auto timeOf = [](const Deadlock& each) {
        return each.report->time.at.value_or(ServerTime{std::numeric_limits<qint64>::max()});
    };
    for (Family& family : families)
        std::ranges::stable_sort(family.members,
            [&](const Deadlock& one, const Deadlock& other) { return timeOf(one) < timeOf(other); });
    std::ranges::stable_sort(families, [](const Family& one, const Family& other) {
        if (one.members.size() != other.members.size())
            return one.members.size() > other.members.size();
        return one.last.value_or(ServerTime()) > other.last.value_or(ServerTime());
    });
    return families;
}

} // namespace lockscope::deadlock
