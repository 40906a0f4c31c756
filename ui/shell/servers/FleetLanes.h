// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/record/Recording.h"
#include "core/watch/ServerStanding.h"
#include "core/watch/ServerWatch.h"
#include "ui/shell/servers/Servers.h"

#include <QElapsedTimer>
#include <QHash>
#include <QObject>

#include <map>

namespace lockscope::ui {

class ServerSession;
class Servers;

/// Keeps the last hour of each server of the list: from its recording, whichever program wrote that, and from
/// then on by what is polled here. GUI thread; recordings are read on another one, and each server that is a
/// file is found on one of its own: the disk of one may hang.
class FleetLanes : public QObject {
    Q_OBJECT

public:
    /// `identityOf` is called on another thread for a file, because it may block.
    explicit FleetLanes(
        Servers& servers, QObject* parent = nullptr, IdentityOf identityOf = watch::identityOf);

    /// Reads the recordings that were not read yet, and those of servers that are not open here again.
    void refresh();
    /// Returns the hour of the server in that row.
    watch::BlockedHour::Pieces of(int row) const;
    /// Returns when most sessions waited there in that hour, at the latest such snapshot; nothing: nobody
    /// did.
    std::optional<ServerTime> worst(int row) const;
    /// Returns record::serverPlace() of the server in that row. Empty: it is a file whose place was not read
    /// yet.
    QString place(int row) const;

Q_SIGNALS:
    void changed();

private:
    /// The snapshot of a minute in which most sessions waited.
    struct Peak {
        ServerTime at;
        int waiting = 0;
    };
    struct Lane {
        watch::BlockedHour recorded;
        watch::BlockedHour polled; ///< here
        std::map<qint64, Peak> peaks; ///< by minute
        ServerTime firstPolled; ///< what is recorded after that is the same again
        microseconds ahead{0}; ///< the server's clock, of this machine's
        QString place; ///< empty: it was not read yet
        bool isAsking = false;
        QElapsedTimer sinceRead; ///< invalid: never
    };
    struct Read {
        QString place;
        Result<watch::RecordedHour> recorded;
    };
    static void notePeak(Lane& lane, ServerTime at, int waiting);
    void note(const ServerSession& session);
    void ask(int row);
    void readRecording(const QString& key, const record::Identity& server);
    void take(const QString& key, const Read& read);
    QString keyOf(int row) const;

    Servers& m_servers;
    const IdentityOf m_identityOf;
    QHash<QString, Lane> m_lanes; ///< by keyOf()
    Worker m_worker;
};

} // namespace lockscope::ui
