-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A lock lives as long as its session or its transaction: no time-out cuts a wait but the one that its owner gives, and an
-- error leaves no half-done transaction behind with a lock in it.
SET ANSI_NULLS ON;
SET ANSI_PADDING ON;
SET ANSI_WARNINGS ON;
SET ARITHABORT ON;
SET CONCAT_NULL_YIELDS_NULL ON;
SET NUMERIC_ROUNDABORT OFF;
SET QUOTED_IDENTIFIER ON;
SET IMPLICIT_TRANSACTIONS OFF;
SET ROWCOUNT 0;
SET XACT_ABORT ON;
SET LOCK_TIMEOUT -1;
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
