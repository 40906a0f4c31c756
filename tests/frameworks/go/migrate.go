// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

package main

import (
	"errors"
	"io/fs"
	"net/url"
	"strings"
	"testing/fstest"
	"time"

	"github.com/golang-migrate/migrate/v4"
	_ "github.com/golang-migrate/migrate/v4/database/pgx"
	_ "github.com/golang-migrate/migrate/v4/database/pgx/v5"
	"github.com/golang-migrate/migrate/v4/source/iofs"
)

// migrations are read under the lock.
type migrations struct{ fs.FS }

func (m migrations) Open(name string) (fs.File, error) {
	if strings.HasSuffix(name, ".sql") {
		underTheLock()
	}
	return m.FS.Open(name)
}

func migrateAt(address string) error {
	files := fstest.MapFS{"1_slow.up.sql": {Data: []byte("SELECT 1")}}
	source, err := iofs.New(migrations{files}, ".")
	if err != nil {
		return err
	}
	migration, err := migrate.NewWithSourceInstance("iofs", source, address)
	if err != nil {
		if strings.Contains(err.Error(), migrate.ErrLockTimeout.Error()) || strings.Contains(err.Error(), "can't acquire") {
			return errLocked{err.Error()}
		}
		return err
	}
	migration.LockTimeout = 2 * time.Second
	err = migration.Up()
	if errors.Is(err, migrate.ErrLockTimeout) {
		return errLocked{err.Error()}
	}
	return err
}

// golangMigrate migrates under an advisory lock.
func golangMigrate() error {
	return migrateAt(address("pgx5", url.Values{"sslmode": {"disable"}}))
}

// golangMigrateTable migrates under a row of schema_lock.
func golangMigrateTable() error {
	return migrateAt(address("pgx", url.Values{"sslmode": {"disable"}, "x-lock-strategy": {"table"}}))
}
