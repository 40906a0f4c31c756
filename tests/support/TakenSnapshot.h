// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/monitor/SnapshotSource.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace lockscope::test {

/// The next snapshot of a source; an empty one, and a warning that says why, if it can't be had.
inline SnapshotPtr take(monitor::SnapshotSource& source)
{
    auto taken = source.take();
    if (!taken)
        qWarning("%s", qPrintable(taken.error().toString()));
    return taken.value_or(std::make_shared<Snapshot>());
}

/// The first limitation of that kind; null if there is none.
inline const Limitation* limitation(const Snapshot& snapshot, Limitation::Kind kind)
{
    const auto found = std::ranges::find(snapshot.limitations, kind, &Limitation::kind);
    return found == snapshot.limitations.end() ? nullptr : &*found;
}

/// The first limitation that names this; null if there is none.
inline const Limitation* limitationAbout(const Snapshot& snapshot, const QString& text)
{
    const auto found = std::ranges::find_if(
        snapshot.limitations, [&text](const Limitation& limit) { return limit.what.contains(text); });
    return found == snapshot.limitations.end() ? nullptr : &*found;
}

/// Returns the figure that was measured beside the locks; nothing if it was not.
inline std::optional<monitor::Measure> measureOf(
    const monitor::Surroundings& around, const QString& kind, const QString& name = {})
{
    const auto found = std::ranges::find_if(around.measures,
        [&](const monitor::Measure& measure) { return measure.kind == kind && measure.name == name; });
    return found == around.measures.end() ? std::nullopt : std::optional(*found);
}

/// Makes sources, each with its own copy of `take`, which returns a snapshot or an error and may keep a
/// state.
template <class Take> auto sourceOf(Take take)
{
    class Source final : public monitor::SnapshotSource {
    public:
        explicit Source(Take take)
            : m_take(std::move(take))
        {
        }
        Result<SnapshotPtr> take(std::stop_token stop) override
        {
            if constexpr (std::is_invocable_v<Take&, std::stop_token>)
                return m_take(std::move(stop));
            else
                return m_take();
        }

    private:
        Take m_take;
    };
    return [take = std::move(take)](
               const monitor::ProbeSelection&) -> Result<std::unique_ptr<monitor::SnapshotSource>> {
        return std::make_unique<Source>(take);
    };
}

} // namespace lockscope::test
