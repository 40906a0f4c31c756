// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/domain/LockMode.h"
#include "core/domain/Snapshot.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace lockscope::record {

/// A statement as what all of its family have in common, and its own values: those of a program that writes
/// values into its statements differ by these alone, and a recording has the rest once.
struct StatementParts {
    QString family; ///< with a mark in place of each value
    QStringList values; ///< literals with their quotes, and comments, as they stand there

    /// Returns nothing if the statement has no values, or has characters that are used as marks.
    static std::optional<StatementParts> of(const QString& statement, Engine engine);
    /// The statement; nothing if there are not as many values as marks.
    std::optional<QString> together() const;
    /// Returns the values as one text; valuesOf() makes them of it again.
    QString valueText() const;
    static QStringList valuesOf(const QString& valueText);
};

/// A family, or a statement, for people: with a ? in place of each mark.
QString shownFamily(QString family);

/// A statement as frames have it: a text of the recording, or that of its family with its own values.
struct StatementNumber {
    quint64 text = 0;
    QString values{}; ///< StatementParts::valueText(); null: the text is the statement itself
};

/// Gives texts numbers, so that a recording has each text once. 0 is the null string.
class TextNumbers {
public:
    virtual ~TextNumbers() = default;
    virtual quint64 numberOf(const QString& text) = 0;
    /// Returns the number of a statement: its literals may be left out.
    virtual StatementNumber numberOfStatement(const QString& text) { return {numberOf(text)}; }
};

/// Finds the texts again.
class TextSource {
public:
    virtual ~TextSource() = default;
    virtual std::optional<QString> text(quint64 number) = 0; ///< nothing: the recording lacks it
};

// A frame is what turns one snapshot into the next: rows are copied from the one before, changed or new, in
// the order in which they stand. A key frame is one that begins with nothing. Texts are numbers. Pure but for
// the texts; any thread.

/// The places that a snapshot's rows had in the one before, −1: they are new.
struct RowOrigins {
    std::vector<qint64> requests;
    std::vector<qint64> entries;
    std::vector<qint64> entryWaiters;
};
RowOrigins originsOf(const Snapshot& before, const Snapshot& after);

/// `before` empty: a key frame. `origins` is the result of originsOf, which is computed on the way.
QByteArray encodeFrame(
    const Snapshot& before, const Snapshot& after, TextNumbers& texts, RowOrigins* origins = nullptr);

/// The snapshot, with its indexes, that encodeFrame was given. damaged() where the frame does not fit: it is
/// damaged, or of another snapshot before. Never trusts the bytes: numbers of rows are bounded.
Result<SnapshotPtr> decodeFrame(const Snapshot& before, const QByteArray& frame, TextSource& texts);

/// Adds a checksum before the bytes, of them and of the frame's number and its key frame's: bytes of another
/// frame, or of none, don't pass for it.
QByteArray sealed(const QByteArray& bytes, qint64 number, qint64 keyFrame);
/// The bytes that sealed() was given; damaged() if the checksum is another one.
Result<QByteArray> unsealed(const QByteArray& bytes, qint64 number, qint64 keyFrame);

/// Compresses by zstd where that is shorter; a byte before says so.
QByteArray packed(const QByteArray& bytes);
/// damaged() if the bytes are, or would be more than 256 MB.
Result<QByteArray> unpacked(const QByteArray& bytes);

} // namespace lockscope::record
