-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- One of several statements that travel together (db::Connection::executeBatch). {text} and {declaration} are literals,
-- {arguments} is empty or ", @P1 = @P3, …": a parameter of this statement, and which one it is in the whole batch. Each
-- statement's own rows come first, then one row that ends it: how it went. An error of one leaves the others alone.
BEGIN TRY
    EXEC sys.sp_executesql {text}, {declaration}{arguments};
    SELECT
        ROWCOUNT_BIG() AS lockscope_item_end,
        0 AS error_number,
        '' AS error_message;
END TRY
BEGIN CATCH
    SELECT
        CAST(-1 AS bigint) AS lockscope_item_end,
        ERROR_NUMBER() AS error_number,
        ERROR_MESSAGE() AS error_message;
END CATCH;
