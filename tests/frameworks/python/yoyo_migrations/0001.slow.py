# SPDX-FileCopyrightText: 2026 The Lockscope authors
# SPDX-License-Identifier: MIT
from frameworks import under_the_lock
from yoyo import step

steps = [step(lambda connection: under_the_lock())]
