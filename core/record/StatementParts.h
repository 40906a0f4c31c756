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

} // namespace lockscope::record
