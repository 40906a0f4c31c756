// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Thresholds.h"

#include <QMetaType>

namespace lockscope::ui {

/// The picture beside a word in a cell.
enum class Glyph : quint8 { None, Holder, Waiter, Converting, Free, Warning, Running, Idle, Done, Failed };

/// The weight of a cell. The word or glyph in it says the same without colour.
enum class Tone : quint8 { Normal, Muted, Good, Amber, Red };

inline Tone toneOf(AgeLevel level)
{
    return level == AgeLevel::Red ? Tone::Red : level == AgeLevel::Amber ? Tone::Amber : Tone::Normal;
}

} // namespace lockscope::ui

Q_DECLARE_METATYPE(lockscope::ui::Glyph)
Q_DECLARE_METATYPE(lockscope::ui::Tone)
