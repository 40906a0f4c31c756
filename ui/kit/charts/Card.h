// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QList>

class QLabel;
class QHBoxLayout;
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

} // namespace lockscope::ui
