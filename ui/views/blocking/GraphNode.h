// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/BlockingForest.h"
#include "core/domain/Thresholds.h"

#include <QGraphicsItem>

namespace lockscope::ui {

/// One session in the drawing: number and program, below them a sign and a word. Head blockers have six
/// corners, waiters four, the rest of a folded queue is a pile. A framework that the
/// session works for stands in place of the program. Its text keeps its size when it is made smaller: then
/// there is less of it.
class GraphNode : public QGraphicsItem {
public:
    enum class Shape : quint8 { Head, Waiter, Fold };
    static constexpr QSizeF size{168, 46};

    GraphNode();

    void setContent(const BlockingRow& row, Shape shape, AgeLevel level, const QString& word);
    const BlockingRow& row() const { return m_row; }
    Shape nodeShape() const { return m_shape; }
    /// Returns the readable texts at a scale, a line each: all that fit.
    QStringList linesAt(double scale) const;

    QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    QPainterPath outline() const;
    void paintNameAndBadge(QPainter& painter, const QRectF& area, Qt::AlignmentFlag upper) const;
    QRectF textArea() const;

    BlockingRow m_row;
    Shape m_shape = Shape::Waiter;
    AgeLevel m_level = AgeLevel::Normal;
    QString m_word;
};

} // namespace lockscope::ui
