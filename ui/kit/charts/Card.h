// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Thresholds.h"

#include <QAbstractButton>
#include <QFrame>
#include <QList>

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace lockscope::ui {

/// A titled box with a hair line round it; keeps charts and lists apart.
class Card : public QFrame {
    Q_OBJECT

public:
    explicit Card(const QString& title, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setNote(const QString& note); ///< to the right of the title, muted
    void addToHead(QWidget* widget); ///< at the right end
    QVBoxLayout* body() const { return m_body; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QLabel* m_title;
    QLabel* m_note;
    QHBoxLayout* m_head;
    QVBoxLayout* m_body;
};

/// Names of chart series with their colour and present value.
class Legend : public QWidget {
    Q_OBJECT

public:
    struct Entry {
        QColor color;
        QString name;
        QString value;
    };
    explicit Legend(QWidget* parent = nullptr);
    void setEntries(const QList<Entry>& entries);
    QSize sizeHint() const override { return {230, (fontMetrics().height() + 5) * 6}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QList<Entry> m_entries;
};

/// One number to be read from two metres. A sign and words beside the colour show amber and red, too. A click
/// leads to the rows behind the number.
class MetricTile : public QAbstractButton {
    Q_OBJECT

public:
    explicit MetricTile(const QString& title, QWidget* parent = nullptr);

    /// `note` says what the level means ("over 0:10"), or what the number is made of.
    void show(const QString& number, const QString& note, AgeLevel level);
    void setOld(bool old); ///< the number may be over by now: grey
    AgeLevel level() const { return m_level; }
    const QString& number() const { return m_number; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {104, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_number;
    QString m_note;
    AgeLevel m_level = AgeLevel::Normal;
    bool m_old = false;
};

} // namespace lockscope::ui
