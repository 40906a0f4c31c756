// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lockscope::ui {

class TimeBarStrip;

/// From then on screen readers take a strip for a slider whose value is the position, in words, and can move
/// it.
void tellToReaders();
/// The position is another one.
void valueChanged(TimeBarStrip& strip);

} // namespace lockscope::ui
