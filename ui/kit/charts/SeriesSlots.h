// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QStringList>

namespace lockscope::ui {

/// Gives each name one of a chart's colours. A name keeps it for as long as it is shown, whichever others
/// come or go, and gets it back when it returns and nobody else has it by then.
class SeriesSlots {
public:
    explicit SeriesSlots(int count);

    /// The names by colour, empty ones where a colour is free. `names`: at most as many as there are colours.
    const QStringList& place(const QStringList& names);
    void clear();

private:
    QStringList m_names;
    QHash<QString, int> m_former; ///< the colour that a name has or had last
};

} // namespace lockscope::ui
