// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/timetravel/TimeBarRange.h"

#include <algorithm>

namespace lockscope::ui {

namespace {

constexpr qint64 leastEnd = 60'000'000; ///< shown of a recording that has just begun
constexpr double spaceAfterEnd = 0.02; ///< after the last snapshot, for later ones

} // namespace

qint64 TimeBarRange::end() const
{
    return std::max(m_last.us, m_first.us + leastEnd);
}

ServerTime TimeBarRange::at(double x) const
{
    return std::clamp(ServerTime{m_scale.at(x)}, m_first, m_last);
}

bool TimeBarRange::set(const TimeScale& scale, bool isWhole)
{
    const TimeScale before = m_scale;
    const qint64 columns = std::max(scale.width, 1);
    const qint64 length = scale.length();
    // As long as it was, it keeps its columns; else a spare one makes up for where the first one begins.
    const bool isKept = length % columns == 0 && !isWhole;
    const qint64 spare = isKept || columns == 1 ? columns : columns - 1;
    const qint64 column = std::max<qint64>(1, (length + spare - 1) / spare);
    m_scale.width = int(columns);
    m_scale.from = floorTo(scale.from, column);
    m_scale.to = m_scale.from + columns * column;
    if (m_scale.to < scale.to && scale.to >= m_last.us) {
        m_scale.from += column; // the user watches the end
        m_scale.to += column;
    }
    m_isSet = true;
    return m_scale != before;
}

bool TimeBarRange::fit()
{
    if (isEmpty())
        return false;
    const qint64 all = end() - m_first.us;
    const bool isAll = !m_requestedLength || m_requestedLength->count() >= all;
    TimeScale scale = m_scale;
    scale.to = end();
    scale.from = isAll ? m_first.us : scale.to - m_requestedLength->count();
    // The whole range grows: it is not divided again for each snapshot.
    if (isAll)
        scale.to += qint64(double(all) * spaceAfterEnd);
    return set(scale, isAll);
}

bool TimeBarRange::setWidth(int pixels)
{
    pixels = std::max(pixels, 1);
    if (pixels == m_scale.width)
        return false;
    m_scale.width = pixels;
    return !isEmpty() && (m_follows ? fit() : set(m_scale)); // columns are others in any case
}

bool TimeBarRange::setSpan(ServerTime first, ServerTime last, bool isLive)
{
    const bool wasEmpty = isEmpty();
    const bool isCut = m_first < first; // the oldest is not kept any more
    m_first = first;
    m_last = std::max(first, last);
    if (wasEmpty || !m_isSet)
        return fit();
    if (!m_follows)
        return false;
    if (isLive && m_last.us > m_scale.to)
        return fit();
    return isCut && !m_requestedLength && fit();
}

bool TimeBarRange::zoom(double factor, double x)
{
    if (isEmpty())
        return false;
    // At the live end it stays there.
    const bool staysLast = m_follows && x >= this->x(m_last) - 12;
    const TimeScale scale =
        m_scale.zoomed(factor, staysLast ? this->x(m_last) : std::clamp<double>(x, 0, m_scale.width), end(),
            m_first.us, shortest.count());
    return show({scale.from}, {scale.to});
}

bool TimeBarRange::move(microseconds by)
{
    if (isEmpty())
        return false;
    const TimeScale scale = m_scale.moved(by.count(), end(), m_first.us);
    return show({scale.from}, {scale.to});
}

bool TimeBarRange::show(ServerTime from, ServerTime to)
{
    if (isEmpty())
        return false;
    const qint64 all = end() - m_first.us;
    const qint64 length =
        std::clamp(qint64((to - from).count()), std::min(qint64(shortest.count()), all), all);
    TimeScale scale = m_scale;
    scale.from = (from.us + to.us - length) / 2;
    scale.to = scale.from + length;
    scale = scale.moved(0, end(), m_first.us);
    m_follows = scale.to >= m_last.us;
    m_requestedLength =
        scale.from <= m_first.us && m_follows ? std::optional<microseconds>() : microseconds(length);
    return m_follows ? fit() : set(scale);
}

bool TimeBarRange::showLast(std::optional<microseconds> length)
{
    m_follows = true;
    m_requestedLength = length;
    return fit();
}

bool TimeBarRange::showEnd()
{
    m_follows = true;
    return fit();
}

bool TimeBarRange::reveal(ServerTime at, bool gently)
{
    if (isEmpty())
        return false;
    const qint64 length = m_scale.length();
    const qint64 margin = length / 20;
    const bool isLeft = at.us < m_scale.from + margin && m_scale.from > m_first.us;
    const bool isRight = at.us > m_scale.to - margin && m_scale.to < m_last.us;
    if (!isLeft && !isRight)
        return false;
    qint64 from = at.us - length / 2;
    if (gently)
        from = isLeft ? at.us - margin * 2 : at.us - length + margin * 2;
    return show({from}, {from + length});
}

} // namespace lockscope::ui
