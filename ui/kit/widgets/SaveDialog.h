// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <functional>

class QWidget;

namespace lockscope::ui {

/// Asks where to write a file, without waiting for the answer: `chosen` gets the path, if there is one, while
/// `parent` lives. A name typed without an ending gets that of `fileName`.
void askWhereToSave(QWidget& parent, const QString& title, const QString& filter, const QString& fileName,
    const std::function<void(const QString& path)>& chosen);

} // namespace lockscope::ui
