-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The shop of the demo workload. Idempotent; the guard makes two programs that start it at once take turns.
SELECT pg_advisory_xact_lock(hashtextextended('lockscope demo shop', 0));

CREATE SCHEMA IF NOT EXISTS shop;

CREATE TABLE IF NOT EXISTS shop.customers (
    id integer PRIMARY KEY,
    name text NOT NULL,
    credit_limit numeric(10, 2) NOT NULL DEFAULT 500
);

CREATE TABLE IF NOT EXISTS shop.products (
    id integer PRIMARY KEY,
    title text NOT NULL,
    stock integer NOT NULL,
    weight_g integer NOT NULL DEFAULT 0
);

CREATE TABLE IF NOT EXISTS shop.orders (
    id integer PRIMARY KEY,
    customer_id integer NOT NULL,
    state text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE IF NOT EXISTS shop.carts (
    id integer PRIMARY KEY,
    items integer NOT NULL DEFAULT 0
);

INSERT INTO shop.customers (id, name)
SELECT n, 'Customer ' || n FROM generate_series(1, 200) AS n
ON CONFLICT DO NOTHING;

INSERT INTO shop.products (id, title, stock)
SELECT n, 'Record ' || n, 1000 FROM generate_series(1, 100) AS n
ON CONFLICT DO NOTHING;

INSERT INTO shop.orders (id, customer_id, state)
SELECT n, n % 200 + 1, 'new' FROM generate_series(4600, 4799) AS n
ON CONFLICT DO NOTHING;

INSERT INTO shop.carts (id)
SELECT n FROM generate_series(1, 50) AS n
ON CONFLICT DO NOTHING;
