// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockMode.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace lockscope::record {

/// A statement as what all of its family have in common, and its own values: those of a program that writes
/// values into its statements differ by these alone, and a recording has the rest once.
struct StatementParts {
    QString family; ///< with a mark in place of each value
    QStringList values; ///< literals with their quotes, and comments, as they stand there

    /// Nothing if the statement has no values, or has characters that are used as marks.
    static std::optional<StatementParts> of(const QString& statement, Engine engine);
    /// The statement; nothing if there are not as many values as marks.
    std::optional<QString> together() const;
};

/// A family, or a statement, for people: with a ? in place of each mark.
QString shownFamily(QString family);

/// A text of a recording as it is stored: as it is, or as values and the number of their family.
struct StoredText {
    quint64 family = 0; ///< 0: `values` has the text
    QStringList values;

    QString stored() const;
    /// Of any text; of one that is stored as it is: family 0 and the text.
    static StoredText fromStored(const QString& stored);
};

} // namespace lockscope::record
