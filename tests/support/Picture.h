// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QWidget>

namespace lockscope::test {

/// Saves a picture of the widget into the directory that LOCKSCOPE_TEST_PICTURES names; without it nothing is
/// kept.
inline void keepPicture(QWidget& widget, const QString& name)
{
    const QString directory = qEnvironmentVariable("LOCKSCOPE_TEST_PICTURES");
    if (!directory.isEmpty())
        widget.grab().save(directory + u'/' + name + QStringLiteral(".png"));
}

} // namespace lockscope::test
