// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/DifferenceText.h"

#include "app/lockctl/Console.h"
#include "app/lockctl/TextTable.h"

#include <algorithm>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

QString timeOf(const Snapshot& snapshot)
{
    return snapshot.takenAt.toIsoString().left(19) + u'Z';
}

QString cellOf(const QString& text)
{
    return text.isEmpty() ? u"–"_s : printable(text);
}

} // namespace

QString differencesText(
    const Snapshot& before, const Snapshot& after, const std::vector<SnapshotDifference>& differences)
{
    const QString head =
        printable(before.server) + u": %1, compared with %2\n"_s.arg(timeOf(before), timeOf(after));
    if (differences.empty())
        return head + u"Sessions, locks and waits are the same.\n"_s;
    using Fit = TextTable::Fit;
    const bool hasLocks =
        std::ranges::any_of(differences, [](const SnapshotDifference& each) { return !each.lock.isEmpty(); });
    std::vector<TextTable::Column> columns{{u"WHAT"_s}, {u"CHANGE"_s}, {u"WHO"_s, Fit::Flexible}};
    if (hasLocks)
        columns.insert(columns.end(), {{u"LOCK"_s, Fit::Flexible}, {u"MODE"_s}});
    columns.insert(columns.end(),
        {{u"AT "_s + timeOf(before), Fit::Flexible}, {u"AT "_s + timeOf(after), Fit::Flexible}});
    TextTable table(std::move(columns));
    for (const SnapshotDifference& each : differences) {
        QStringList cells{whatName(each.what), changeName(each.change), printable(each.who)};
        if (hasLocks)
            cells << printable(each.lock) << printable(each.mode);
        cells << cellOf(each.before) << cellOf(each.after);
        const bool isNewWait =
            each.what == SnapshotDifference::What::Wait && each.change == SnapshotDifference::Change::New;
        table.add(cells, isNewWait ? Tone::Warning : Tone::Plain);
    }
    return head + table.lines(screenSize().columns, useColours()).join(u'\n') + u'\n';
}

} // namespace lockscope::ctl
