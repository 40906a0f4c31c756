// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/ViewTables.h"

#include <QMap>
#include <QSet>

namespace lockscope::test::tds {

/// A table in which locks are kept as rows, and its description in the catalogue.
struct LockRows : tsql::UserTable {
    using UserTable::UserTable;
    /// The type of a column: of somebody's assembly, which the login may not see.
    static constexpr QStringView hiddenType = u"hidden";
    QString owner = QStringLiteral("dbo");
    QStringList computed; ///< columns
    bool isReadable = true;
    bool isTrusted = true; ///< false: somebody else has a security policy in the database
    int changes = 0; ///< counted up when somebody alters it, or puts another in its place
    int error = 0; ///< what reading it gives instead of rows

    /// The numbers of the table at this place of the list, and of its B-tree: locks name it by these.
    static constexpr qint64 objectId(size_t place) { return 1'001 + static_cast<qint64>(place); }
    static constexpr qint64 treeId(size_t place)
    {
        return 72'057'594'000'000'001 + static_cast<qint64>(place);
    }
};

/// The state that a server shows to a monitor, by views with the columns of the catalogue. Ages and lengths
/// are in milliseconds before `nowUs`.
///
///     Picture picture;
///     picture.session(51, "billing").sleeping(360'000).inTransaction(400'000);
///     picture.lock(51, "OBJECT", 1977058079, "X").of(7001);
///     picture.lock(63, "OBJECT", 1977058079, "IX").waits(41'000, 51);
class Picture {
public:
    struct Work {
        qint64 cpu = 0; ///< ms
        qint64 logicalReads = 0; ///< pages
        qint64 reads = 0;
        qint64 writes = 0;
    };
    struct Session {
        int id = 0;
        QString program;
        QString status = QStringLiteral("running");
        QString user = QStringLiteral("shop");
        QString host = QStringLiteral("app01");
        int database = 5;
        int openTransactions = 0;
        bool isUser = true;
        qint64 loginAge = 3'600'000;
        qint64 requestStartAge = 0;
        qint64 requestEndAge = 0;
        QString lastHandle; ///< of its connection

        Session& sleeping(qint64 age);
        Session& inTransaction(qint64 age, qint64 transaction = 0);
        qint64 transaction = 0;
        std::optional<qint64> transactionAge;
        qint64 logBytes = 0; ///< of its transaction, in each of two databases
        int isolation = 2; ///< read committed
        Work work;
        QString inputBuffer; ///< empty: none
        int hostProcess = 0; ///< of the client; 0: unknown
    };
    struct Request {
        int session = 0;
        QString command = QStringLiteral("UPDATE");
        QString status = QStringLiteral("running");
        qint64 age = 0;
        QString waitType;
        qint64 waited = 0;
        QString waitResource;
        int blocker = 0;
        double percent = 0;
        qint64 left = 0;
        QString handle;
        qint64 start = 0;
        qint64 end = -1;
        int openTransactions = 0;
        int isolation = 2; ///< read committed
        qint64 memoryPages = 0; ///< granted, of 8 KB
        Work work;
        QString planHandle;
    };
    struct Task {
        int session = 0;
        qint64 waited = 0;
        QString type;
        std::optional<int> blocker;
        qint64 address = 0;
        QString description;
    };
    struct Lock {
        int session = 0;
        QString type;
        QString subtype;
        int database = 5;
        qint64 entity = 0;
        QString description;
        int partition = 0;
        QString mode;
        QString status = QStringLiteral("GRANT");
        QString owner = QStringLiteral("TRANSACTION");
        int references = 1;
        qint64 ownerId = 0;
        QString unitOfWork;
        qint64 address = 0;

        Lock& of(qint64 transaction)
        {
            ownerId = transaction;
            return *this;
        }
        Lock& ofSession()
        {
            owner = QStringLiteral("SESSION");
            return *this;
        }
    };
    struct AppLockName {
        QString name;
        bool held = false;
    };

    qint64 nowUs = 1'800'000'000'000'000;
    int zoneMinutes = 60; ///< the server's local time is ahead of UTC by so much
    QString version = QStringLiteral("16.0.4135.4");
    int engineEdition = 3;
    QString babelfish;
    QSet<QString> rights{QStringLiteral("VIEW SERVER STATE"), QStringLiteral("VIEW SERVER PERFORMANCE STATE"),
        QStringLiteral("ALTER ANY CONNECTION"), QStringLiteral("CONNECT ANY DATABASE"),
        QStringLiteral("VIEW ANY DEFINITION")};
    QSet<QString> missingViews; ///< "sys.dm_tran_locks"
    QSet<QString> closedViews;
    QMap<QString, int> failures; ///< by view: the number of the error that reading it gives
    qint64 lockMemoryKb = 1'000;
    std::optional<qint64> locksInUse; ///< by the performance counters
    bool tellsRights = true; ///< false: HAS_PERMS_BY_NAME answers NULL for the rights of a server
    bool isAdministrator = false; ///< IS_SRVROLEMEMBER('sysadmin')
    QMap<QString, int> closedDatabases; ///< by quoted name: the number of the error that using it gives
    QMap<int, QString> databases{{1, QStringLiteral("master")}, {5, QStringLiteral("orders")}};
    /// "dbo.orders" by quoted database and number, which may be an object's, a heap's or B-tree's, or an
    /// allocation unit's.
    QMap<std::pair<QString, qint64>, QString> names;
    QMap<QString, QString> texts; ///< by handle, in hexadecimal digits
    QMap<QString, QString> plans; ///< by handle; null: the server does not keep it
    QMap<QString, qint64> pages; ///< objects by "file:page" of the database orders
    QList<AppLockName> appLockNames;
    /// By heap or B-tree: schema, table, index, rows. These tables have a plain column, "id".
    QMap<qint64, Values> places;
    QMap<QString, QString> rows; ///< by "table index hash": as JSON
    bool schemaInstalled = false;
    qint64 schemaAge = 1'000'000; ///< since its tables were altered, as `age` of the others
    bool nullsOnly = false; ///< every row of every view is NULL in all its columns
    std::vector<Session> sessions;
    std::vector<Request> requests;
    std::vector<Task> tasks;
    std::vector<Lock> locks;
    std::vector<LockRows> lockRows; ///< tables in which locks are kept, of the database orders
    std::vector<ViewRows> more; ///< beside those that follow from the above

    /// Returns the users of the database orders; the first one has the number 1.
    QStringList users() const;
    /// Returns the rows of the server's views that show all this.
    std::vector<ViewRows> viewRows() const;

    Session& session(int id, const char* program);
    Request& request(int session, const char* command, qint64 age);
    Lock& lock(int session, const char* type, qint64 entity, const char* mode);
    /// An application lock, as its row in the lock view.
    Lock& appLock(
        int session, const QString& name, const char* mode, const QString& hash = QStringLiteral("ea53e177"));
    /// The locks of a transaction that has locked a row of the table at this place of `lockRows`: "S", "U" or
    /// "X" of its key, and what that takes of the page and the table.
    void rowLock(int session, size_t table, const QByteArray& mode);
    /// A lock that waits, and the task that waits for it.
    Lock& waitingLock(const Lock& like, int session, const char* mode, qint64 waited, int blocker);
};

/// tests/support/sqlserver/dmv-rows.json: a server full of contention, as real ones show it.
Picture documentedContention();

} // namespace lockscope::test::tds
