// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/DeadlockReports.h"
#include "tests/support/GraphText.h"
#include "tests/support/TestProgram.h"
#include "tests/ui/Desk.h"
#include "ui/views/deadlocks/DeadlockBook.h"
#include "ui/views/deadlocks/DeadlocksPage.h"

namespace lockscope::test {

/// The page of deadlocks in a window of its own.
struct DeadlockDesk : Desk {
    ui::DeadlockBook book;
    ui::DeadlocksPage page{context, book};

    DeadlockDesk()
    {
        page.resize(1'000, 700);
        page.show();
    }
    int rows() const { return page.view().tableModel().rowCount(); }
    QString cell(int row, ui::DeadlocksModel::Column column) const
    {
        return test::cell(page.view().tableModel(), row, column);
    }
};

/// Returns the report of two rows, with sessions 51 and 52 or another first one.
inline QByteArray twoRowsOf(const QByteArray& session)
{
    return twoRowsXml().replace("spid=\"51\"", "spid=\"" + session + '"');
}

inline QList<deadlock::ReportPtr> twoRowsReports(const QByteArray& xml = twoRowsXml())
{
    return deadlock::readReports(xml, QStringLiteral("made")).value();
}

/// Returns the report of two rows, at that time of 2026-11-22.
inline std::shared_ptr<deadlock::DeadlockReport> reportAt(const QString& time)
{
    auto report = std::make_shared<deadlock::DeadlockReport>(*twoRowsReports().first());
    const QDateTime at = QDateTime::fromString(QStringLiteral("2026-11-22T%1Z").arg(time), Qt::ISODate);
    report->time = {ServerTime{at.toMSecsSinceEpoch() * 1'000}, true, time};
    report->source.eventKey += time;
    return report;
}

/// Two sessions in a ring, on a server called "shop".
inline std::shared_ptr<Snapshot> ringOnShop()
{
    return std::make_shared<Snapshot>(waitingFromText(
        QStringLiteral("a: 51 Exclusive, 52 ?Exclusive@990; b: 52 Exclusive, 51 ?Exclusive@991")));
}

} // namespace lockscope::test
