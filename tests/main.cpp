// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// The main function of every test program: core-tests, engines-tests, ui-tests, soak-tests.
#include "tests/support/TestProgram.h"

#ifdef QT_WIDGETS_LIB
#include <QApplication>
using Application = QApplication;
#else
#include <QCoreApplication>
using Application = QCoreApplication;
#endif

int main(int argc, char** argv)
{
#ifdef QT_WIDGETS_LIB
    // Pictures and sizes are the same on every screen.
    QCoreApplication::setAttribute(Qt::AA_Use96Dpi);
#endif
    const Application application(argc, argv);
    return lockscope::test::runTest(argc, argv);
}
