// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/sandbox/PrivateServer.h"

#include <poll.h>

#include <vector>

namespace lockscope::sandbox {

/// The orders for a supervisor on its command line. Nothing secret is in it.
struct SandboxTask {
    Layout layout;
    Account account;
    QString programs; ///< PostgreSQL's
    std::chrono::milliseconds startTimeout{};
    bool durable = true;
    bool temporary = false;
    Sandbox::Capacity capacity;

    QStringList toArguments() const;
    static std::optional<SandboxTask> fromArguments(const QStringList& arguments);
};

/// The descriptor on which a supervisor finds its listening socket.
inline constexpr int supervisorListenDescriptor = 3;

/// The process between the programs and their server. Each program that uses the sandbox holds a connection
/// to it; when the last one is closed, by the program or by the kernel, the server is stopped.
class SandboxSupervisor {
public:
    explicit SandboxSupervisor(SandboxTask task);
    /// Returns the process's exit status. Becomes a daemon of its own session first.
    static int main(int argc, char** argv);

private:
    int run();
    Result<void> startServer();
    void serveUntilUnused();
    void welcomeUsers();
    void dropUsersThatLeft(const std::vector<pollfd>& polled);
    void refuseUsers(const Error& error);
    void closeDoor();
    void cleanUp() const;

    const SandboxTask m_task;
    PrivateServer m_server;
    Descriptor m_door;
    std::vector<Descriptor> m_users;
    /// Users of a temporary sandbox wait for its end: the kernel closes these when everything is gone.
    std::vector<Descriptor> m_waitingForTheEnd;
};

/// A supervisor's answer to a user; then the connection stays open (ready) or is closed (failed).
QByteArray readyReply();
QByteArray failedReply(const Error& error);
/// nullopt while `reply` is not whole; an error, too, if it makes no sense or is of another version.
std::optional<Result<void>> parseReply(const QByteArray& reply);

} // namespace lockscope::sandbox
