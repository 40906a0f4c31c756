// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/domain/Framework.h"
#include "core/json/FileCheck.h"

#include <QByteArray>
#include <QStringList>

namespace lockscope::frameworks {

inline constexpr qsizetype largestFrameworkFile = 256 * 1'024;

/// Proved: each example is recognised as what it says, and each column that a row uses stands in "columns" of
/// its table. For who writes a file; what is at work needs neither.
enum class Strictness : quint8 { WellFormed, Proved };

/// Reads a file of the format `resources/frameworks/framework.schema.json`, and checks what a schema can't:
/// that patterns compile, that clocks are known on each engine, that a kind has what it needs. All faults at
/// once, in the order of the file. `name` is the file's name or path, for the id and for errors. Size and
/// depth are limited. Any thread.
tl::expected<Framework, json::FileFaults> checkFrameworkFile(
    const QString& name, const QByteArray& text, Strictness strictness = Strictness::WellFormed);

/// The same with an error: BadInput, `what` the first fault, "mine.json:12:5: …", `detail` the others, a line
/// each.
Result<Framework> readFrameworkFile(const QString& name, const QByteArray& text);

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

/// Reads one of "examples". What it says is not compared with the lock here: that is ExampleProof's.
FrameworkExample readExample(FrameworkCheck& check, const JsonNode& node, const FrameworkLock& lock);

/// The time that stands in an example: "{now}", "{now-7min}", "{now+1h}"; how much later than now. Nothing if
/// the text is none.
std::optional<milliseconds> fromNow(const QString& text);

/// Returns why the example is not true: what is recognised in it instead. Empty: it is true. Keys and
/// resources as in a database that has the tables of the lock and no other framework; rows by the conditions,
/// the pattern and the clocks of the lock, on each of its engines. Nothing is asked of a server.
QString whyFalse(const FrameworkPtr& framework, const FrameworkLock& lock, const FrameworkExample& example);

/// The columns of its own table that reading or freeing such a row uses.
QStringList columnsUsed(const FrameworkRow& row);

} // namespace lockscope::frameworks
