-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Tables as work queues: taking rows, finishing them, giving them back.

-- name: schema
CREATE SCHEMA {name};

-- name: create
CREATE TABLE {table} ({key} bigint NOT NULL PRIMARY KEY, {order} int NULL, {body} nvarchar(200) NULL, {stamp} {type});

-- name: add
INSERT INTO {table} ({key}, {order}, {body}) VALUES (@P1, @P2, @P3);

-- name: age
-- The row was taken @P2 seconds earlier than it was.
UPDATE {table} SET {stamp} = DATEADD(SECOND, -CAST(@P2 AS int), {stamp}) WHERE {key} = @P1;

-- name: count
SELECT COUNT(*) FROM {table};

-- name: fresh
-- How many rows were taken within the last minute, by the clock that their stamps are of.
SELECT COUNT(*) FROM {table} WHERE ABS(DATEDIFF(SECOND, {stamp}, {now})) < 60;
