-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- As which login and user do we act here?
SELECT
    SUSER_SNAME(),
    USER_NAME();
