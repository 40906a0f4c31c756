// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/blocking/LayeredLayout.h"

#include <algorithm>

namespace lockscope::ui {

namespace {

struct Placer {
    LayeredLayout layout;
    QSizeF node;
    QSizeF gap;
    double nextRow = 0;

    double place(const BlockingNode& one, int column)
    {
        const double x = column * (node.width() + gap.width());
        double y = 0;
        if (one.children.empty()) {
            y = nextRow;
            nextRow += node.height() + gap.height();
        } else {
            const double first = place(one.children.front(), column + 1);
            double last = first;
            for (size_t i = 1; i < one.children.size(); ++i)
                last = place(one.children[i], column + 1);
            y = (first + last) / 2;
        }
        layout.positions.insert(one.row.key.id, {x, y});
        layout.size = layout.size.expandedTo({x + node.width(), y + node.height()});
        return y;
    }
};

} // namespace

LayeredLayout layeredLayout(const std::vector<BlockingNode>& forest, QSizeF node, QSizeF gap)
{
    Placer placer{{}, node, gap};
    for (const BlockingNode& root : forest) {
        placer.place(root, 0);
        placer.nextRow += gap.height();
    }
    return placer.layout;
}

} // namespace lockscope::ui
