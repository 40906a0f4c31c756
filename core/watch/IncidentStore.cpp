// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/IncidentStore.h"

#include "core/base/EnumTable.h"
#include "core/base/Folders.h"
#include "core/base/ServerTime.h"
#include "core/domain/LockTable.h"
#include "core/record/Database.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QUuid>

#include <algorithm>
#include <array>

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

Result<std::unique_ptr<IncidentStore>> IncidentStore::open(const QString& path)
{
    const QString place = path.isEmpty() ? ownPath() : path;
    const QString folder = QFileInfo(place).path();
    if (!QFileInfo(folder).isDir() && QDir().mkpath(folder))
        QFile::setPermissions(folder, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    auto database = Database::open(place, Database::Mode::Write, u"file of incidents"_s);
    if (!database)
        return Failure(database.error());
    std::unique_ptr<IncidentStore> store(new IncidentStore(std::move(*database)));
    const auto prepared = store->inTransaction([&store, &place]() -> Result<void> {
        const auto tables = store->number("incidents/incidents/tables");
        if (!tables)
            return Failure(tables.error());
        if (*tables == 0)
            return store->m_database->script(db::Statement::get("incidents/install.sql").sql());
        const auto application = store->number("incidents/incidents/application");
        const auto version = store->number("incidents/incidents/version");
        if (!application || !version)
            return Failure(application ? version.error() : application.error());
        if (*application != incidentFile)
            return failure(ErrorKind::BadInput, u"%1 is no file of incidents of Lockscope's."_s.arg(place));
        if (*version != formatVersion)
            return failure(ErrorKind::Unsupported,
                u"%1 was written by another version of Lockscope: its format is %2."_s.arg(place).arg(
                    *version),
                u"Use that version, or move the file away."_s);
        return {};
    });
    return ifDone(prepared, std::move(store));
}

Result<void> IncidentStore::run(
    const char* name, std::initializer_list<record::Value> values, const Store::Sink& each)
{
    return m_database->run(name, values, each);
}

bool IncidentStore::hasMoved() const
{
    return m_database->hasMoved();
}

/// Writers wait for each other, and none has to give up half-way.
Result<void> IncidentStore::inTransaction(const std::function<Result<void>()>& change)
{
    if (auto begun = m_database->script("BEGIN IMMEDIATE"); !begun)
        return begun;
    auto changed = change();
    if (changed)
        changed = m_database->script("COMMIT");
    if (!changed)
        static_cast<void>(m_database->script("ROLLBACK"));
    return changed;
}

Result<qint64> IncidentStore::number(const char* name, std::initializer_list<record::Value> values)
{
    qint64 number = 0;
    const auto read = run(name, values, [&number](const Store::Row& row) {
        number = row.number(0);
        return false;
    });
    return read ? Result<qint64>(number) : Failure(read.error());
}

Result<QList<Incident>> IncidentStore::incidents(
    const char* name, std::initializer_list<record::Value> values, const Store::Sink& each)
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
    return read ? Result<QList<Incident>>(all) : Failure(read.error());
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
        Result<void> done = run("incidents/incidents/known_channel", {channel});
        if (done)
            done = run("incidents/incidents/queue", {channel, incident, textOf(toJson(queued.notice))});
        if (done)
            done = run("incidents/incidents/drop_oldest", {channel, qint64(maxQueued)});
        const auto dropped = number("incidents/incidents/changes");
        if (done && dropped && *dropped > 0)
            done = run(
                "incidents/incidents/note_dropped", {channel, *dropped, ownClock().us, u"too many wait."_s});
        if (!done)
            return done;
    }
    return {};
}

Result<IncidentStore::Noted> IncidentStore::fire(
    const Incident& incident, const QList<QueuedNotice>& notices, const QString& step)
{
    Noted noted;
    const auto done = inTransaction([&]() -> Result<void> {
        const auto known = number("incidents/incidents/firing_of", {incident.cause.fingerprint()});
        if (!known)
            return Failure(known.error());
        const qint64 isCritical = incident.severity == alert::Severity::Critical ? 1 : 0;
        const QString body = textOf(toJson(incident));
        noted = {*known, *known == 0};
        if (!noted.isNew)
            return run("incidents/incidents/change", {*known, isCritical, ownClock().us, body});
        auto added = run("incidents/incidents/add",
            {incident.cause.fingerprint(), headKey(incident), incident.cause.server, isCritical,
                ownClock().us, body});
        if (!added)
            return added;
        noted.id = m_database->lastId();
        added = addStep(noted.id, step);
        return added ? enqueue(noted.id, notices) : added;
    });
    return done ? Result<Noted>(noted) : Failure(done.error());
}

Result<IncidentStore::Changed> IncidentStore::change(
    const Incident& incident, const QList<QueuedNotice>& notices, const QString& step)
{
    Changed changed;
    const auto done = inTransaction([&]() -> Result<void> {
        const auto before = this->incident(incident.id);
        if (!before)
            return Failure(before.error());
        changed.isThere = *before && (*before)->isFiring();
        if (!changed.isThere)
            return {};
        const bool isWorse = incident.severity > (*before)->severity;
        QList<QueuedNotice> left = notices;
        left.removeIf([&](const QueuedNotice& each) {
            return each.notice.kind == alert::Notice::Kind::Escalated
                ? !isWorse
                : (*before)->notifiedChannels.contains(each.channel);
        });
        changed.isNews = isWorse || (incident.isReported && !(*before)->isReported) || !left.isEmpty();
        const qint64 isCritical = incident.severity == alert::Severity::Critical ? 1 : 0;
        auto written = run(
            "incidents/incidents/change", {incident.id, isCritical, ownClock().us, textOf(toJson(incident))});
        if (written && changed.isNews)
            written = addStep(incident.id, step);
        return written ? enqueue(incident.id, left) : written;
    });
    return done ? Result<Changed>(changed) : Failure(done.error());
}

Result<bool> IncidentStore::resolve(
    const Incident& incident, const QList<QueuedNotice>& notices, const QString& step)
{
    bool isOurs = false;
    const auto done = inTransaction([&]() -> Result<void> {
        auto ended =
            run("incidents/incidents/resolve", {incident.id, ownClock().us, textOf(toJson(incident))});
        const auto changed = number("incidents/incidents/changes");
        isOurs = changed && *changed > 0;
        if (!ended || !isOurs)
            return ended;
        ended = addStep(incident.id, step);
        return ended ? enqueue(incident.id, notices) : ended;
    });
    return done ? Result<bool>(isOurs) : Failure(done.error());
}

Result<ListedIncidents> IncidentStore::list(ServerTime from)
{
    ListedIncidents listed;
    const auto all = incidents("incidents/incidents/list", {from.us, qint64(ListedIncidents::maxOver)},
        [&listed](const Store::Row& row) {
            listed.leftOut = row.number(4);
            return true;
        });
    if (!all)
        return Failure(all.error());
    listed.all = *all;
    return listed;
}

Result<std::optional<Incident>> IncidentStore::incident(qint64 id)
{
    const auto found = incidents("incidents/incidents/incident", {id});
    if (!found)
        return Failure(found.error());
    return found->isEmpty() ? std::optional<Incident>() : found->first();
}

Result<QList<Incident>> IncidentStore::similar(const Incident& incident, int maxCount)
{
    return incidents("incidents/incidents/similar", {headKey(incident), incident.id, qint64(maxCount)});
}

Result<QList<IncidentStore::Counts>> IncidentStore::counts(qint64 after)
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
    return read ? Result<QList<Counts>>(all) : Failure(read.error());
}

Result<QList<IncidentStep>> IncidentStore::steps(qint64 incident)
{
    QList<IncidentStep> all;
    const auto read = run("incidents/incidents/steps", {incident}, [&all](const Store::Row& row) {
        all << IncidentStep{{row.number(0)}, row.text(1)};
    });
    return read ? Result<QList<IncidentStep>>(all) : Failure(read.error());
}

Result<void> IncidentStore::acknowledge(qint64 incident, const QString& by, const QString& why)
{
    return inTransaction([&]() -> Result<void> {
        auto done = run("incidents/incidents/acknowledge", {incident, by, why});
        const auto changed = number("incidents/incidents/changes");
        if (!done)
            return done;
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
    const auto done = run("incidents/incidents/mute",
        {alert::muteOfName(mute.of), mute.value, mute.shown, qint64(mute.end), mute.until.us, orNull(count),
            orNull(length), mute.why, mute.by, mute.made.us});
    if (!done)
        return Failure(done.error());
    made.id = m_database->lastId();
    return made;
}

Result<void> IncidentStore::unmute(qint64 mute, const QString& why)
{
    return inTransaction([&]() -> Result<void> {
        auto done = run("incidents/incidents/unmute", {mute, ownClock().us, why});
        const auto changed = number("incidents/incidents/changes");
        if (done && (!changed || *changed == 0))
            return failure(ErrorKind::MissingObject, u"Mute %1 is not in force."_s.arg(mute));
        return done;
    });
}

/// Asked at each poll: it writes only if a mute's time is over.
Result<QList<Mute>> IncidentStore::mutes(ServerTime now)
{
    QList<Mute> all;
    const auto read = [&] {
        all.clear();
        return run("incidents/incidents/mutes", {(now - week).us},
            [&all](const Store::Row& row) { all << muteOf(row); });
    };
    auto done = read();
    const auto isOver = [now](const Mute& mute) {
        return !mute.ended.isValid() && mute.end == Mute::End::At && mute.until <= now;
    };
    if (done && std::ranges::any_of(all, isOver)) {
        done = run("incidents/incidents/end_mutes", {now.us});
        if (done)
            done = read();
    }
    return done ? Result<QList<Mute>>(all) : Failure(done.error());
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
    return taken ? Result<QList<QueuedNotice>>(due) : Failure(taken.error());
}

Result<QString> IncidentStore::channelOf(qint64 queued)
{
    QString channel;
    const auto read = run("incidents/incidents/channel_of", {queued}, [&channel](const Store::Row& row) {
        channel = row.text(0);
        return false;
    });
    return read ? Result<QString>(channel) : Failure(read.error());
}

Result<void> IncidentStore::sent(const QList<QueuedNotice>& message)
{
    return inTransaction([&]() -> Result<void> {
        Result<void> done;
        for (auto each = message.begin(); done && each != message.end(); ++each)
            done = run("incidents/incidents/sent", {each->number});
        return done ? run("incidents/incidents/note_sent", {message.first().channel, ownClock().us}) : done;
    });
}

Result<void> IncidentStore::failed(qint64 first, ServerTime nextTry, const QString& error, bool isRefusal)
{
    return inTransaction([&]() -> Result<void> {
        const auto channel = channelOf(first);
        if (!channel)
            return Failure(channel.error());
        auto done =
            run("incidents/incidents/failed", {first, nextTry.us, error, isRefusal ? ownClock().us : 0});
        if (done)
            done = run("incidents/incidents/release", {first, *channel});
        return done ? run("incidents/incidents/note_failing", {*channel, ownClock().us}) : done;
    });
}

Result<void> IncidentStore::refused(
    const QList<QueuedNotice>& message, const QString& step, const QString& why)
{
    return inTransaction([&]() -> Result<void> {
        const QString& channel = message.first().channel;
        auto done =
            run("incidents/incidents/note_dropped", {channel, qint64(message.size()), ownClock().us, why});
        if (done)
            done = run("incidents/incidents/note_failing", {channel, ownClock().us});
        for (auto each = message.begin(); done && each != message.end(); ++each) {
            if (each->notice.incident.id != 0) // a test is about none
                done = addStep(each->notice.incident.id, step);
            if (done)
                done = run("incidents/incidents/sent", {each->number});
        }
        return done;
    });
}

Result<void> IncidentStore::endClaim(const char* name, qint64 first)
{
    return inTransaction([&]() -> Result<void> {
        const auto channel = channelOf(first);
        return channel ? run(name, {first, *channel}) : Result<void>(Failure(channel.error()));
    });
}

Result<QList<IncidentStore::QueueState>> IncidentStore::queue()
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
    return read ? Result<QList<QueueState>>(all) : Failure(read.error());
}

Result<bool> IncidentStore::noteFamily(const QString& server, const QString& family, ServerTime at)
{
    const auto done = run("incidents/incidents/note_family", {server, family, at.us});
    if (!done)
        return Failure(done.error());
    const auto changed = number("incidents/incidents/changes");
    return changed ? Result<bool>(*changed > 0) : Failure(changed.error());
}

Result<void> IncidentStore::markCured(const QString& server, const QString& family, const FamilyCure& cure)
{
    return run("incidents/incidents/mark_cured", {server, family, cure.cure, cure.by, cure.at.us});
}

Result<std::optional<FamilyCure>> IncidentStore::cureOf(const QString& server, const QString& family)
{
    std::optional<FamilyCure> cure;
    const auto read = run("incidents/incidents/cure_of", {server, family}, [&cure](const Store::Row& row) {
        cure = FamilyCure{row.text(0), row.text(1), {row.number(2)}};
        return false;
    });
    return read ? Result<std::optional<FamilyCure>>(cure) : Failure(read.error());
}

Result<std::optional<FamilyCure>> IncidentStore::noteBack(
    const QString& server, const QString& family, ServerTime at)
{
    const auto done = run("incidents/incidents/note_back", {server, family, at.us});
    if (!done)
        return Failure(done.error());
    const auto changed = number("incidents/incidents/changes");
    return changed && *changed > 0 ? cureOf(server, family) : std::optional<FamilyCure>();
}

Result<qint64> IncidentStore::version()
{
    const auto version = number("incidents/incidents/data_version");
    return version ? Result<qint64>((*version << 32) + m_database->changes()) : Failure(version.error());
}

Result<void> IncidentStore::prune(ServerTime before)
{
    return inTransaction([&]() -> Result<void> {
        Result<void> done;
        for (const char* const name : {"incidents/incidents/prune_steps",
                 "incidents/incidents/prune_incidents", "incidents/incidents/prune_mutes"}) {
            if (done)
                done = run(name, {before.us});
        }
        return done;
    });
}

QString ownAccountText()
{
    const LockOwnerInfo own = LockOwnerInfo::ofThisProcess();
    return u"%1 on %2"_s.arg(own.owner.isEmpty() ? u"an unknown account"_s : own.owner, own.host);
}

} // namespace lockscope::watch
