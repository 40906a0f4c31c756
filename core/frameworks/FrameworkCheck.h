// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Framework.h"
#include "core/json/FileCheck.h"

namespace lockscope::frameworks {

using json::JsonNode;

/// The common parts of a framework file's check: names of tables and columns, times, patterns. One file, one
/// thread.
class FrameworkCheck : public json::FileCheck {
public:
    using json::FileCheck::FileCheck;

    /// Words for people, in lines.
    QString words(const JsonNode& node, qsizetype longest = 2'000);
    /// A name for people: one line.
    QString title(const JsonNode& node, qsizetype longest);
    /// A name of a table, column or schema.
    QString identifier(const JsonNode& node);
    QStringList identifiers(const JsonNode& node);
    /// Any text but for control characters.
    QString plainText(const JsonNode& node, qsizetype longest);
    QStringList plainTexts(const JsonNode& node, std::size_t maximum, qsizetype longest);
    milliseconds duration(const JsonNode& node);
    FrameworkValue value(const JsonNode& node);
    FrameworkTable table(const JsonNode& node);
    std::vector<FrameworkTable> tables(const JsonNode& node);
    /// A time column; `engines`: those of the lock, for each of which the clock must be known.
    FrameworkTime time(const JsonNode& node, const QList<Engine>& engines);
    QMap<Engine, FrameworkClock> clocks(const JsonNode& node, const QList<Engine>& engines);
    /// A regular expression over a whole value, with named groups of these names only, and at least one of
    /// them if `needsGroup`.
    QString pattern(const JsonNode& node, const QStringList& groups, bool needsGroup);
    /// Accepts only the value true.
    void onlyTrue(const JsonNode& node);
    /// Returns the node of the one key that is there; adds a fault if none or several are.
    const JsonNode* oneOf(const JsonNode& object, const QStringList& keys);

    QString neededWords(const JsonNode& object, const QString& key);
    QString optionalWords(const JsonNode& object, const QString& key);
    QString neededIdentifier(const JsonNode& object, const QString& key);
    QString optionalIdentifier(const JsonNode& object, const QString& key);
    std::optional<FrameworkTime> optionalTime(
        const JsonNode& object, const QString& key, const QList<Engine>& engines);
    QStringList addresses(const JsonNode& object, const QString& key);
};

} // namespace lockscope::frameworks
