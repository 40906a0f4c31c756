// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ServerTime.h"
#include "ui/kit/charts/TimeScale.h"

#include <optional>

namespace lockscope::ui {

/// The range that a time bar shows, of all there is: a column of whole microseconds for each pixel, that
/// begins at a multiple of its width. So a column stands for the same time while the range moves. A value.
class TimeBarRange {
public:
    /// Returns, as all that follow, whether the range is another one now.
    bool setWidth(int pixels);
    bool setSpan(ServerTime first, ServerTime last, bool isLive);
    bool zoom(double factor, double x); ///< closer by `factor`, what is at `x` stays there
    bool move(microseconds by);
    bool show(ServerTime from, ServerTime to);
    bool showLast(std::optional<microseconds> length); ///< nothing: all there is
    bool showEnd(); ///< follows again, as long as it is
    /// Moves so that it is on view, and not at the edge; as little as possible if `gently`.
    bool reveal(ServerTime at, bool gently);

    bool isEmpty() const { return !m_first.isValid(); } ///< there is nothing
    const TimeScale& scale() const { return m_scale; } ///< whole columns; may begin before all there is
    qint64 perColumn() const { return m_scale.length() / std::max(m_scale.width, 1); }
    ServerTime first() const { return m_first; }
    ServerTime last() const { return m_last; }
    bool isLastShown() const { return m_last.us <= m_scale.to; }
    double x(ServerTime at) const { return m_scale.xOf(at.us); }
    ServerTime at(double x) const; ///< within what there is

    static constexpr microseconds shortest = std::chrono::seconds(10); ///< on view, at the closest
    static constexpr microseconds usual = std::chrono::minutes(15); ///< at first

private:
    /// Rounded to whole columns; `isWhole`: nothing of it may be off view.
    bool set(const TimeScale& scale, bool isWhole = false);
    bool fit(); ///< to m_requestedLength
    qint64 end() const; ///< of what can be shown

    ServerTime m_first;
    ServerTime m_last;
    TimeScale m_scale;
    bool m_isSet = false;
    bool m_follows = true; ///< its end stays the last snapshot
    std::optional<microseconds> m_requestedLength = usual; ///< while it follows; nothing: all
};

} // namespace lockscope::ui
