-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Where a sequence of the run stands.
SELECT last_value::text || ', ' || is_called::text FROM {sequence}
