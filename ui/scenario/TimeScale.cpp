// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/scenario/TimeScale.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lockscope::ui {

namespace {

/// The pixel that is being filled, and how long each state lasted in it.
class PixelSum {
public:
    explicit PixelSum(std::vector<LanePiece>& pieces)
        : m_pieces(pieces)
    {
    }

    void add(int x, double share, const LaneSpan& span)
    {
        if (x != m_x)
            flush();
        m_x = x;
        m_shares[static_cast<std::size_t>(span.state)] += share;
        m_only = m_count++ == 0 ? &span : nullptr;
    }
    void flush()
    {
        if (m_count > 0) {
            const auto most = std::max_element(m_shares.begin() + 1, m_shares.end());
            put({m_x, 1, static_cast<LaneState>(most - m_shares.begin()), m_only});
        }
        m_shares.fill(0);
        m_count = 0;
    }
    void put(const LanePiece& piece)
    {
        LanePiece* const last = m_pieces.empty() ? nullptr : &m_pieces.back();
        if (last && last->x + last->width == piece.x && last->state == piece.state
            && last->span == piece.span)
            last->width += piece.width;
        else
            m_pieces.push_back(piece);
    }

private:
    std::vector<LanePiece>& m_pieces;
    int m_x = -1;
    std::array<double, 5> m_shares{};
    int m_count = 0;
    const LaneSpan* m_only = nullptr;
};

} // namespace

TimeScale TimeScale::zoomed(double factor, double x, qint64 end) const
{
    const qint64 fixed = at(x);
    const auto length =
        std::clamp(qint64(double(to - from) / factor), std::min(shortest, end), std::max<qint64>(end, 1));
    TimeScale scale = *this;
    scale.from = fixed - qint64(double(length) * x / width);
    scale.to = scale.from + length;
    return scale.moved(0, end);
}

TimeScale TimeScale::moved(qint64 by, qint64 end) const
{
    const qint64 length = to - from;
    TimeScale scale = *this;
    scale.from = std::clamp<qint64>(from + by, 0, std::max<qint64>(end - length, 0));
    scale.to = scale.from + length;
    return scale;
}

qint64 TimeScale::tickStep(int pixels) const
{
    const double least = double(to - from) * pixels / std::max(width, 1);
    const double power = std::pow(10.0, std::floor(std::log10(std::max(least, 1.0))));
    double step = power * 10;
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least) {
            step = factor * power;
            break;
        }
    }
    return std::max<qint64>(qint64(step), 1);
}

QString TimeScale::tickText(qint64 at, int pixels) const
{
    if (at == 0)
        return QStringLiteral("0");
    struct Unit {
        qint64 us;
        QStringView name;
    };
    // All of them in the same unit, that of the last one.
    const Unit unit = to >= 1'000'000 ? Unit{1'000'000, u"s"}
        : to >= 1'000                 ? Unit{1'000, u"ms"}
                                      : Unit{1, u"µs"};
    int decimals = 0;
    for (qint64 part = unit.us; part > 1 && tickStep(pixels) % part != 0; part /= 10)
        ++decimals;
    return QStringLiteral("%1 %2").arg(double(at) / double(unit.us), 0, 'f', decimals).arg(unit.name);
}

std::vector<qint64> TimeScale::ticks(int pixels) const
{
    std::vector<qint64> moments;
    const qint64 stride = tickStep(pixels);
    for (qint64 at = (from + stride - 1) / stride * stride; at <= to; at += stride)
        moments.push_back(at);
    return moments;
}

std::vector<LanePiece> piecesOf(std::span<const LaneSpan> spans, const TimeScale& scale)
{
    std::vector<LanePiece> pieces;
    PixelSum pixel(pieces);
    auto span = std::lower_bound(spans.begin(), spans.end(), scale.from,
        [](const LaneSpan& each, qint64 from) { return each.to <= from; });
    for (; span != spans.end() && span->from < scale.to; ++span) {
        const double left = scale.xOf(std::max(span->from, scale.from));
        const double right = scale.xOf(std::min(span->to, scale.to));
        const int first = std::min(int(left), scale.width - 1);
        const int last = std::min(int(std::ceil(right)) - 1, scale.width - 1);
        if (first >= last) {
            pixel.add(first, right - left, *span);
            continue;
        }
        pixel.add(first, first + 1 - left, *span);
        pixel.flush();
        if (last - first > 1)
            pixel.put({first + 1, last - first - 1, span->state, &*span});
        pixel.add(last, right - last, *span);
    }
    pixel.flush();
    return pieces;
}

std::vector<PixelRun> pixelsOf(std::span<const SectionSpan> sections, const TimeScale& scale)
{
    std::vector<PixelRun> runs;
    for (const SectionSpan& section : sections) {
        if (section.from >= scale.to)
            break;
        if (section.to <= scale.from)
            continue;
        const int first = int(scale.xOf(std::max(section.from, scale.from)));
        const int last =
            std::clamp(int(std::ceil(scale.xOf(std::min(section.to, scale.to)))) - 1, first, scale.width - 1);
        if (!runs.empty() && first <= runs.back().x + runs.back().width)
            runs.back().width = std::max(runs.back().width, last + 1 - runs.back().x);
        else
            runs.push_back({first, last + 1 - first});
    }
    return runs;
}

} // namespace lockscope::ui
