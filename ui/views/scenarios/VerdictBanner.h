// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/run/FreeRun.h"

#include <QFrame>

class QLabel;

namespace lockscope::ui {

/// Shows the verdict, in letters that can be read from afar.
class VerdictBanner : public QFrame {
    Q_OBJECT

public:
    explicit VerdictBanner(QWidget* parent = nullptr);

    /// `figures`: below it, small.
    void show(const scenario::RunReport& report, const QString& figures);
    /// Shows the verdict on all of them together.
    void showComparison(const std::vector<std::shared_ptr<const scenario::RunReport>>& reports);
    void clear(); ///< and hides it
    /// Letters that much larger than usual, for a hall.
    void setMagnification(double factor);
    bool hasVerdict() const;
    QString text() const; ///< headline, explanation and figures

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    enum class Kind { Broken, NotObserved, Held };
    void tell(Kind kind, const QString& headline, const QString& words, const QString& figures);
    void applyColors();
    void applyFonts();
    QColor ink() const;

    Kind m_kind = Kind::Held;
    double m_factor = 1;
    QLabel* m_sign;
    QLabel* m_headline;
    QLabel* m_words;
    QLabel* m_figures;
};

} // namespace lockscope::ui
