// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Console.h"
#include "app/lockctl/NamedSnapshot.h"
#include "core/base/WriteFile.h"
#include "core/metrics/MetricsWatch.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

using metrics::Format;

namespace {

constexpr auto openMetrics = "openmetrics"_L1;

int runMetrics(const CommandLine& line)
{
    const auto atMost = line.duration(u"timeout"_s);
    if (!atMost)
        return fail(atMost.error());
    if (*atMost <= milliseconds(0))
        return fail(ErrorKind::BadInput, u"--timeout needs some time."_s, u"Write 5s."_s);
    const auto servers = serversToRead(line);
    if (!servers)
        return fail(servers.error());
    if (servers->size() > 1)
        speakOf({}); // each error names its own
    metrics::MetricsWatch metrics;
    metrics.countIncidents(QString());
    monitor::ProbeSelection probes;
    probes.surroundings = true;
    const auto watches = watchesToPollOnce(*servers, probes);
    for (const auto& watch : watches)
        metrics.add(watch.get());
    pollOnce(watches, *atMost);
    int code = exitOk;
    for (const auto& watch : watches) {
        if (!watch->monitor().snapshot() && !watch->monitor().lastError())
            metrics.noteUnanswered(*watch);
        if (const auto error = errorOf(*watch))
            code = fail(*error);
    }
    const Format format = line.value(u"format"_s) == openMetrics ? Format::OpenMetrics : Format::Text;
    const auto families = metrics.families(metrics::MetricsWatch::Extent::OnePoll);
    if (line.has(u"out"_s)) {
        const auto done = writeFile(line.value(u"out"_s), metrics::written(families, format));
        return done ? code : fail(done.error());
    }
    if (line.json())
        printJson(metrics::toJson(families));
    else
        print(QString::fromUtf8(metrics::written(families, format)));
    return code;
}

} // namespace

Command metricsCommand()
{
    Command command(u"metrics"_s, u"the present figures of servers, for Prometheus"_s, runMetrics,
        u"Polls servers once and prints their figures in the text format that Prometheus and the node exporter's textfile collector read. A server is a URL or the name of one that is saved in the window. One that can't be polled is there with lockscope_up 0 and nothing else, and the command fails after it has written the others. lockscope_snapshot_timestamp_seconds says when that was. What Lockscope itself counts is left out: lockctl agent has it."_s);
    command.arguments = u"[SERVER…]"_s;
    command.examples = {u"lockctl metrics --server postgresql://ops@db/shop"_s,
        u"lockctl metrics shop stock --out /var/lib/node-exporter/lockscope.prom"_s};
    command.addValue(u"out"_s, u"FILE"_s, u"Write them there instead, all at once."_s);
    command.addValue(
        u"format"_s, u"text|openmetrics"_s, u"The form: the older one, or OpenMetrics 1.0."_s, u"text"_s);
    command.addValue(u"timeout"_s, u"TIME"_s, u"How long a server may take to answer."_s, u"5s"_s);
    return command;
}

} // namespace lockscope::ctl
