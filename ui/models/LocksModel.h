// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Snapshot.h"
#include "ui/models/CellStyle.h"
#include "ui/models/KeyedTableModel.h"

namespace lockscope::ui {

class AppContext;

enum class LockGrouping : quint8 { None, Resource, Session, Mode };

/// A snapshot with what the rows of the Locks page need beside it; immutable once shown.
struct LockView {
    static constexpr quint32 unseen = ~quint32(0);

    struct Group {
        QString id;
        QString title;
        quint32 sample = 0; ///< one of its requests: the group's resource, session or mode is that one's
        int holders = 0;
        int waiters = 0;
        std::optional<ServerTime> waitingSince; ///< of the longest wait
        bool waitExact = true;
        bool operator==(const Group& other) const;
    };

    SnapshotPtr snapshot;
    LockGrouping grouping = LockGrouping::None;
    std::vector<quint32> sessionOf; ///< by request: index into snapshot->sessions, or unseen
    std::vector<char> sessionSame; ///< by session: not different from the view before
    std::vector<char> contended; ///< by resource: somebody waits for it
    QHash<quint32, std::vector<SessionId>> blockers; ///< by waiting request
    QHash<quint32, std::vector<SessionId>> victims; ///< by request that is held or ahead in the queue
    std::vector<Group> groups;
    std::vector<quint32> groupOf; ///< by request
    std::vector<quint32> order; ///< requests as they are shown unless a column sorts them

    const Session* session(quint32 request) const;
    const LockRequest& request(quint32 index) const { return snapshot->requests[index]; }
    const Resource& resource(quint32 index) const { return snapshot->resourceOf(request(index)); }
};

struct LockRow {
    const LockView* view = nullptr;
    quint32 index = 0; ///< of the request, or of the group
    bool head = false;
};

/// Refers to a row instead of copying its texts: hashing 100,000 of them is what a refresh costs.
struct LockRowKey {
    LockRow row;
    bool operator==(const LockRowKey& other) const;
};
size_t qHash(const LockRowKey& key, size_t seed = 0) noexcept;

/// Every holder and waiter, one row a request; grouped on demand. Unless a column sorts them, resources with
/// waiters come first, the longest wait on top, and of each its holders before its waiters in queue order.
class LocksModel : public KeyedTableModel<LockRow, LockRowKey, std::shared_ptr<const LockView>> {
    Q_OBJECT

public:
    enum Column {
        Group,
        State,
        AgeColumn,
        Mode,
        ResourceName,
        Kind,
        SessionColumn,
        BlockedBy,
        Blocks,
        User,
        Program,
        Statement,
        Host,
        Database,
        Owner,
        Count
    };

    explicit LocksModel(const AppContext& context, QObject* parent = nullptr);

    void showSnapshot(const SnapshotPtr& snapshot); ///< null = no rows
    void setGrouping(LockGrouping grouping);
    LockGrouping grouping() const { return m_grouping; }

    /// The request of a view row; null for the head of a group.
    const LockRequest* requestAt(int viewRow) const;
    std::optional<LockRequestKey> keyAt(int viewRow) const;
    const Session* sessionAt(int viewRow) const; ///< also of a session's group
    int findRequest(const LockRequestKey& key) const; ///< view row or −1

protected:
    LockRowKey keyOf(const LockRow& row) const override { return {row}; }
    bool same(const LockRow& before, const LockRow& after) const override;
    QVariant cell(quint32 row, int column, int role) const override;
    SortKey sortKey(quint32 row, int column) const override;
    QString text(quint32 row, int column) const override;
    bool isNoise(quint32 row) const override;
    bool isCounted(quint32 row) const override { return !rows()[row].head; }
    bool isHierarchical() const override { return anchor() && anchor()->grouping != LockGrouping::None; }
    quint32 parentOf(quint32 row) const override;
    QString nodeId(quint32 row) const override;

private:
    QString headText(const LockView& view, const LockView::Group& group, int column) const;
    QString requestText(const LockView& view, quint32 request, int column) const;
    SortKey headKey(const LockView& view, const LockView::Group& group, int column) const;
    QString tipOf(quint32 row, int column) const;
    Tone toneOfAge(const LockView& view, quint32 request) const;

    bool sameResource(const LockRow& before, const LockRow& after) const;

    const AppContext& m_context;
    /// By resource of the snapshot that arrives: shown as before? Many locks share one, and texts are long.
    mutable std::vector<std::optional<bool>> m_sameResource;
    LockGrouping m_grouping = LockGrouping::None;
};

} // namespace lockscope::ui
