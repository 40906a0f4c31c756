// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QMap>
#include <QString>

#include <libpq-fe.h>

#include <memory>

namespace lockscope::db {

/// One connect of libpq, driven step by step instead of by PQconnectdb: that takes no notice of its time-out
/// while a server goes on sending, prints notices to stderr, and reads without end.
///
/// Each address has the parameters' connect_timeout, as with libpq; a server that accepts and then does not
/// let us in within it, or sends too much, is passed over, and the next host of the parameters is tried.
class PostgresConnect {
public:
    struct Close {
        void operator()(PGconn* pg) const { PQfinish(pg); }
    };
    using Handle = std::unique_ptr<PGconn, Close>;
    using Parameters = QMap<QString, QString>; ///< libpq's, by name

    explicit PostgresConnect(Parameters parameters);

    /// Blocks. The handle, open or not; see isOpen() and text().
    Handle run(PGVerbosity verbosity = PQERRORS_DEFAULT);
    static bool isOpen(const Handle& handle) { return handle && PQstatus(handle.get()) == CONNECTION_OK; }
    /// Returns why it is not open, of each host; with the secrets that servers repeat.
    const QString& text() const { return m_text; }

private:
    enum class End { Open, Refused, Silent, TooMuch };

    Handle start(PGVerbosity verbosity) const;
    End drive(PGconn* pg);
    bool nextHost(const PGconn* pg);

    Parameters m_parameters;
    QString m_text;
};

/// Returns the value that libpq was given, or took from its environment or a service file; frees `options`.
QString sslModeOf(PQconninfoOption* options);
/// Returns a message of libpq, which may have several lines, in one: each line is a sentence there.
QString libpqText(const QString& lines);

} // namespace lockscope::db
