// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"

#include <QByteArray>
#include <QString>

#include <functional>

class QObject;
class QWidget;

namespace lockscope::ui {

/// Asks where to write a file, without waiting for the answer: `chosen` gets the path, if there is one, while
/// `parent` lives. A name typed without an ending gets that of `fileName`.
void askWhereToSave(QWidget& parent, const QString& title, const QString& filter, const QString& fileName,
    const std::function<void(const QString& path)>& chosen);

/// Writes a file as writeFile() does, on another thread: a folder may be on a network. `then` is called on
/// this one, unless `context` is gone by then; the file is written all the same. Main thread.
void writeLater(QObject& context, const QString& path, const QByteArray& content,
    const std::function<void(const Result<void>&)>& then);

} // namespace lockscope::ui
