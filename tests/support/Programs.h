// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

/// The folder in which the build has put the programs that tests start. A test program that starts
/// `lockscope` or the double says so in tests/CMakeLists.txt, so that they are built first.
namespace lockscope::test::programs {

QString lockctl();
QString lockscope();
QString sandbox(); ///< the helper that owns the private server
QString sqlServerDouble();
QString fastTime(); ///< a library that is preloaded

} // namespace lockscope::test::programs
