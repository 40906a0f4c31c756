// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/sandbox/SandboxSupervisor.h"

namespace lockscope::sandbox {

using namespace Qt::StringLiterals;

namespace {

constexpr auto ready = "ready\n";
constexpr auto failed = "failed\n";
constexpr char separator = '\x1f';

} // namespace

QStringList SandboxTask::toArguments() const
{
    QStringList arguments{layout.directory, layout.runDirectory, programs, QString::number(account.uid),
        QString::number(account.gid), QString::number(startTimeout.count()),
        QString::number(capacity.connections), QString::number(capacity.locksPerConnection),
        QString::number(int(capacity.replicates)), QString::number(capacity.port)};
    if (!durable)
        arguments << u"--not-durable"_s;
    if (temporary)
        arguments << u"--temporary"_s;
    return arguments;
}

std::optional<SandboxTask> SandboxTask::fromArguments(const QStringList& arguments)
{
    constexpr int fixedArguments = 10;
    if (arguments.size() < fixedArguments)
        return std::nullopt;
    SandboxTask task;
    task.layout = {arguments[0], arguments[1]};
    task.programs = arguments[2];
    task.account = {arguments[3].toUInt(), arguments[4].toUInt()};
    task.startTimeout = milliseconds(arguments[5].toLongLong());
    task.capacity = {
        arguments[6].toInt(), arguments[7].toInt(), arguments[8].toInt() != 0, arguments[9].toInt()};
    task.durable = !arguments.contains(u"--not-durable"_s);
    task.temporary = arguments.contains(u"--temporary"_s);
    return task;
}

QByteArray readyReply()
{
    return ready;
}

QByteArray failedReply(const Error& error)
{
    const QByteArrayList parts{
        QByteArray::number(int(error.kind)), error.what.toUtf8(), error.detail.toUtf8(), error.hint.toUtf8()};
    return failed + parts.join(separator);
}

std::optional<Result<void>> parseReply(const QByteArray& reply, bool closed)
{
    if (reply == ready)
        return Result<void>();
    if (!closed || !reply.startsWith(failed))
        return std::nullopt;
    const QByteArrayList parts = reply.mid(qsizetype(qstrlen(failed))).split(separator);
    Error error;
    error.kind = ErrorKind(parts.value(0).toInt());
    error.what = QString::fromUtf8(parts.value(1));
    error.detail = QString::fromUtf8(parts.value(2));
    error.hint = QString::fromUtf8(parts.value(3));
    return Result<void>(Failure(std::move(error)));
}

} // namespace lockscope::sandbox
