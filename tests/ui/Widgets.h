// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QtWidgets>

#include <algorithm>
#include <cmath>

namespace lockscope::test {

/// Returns the first button whose text begins so; null if there is none.
inline QPushButton* buttonIn(const QWidget& parent, const QString& start)
{
    for (QPushButton* button : parent.findChildren<QPushButton*>())
        if (button->text().remove(u'&').startsWith(start))
            return button;
    return nullptr;
}

/// Returns the part of that name; ends the program if there is none.
template <class Widget> Widget* field(const QWidget& parent, const char* name)
{
    auto* const found = parent.findChild<Widget*>(QLatin1StringView(name));
    if (!found)
        qFatal("There is no field %s.", name);
    return found;
}

inline QString cell(const QAbstractItemModel& model, int row, int column)
{
    return model.index(row, column).data().toString();
}

/// Returns the texts of a column, from the first row on.
inline QStringList column(const QAbstractItemModel& model, int column)
{
    QStringList texts;
    for (int row = 0; row < model.rowCount(); ++row)
        texts << cell(model, row, column);
    return texts;
}

/// Returns the contrast of two colours as WCAG reckons it: from 1 to 21.
inline double contrast(const QColor& one, const QColor& other)
{
    const auto luminance = [](const QColor& color) {
        const auto linear = [](double part) {
            return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF())
            + 0.0722 * linear(color.blueF());
    };
    const auto [darker, lighter] = std::minmax({luminance(one), luminance(other)});
    return (lighter + 0.05) / (darker + 0.05);
}

/// Saves a picture of the widget into the directory that LOCKSCOPE_TEST_PICTURES names; without it nothing is
/// kept.
inline void keepPicture(QWidget& widget, const QString& name)
{
    const QString directory = qEnvironmentVariable("LOCKSCOPE_TEST_PICTURES");
    if (!directory.isEmpty())
        widget.grab().save(directory + u'/' + name + QStringLiteral(".png"));
}

} // namespace lockscope::test
