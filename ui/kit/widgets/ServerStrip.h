// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"

#include <QFrame>
#include <QPointer>
#include <QWidget>

#include <optional>

class QDialog;

namespace lockscope::ui {

/// Behind white words, in the light and in the dark. Invalid for an unmarked server.
QColor environmentColor(db::Environment environment);
using db::serverMark;
/// Its name, and the mark if there is one.
QString markedName(const db::ServerProfile& profile);

/// Names the server across the top of each dialog that can act on it: on the colour of its environment, with
/// a mark if it is read-only.
class ServerStrip : public QFrame {
    Q_OBJECT

public:
    /// `scale` of its letters.
    explicit ServerStrip(const db::ServerProfile& profile, QWidget* parent = nullptr, double scale = 1.0);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QFont nameFont() const;
    QFont markFont() const;

    db::ServerProfile m_profile;
    double m_scale;
};

/// Puts one across the top of `dialog`, which has its layout already.
void addServerStrip(QDialog& dialog, const db::ServerProfile& profile);

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
