// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sandbox/PrivateServer.h"

int main(int argc, char** argv)
{
    return lockscope::sandbox::SandboxSupervisor::main(argc, argv);
}
