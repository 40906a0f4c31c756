// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Snapshot.h"
#include "ui/kit/models/TableModel.h"

namespace lockscope::ui {

class AppContext;

/// A name of a lock table, held or free, or somebody in its queue.
struct LockTableRow {
    LockTableKey key;
    std::optional<LockTableEntry> entry; ///< of a name that is held
    std::optional<LockTableWaiter> waiter; ///< of a row of the queue
    int place = 0; ///< in the queue, from 1
    int waiters = 0; ///< of a name
    quint32 parent = 0; ///< store row of the name

    bool isName() const { return !waiter; }
    bool isBad() const { return waiter ? waiter->isBad() : entry && entry->isBad(); }
    /// Returns the start of the hold or wait; nothing for a name that is free, or for a bad row.
    std::optional<ServerTime> since() const
    {
        const ServerTime time = waiter ? waiter->registeredAt : entry ? entry->acquiredAt : ServerTime();
        return time.isValid() ? std::optional(time) : std::nullopt;
    }
    FrameworkMatchPtr framework() const { return entry ? entry->framework : nullptr; }
    /// The state of the holder; null where nothing is known of it.
    const HolderLife* life() const { return entry && entry->isJudged() ? &entry->holderLife : nullptr; }
    /// True if the holder gives no sign of life any more; it may work all the same.
    bool isSilent() const { return life() && life()->verdict == HolderLife::Verdict::Silent; }
    /// True if the holder is gone.
    bool isLeftBehind() const { return life() && life()->verdict == HolderLife::Verdict::Gone; }
    const LockOwnerInfo* party() const { return waiter ? &waiter->party : entry ? &entry->party : nullptr; }
    bool operator==(const LockTableRow&) const = default;
};

struct LockTableRowKey {
    LockTableKey key;
    qint64 ticket = 0; ///< 0 = the name itself
    bool operator==(const LockTableRowKey&) const = default;
};
inline size_t qHash(const LockTableRowKey& key, size_t seed = 0) noexcept
{
    return qHashMulti(seed, key.key, key.ticket);
}

/// The names of the lock tables with their leases, and below each its queue in FIFO order.
class LockTableModel : public KeyedTableModel<LockTableRow, LockTableRowKey> {
    Q_OBJECT

public:
    enum Column {
        Name,
        State,
        FrameworkColumn,
        LifeColumn,
        EvidenceColumn,
        AgeColumn,
        Lease,
        OwnerColumn,
        Program,
        Host,
        Process,
        Waiters,
        Fencing,
        Token,
        SessionColumn,
        Acquired,
        Table
    };

    explicit LockTableModel(const AppContext& context, QObject* parent = nullptr);

    void showSnapshot(const SnapshotPtr& snapshot); ///< null = no rows
    int staleCount() const; ///< that can be purged, by the server's clock now: see isPurgeable
    bool isStale(const LockTableRow& row) const;

    std::vector<report::Column> reportColumns() const override;
    std::vector<report::Value> reportCells(const QModelIndex& row) const override;

protected:
    LockTableRowKey keyOf(const LockTableRow& row) const override
    {
        return {row.key, row.waiter ? row.waiter->ticket : 0};
    }
    bool same(const LockTableRow& before, const LockTableRow& after) const override;
    QVariant cell(quint32 row, int column, int role) const override;
    SortKey sortKey(quint32 row, int column) const override;
    QString text(quint32 row, int column) const override;
    bool isHierarchical() const override { return true; }
    quint32 parentOf(quint32 row) const override;
    QString nodeId(quint32 row) const override;

private:
    QString stateText(const LockTableRow& row) const;
    QString sinceText(const LockTableRow& row) const;
    QVariant leaseUsed(const LockTableRow& row) const;
    Tone toneOfAge(const LockTableRow& row) const;
    QVariant rowTone(const LockTableRow& row) const;
    QVariant tipOf(const LockTableRow& row, int column) const;
    QString tipOfFramework(const LockTableEntry& entry, int column) const;

    const AppContext& m_context;
    Engine m_engine{}; ///< of the snapshot
    ServerTime m_takenAt; ///< the snapshot's
};

} // namespace lockscope::ui
