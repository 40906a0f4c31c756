// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/scenarios/RunText.h"

#include <QColor>
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
    void showComparison(const std::vector<RunReportPtr>& reports);
    void clear(); ///< and hides it
    /// Letters that much larger than usual, for a hall.
    void setMagnification(double factor);
    bool hasVerdict() const;
    QString text() const; ///< headline, explanation and figures

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Appearance {
        QString sign;
        QColor ink;
        QColor fill;
    };
    Appearance appearance() const;
    void tell(VerdictKind kind, const QString& headline, const QString& words, const QString& figures);
    void applyColors();
    void applyFonts();

    VerdictKind m_kind = VerdictKind::Held;
    double m_factor = 1;
    QLabel* m_sign;
    QLabel* m_headline;
    QLabel* m_words;
    QLabel* m_figures;
};

} // namespace lockscope::ui
