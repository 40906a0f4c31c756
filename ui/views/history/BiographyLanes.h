// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/LockBiography.h"

#include <memory>
#include <vector>

namespace lockscope::ui {

using BiographyPtr = std::shared_ptr<const record::Biography>;

/// A row of the drawing: what one session did with the lock, or one lock meant to the session; or a heading.
struct BiographyLane {
    QString name;
    bool isHeading = false;
    bool waited = false;
    QList<qsizetype> lines{}; ///< of the biography, by when they began
    bool operator==(const BiographyLane&) const = default;
};
/// Returns the lanes of the holders first, then those of the waiters; each by its first line.
std::vector<BiographyLane> lanesOf(const record::Biography& biography);

/// Describes line, hand-over and gap at a time of a lane; several lines of text, empty if there is nothing.
QString describeTime(
    const record::Biography& biography, const BiographyLane& lane, ServerTime at, microseconds reach);
/// The whole in a few sentences, for those who can't see it.
QString describeBiography(const record::Biography& biography);

} // namespace lockscope::ui
