// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingReader.h"

#include "core/record/Store.h"

#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

Result<void> eachLine(
    Store& store, const char* statement, std::initializer_list<Value> values, const HistorySink& each)
{
    return store.run(statement, values, [&each](const Store::Row& row) {
        HistoryLine line{.kind = row.text(0),
            .database = row.text(1),
            .lock = row.text(2),
            .waited = row.number(3) != 0,
            .mode = row.text(4),
            .party = {.owner = row.text(7),
                .host = row.text(9),
                .program = row.text(8),
                .session = SessionId{row.number(5)}},
            .from = {row.number(10)},
            .fromExact = row.number(11) != 0,
            .to = {row.number(12)},
            .identity = row.text(14),
            .partyStarted = {row.number(6)},
            .goesOn = row.number(15) != 0,
            .sightings = sightingsOf(row.number(16), row.number(17))};
        if (!row.isNull(13))
            line.gone = ServerTime{row.number(13)};
        return each(line);
    });
}

Result<QList<HistoryLine>> linesOf(Store& store, const char* statement, std::initializer_list<Value> values)
{
    QList<HistoryLine> lines;
    qint64 characters = 0;
    LOCKSCOPE_TRY(eachLine(store, statement, values, [&](const HistoryLine& line) {
        characters += line.kind.size() + line.database.size() + line.lock.size() + line.mode.size()
            + line.party.owner.size() + line.party.program.size() + line.party.host.size();
        lines.append(line);
        return characters <= maxCharacters;
    }));
    if (lines.size() > maxLines || characters > maxCharacters)
        return failure(ErrorKind::BadInput, u"The history is too long to be read at once."_s,
            u"Ask for a shorter time."_s);
    return lines;
}

RecordedLock lockIn(const Store::Row& row)
{
    return {.kind = row.text(0), .database = row.text(1), .identity = row.text(2), .name = row.text(3)};
}

QString jsonOf(const QJsonArray& array)
{
    return QString::fromUtf8(QJsonDocument(array).toJson(QJsonDocument::Compact));
}

/// Their numbers, as an array in JSON.
Result<QString> resourcesOf(Store& store, const char* statement, std::initializer_list<Value> values)
{
    QJsonArray resources;
    const auto read = store.run(
        statement, values, [&resources](const Store::Row& row) { resources.append(row.number(0)); });
    return read ? Result<QString>(jsonOf(resources)) : Failure(read.error());
}

/// `each` gets the same row again and again: there may be millions.
Result<void> rowsOf(Store& store, bool waited, ServerTime from, ServerTime to, const IntervalSink& each)
{
    QHash<qint64, QString> modes;
    LOCKSCOPE_TRY(store.run("recording/recording/modes", {},
        [&modes](const Store::Row& row) { modes.insert(row.number(0), row.text(1)); }));
    IntervalRow interval;
    return store.run(
        "recording/recording/intervals", {from.us, to.us, qint64(waited)}, [&](const Store::Row& row) {
            interval.resource = row.number(0);
            interval.party = row.number(1);
            interval.mode = row.isNull(2) ? row.text(9) : modes.value(row.number(2));
            interval.from = {row.number(3)};
            interval.fromExact = row.number(4) != 0;
            interval.to = {row.number(5)};
            interval.gone = row.isNull(6) ? std::nullopt : std::optional(ServerTime{row.number(6)});
            interval.sightings = sightingsOf(row.number(7), row.number(8));
            interval.statement = row.number(10);
            each(interval);
        });
}

} // namespace

Result<void> RecordingReader::history(
    const QStringList& locks, ServerTime from, ServerTime to, const HistorySink& each)
{
    LOCKSCOPE_TRY_GET(const auto resources,
        resourcesOf(
            *m_store, "recording/recording/resources_named", {jsonOf(QJsonArray::fromStringList(locks))}));
    return eachLine(*m_store, "recording/recording/history", {resources, from.us, to.us, -1}, each);
}

Result<QList<HistoryLine>> RecordingReader::lockLife(
    const RecordedLock& lock, ServerTime from, ServerTime to, qint64 maximum)
{
    LOCKSCOPE_TRY_GET(const auto resources,
        resourcesOf(*m_store, "recording/recording/resources_identified",
            {lock.kind, lock.database, lock.identity, lock.isLockTableName() ? lock.name : u""_s}));
    return linesOf(*m_store, "recording/recording/history", {resources, from.us, to.us, maximum});
}

Result<QList<HistoryLine>> RecordingReader::sessionLife(
    SessionId session, ServerTime started, ServerTime from, ServerTime to, qint64 maximum)
{
    return linesOf(
        *m_store, "recording/recording/session_life", {session.value, started.us, from.us, to.us, maximum});
}

Result<void> RecordingReader::waits(ServerTime from, ServerTime to, const IntervalSink& each)
{
    return rowsOf(*m_store, true, from, to, each);
}

Result<void> RecordingReader::holds(ServerTime from, ServerTime to, const IntervalSink& each)
{
    return rowsOf(*m_store, false, from, to, each);
}

Result<RecordedLock> RecordingReader::lockOfNumber(qint64 resource)
{
    return m_store->last<RecordedLock>("recording/recording/lock_of_number", {resource}, lockIn);
}

Result<RecordedParty> RecordingReader::partyOfNumber(qint64 party)
{
    return m_store->last<RecordedParty>(
        "recording/recording/party_of_number", {party}, [](const Store::Row& row) {
            return RecordedParty{.session = SessionId{row.number(0)},
                .started = {row.number(1)},
                .user = row.text(2),
                .program = row.text(3),
                .host = row.text(4)};
        });
}

Result<QList<RecordedLock>> RecordingReader::locksNamed(const QString& name)
{
    QList<RecordedLock> locks;
    qint64 characters = 0;
    const auto isTooMuch = [&] { return locks.size() > maxLines || characters > maxCharacters; };
    LOCKSCOPE_TRY(m_store->run("recording/recording/locks_named", {name}, [&](const Store::Row& row) {
        locks.append(lockIn(row));
        const RecordedLock& last = locks.back();
        characters += last.kind.size() + last.database.size() + last.identity.size() + last.name.size();
        return !isTooMuch();
    }));
    return isTooMuch() ? Result<QList<RecordedLock>>(tooMuch(u"locks of that name"_s)) : locks;
}

QString likePattern(const QString& text)
{
    if (text.contains(u'%')) // engines differ on what a last backslash means
        return text.endsWith(u'\\') ? text + u'\\' : text;
    QString escaped = text;
    for (const QChar special : {u'\\', u'_'})
        escaped.replace(special, u'\\' + QString(special));
    return u'%' + escaped + u'%';
}

Result<QStringList> RecordingReader::lockNamesLike(const QString& pattern, qint64 maxCount)
{
    return m_store->all<QString>("recording/recording/lock_names_like", {pattern, maxCount},
        [](const Store::Row& row) { return row.text(0); });
}

Result<QList<RecordedParty>> RecordingReader::lives(SessionId session)
{
    QList<RecordedParty> lives;
    qint64 characters = 0;
    const auto isTooMuch = [&] { return lives.size() > maxLines || characters > maxCharacters; };
    LOCKSCOPE_TRY(m_store->run("recording/recording/lives", {session.value}, [&](const Store::Row& row) {
        const RecordedParty party{.session = session,
            .started = {row.number(0)},
            .user = row.text(1),
            .program = row.text(2),
            .host = row.text(3)};
        characters += party.user.size() + party.program.size() + party.host.size();
        // A session may change its program's name.
        if (lives.isEmpty() || lives.back().started != party.started)
            lives.append(party);
        else
            lives.back() = party;
        return !isTooMuch();
    }));
    return isTooMuch() ? Result<QList<RecordedParty>>(tooMuch(u"sessions of that number"_s)) : lives;
}

} // namespace lockscope::record
