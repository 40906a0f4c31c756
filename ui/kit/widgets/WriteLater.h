// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"

#include <QByteArray>
#include <QString>

#include <functional>

class QObject;

namespace lockscope::ui {

/// Writes a file as writeFile() does, on another thread: a folder may be on a network. `then` is called on
/// this one, unless `context` is gone by then; the file is written all the same. Main thread.
void writeLater(QObject& context, const QString& path, const QByteArray& content,
    const std::function<void(const Result<void>&)>& then);

} // namespace lockscope::ui
