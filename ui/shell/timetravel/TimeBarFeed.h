// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"
#include "core/record/Recording.h"
#include "ui/shell/timetravel/TimeBarRecord.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <optional>

namespace lockscope::ui {

class TimeBar;
class TimeTravel;

/// Reads for the time bar what it shows, one question at a time, and passes on what it asks of the travel.
class TimeBarFeed : public QObject {
    Q_OBJECT

public:
    TimeBarFeed(TimeTravel& travel, TimeBar& bar, QObject* parent = nullptr);

    /// Notes that the server was polled once more: there may be a new end. `newest`: the snapshot that is
    /// being written and is waited for, some seconds at most; nothing: no recorder writes.
    void noteNews(std::optional<ServerTime> newest = {});
    /// Returns whether there is anything to show, or why not.
    bool hasRecording() const { return m_span.has_value(); }
    const std::optional<Error>& error() const { return m_error; }
    const std::optional<record::Span>& span() const { return m_span; }

Q_SIGNALS:
    void availabilityChanged();

private:
    struct RequestedRange {
        ServerTime from;
        ServerTime to;
        int columns = 0;
    };
    void begin();
    void askWhenDue();
    void askSpan();
    void takeSpan(const Result<record::Span>& span);
    void request(ServerTime from, ServerTime to, int columns);
    void askRange();
    void showPlace();

    TimeTravel& m_travel;
    TimeBar& m_bar;
    std::optional<record::Span> m_span;
    std::optional<Error> m_error;
    std::optional<RequestedRange> m_requested; ///< read once the one under way is answered
    bool m_isAskingSpan = false;
    bool m_isAskingRange = false;
    QElapsedTimer m_sinceSpan;
    QTimer m_later; ///< for a new end that came too soon after the last request
    std::optional<ServerTime> m_newest; ///< that is being written
    int m_waits = 0; ///< for that
    QTimer m_unwritten;
    quint64 m_generation = 0; ///< answers of another recording are dropped
};

} // namespace lockscope::ui
