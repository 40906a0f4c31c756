// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/OtherProcess.h"

#include "tests/support/TestProgram.h"

namespace lockscope::test {

OtherProcess::OtherProcess(const QString& role, const LockRig& rig, const QStringList& arguments)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"LOCKSCOPE_PASSWORD"_s, rig.passwords()({}).value_or(QString()));
    m_process.setProcessEnvironment(environment);
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    const LockVariant& variant = rig.variant();
    m_process.start(QCoreApplication::applicationFilePath(),
        QStringList{thisTest(), u"--play"_s, role, rig.url().toString(),
            QString::number(static_cast<int>(variant.kind)),
            variant.owner == LockOwner::Transaction ? u"transaction"_s : u"session"_s}
            + arguments);
}

OtherProcess::~OtherProcess()
{
    kill();
}

QString OtherProcess::readLine()
{
    while (!m_process.canReadLine())
        if (!m_process.waitForReadyRead(60'000))
            qFatal("the other process says nothing");
    return QString::fromUtf8(m_process.readLine()).trimmed();
}

void OtherProcess::kill()
{
    m_process.kill();
    m_process.waitForFinished();
}

int OtherProcess::wait()
{
    if (!m_process.waitForFinished(240'000))
        qFatal("the other process does not end");
    return m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : -1;
}

std::optional<Part> Part::fromCommandLine(const QStringList& arguments)
{
    if (arguments.size() < 6 || arguments[1] != u"--play"_s)
        return std::nullopt;
    Part part;
    part.role = arguments[2];
    part.url = db::ServerUrl::parse(arguments[3]).value();
    part.variant.engine = part.url.engine;
    part.variant.kind = static_cast<locks::LockKind>(arguments[4].toInt());
    part.variant.owner = arguments[5] == u"transaction"_s ? LockOwner::Transaction : LockOwner::Session;
    part.arguments = arguments.mid(6);
    return part;
}

locks::AcquireRequest Part::requestFor(const QString& name, milliseconds wait) const
{
    return {.name = name, .owner = variant.owner, .wait = wait};
}

} // namespace lockscope::test
