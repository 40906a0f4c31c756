// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>
#include <QStringList>

#include <memory>

namespace lockscope {

struct Framework;
struct FrameworkLock;

/// FrameworkMatch::framework of attached tables; no file can have this name.
inline constexpr QStringView attachedTableId = u"attached table";

/// The owner of a lock: a framework of the catalogue and one of its locks. Shared by all locks that one
/// connection recognised alike, so that comparing pointers is enough; immutable.
struct FrameworkMatch {
    QString framework; ///< id: "liquibase"
    QString lock; ///< id: "changelog"
    QString frameworkName; ///< "Liquibase"
    QString name; ///< the decoded name: "migration of public.flyway_schema_history"; else the lock's own
    QString evidence; ///< the reason: "key 72707369 is Prisma's", "has the columns id, locked …"
    bool certain = true; ///< false: it may be another program's, which each view must say
    /// The catalogue's description; null where a snapshot was read from a file and the catalogue lacks it.
    std::shared_ptr<const Framework> definition{};
    const FrameworkLock* lockDefinition = nullptr; ///< lives as long as `definition`

    /// True for a table that is attached in the settings of the server: no file describes it.
    bool isAttached() const { return framework == attachedTableId; }
    /// "Liquibase", or "Liquibase?" if that is not certain.
    QString badge() const { return certain ? frameworkName : frameworkName + u'?'; }
};
using FrameworkMatchPtr = std::shared_ptr<const FrameworkMatch>;

/// The state of the program that holds a lock, as far as the server can show it, and the evidence. Window,
/// text and JSON show this value; `domain/HolderLife.h` makes it.
struct HolderLife {
    enum class Verdict : quint8 {
        Unknown,
        Works, ///< its session, its process or a recent sign of life is seen
        Gone, ///< the server itself proves that it has ended
        Silent, ///< no sign of life for longer than its program's default allows
    };
    Verdict verdict = Verdict::Unknown;
    QStringList evidence{}; ///< sentences, the most telling first
    QString overturnedBy{}; ///< a sentence about what would refute the verdict; may be empty

    bool operator==(const HolderLife&) const = default;
};

} // namespace lockscope
