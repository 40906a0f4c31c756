-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Who waits looks for a deadlock after this time, once: so that the one who closes the ring is the victim.
SET deadlock_timeout = '1ms'
