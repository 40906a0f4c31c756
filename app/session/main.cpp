// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/run/SessionProtocol.h"

int main(int argc, char** argv)
{
    return lockscope::scenario::runSessionProgram(argc, argv);
}
