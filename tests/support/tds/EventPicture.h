// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/ViewTables.h"

#include <QMap>

namespace lockscope::test::tds {

/// One event, as a target keeps it.
struct CaughtEvent {
    QString name; ///< "xml_deadlock_report"
    QString xml; ///< "<event name=…>…</event>"
    qint64 happenedUs = 0; ///< what the file's reader says: UTC
};

/// A file of an event_file target. The server writes blocks, whose events all have the offset of the block.
struct EventFile {
    struct Block {
        qint64 offset = 0;
        std::vector<CaughtEvent> events;
    };
    QString name; ///< with its folder: C:\MSSQL\Log\system_health_0_133712345678900000.xel
    std::vector<Block> blocks;

    /// A new block behind the others.
    EventFile& write(std::vector<CaughtEvent> events);
};

/// The content of event sessions, the counter of deadlocks and the threshold of blocked-process reports, in
/// the shapes of Microsoft's documentation.
struct EventPicture {
    struct Session {
        QString name;
        QStringList events{QStringLiteral("xml_deadlock_report"), QStringLiteral("wait_info")};
        QString file; ///< of its event_file target, as it was set up; empty: it has none
        bool hasRing = false; ///< and a ring_buffer target
        QString ring; ///< its target_data
    };

    qint64 nowUs = 1'800'000'000'000'000;
    QString version = QStringLiteral("16.0.4135.4");
    int engineEdition = 3;
    bool isOpen = true; ///< false: who asks lacks the right to see the server's state
    std::vector<Session> sessions;
    std::vector<EventFile> files; ///< the oldest first
    std::vector<CaughtEvent> telemetry; ///< Azure's own records, seen from master only
    qint64 deadlocks = 0; ///< since the server started
    int threshold = 0;
    QMap<QString, int> failures; ///< by view or function: the number of the error that reading it gives
    qint64 rowsRead = 0; ///< by the file's reader, in the last call: for tests

    bool isAzureDatabase() const { return engineEdition == 5; }
    Session& session(const QString& name);
    /// A new file of a session: begun then, in the folder of the server's log.
    EventFile& file(const QString& session, qint64 begunUs);
    /// The newest.
    EventFile& lastFile() { return files.back(); }

    /// The views about sessions and their targets, and the counter.
    std::vector<ViewRows> viewRows() const;
    /// Returns the rows of sys.fn_xe_file_target_read_file for its arguments, in no order. Throws
    /// tsql::SqlError.
    ViewRows read(const Values& arguments);
    ViewRows readTelemetry(const Values& arguments, const QString& database) const;
};

/// "<event …>" round a `<deadlock>` or a `<blocked-process-report>`; `timestamp` as it stands there, empty:
/// the present time.
CaughtEvent eventOf(const QString& name, const QByteArray& report, qint64 happenedUs,
    const QString& timestamp = {}, const QString& database = {});
/// Returns the events in the form of a ring_buffer target.
QString ringOf(const std::vector<CaughtEvent>& events, bool isTruncated = false);

} // namespace lockscope::test::tds
