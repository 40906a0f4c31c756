// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/LocksModel.h"

namespace lockscope::ui {

bool LockView::Group::operator==(const Group& other) const
{
    return id == other.id && title == other.title && holders == other.holders && waiters == other.waiters
        && waitingSince == other.waitingSince && waitExact == other.waitExact;
}

const Session* LockView::session(quint32 request) const
{
    const quint32 index = sessionOf[request];
    return index == unseen ? nullptr : &snapshot->sessions[index];
}

bool LockRowKey::operator==(const LockRowKey& other) const
{
    if (row.head != other.row.head)
        return false;
    if (row.head)
        return row.view->groups[row.index].id == other.row.view->groups[other.row.index].id;
    const LockRequest& a = row.view->request(row.index);
    const LockRequest& b = other.row.view->request(other.row.index);
    return a.session == b.session && a.sessionStarted == b.sessionStarted && a.owner == b.owner
        && a.ordinal == b.ordinal && a.mode == b.mode
        && row.view->resource(row.index).key == other.row.view->resource(other.row.index).key;
}

size_t qHash(const LockRowKey& key, size_t seed) noexcept
{
    if (key.row.head)
        return ::qHash(key.row.view->groups[key.row.index].id, seed);
    const LockRequest& request = key.row.view->request(key.row.index);
    return qHashMulti(seed, request.session.value, request.sessionStarted.us, request.mode.strength(),
        static_cast<int>(request.owner), request.ordinal, key.row.view->resource(key.row.index).key);
}

} // namespace lockscope::ui
