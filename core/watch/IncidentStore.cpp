// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/IncidentStore.h"

#include "core/base/EnumTable.h"
#include "core/base/PlainFile.h"
#include "core/base/ServerTime.h"
#include "core/domain/LockTable.h"
#include "core/record/Database.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QUuid>

#include <algorithm>
#include <cerrno>
#include <sqlite3.h>
#include <sys/stat.h>

namespace lockscope::watch {

using namespace Qt::StringLiterals;

using alert::Incident;
using alert::Mute;
using record::Database;
using record::Store;

namespace {

constexpr qint64 incidentFile = 0x4c6b7369; // "Lksi"
constexpr qint64 formatVersion = 3;
constexpr microseconds week = std::chrono::hours(7 * 24);

QString textOf(const QJsonObject& json)
{
    return QString::fromUtf8(QJsonDocument(json).toJson(QJsonDocument::Compact));
}

QJsonObject objectOf(const QString& text)
{
    return QJsonDocument::fromJson(text.toUtf8()).object();
}

QString headKey(Incident incident)
{
    incident.cause.resource.clear();
    return incident.cause.fingerprint();
}

record::Value orNull(std::optional<qint64> value)
{
    return value ? record::Value(*value) : record::Value();
}

Mute muteOf(const Store::Row& row)
{
    Mute mute;
    mute.id = row.number(0);
    mute.of = enumeratorNamed(row.text(1), alert::muteOfName).value_or(mute.of);
    mute.value = row.text(2);
    mute.shown = row.text(3);
    mute.end = Mute::End(row.number(4));
    mute.until = {row.number(5)};
    if (!row.isNull(6))
        mute.maxWaiting = int(row.number(6));
    if (!row.isNull(7))
        mute.maxWait = milliseconds(row.number(7));
    mute.why = row.text(8);
    mute.by = row.text(9);
    mute.made = {row.number(10)};
    mute.ended = {row.number(11)};
    mute.endedWhy = row.text(12);
    return mute;
}

} // namespace

IncidentStore::IncidentStore(std::unique_ptr<Database> database)
    : m_database(std::move(database))
{
}

IncidentStore::~IncidentStore() = default;

QString IncidentStore::ownPath()
{
    return stateFolder() + u"/incidents.sqlite"_s;
}

Result<bool> IncidentStore::isMade(const QString& place) const
{
    LOCKSCOPE_TRY_GET(const auto tables, number("incidents/incidents/tables"));
    if (tables == 0)
        return false;
    LOCKSCOPE_TRY_GET(const auto application, number("incidents/incidents/application"));
    LOCKSCOPE_TRY_GET(const auto version, number("incidents/incidents/version"));
    if (application != incidentFile)
        return failure(ErrorKind::BadInput, u"%1 is no file of incidents of Lockscope's."_s.arg(place));
    if (version != formatVersion)
        return failure(ErrorKind::Unsupported,
            u"%1 was written by another version of Lockscope: its format is %2."_s.arg(place).arg(version),
            u"Use that version, or move the file away."_s);
    return true;
}

Result<std::unique_ptr<IncidentStore>> IncidentStore::open(const QString& path)
{
    const QString place = path.isEmpty() ? ownPath() : path;
    const QString folder = QFileInfo(place).path();
    if (!QFileInfo(folder).isDir() && QDir().mkpath(folder))
        QFile::setPermissions(folder, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    LOCKSCOPE_TRY_GET(auto database, Database::open(place, Database::Mode::Write, u"file of incidents"_s));
    std::unique_ptr<IncidentStore> store(new IncidentStore(std::move(database)));
    const auto prepared = store->inTransaction([&store, &place]() -> Result<void> {
        LOCKSCOPE_TRY_GET(const bool hasTables, store->isMade(place));
        return hasTables ? Result<void>()
                         : store->m_database->script(db::Statement::get("incidents/install.sql").sql());
    });
    return ifDone(prepared, std::move(store));
}

Result<std::unique_ptr<const IncidentStore>> IncidentStore::openToRead(const QString& path)
{
    const QString place = path.isEmpty() ? ownPath() : path;
    std::unique_ptr<Database> database;
    struct stat seen { };
    // What can't be looked at may be there.
    if (::lstat(QFile::encodeName(place).constData(), &seen) == 0 || errno != ENOENT) {
        auto opened = Database::open(place, Database::Mode::Read, u"file of incidents"_s);
        // Its writer was killed: a program that opens it to write repairs it.
        if (!opened && opened.error().nativeCode.toInt() == SQLITE_READONLY_ROLLBACK)
            return open(place);
        LOCKSCOPE_TRY_GET(database, std::move(opened));
        LOCKSCOPE_TRY(database->checkOwnFiles());
    }
    std::unique_ptr<IncidentStore> store(new IncidentStore(std::move(database)));
    LOCKSCOPE_TRY_GET(const bool hasTables, store->isMade(place));
    if (!hasTables)
        store->m_database.reset();
    return store;
}

Result<void> IncidentStore::run(
    const char* name, std::initializer_list<record::Value> values, const Store::Sink& each) const
{
    return m_database ? m_database->run(name, values, each) : Result<void>();
}

bool IncidentStore::hasMoved() const
{
    return m_database && m_database->hasMoved();
}

/// Writers wait for each other, and none has to give up half-way.
Result<void> IncidentStore::inTransaction(const std::function<Result<void>()>& change)
{
    LOCKSCOPE_TRY(m_database->script("BEGIN IMMEDIATE"));
    auto changed = change();
    if (changed)
        changed = m_database->script("COMMIT");
    if (!changed)
        static_cast<void>(m_database->script("ROLLBACK"));
    return changed;
}

Result<qint64> IncidentStore::number(const char* name, std::initializer_list<record::Value> values) const
{
    qint64 number = 0;
    const auto read = run(name, values, [&number](const Store::Row& row) {
        number = row.number(0);
        return false;
    });
    return ifDone(read, number);
}

Result<QList<Incident>> IncidentStore::incidents(
    const char* name, std::initializer_list<record::Value> values, const Store::Sink& each) const
{
    QList<Incident> all;
    const auto read = run(name, values, [&all, &each](const Store::Row& row) {
        if (each)
            each(row);
        auto incident = alert::incidentFromJson(objectOf(row.text(1)));
        if (!incident)
            return true; // not one of ours: the others are none the worse
        incident->id = row.number(0);
        incident->acknowledgedBy = row.text(2);
        incident->acknowledgedWhy = row.text(3);
        all << *incident;
        return true;
    });
    return ifDone(read, all);
}

Result<void> IncidentStore::addStep(qint64 incident, const QString& what)
{
    return what.isEmpty() ? Result<void>()
                          : run("incidents/incidents/add_step", {incident, ownClock().us, what});
}

Result<void> IncidentStore::enqueue(qint64 incident, const QList<QueuedNotice>& notices)
{
    // The same incident may fire again after a mute: that is another notice, also within the same
    // millisecond.
    const QString change = QUuid::createUuid().toString(QUuid::Id128);
    for (QueuedNotice queued : notices) {
        queued.notice.incident.id = incident;
        if (queued.notice.key.isEmpty())
            queued.notice.key = u"%1-%2-%3-%4"_s.arg(queued.notice.incident.cause.fingerprint())
                                    .arg(incident)
                                    .arg(alert::noticeKindName(queued.notice.kind), change);
        const QString& channel = queued.channel;
        LOCKSCOPE_TRY(run("incidents/incidents/known_channel", {channel}));
        LOCKSCOPE_TRY(run("incidents/incidents/queue", {channel, incident, textOf(toJson(queued.notice))}));
        LOCKSCOPE_TRY(run("incidents/incidents/drop_oldest", {channel, qint64(maxQueued)}));
        if (const auto dropped = number("incidents/incidents/changes"); dropped && *dropped > 0)
            LOCKSCOPE_TRY(run(
                "incidents/incidents/note_dropped", {channel, *dropped, ownClock().us, u"too many wait."_s}));
    }
    return {};
}

Result<IncidentStore::Noted> IncidentStore::fire(
    const Incident& incident, const QList<QueuedNotice>& notices, const QString& step)
{
    Noted noted;
    const auto done = inTransaction([&]() -> Result<void> {
        LOCKSCOPE_TRY_GET(
            const auto known, number("incidents/incidents/firing_of", {incident.cause.fingerprint()}));
        const qint64 isCritical = incident.severity == alert::Severity::Critical ? 1 : 0;
        const QString body = textOf(toJson(incident));
        noted = {known, known == 0};
        if (!noted.isNew)
            return run("incidents/incidents/change", {known, isCritical, ownClock().us, body});
        LOCKSCOPE_TRY(run("incidents/incidents/add",
            {incident.cause.fingerprint(), headKey(incident), incident.cause.server, isCritical,
                ownClock().us, body}));
        noted.id = m_database->lastId();
        LOCKSCOPE_TRY(addStep(noted.id, step));
        return enqueue(noted.id, notices);
    });
    return ifDone(done, noted);
}

Result<IncidentStore::Changed> IncidentStore::change(
    const Incident& incident, const QList<QueuedNotice>& notices, const QString& step)
{
    Changed changed;
    const auto done = inTransaction([&]() -> Result<void> {
        LOCKSCOPE_TRY_GET(const auto before, this->incident(incident.id));
        changed.isThere = before && before->isFiring();
        if (!changed.isThere)
            return {};
        const bool isWorse = incident.severity > before->severity;
        QList<QueuedNotice> left = notices;
        left.removeIf([&](const QueuedNotice& each) {
            return each.notice.kind == alert::Notice::Kind::Escalated
                ? !isWorse
                : before->notifiedChannels.contains(each.channel);
        });
        changed.isNews = isWorse || (incident.isReported && !before->isReported) || !left.isEmpty();
        const qint64 isCritical = incident.severity == alert::Severity::Critical ? 1 : 0;
        LOCKSCOPE_TRY(run("incidents/incidents/change",
            {incident.id, isCritical, ownClock().us, textOf(toJson(incident))}));
        if (changed.isNews)
            LOCKSCOPE_TRY(addStep(incident.id, step));
        return enqueue(incident.id, left);
    });
    return ifDone(done, changed);
}

Result<bool> IncidentStore::resolve(
    const Incident& incident, const QList<QueuedNotice>& notices, const QString& step)
{
    bool isOurs = false;
    const auto done = inTransaction([&]() -> Result<void> {
        LOCKSCOPE_TRY(
            run("incidents/incidents/resolve", {incident.id, ownClock().us, textOf(toJson(incident))}));
        const auto changed = number("incidents/incidents/changes");
        isOurs = changed && *changed > 0;
        if (!isOurs)
            return {};
        LOCKSCOPE_TRY(addStep(incident.id, step));
        return enqueue(incident.id, notices);
    });
    return ifDone(done, isOurs);
}

Result<ListedIncidents> IncidentStore::list(ServerTime from) const
{
    ListedIncidents listed;
    LOCKSCOPE_TRY_GET(listed.all,
        incidents("incidents/incidents/list", {from.us, qint64(ListedIncidents::maxOver)},
            [&listed](const Store::Row& row) {
                listed.leftOut = row.number(4);
                return true;
            }));
    return listed;
}

Result<std::optional<Incident>> IncidentStore::incident(qint64 id) const
{
    LOCKSCOPE_TRY_GET(const auto found, incidents("incidents/incidents/incident", {id}));
    return found.isEmpty() ? std::optional<Incident>() : found.first();
}

Result<QList<Incident>> IncidentStore::similar(const Incident& incident, int maxCount) const
{
    return incidents("incidents/incidents/similar", {headKey(incident), incident.id, qint64(maxCount)});
}

Result<QList<IncidentStore::Counts>> IncidentStore::counts(qint64 after) const
{
    QList<Counts> all;
    const auto read = run("incidents/incidents/counts", {after}, [&all](const Store::Row& row) {
        all << Counts{.server = row.text(0),
            .added = row.number(1),
            .newest = row.number(2),
            .newestFired = {row.number(3)},
            .warning = int(row.number(4)),
            .critical = int(row.number(5))};
    });
    return ifDone(read, all);
}

Result<QList<IncidentStep>> IncidentStore::steps(qint64 incident) const
{
    QList<IncidentStep> all;
    const auto read = run("incidents/incidents/steps", {incident}, [&all](const Store::Row& row) {
        all << IncidentStep{{row.number(0)}, row.text(1)};
    });
    return ifDone(read, all);
}

Result<void> IncidentStore::acknowledge(qint64 incident, const QString& by, const QString& why)
{
    return inTransaction([&]() -> Result<void> {
        LOCKSCOPE_TRY(run("incidents/incidents/acknowledge", {incident, by, why}));
        const auto changed = number("incidents/incidents/changes");
        if (!changed || *changed == 0)
            return failure(ErrorKind::MissingObject, u"Incident %1 does not fire."_s.arg(incident));
        return addStep(incident,
            why.isEmpty() ? u"Acknowledged by %1."_s.arg(by) : u"Acknowledged by %1: %2"_s.arg(by, why));
    });
}

Result<Mute> IncidentStore::mute(const Mute& mute)
{
    Mute made = mute;
    const auto length = mute.maxWait ? std::optional(qint64(mute.maxWait->count())) : std::nullopt;
    const auto count = mute.maxWaiting ? std::optional(qint64(*mute.maxWaiting)) : std::nullopt;
    LOCKSCOPE_TRY(run("incidents/incidents/mute",
        {alert::muteOfName(mute.of), mute.value, mute.shown, qint64(mute.end), mute.until.us, orNull(count),
            orNull(length), mute.why, mute.by, mute.made.us}));
    made.id = m_database->lastId();
    return made;
}

Result<void> IncidentStore::unmute(qint64 mute, const QString& why)
{
    return inTransaction([&]() -> Result<void> {
        LOCKSCOPE_TRY(run("incidents/incidents/unmute", {mute, ownClock().us, why}));
        const auto changed = number("incidents/incidents/changes");
        if (!changed || *changed == 0)
            return failure(ErrorKind::MissingObject, u"Mute %1 is not in force."_s.arg(mute));
        return {};
    });
}

Result<QList<Mute>> IncidentStore::mutes(ServerTime now) const
{
    QList<Mute> all;
    const auto read = run("incidents/incidents/mutes", {(now - week).us, now.us},
        [&all](const Store::Row& row) { all << muteOf(row); });
    return ifDone(read, all);
}

Result<QList<QueuedNotice>> IncidentStore::take(
    const QString& channel, const QString& by, ServerTime now, ServerTime until, int maxCount)
{
    QList<QueuedNotice> due;
    const auto taken = inTransaction([&]() -> Result<void> {
        QList<qint64> unreadable;
        std::optional<QString> message;
        auto done =
            run("incidents/incidents/due", {channel, now.us, qint64(maxCount)}, [&](const Store::Row& row) {
                if (message.value_or(row.text(5)) != row.text(5))
                    return false;
                message = row.text(5);
                auto notice = alert::noticeFromJson(objectOf(row.text(4)));
                if (notice)
                    due << QueuedNotice{.number = row.number(0),
                        .channel = channel,
                        .notice = std::move(*notice),
                        .attempts = int(row.number(1)),
                        .nextTry = {row.number(2)},
                        .lastError = row.text(3),
                        .refusedSince = {row.number(6)}};
                else
                    unreadable << row.number(0);
                return true;
            });
        for (auto each = unreadable.begin(); done && each != unreadable.end(); ++each)
            done = run("incidents/incidents/sent", {*each});
        for (auto each = due.begin(); done && each != due.end(); ++each)
            done = run("incidents/incidents/claim",
                {each->number, u"%1/%2"_s.arg(by).arg(due.first().number), until.us});
        return done;
    });
    return ifDone(taken, due);
}

Result<QString> IncidentStore::channelOf(qint64 queued)
{
    QString channel;
    const auto read = run("incidents/incidents/channel_of", {queued}, [&channel](const Store::Row& row) {
        channel = row.text(0);
        return false;
    });
    return ifDone(read, channel);
}

Result<void> IncidentStore::sent(const QList<QueuedNotice>& message)
{
    return inTransaction([&]() -> Result<void> {
        for (const QueuedNotice& each : message)
            LOCKSCOPE_TRY(run("incidents/incidents/sent", {each.number}));
        return run("incidents/incidents/note_sent", {message.first().channel, ownClock().us});
    });
}

Result<void> IncidentStore::failed(qint64 first, ServerTime nextTry, const QString& error, bool isRefusal)
{
    return inTransaction([&]() -> Result<void> {
        LOCKSCOPE_TRY_GET(const auto channel, channelOf(first));
        LOCKSCOPE_TRY(
            run("incidents/incidents/failed", {first, nextTry.us, error, isRefusal ? ownClock().us : 0}));
        LOCKSCOPE_TRY(run("incidents/incidents/release", {first, channel}));
        return run("incidents/incidents/note_failing", {channel, ownClock().us});
    });
}

Result<void> IncidentStore::refused(
    const QList<QueuedNotice>& message, const QString& step, const QString& why)
{
    return inTransaction([&]() -> Result<void> {
        const QString& channel = message.first().channel;
        LOCKSCOPE_TRY(
            run("incidents/incidents/note_dropped", {channel, qint64(message.size()), ownClock().us, why}));
        LOCKSCOPE_TRY(run("incidents/incidents/note_failing", {channel, ownClock().us}));
        for (const QueuedNotice& each : message) {
            if (each.notice.incident.id != 0) // a test is about none
                LOCKSCOPE_TRY(addStep(each.notice.incident.id, step));
            LOCKSCOPE_TRY(run("incidents/incidents/sent", {each.number}));
        }
        return {};
    });
}

Result<void> IncidentStore::endClaim(const char* name, qint64 first)
{
    return inTransaction([&]() -> Result<void> {
        LOCKSCOPE_TRY_GET(const auto channel, channelOf(first));
        return run(name, {first, channel});
    });
}

Result<QList<IncidentStore::QueueState>> IncidentStore::queue() const
{
    QList<QueueState> all;
    const auto read = run("incidents/incidents/channels", {}, [&all](const Store::Row& row) {
        all << QueueState{.channel = row.text(0),
            .waiting = int(row.number(1)),
            .dropped = int(row.number(2)),
            .attempts = int(row.number(3)),
            .lastError = row.text(4),
            .lastSent = {row.number(5)},
            .failingSince = {row.number(6)},
            .droppedAt = {row.number(7)},
            .droppedWhy = row.text(8)};
    });
    return ifDone(read, all);
}

Result<bool> IncidentStore::noteFamily(const QString& server, const QString& family, ServerTime at)
{
    LOCKSCOPE_TRY(run("incidents/incidents/note_family", {server, family, at.us}));
    LOCKSCOPE_TRY_GET(const auto changed, number("incidents/incidents/changes"));
    return changed > 0;
}

Result<void> IncidentStore::markCured(const QString& server, const QString& family, const FamilyCure& cure)
{
    return run("incidents/incidents/mark_cured", {server, family, cure.cure, cure.by, cure.at.us});
}

Result<std::optional<FamilyCure>> IncidentStore::cureOf(const QString& server, const QString& family) const
{
    std::optional<FamilyCure> cure;
    const auto read = run("incidents/incidents/cure_of", {server, family}, [&cure](const Store::Row& row) {
        cure = FamilyCure{row.text(0), row.text(1), {row.number(2)}};
        return false;
    });
    return ifDone(read, cure);
}

Result<std::optional<FamilyCure>> IncidentStore::noteBack(
    const QString& server, const QString& family, ServerTime at)
{
    LOCKSCOPE_TRY(run("incidents/incidents/note_back", {server, family, at.us}));
    const auto changed = number("incidents/incidents/changes");
    return changed && *changed > 0 ? cureOf(server, family) : std::optional<FamilyCure>();
}

Result<qint64> IncidentStore::version()
{
    LOCKSCOPE_TRY_GET(const auto version, number("incidents/incidents/data_version"));
    return (version << 32) + m_database->changes();
}

Result<void> IncidentStore::prune(ServerTime before)
{
    return inTransaction([&]() -> Result<void> {
        for (const char* const name : {"incidents/incidents/prune_steps",
                 "incidents/incidents/prune_incidents", "incidents/incidents/prune_mutes"})
            LOCKSCOPE_TRY(run(name, {before.us}));
        return {};
    });
}

QString ownAccountText()
{
    const LockOwnerInfo own = LockOwnerInfo::ofThisProcess();
    return u"%1 on %2"_s.arg(own.owner.isEmpty() ? u"an unknown account"_s : own.owner, own.host);
}

} // namespace lockscope::watch
