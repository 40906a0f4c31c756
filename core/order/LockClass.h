// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockMode.h"
#include "core/domain/LockTable.h"
#include "core/domain/Resource.h"

#include <QHash>
#include <QString>

#include <memory>
#include <optional>

namespace lockscope::order {

/// The part of its class that a lock is about: modes of a table and of its rows meet by the intent modes
/// only.
enum class Grain : quint8 {
    Whole, ///< a table, a name
    Row, ///< a row or page of a table
};

/// One lock and the class that it counts under. Rows and pages count under their table; names under what is
/// left when numbers are taken out, see namePattern(); an application lock of which only a key is known is a
/// class by itself.
struct LockName {
    quint64 lock = 0; ///< equal for the same lock, whatever it is called
    quint64 lockClass = 0; ///< equal for locks of one class; never one of `lock`
    QString name; ///< "public.orders row (0,4)", "app lock 'order:4711'"
    QString className; ///< "public.orders", "app lock 'order:*'"
    QString database; ///< empty if shared or not known
    Grain grain = Grain::Whole;
    bool isClassAlone = false; ///< the class is this lock, not one of many
};
using LockNamePtr = std::shared_ptr<const LockName>;

/// The name with each part that is a number, a GUID or a long hexadecimal number replaced by '*', and what
/// digits end it: "order:4711" → "order:*", "account17/balance" → "account*/balance". Parts lie between
/// ':', '/', '.', '-', '_', '#', '|', ',', '@' and blanks. A name without any stays as it is.
QString namePattern(const QString& name);

/// The names of locks, each worked out once. One thread.
class LockNames {
public:
    /// Returns null for resources that sessions don't take in an order of their own: transactions, databases,
    /// files, internal ones.
    LockNamePtr of(const Resource& resource);
    LockNamePtr of(const LockTableKey& key);

    static constexpr qsizetype maxKept = 50'000; ///< then all are forgotten

private:
    QHash<ResourceKey, LockNamePtr> m_ofResources;
    QHash<LockTableKey, LockNamePtr> m_ofEntries;
};

/// Makes a name for a lock that no snapshot shows; `kind` distinguishes locks of equal names.
LockName lockName(const QString& kind, const QString& database, const QString& name, const QString& className,
    Grain grain = Grain::Whole);

/// The mode in which a row's lock meets those of its whole table: the intent that it implies.
LockMode intentOf(const LockMode& rowMode);
/// Returns whether one makes the other wait, on one lock or on a table and a row of it.
bool conflicts(const LockMode& a, Grain ofA, const LockMode& b, Grain ofB);
/// Returns whether it is a mode that ordinary statements take very often and that only strong modes wait for:
/// ACCESS SHARE, ROW SHARE, ROW EXCLUSIVE; Sch-S and the intent modes.
bool isWeak(const LockMode& mode);

} // namespace lockscope::order
