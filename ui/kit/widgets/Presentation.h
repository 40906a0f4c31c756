// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"

#include <QPointer>
#include <QWidget>

#include <optional>

namespace lockscope::ui {

/// The whole screen, for what a hall has to see. F11, Escape and closing it emit left(); its widget is taken
/// back by the object that gave it.
class Presentation : public QWidget {
    Q_OBJECT

public:
    /// Opens on the screen of `place`, and goes with it. The name and mark of `server` stand across its top.
    Presentation(QWidget& place, const std::optional<db::ServerProfile>& server);

    /// `focus`, a part of it, gets the keys as soon as this window does.
    void present(QWidget& content, QWidget& focus);

Q_SIGNALS:
    void left();

protected:
    bool event(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

private:
    QPointer<QWidget> m_focus;
};

} // namespace lockscope::ui
