// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingFaults.h"

#include "core/base/Sentences.h"
#include "core/record/Checksum.h"
#include "core/record/RecordingFile.h"

namespace lockscope::record {

using namespace Qt::StringLiterals;

Result<QStringList> faultsBesideFrames(Database& file)
{
    auto faults = file.faults();
    if (!faults)
        return faults;
    const auto add = [&faults](const Result<void>& read) {
        if (!read)
            faults->append(read.error().what);
    };
    QStringList damagedTexts;
    add(file.run("recording/recording/texts", {-1}, [&](const Database::Row& row) {
        if (row.number(3) != checksumOf(row.number(0), {row.text(1)}))
            damagedTexts << QString::number(row.number(0));
        return true;
    }));
    if (!damagedTexts.isEmpty())
        faults->append(u"%1 texts are damaged, the first has the number %2."_s.arg(
            QString::number(damagedTexts.size()), damagedTexts.last()));
    qint64 damagedEvents = 0;
    add(file.run("recording/upload/events_after", {0, -1}, [&](const Database::Row& row) {
        if (row.number(7) != eventChecksum({row.number(1)}, row.text(3), row.text(4), row.text(5)))
            ++damagedEvents;
        return true;
    }));
    if (damagedEvents > 0)
        faults->append(counted(damagedEvents, u"event is damaged.", u"events are damaged."));
    qint64 strays = 0;
    add(file.run("recording/recording/strays", {}, [&strays](const Database::Row& row) {
        strays = row.number(0);
        return true;
    }));
    if (strays > 0)
        faults->append(u"%1 intervals of locks are damaged."_s.arg(strays));
    return faults;
}

} // namespace lockscope::record
