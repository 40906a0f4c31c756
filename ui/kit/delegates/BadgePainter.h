// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/FrameworkMatch.h"
#include "ui/kit/models/ColumnInfo.h"

#include <QColor>
#include <QString>
#include <QVariant>
#include <QWidget>

class QFontMetrics;
class QPainter;
class QPalette;
class QRectF;

namespace lockscope::ui {

// The cells for the framework that a lock belongs to.

ColumnInfo frameworkColumn(); ///< its name, as a badge
ColumnInfo frameworkLockColumn(); ///< the framework's name for the lock

/// "Prisma", "Prisma?" if that is not certain; empty if it is nobody's.
QString frameworkText(const FrameworkMatchPtr& match);
QString frameworkLockText(const FrameworkMatchPtr& match);
/// Returns the evidence, for a tooltip and for users who can't see the frame: "Prisma, the framework of this
/// lock; …".
QString frameworkTip(const FrameworkMatch& match);
/// BadgeRole, tooltip and accessible text of a cell that shows frameworkText; invalid for other roles.
QVariant frameworkCell(const FrameworkMatchPtr& match, int role);

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

/// Colours of a name in a frame: the framework that a lock belongs to.
struct BadgeColors {
    QColor ink;
    QColor frame;
    QColor fill; ///< transparent on a selection
};
/// Returns colours with a contrast, on the palette's base and window colours, of at least 4.5:1 for the ink
/// and 3:1 for the frame.
BadgeColors badgeColors(const QPalette& palette, bool faded = false);
BadgeColors badgeColorsOn(const QColor& selectionInk); ///< on a selected row
BadgeColors badgeColorsIn(const QColor& fill); ///< white on a dark colour, selected or not

int badgeWidth(const QString& text, const QFontMetrics& metrics);
/// Paints at the left of `room`, cut to it, in the painter's font. An uncertain badge has a dashed frame (and
/// a question mark in its text).
void paintBadge(
    QPainter& painter, const QRectF& space, const QString& text, bool isCertain, const BadgeColors& colors);

} // namespace lockscope::ui
