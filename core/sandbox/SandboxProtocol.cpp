// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/sandbox/SandboxSupervisor.h"

#include <QDataStream>
#include <QIODevice>

namespace lockscope::sandbox {

using namespace Qt::StringLiterals;

namespace {

// Another one with every change of the reply, so that programs of two versions notice it.
constexpr quint32 replyMark = 0x4c53'5201;
constexpr qsizetype maxReplyBytes = 1 << 20;

/// Ready: the error says nothing.
QByteArray replyOf(const Error& error)
{
    QByteArray reply;
    QDataStream stream(&reply, QIODevice::WriteOnly);
    stream.setVersion(QDataStream::Qt_6_4);
    stream << replyMark << quint8(error.kind) << error.what << error.detail << error.hint;
    return reply;
}

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
    task.capacity = {.connections = arguments[6].toInt(),
        .locksPerConnection = arguments[7].toInt(),
        .replicates = arguments[8].toInt() != 0,
        .port = arguments[9].toInt()};
    task.durable = !arguments.contains(u"--not-durable"_s);
    task.temporary = arguments.contains(u"--temporary"_s);
    return task;
}

QByteArray readyReply()
{
    return replyOf(Error());
}

QByteArray failedReply(const Error& error)
{
    return replyOf(error);
}

std::optional<Result<void>> parseReply(const QByteArray& reply)
{
    QDataStream stream(reply);
    stream.setVersion(QDataStream::Qt_6_4);
    stream.startTransaction();
    quint32 mark = 0;
    quint8 kind = 0;
    Error error;
    stream >> mark;
    const bool isOurs = stream.status() != QDataStream::Ok || mark == replyMark;
    stream >> kind >> error.what >> error.detail >> error.hint;
    const bool isWhole = stream.commitTransaction();
    if (!isOurs || kind > quint8(ErrorKind::Internal) || (!isWhole && reply.size() > maxReplyBytes))
        return Result<void>(failure(ErrorKind::Internal,
            u"The program of the sandbox, lockscope-sandbox, answers what makes no sense."_s,
            u"End the programs that use the sandbox, and install Lockscope's programs together."_s));
    if (!isWhole)
        return std::nullopt;
    if (error.what.isEmpty())
        return Result<void>();
    error.kind = ErrorKind(kind);
    return Result<void>(Failure(std::move(error)));
}

} // namespace lockscope::sandbox
