// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>
#include <QString>

namespace lockscope::test {

/// Returns the content of tests/support/deadlocks/NAME: reports made by hand, see the README there. Ends the
/// program if there is no such file.
QByteArray deadlockFile(const QString& name);
QString deadlockFilePath(const QString& name);

} // namespace lockscope::test
