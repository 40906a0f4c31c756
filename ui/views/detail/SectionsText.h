// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextBrowser>

namespace lockscope::ui {

/// Formatted text as high as it needs to be; names that are longer than a line are broken, never cut. The
/// selection, or the link that has the focus, stays so while the text around it changes. Links emit
/// anchorClicked.
class SectionsText : public QTextBrowser {
    Q_OBJECT

public:
    explicit SectionsText(QWidget* parent = nullptr);

    void say(const QString& html); ///< empty: hidden
    /// Returns the text that `say` was given.
    const QString& text() const { return m_text; }

private:
    void selectAgain(const QString& words, int place);

    QString m_text;
};

} // namespace lockscope::ui
