// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/locktable/LockTableModel.h"

#include "core/base/EnumTable.h"
#include "core/domain/FrameworkText.h"
#include "core/domain/HolderLife.h"
#include "core/domain/SnapshotNames.h"
#include "core/report/SnapshotTables.h"
#include "ui/kit/delegates/BadgePainter.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/views/page/AppContext.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

std::vector<ColumnInfo> entryColumns()
{
    return {
        ColumnInfo{u"name"_s, u"Name"_s,
            u"The lock, and below it the programs that wait for it, first come first"_s, 200}
            .wide(2)
            .whole(),
        ColumnInfo{u"state"_s, u"State"_s, {}, 116}.ticking(),
        frameworkColumn(),
        ColumnInfo{u"verdict"_s, u"Verdict"_s,
            u"Whether the program that holds the lock still works, as far as the server shows"_s, 88}
            .yield(3),
        ColumnInfo{u"evidence"_s, u"Evidence"_s, u"How that is known"_s, 170}.wide(6).yield(2).whole(),
        ColumnInfo{u"age"_s, u"Age"_s, u"Since when it is held or waited for, by the server's clock"_s, 76}
            .ofAges(),
        ColumnInfo{u"lease"_s, u"Lease"_s,
            u"How much of the time is used up after which the lock counts as stale"_s, 150}
            .ticking()
            .wide(1)
            .yield(7),
        ColumnInfo{u"owner"_s, u"Owner"_s, u"Account of the holder or waiter"_s, 84}.wide(1).yield(6),
        ColumnInfo{u"program"_s, u"Program"_s, {}, 110}.wide(1).yield(5),
        ColumnInfo{u"host"_s, u"Host"_s, {}, 90}.wide(1).yield(4),
        ColumnInfo{u"process_id"_s, u"Process"_s, u"Process number on its host"_s, 76}.hidden().ofNumbers(),
        ColumnInfo{u"waiters"_s, u"Waiters"_s, {}, 66}.ofNumbers().yield(2),
        ColumnInfo{u"fencing"_s, u"Fencing"_s,
            u"Grows with every grant: a resource can refuse the late write of a former holder"_s, 72}
            .ofNumbers()
            .yield(8),
        ColumnInfo{u"token"_s, u"Token"_s, u"Only a program that knows it can release the lock"_s}.hidden(),
        ColumnInfo{
            u"session"_s, u"Session"_s, u"The database session that wrote the row; it may be gone"_s, 76}
            .hidden()
            .ofNumbers(),
        ColumnInfo{u"since"_s, u"Acquired"_s, {}, 170}.hidden(),
        ColumnInfo{u"table"_s, u"Table"_s, {}, 150}.hidden(),
    };
}

std::vector<LockTableRow> tableRows(const Snapshot& snapshot)
{
    std::vector<LockTableRow> rows;
    rows.reserve(snapshot.entries.size() + snapshot.entryWaiters.size());
    QHash<LockTableKey, quint32> names;
    for (const LockTableEntry& entry : snapshot.entries) {
        LockTableRow row;
        row.key = {entry.table, entry.name};
        row.entry = entry;
        names.insert(row.key, static_cast<quint32>(rows.size()));
        rows.push_back(std::move(row));
    }
    // A name may be waited for while nobody holds it: the next one is about to take it.
    for (const LockTableWaiter& waiter : snapshot.entryWaiters) {
        const LockTableKey key{waiter.table, waiter.name};
        if (names.contains(key))
            continue;
        names.insert(key, static_cast<quint32>(rows.size()));
        LockTableRow row;
        row.key = key;
        rows.push_back(std::move(row));
    }
    for (const LockTableWaiter& waiter : snapshot.entryWaiters) {
        LockTableRow row;
        row.key = {waiter.table, waiter.name};
        row.parent = names.value(row.key);
        row.waiter = waiter;
        row.place = ++rows[row.parent].waiters;
        rows.push_back(std::move(row));
    }
    return rows;
}

/// Red is only what the server proves.
Tone toneOf(HolderLife::Verdict verdict)
{
    static constexpr EnumTable<HolderLife::Verdict, Tone> tones(
        {Tone::Muted, Tone::Good, Tone::Red, Tone::Amber});
    return tones[verdict];
}

} // namespace

LockTableModel::LockTableModel(const AppContext& context, QObject* parent)
    : KeyedTableModel(entryColumns(), parent)
    , m_context(context)
{
    connect(&context, &AppContext::thresholdsChanged, this, &LockTableModel::repaintAll);
}

void LockTableModel::showSnapshot(const SnapshotPtr& snapshot)
{
    if (snapshot) {
        m_engine = snapshot->engine;
        m_takenAt = snapshot->takenAt;
    }
    setRows(snapshot ? tableRows(*snapshot) : std::vector<LockTableRow>());
}

/// The parent's place in the store is nothing that the user sees.
bool LockTableModel::same(const LockTableRow& before, const LockTableRow& after) const
{
    return before.entry == after.entry && before.waiter == after.waiter && before.place == after.place
        && before.waiters == after.waiters;
}

quint32 LockTableModel::parentOf(quint32 row) const
{
    return rows()[row].isName() ? noParent : rows()[row].parent;
}

QString LockTableModel::nodeId(quint32 row) const
{
    return rows()[row].key.table + QLatin1Char('\n') + rows()[row].key.name;
}

bool LockTableModel::isStale(const LockTableRow& row) const
{
    const ServerTime now = m_context.serverNow();
    return row.waiter ? row.waiter->isExpired(now) : row.entry && row.entry->isStale(now);
}

int LockTableModel::staleCount() const
{
    const ServerTime now = m_context.serverNow();
    return static_cast<int>(std::count_if(rows().begin(), rows().end(),
        [&](const LockTableRow& row) { return row.entry && isPurgeable(*row.entry, m_engine, now); }));
}

std::vector<report::Column> LockTableModel::reportColumns() const
{
    return report::entriesSection({}).columns;
}

/// Returns nothing for a name that is free.
std::vector<report::Value> LockTableModel::reportCells(const QModelIndex& row) const
{
    const LockTableRow& r = rowAt(row.row());
    return r.waiter ? report::waiterRow(*r.waiter, r.place, m_takenAt).cells
        : r.entry   ? report::entryRow(*r.entry, m_takenAt).cells
                    : std::vector<report::Value>();
}

QString LockTableModel::stateText(const LockTableRow& row) const
{
    const ServerTime now = m_context.serverNow();
    return row.waiter ? report::stateOf(*row.waiter, row.place, now)
        : row.entry   ? report::stateOf(*row.entry, now)
                      : u"free, waited for"_s;
}

/// Returns the start; a time by another clock than the server's as it is stored.
QString LockTableModel::sinceText(const LockTableRow& row) const
{
    if (!row.waiter && !row.entry)
        return {};
    const QString stored = row.entry ? storedSince(*row.entry) : QString();
    return stored.isEmpty() ? ageText(row.since(), m_context.serverNow()) : report::storedTimeText(stored);
}

QVariant LockTableModel::leaseUsed(const LockTableRow& row) const
{
    if (row.waiter || !row.entry || !row.entry->expiresAt)
        return {};
    if (row.isBad())
        return {};
    const auto whole = static_cast<double>((*row.entry->expiresAt - row.entry->acquiredAt).count());
    const auto used = static_cast<double>((m_context.serverNow() - row.entry->acquiredAt).count());
    return whole > 0 ? used / whole : 1.0;
}

QString LockTableModel::text(quint32 row, int column) const
{
    const LockTableRow& r = rows()[row];
    const LockOwnerInfo* party = r.party();
    switch (column) {
    case Name:
        return r.waiter ? (r.waiter->party.owner.isEmpty() ? u"waiter"_s : r.waiter->party.owner)
                        : r.key.name;
    case State:
        return stateText(r);
    case FrameworkColumn:
        return frameworkText(r.framework());
    case LifeColumn:
        return r.life() ? verdictName(r.life()->verdict) : QString();
    case EvidenceColumn:
        return r.life() ? verdictInBrief(*r.life()) : QString();
    case AgeColumn:
        return sinceText(r);
    case Lease:
        return r.entry ? report::leaseText(*r.entry, m_context.serverNow()) : QString();
    case OwnerColumn:
        // The text of a framework's row that has more than account and host.
        if (r.framework() && party->owner.isEmpty() && party->host.isEmpty())
            return r.entry->holderText;
        return party ? party->owner : QString();
    case Program:
        return party ? party->program : QString();
    case Host:
        return party ? party->host : QString();
    case Process:
        return party && party->processId > 0 ? QString::number(party->processId) : QString();
    case Waiters:
        return r.waiters > 0 ? QString::number(r.waiters) : QString();
    case Fencing:
        return r.entry && r.entry->fencing > 0 ? QString::number(r.entry->fencing) : QString();
    case Token:
        return r.entry ? r.entry->token : QString();
    case SessionColumn:
        return party && party->session.isValid() ? QString::number(party->session.value) : QString();
    case Acquired:
        return !r.entry                       ? QString()
            : storedSince(*r.entry).isEmpty() ? dateTimeText(r.entry->acquiredAt)
                                              : storedSince(*r.entry);
    case Table:
        return r.key.table;
    default:
        return {};
    }
}

SortKey LockTableModel::sortKey(quint32 row, int column) const
{
    const LockTableRow& r = rows()[row];
    const LockOwnerInfo* party = r.party();
    const auto number = [](qint64 value) { return value > 0 ? SortKey(value) : SortKey(); };
    switch (column) {
    case AgeColumn:
    case Acquired: {
        const qint64 since = r.waiter ? r.waiter->registeredAt.us : r.entry ? r.entry->acquiredAt.us : 0;
        const bool age = column == AgeColumn; // ages grow as their start falls
        return since == 0 ? SortKey() : SortKey(age ? -since : since);
    }
    case State: // by when it becomes or became stale: constant while time passes
    case Lease:
        return r.entry && r.entry->expiresAt ? SortKey(r.entry->expiresAt->us) : SortKey();
    case Process:
        return number(party ? party->processId : 0);
    case SessionColumn:
        return number(party ? party->session.value : 0);
    case Waiters:
        return number(r.waiters);
    case Fencing:
        return number(r.entry ? r.entry->fencing : 0);
    default:
        return textKey(text(row, column));
    }
}

Tone LockTableModel::toneOfAge(const LockTableRow& row) const
{
    const LockThresholds& limits = m_context.thresholds();
    const ServerTime now = m_context.serverNow();
    const auto since = row.since();
    return since ? toneOf((row.waiter ? limits.wait : limits.hold).levelOf(ageOf(*since, now)))
                 : Tone::Normal;
}

QVariant LockTableModel::rowTone(const LockTableRow& row) const
{
    const bool stands = (row.entry && isStale(row)) || row.isBad() || row.isLeftBehind();
    return stands ? QVariant::fromValue(Tone::Amber) : QVariant();
}

QVariant LockTableModel::cell(quint32 row, int column, int role) const
{
    const LockTableRow& r = rows()[row];
    const bool stale = isStale(r);
    if (column == FrameworkColumn)
        return role == RowToneRole ? rowTone(r) : frameworkCell(r.framework(), role);
    switch (role) {
    case GlyphRole: {
        if (column == LifeColumn)
            return r.isLeftBehind() || r.isSilent() ? QVariant::fromValue(Glyph::Warning) : QVariant();
        if (column == State)
            return QVariant::fromValue(stale || r.isBad() ? Glyph::Warning
                    : r.waiter                            ? Glyph::Waiter
                    : r.entry                             ? Glyph::Holder
                                                          : Glyph::Free);
        const bool tooLong = column == AgeColumn && !stale && toneOfAge(r) != Tone::Normal;
        return tooLong ? QVariant::fromValue(Glyph::Warning) : QVariant();
    }
    case ToneRole:
        if (r.isBad() && column <= Lease)
            return QVariant::fromValue(Tone::Amber);
        if (column == LifeColumn && r.life())
            return QVariant::fromValue(toneOf(r.life()->verdict));
        if (column == AgeColumn && !stale)
            return QVariant::fromValue(toneOfAge(r));
        if (stale)
            return QVariant::fromValue(r.waiter ? Tone::Muted : column <= Lease ? Tone::Amber : Tone::Normal);
        return QVariant::fromValue(column != Lease || !r.entry ? Tone::Normal
                : r.entry->expiresAt                           ? Tone::Good
                                                               : Tone::Muted);
    case RowToneRole:
        return rowTone(r);
    case BarRole:
        return column == Lease ? leaseUsed(r) : QVariant();
    case EmphasisRole:
        return column == Name && r.isName();
    case Qt::ToolTipRole:
        return tipOf(r, column);
    default:
        return {};
    }
}

QString LockTableModel::tipOfFramework(const LockTableEntry& entry, int column) const
{
    const bool isForeignTime = column == AgeColumn || column == Acquired;
    if ((column == Lease && !storedExpiry(entry).isEmpty())
        || (isForeignTime && !storedSince(entry).isEmpty()))
        return u"By the clock of the program that wrote it, as it is stored: the server can't know how long ago that was."_s;
    if (column == Lease && entry.expiresAt)
        return u"Expires %1"_s.arg(dateTimeText(*entry.expiresAt));
    if (column == State && entry.isStale(m_context.serverNow()))
        return u"Expired: the next request takes it."_s;
    if (column == OwnerColumn || column == Host)
        return entry.holderText;
    return {};
}

QVariant LockTableModel::tipOf(const LockTableRow& row, int column) const
{
    if (row.isBad())
        return u"This row can't be right: %1."_s.arg(
            htmlText(inOneLine(row.waiter ? row.waiter->badRow : row.entry->badRow)));
    if ((column == LifeColumn || column == EvidenceColumn) && row.life())
        return htmlText(inOneLine(verdictText(*row.life())));
    if (row.framework() && !row.framework()->isAttached()) {
        const QString tip = tipOfFramework(*row.entry, column);
        return tip.isEmpty() ? QVariant() : htmlText(inOneLine(tip));
    }
    if (column == State && row.entry && isStale(row))
        return u"Its lease has expired: the next request for the name takes it. “Purge stale…” removes it now."_s;
    if (column == State && row.waiter && isStale(row))
        return u"It has not renewed its place in the queue in time and is passed over. It is unknown whether its program still works."_s;
    if (column == Lease && row.entry && row.entry->expiresAt)
        return u"Stale from %1 on, unless its holder renews it."_s.arg(dateTimeText(*row.entry->expiresAt));
    return {};
}

} // namespace lockscope::ui
