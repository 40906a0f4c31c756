-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The statements of the demonstration.

-- name: change_order
-- An order goes on to its next state.
UPDATE shop.orders SET state = $2, changed_at = clock_timestamp() WHERE id = $1;

-- name: change_products_table
-- A migration: short by itself, but it waits for every reader, and every later reader waits for it.
ALTER TABLE shop.products ALTER COLUMN weight_g SET DEFAULT 0;

-- name: check_credit
-- Nobody else may change the customer until this order is through.
SELECT name, credit_limit FROM shop.customers WHERE id = $1 FOR UPDATE;

-- name: count_orders
-- The report's figures.
SELECT state, count(*) FROM shop.orders GROUP BY state ORDER BY state;

-- name: entry_exists
-- Is the row of the crashed program still there?
SELECT 1 FROM lockscope.lock_entry WHERE name = $1;

-- name: fill_cart
-- Ordinary business that meets nobody.
UPDATE shop.carts SET items = (items + 1) % 20 WHERE id = $1;

-- name: freeze_orders
-- The report wants figures that don't move: everybody may read, nobody may write.
LOCK TABLE shop.orders IN SHARE MODE;

-- name: read_product
-- A product page.
SELECT title, stock FROM shop.products WHERE id = $1;

-- name: reserve_stock
-- One piece less on the shelf.
UPDATE shop.products SET stock = stock - 1 WHERE id = $1;
