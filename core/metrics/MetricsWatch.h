// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Worker.h"
#include "core/metrics/OpenMetrics.h"
#include "core/record/postgres/HistoryUpload.h"
#include "core/watch/IncidentStore.h"
#include "core/watch/ServerWatch.h"

#include <map>
#include <memory>
#include <optional>

namespace lockscope::metrics {

/// Counts the incidents that come into a store, by server. Its file is read on a thread of its own, for which
/// nobody waits longer than half a second: a store that is locked delays no reader of metrics. Any thread.
class CountedIncidents {
public:
    using ByServer = std::map<QString, watch::IncidentStore::Counts>;

    /// Counts from now on. `store`: its path; empty: the account's own.
    explicit CountedIncidents(const QString& store);
    ~CountedIncidents();
    Q_DISABLE_COPY_MOVE(CountedIncidents)

    /// Returns what the store holds now; while it is locked, for a minute, what it held before. Nothing: not
    /// known.
    std::optional<ByServer> counts();

private:
    struct Shared;
    const std::shared_ptr<Shared> m_shared;
    Worker m_worker;
};

class ServerMetrics;

/// Keeps the figures of all servers that are watched, for all that ask for them: one for a program, beside
/// the watches of its servers. Belongs to the main thread.
class MetricsWatch : public QObject {
    Q_OBJECT

public:
    explicit MetricsWatch(QObject* parent = nullptr);
    ~MetricsWatch() override;

    /// Counts the incidents that come into a store from now on; empty: the account's own. Nothing: nobody
    /// looks for incidents, so that none are given. Waits half a second at most for the disk.
    void countIncidents(const std::optional<QString>& store);

    /// Begins with a server; its figures end with `watch`. Of two watches of the same database only the first
    /// one's are given.
    void add(watch::ServerWatch* watch);
    /// Ends the figures of a watch that goes on.
    static void remove(const watch::ServerWatch& watch);

    /// Gives a watch that was polled and has not answered yet as one that is not up.
    void noteUnanswered(const watch::ServerWatch& watch);

    /// Takes what becomes of a watch's recording in a team's history; nothing: it goes into none.
    void noteUpload(const watch::ServerWatch& watch, const std::optional<record::UploadState>& upload);

    /// OnePoll leaves out the pace, the age and the counters of this program, which say nothing if it polls
    /// once and ends. Counters of the servers stay.
    enum class Extent : quint8 { All, OnePoll };
    /// Waits half a second at most for the disk where incidents are, see CountedIncidents.
    std::vector<MetricFamily> families(Extent extent) const;
    /// Returns what gives the text, as of families(), on any thread and for as long as it is kept.
    std::function<QByteArray(Format)> source() const;

private:
    class Observer;
    void change(const watch::ServerWatch& watch, const std::function<void(ServerMetrics&)>& change);
    struct Board;
    std::shared_ptr<Board> m_board;
};

} // namespace lockscope::metrics
