// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/GrepForm.h"

#include <algorithm>

namespace lockscope::deadlock {

namespace {

int grepNumberOf(QStringView line, const GrepForm& form, qsizetype end)
{
    const qsizetype begin = form.name.isEmpty() ? 0 : form.name.size() + 1;
    return line.mid(begin, end - begin).toInt();
}

} // namespace

qsizetype endOfGrepPrefix(QStringView line, const GrepForm& form)
{
    const auto isSeparator = [line](qsizetype at) {
        return at < line.size() && (line[at] == u':' || line[at] == u'-');
    };
    qsizetype at = line.startsWith(form.name) ? form.name.size() : -1;
    if (at < 0 || (!form.name.isEmpty() && !isSeparator(at)))
        return -1;
    if (!form.hasNumbers)
        return at;
    at += form.name.isEmpty() ? 0 : 1;
    const qsizetype begin = at;
    while (at < line.size() && at < begin + 9 && line[at].isDigit())
        ++at;
    return at > begin && isSeparator(at) ? at : -1;
}

std::optional<GrepForm> grepFormOf(const QString& text)
{
    constexpr qsizetype maxName = 200;
    qsizetype mark = -1;
    for (const QStringView message : {QStringView(u"eLock on"), QStringView(u"deadlock-list")})
        if (mark < 0)
            mark = text.indexOf(message);
    if (mark < 0)
        return std::nullopt;
    const qsizetype begin = text.lastIndexOf(u'\n', mark) + 1;
    const qsizetype below = text.indexOf(u'\n', mark) + 1;
    if (below == 0)
        return std::nullopt;
    const QStringView line = QStringView(text).mid(begin, std::min(below - begin, maxName));
    const QStringView next = QStringView(text).mid(below, maxName);
    for (qsizetype at = -1; at < line.size(); ++at) {
        if (at >= 0 && line[at] != u':' && line[at] != u'-')
            continue;
        const GrepForm numbered{line.left(std::max<qsizetype>(at, 0)).toString(), true};
        const qsizetype end = endOfGrepPrefix(line, numbered);
        const qsizetype nextEnd = end < 0 ? -1 : endOfGrepPrefix(next, numbered);
        if (nextEnd >= 0 && grepNumberOf(next, numbered, nextEnd) == grepNumberOf(line, numbered, end) + 1)
            return numbered;
        const GrepForm named{numbered.name, false};
        if (at > 0 && endOfGrepPrefix(next, named) >= 0 && next.mid(at + 1).startsWith(u'\t'))
            return named;
    }
    return std::nullopt;
}

} // namespace lockscope::deadlock
