// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/FrameworkMatch.h"

#include <QWidget>

namespace lockscope::ui {

/// The name of the framework that a lock belongs to, in a frame, with a question mark if that is not certain;
/// how it is known is its tooltip. Hidden while there is none.
class FrameworkBadge : public QWidget {
    Q_OBJECT

public:
    explicit FrameworkBadge(QWidget* parent = nullptr);

    void say(const FrameworkMatchPtr& match); ///< null = none
    void setFaded(bool faded); ///< the data is old
    QString text() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    FrameworkMatchPtr m_match;
    bool m_faded = false;
};

} // namespace lockscope::ui
