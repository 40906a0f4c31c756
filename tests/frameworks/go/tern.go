// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

package main

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/tern/v2/migrate"
)

// ternMigrate migrates under an advisory lock, and waits for somebody else's.
func ternMigrate() error {
	ctx := context.Background()
	connection, err := pgx.Connect(ctx, "")
	if err != nil {
		return err
	}
	migrator, err := migrate.NewMigrator(ctx, connection, "public.schema_version")
	if err != nil {
		return err
	}
	migrator.AppendMigration("slow", "SELECT 1", "")
	migrator.OnStart = func(int32, string, string, string) { underTheLock() }
	return migrator.Migrate(ctx)
}
