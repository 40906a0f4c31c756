// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/Odbc.h"

#include <QTest>

namespace lockscope::test {

/// A test program over the wire to the double of SQL Server: all its tests run once with each driver, and
/// are skipped for one that isn't installed.
class WireSuite : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { tds::addDrivers(); }
    void init()
    {
        if (!tds::useDriverOfRow())
            QSKIP("The driver is not installed.");
    }
};

/// The same with each driver by ODBC itself and by Qt's QODBC.
class WireSuiteByBoth : public WireSuite {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { tds::addDrivers(tds::Interfaces::Both); }
};

} // namespace lockscope::test
