-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Nobody else may change the customer until this order is through.
SELECT name, credit_limit FROM shop.customers WHERE id = $1 FOR UPDATE
