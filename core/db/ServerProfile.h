// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"
#include "core/db/ServerUrl.h"

#include <QList>

#include <array>
#include <optional>
#include <utility>

class QSettings;

namespace lockscope {
struct LockTableEntry;
}

namespace lockscope::db {

/// A lock table of another program: a column for the name and one for the time are enough.
struct AttachedTable {
    QString schema; ///< empty = the connection's default
    QString table;
    QString nameColumn = QStringLiteral("Name");
    QString timeColumn = QStringLiteral("SetTime");
    bool utc = true; ///< false: the column holds the server's local time
    milliseconds staleAge{600'000};
    QString holderColumn{}; ///< the column with the holder; empty: the table has none
    QString expiresColumn{}; ///< the column with the end, by the clock of timeColumn; empty: staleAge decides
    QString heldColumn{}; ///< only rows in which this column …
    QString heldValue{}; ///< … has this value are locks that are held; empty column: all of them

    QString display() const; ///< "dbo.Locks"
    bool operator==(const AttachedTable&) const = default;
};
/// The texts of an attached table, by their keys in the settings and in files.
inline constexpr std::array<std::pair<QStringView, QString AttachedTable::*>, 8> attachedTexts{
    {{u"schema", &AttachedTable::schema}, {u"table", &AttachedTable::table},
        {u"nameColumn", &AttachedTable::nameColumn}, {u"timeColumn", &AttachedTable::timeColumn},
        {u"holderColumn", &AttachedTable::holderColumn}, {u"expiresColumn", &AttachedTable::expiresColumn},
        {u"heldColumn", &AttachedTable::heldColumn}, {u"heldValue", &AttachedTable::heldValue}}};

/// A table of a framework that belongs to somebody who is not trusted, and which the user has allowed to be
/// read: this table while it belongs to this owner.
struct ApprovedTable {
    QString schema;
    QString table;
    QString owner;

    bool operator==(const ApprovedTable&) const = default;
};

/// Returns the number of frameworks' tables that a poll reads at most: the URL's option `frameworks`, a
/// number, or "off".
qsizetype maxFrameworkTables(const ServerUrl& url);
/// Returns the role that reads them, the URL's option `reader`; PostgreSQL, and not the sandbox.
QString readerRole(const ServerUrl& url);

/// The user's entries for a framework's settings in the programs that use this server: see
/// frameworks/ProgramSettings.
struct FrameworkSetting {
    QString framework; ///< its id: "db-scheduler"
    QString name; ///< "interval"
    QString value; ///< "1h"

    bool operator==(const FrameworkSetting&) const = default;
};

/// The purpose of a server, as its user marked it: shown wherever something can be done to it.
enum class Environment : quint8 { Unmarked, Development, Test, Production };
QString environmentName(Environment environment); ///< "production"; empty for Unmarked
Environment environmentFromName(const QString& name); ///< Unmarked for any other word

/// Reads "eu, billing": without blanks around and doubles, in that order; at most 20 of 40 characters each.
QStringList tagsFromText(const QString& text);
QString tagsText(const QStringList& tags); ///< "eu, billing"

/// A server that the user named. Passwords are never part of it: see Secrets.
struct ServerProfile {
    QString name; ///< unique, shown in the server list; empty for an ad-hoc URL
    ServerUrl url;
    bool readOnly = false; ///< every action that changes something is refused before it is sent
    QList<AttachedTable> attached;
    Environment environment = Environment::Unmarked;
    QList<ApprovedTable> approvedTables{};
    /// True if actions are allowed where the server has no audit, and are recorded in a file on this
    /// computer; nothing: the user's setting for all servers decides.
    std::optional<bool> localAudit = {};
    QList<FrameworkSetting> frameworkSettings{};
    QStringList tags{}; ///< the user's own words: "eu", "billing"; see tagsFromText()

    QString display() const { return name.isEmpty() ? url.display() : name; }
    /// The table that an entry was read from; null if it is none of these.
    const AttachedTable* attachedOf(const LockTableEntry& entry) const;
    bool operator==(const ServerProfile&) const = default;
};

/// "PRODUCTION", "PRODUCTION · READ-ONLY", "READ-ONLY": what to know of a server before anything is done to
/// it; empty if there is nothing.
QString serverMark(const ServerProfile& profile);

/// The named profiles in the settings. GUI thread or start-up only.
class ProfileStore {
public:
    explicit ProfileStore(QSettings& settings)
        : m_settings(settings)
    {
    }
    QList<ServerProfile> load() const;
    void save(const QList<ServerProfile>& profiles);
    /// Returns a server's settings, whether it has a name or not: profiles with the same URL share them, and
    /// those that load() returns have them.
    QList<FrameworkSetting> frameworkSettings(const ServerUrl& url) const;
    void setFrameworkSettings(const ServerUrl& url, const QList<FrameworkSetting>& settings);

private:
    QSettings& m_settings;
};

} // namespace lockscope::db
