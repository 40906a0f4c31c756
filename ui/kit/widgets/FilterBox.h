// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>

class QSettings;

namespace lockscope::ui {

/// The field for a page's filter. Escape empties it, Enter goes to the rows; filters can be kept.
class FilterBox : public QLineEdit {
    Q_OBJECT

public:
    explicit FilterBox(QWidget& rows, QWidget* parent = nullptr);

    void focus(); ///< with what is in it selected
    /// Offers filters to keep, from now on, under `group` of the settings.
    void keepIn(QSettings& settings, const QString& group);
    QStringList kept() const;

Q_SIGNALS:
    void said(const QString& text); ///< "The filter is kept."

private:
    void keep();
    void forget(const QString& filter);
    void openMenu();

    QAction* m_menuAction;
    QSettings* m_settings = nullptr;
    QString m_group;
};

} // namespace lockscope::ui
