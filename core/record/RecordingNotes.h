// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/record/Recording.h"

#include <functional>
#include <optional>

namespace lockscope::record {

/// A note as a person or a program makes it: "deploy 4.2".
struct NewNote {
    QString text;
    std::optional<ServerTime> at; ///< by the server's clock; nothing: now
};

/// The event that a note becomes, with who made it and where. BadInput: the text is empty or too long.
Result<Event> noteEvent(const NewNote& note, ServerTime at);

struct AddedNote {
    Event event;
    bool isRecorded = true; ///< false: the writer takes it up with the next snapshot
};
/// Puts a note into the recording at `path`. A recording has one writer: while another program writes it, the
/// note lies in a file beside it until that program takes it up; returns after `patience` at the latest.
/// BadInput: as noteEvent(), the time lies before the recording or in the future, or the recording is one of
/// a history. Blocks; any thread.
Result<AddedNote> addNote(const QString& path, const NewNote& note, milliseconds patience);

/// Gives the notes that lie beside the recording to `add`, those of the writer's own account and of root, and
/// removes each that was added. Of the writer; an error of `add` ends it.
Result<void> takeUpNotes(const QString& path, const std::function<Result<void>(const Event&)>& add);

/// The notes among events; those of Lockscope's own are none.
QList<Event> notesAmong(const QList<Event>& events);
/// Returns the author of the note: "ann on ci1"; empty: not known, as in a redacted clip.
QString authorOf(const Event& note);

} // namespace lockscope::record
