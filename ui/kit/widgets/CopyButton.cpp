// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/CopyButton.h"

#include <QAbstractButton>
#include <QClipboard>
#include <QGuiApplication>
#include <QTimer>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

void copyByButton(QAbstractButton& button, const QString& text)
{
    QGuiApplication::clipboard()->setText(text);
    const QString said = u"Copied"_s;
    const QString usual = button.text();
    if (usual == said)
        return; // twice: the first press sees to it
    button.setText(said);
    QTimer::singleShot(2s, &button, [&button, said, usual] {
        if (button.text() == said) // else it is about something else by now
            button.setText(usual);
    });
}

} // namespace lockscope::ui
