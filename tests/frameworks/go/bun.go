// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

package main

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/migrate"
)

// bunMigrate migrates under a row of bun_migration_locks.
func bunMigrate() error {
	ctx := context.Background()
	db, err := sql.Open("pgx", "")
	if err != nil {
		return err
	}
	slow := migrate.NewMigrations()
	slow.Add(migrate.Migration{Name: "1", Up: func(context.Context, *bun.DB, any) error {
		underTheLock()
		return nil
	}})
	migrator := migrate.NewMigrator(bun.NewDB(db, pgdialect.New()), slow)
	if err := migrator.Init(ctx); err != nil {
		return err
	}
	if err := migrator.Lock(ctx); err != nil {
		return errLocked{err.Error()}
	}
	if _, err := migrator.Migrate(ctx); err != nil {
		return err
	}
	return migrator.Unlock(ctx)
}
