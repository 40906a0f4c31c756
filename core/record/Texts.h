// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

#include <optional>

namespace lockscope::record {

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

} // namespace lockscope::record
