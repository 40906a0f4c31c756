// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/metrics/OpenMetrics.h"
#include "core/watch/ServerWatch.h"

namespace lockscope::metrics {

/// Keeps the figures of all servers that are watched, for whoever asks for them: one for a program, beside
/// the watches of its servers. Belongs to the main thread; nothing but the constructor waits, for the disk.
class MetricsWatch : public QObject {
    Q_OBJECT

public:
    /// Says where incidents are counted, from now on.
    struct Incidents {
        QString store; ///< empty: the account's own
    };
    /// `incidents`: nothing: nobody looks for them.
    explicit MetricsWatch(const std::optional<Incidents>& incidents = {}, QObject* parent = nullptr);
    ~MetricsWatch() override;

    /// Begins with a server; its figures end with `watch`. Of two watches of the same database only the first
    /// one's are given.
    void add(watch::ServerWatch* watch);

    /// Returns what text() is, on any thread and for as long as it is kept: it blocks on the disk where
    /// incidents are.
    std::function<QByteArray(Format)> source() const;
    QByteArray text(Format format) const { return source()(format); }

private:
    class Observer;
    struct Board;
    std::shared_ptr<Board> m_board;
};

} // namespace lockscope::metrics
