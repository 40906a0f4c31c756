// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"

#include <QByteArray>
#include <QString>

#include <chrono>
#include <functional>

class QObject;
class QWidget;

namespace lockscope::ui {

/// Asks where to write a file, without waiting for the answer: `chosen` gets the path, if there is one, while
/// `parent` lives. A name typed without an ending gets that of `fileName`.
void askWhereToSave(QWidget& parent, const QString& title, const QString& filter, const QString& fileName,
    const std::function<void(const QString& path)>& chosen);

/// Makes the content of a file and writes it as writeFile() does, on another thread: a folder may be on a
/// network. `content` owns what it needs, and draws nothing. `tell` gets `done` or the error on this thread,
/// and before that, if it takes longer than a second, that the file is being written; not if `context` is
/// gone by then, but the file is written all the same: waitForWriting(). Main thread.
void writeLater(QObject& context, const QString& path, const std::function<Result<QByteArray>()>& content,
    const QString& done, const std::function<void(const QString&)>& tell);
/// Does the same with a content that is there.
void writeLater(QObject& context, const QString& path, const QByteArray& content, const QString& done,
    const std::function<void(const QString&)>& tell);

/// Waits, at most so long, until all that writeLater() began is written: at the end of the program.
void waitForWriting(std::chrono::milliseconds atMost);

} // namespace lockscope::ui
