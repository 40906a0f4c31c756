// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Uploads.h"

#include "app/lockctl/Console.h"
#include "core/record/postgres/HistoryStore.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

constexpr milliseconds lastChance{5'000};

}

void addInto(Command& command)
{
    command.addValue(u"into"_s, u"URL"_s,
        u"Bring it to a team's history, too: a database of PostgreSQL (lockctl install --history). While "
        "that is away the file keeps it."_s);
}

Result<Uploads> Uploads::from(const CommandLine& line)
{
    Uploads uploads;
    if (!line.has(u"into"_s))
        return uploads;
    if (line.readOnly())
        return failure(ErrorKind::ReadOnly, u"Can't write a history: lockctl is to look only."_s,
            u"Leave out --read-only and unset LOCKSCOPE_READ_ONLY, or leave out --into."_s);
    auto place = record::HistoryPlace::parse(line.value(u"into"_s));
    if (!place)
        return Failure(place.error());
    if (!place->recording.isEmpty())
        return failure(ErrorKind::BadInput, u"The recording names itself."_s,
            u"Leave out what follows the '#' in --into."_s);
    uploads.m_history = std::move(place->server);
    return uploads;
}

void Uploads::add(const QString& path)
{
    if (m_history)
        m_all.push_back({path, std::make_unique<record::HistoryUpload>(path, *m_history), {}});
}

void Uploads::tell(One& one, const QString& trouble)
{
    if (trouble != one.told && !trouble.isEmpty())
        complain(trouble);
    one.told = trouble;
}

void Uploads::printTroubles()
{
    for (One& one : m_all) {
        const auto state = one.upload->state();
        tell(one,
            state.error ? u"The file keeps what is to go to the history: "_s + errorText(*state.error)
                        : QString());
    }
}

void Uploads::finish()
{
    const auto until = std::chrono::steady_clock::now() + lastChance;
    for (One& one : m_all) {
        const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now());
        if (!one.upload->finish(std::max(left, milliseconds(1))))
            complain(
                u"Not all of %1 is in the history yet: the next \"lockctl record --into\" brings it there."_s
                    .arg(one.path));
    }
}

} // namespace lockscope::ctl
