// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/monitor/History.h"
#include "core/record/Coverage.h"
#include "core/record/RecordingClient.h"

#include <QHash>
#include <QObject>
#include <QSet>

#include <optional>
#include <vector>

namespace lockscope::ui {

/// The charts' figures for the minutes before a time, as they are recorded. They are read piece by piece,
/// backwards from it, so that the charts fill from the right. GUI thread.
class TravelHistory : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Borrowed; null: there is no recording.
    void setClient(record::RecordingClient* client);
    /// Shows the minutes before that snapshot.
    void show(const SnapshotPtr& snapshot);
    /// Reads again what damage kept from being read, of the minutes on view: up to hundreds of snapshots.
    void readDamagedAgain();
    const monitor::History& history() const { return m_history; }

Q_SIGNALS:
    void changed();
    void failed(const QString& reason); ///< another part can't be read; the charts have a gap there

private:
    /// The figures of one slot of time; none: it is not recorded, or damaged.
    struct Sample {
        ServerTime at;
        bool isBehindGap = false; ///< between it and the one before
        monitor::Figures figures;
        std::vector<monitor::Measure> measures{}; ///< of what surrounded the locks
    };
    using Slot = std::optional<Sample>;
    using Slots = QHash<qint64, Slot>;
    struct Answer {
        Slots slotsFound;
        bool endsInGap = false; ///< there is one between the last of them and what was recorded next
        std::optional<Error> error = {}; ///< of a part that could not be read
        QSet<qint64> damaged = {}; ///< slots of which damage kept a part from being read

        void note(const Error& failure);
    };

    static void addMeasures(record::RecordingReader& reader, Answer& answer, ServerTime from, ServerTime to);
    static Result<Answer> read(record::RecordingReader& reader, qint64 first, qint64 last, ServerTime next);
    static void addSlot(
        record::RecordingReader& reader, const record::Coverage& coverage, qint64 number, Answer& answer);
    void forget();
    /// None of these slots could be read: what was read of them before stays.
    Answer unread(qint64 first, qint64 last, const Error& failure) const;
    bool isKnown(const QSet<qint64>& damaged) const; ///< it was reported
    std::optional<qint64> newestMissing() const;
    void ask();
    void build();

    record::RecordingClient* m_client = nullptr;
    SnapshotPtr m_shown;
    Slots m_slots;
    QSet<qint64> m_damaged; ///< of m_slots
    QSet<qint64> m_toReadAgain; ///< of m_damaged
    bool m_isBehindGap = false; ///< m_shown is
    monitor::History m_history;
    bool m_isAsking = false;
    quint64 m_generation = 0; ///< answers of another recording are dropped
};

} // namespace lockscope::ui
