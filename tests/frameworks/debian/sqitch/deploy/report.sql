-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT

-- Deploy report:report to pg
CREATE TABLE IF NOT EXISTS public.report (id int);
-- A holder goes on until it is killed.
\! [ "$FRAMEWORK_ACT" = work ] || { echo held; while kill -0 "$FRAMEWORK_PID" 2>/dev/null; do sleep 0.1; done; }
