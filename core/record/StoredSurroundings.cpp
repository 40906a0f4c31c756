// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/StoredSurroundings.h"

#include "core/record/Changes.h"
#include "core/record/Database.h"
#include "core/record/RecordingReader.h"
#include "core/record/Store.h"

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 maxMeasures = 2'000'000; // of a week, about

}

Result<qint64> SurroundingsWriter::numberOf(Database& database, const monitor::Measure& measure)
{
    const auto known = m_numbers.find({measure.kind, measure.name});
    if (known != m_numbers.end())
        return known->second;
    const QString name = u""_s + measure.name; // never null
    qint64 number = 0;
    Steps steps(database);
    steps.number("recording/recording/measure", number, {measure.kind, name});
    if (number == 0) {
        steps.run("recording/recording/add_measure", {measure.kind, name});
        number = database.lastId();
    }
    LOCKSCOPE_TRY(steps.result());
    m_numbers.insert({{measure.kind, measure.name}, number});
    return number;
}

Result<void> SurroundingsWriter::write(
    Database& database, ServerTime taken, const std::vector<monitor::Measure>& measures)
{
    for (const monitor::Measure& measure : measures) {
        LOCKSCOPE_TRY_GET(const auto number, numberOf(database, measure));
        LOCKSCOPE_TRY(database.run(
            "recording/recording/add_surroundings", {taken.us, number, measure.value, u""_s + measure.text}));
    }
    return {};
}

Result<QList<RecordedMeasure>> RecordingReader::surroundings(ServerTime from, ServerTime to)
{
    QList<RecordedMeasure> measures;
    const auto read = m_store->run("recording/recording/surroundings", {from.us, to.us, maxMeasures + 1},
        [&measures](const Store::Row& row) {
            measures.append({{row.number(0)},
                {.kind = row.text(1), .name = row.text(2), .value = row.number(3), .text = row.text(4)}});
        });
    if (!read)
        return Failure(read.error());
    return measures.size() > maxMeasures
        ? Result<QList<RecordedMeasure>>(tooMuch(u"figures of what surrounds the locks"_s))
        : measures;
}

} // namespace lockscope::record
