// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

package main

import (
	"context"
	"database/sql"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

func gooseWith(locking goose.ProviderOption) error {
	db, err := sql.Open("pgx", "")
	if err != nil {
		return err
	}
	slow := func(context.Context, *sql.Tx) error {
		underTheLock()
		return nil
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, nil, locking,
		goose.WithGoMigrations(goose.NewGoMigration(1, &goose.GoFunc{RunTx: slow}, nil)))
	if err != nil {
		return err
	}
	_, err = provider.Up(context.Background())
	if err != nil && strings.Contains(err.Error(), "lock") {
		return errLocked{err.Error()}
	}
	return err
}

// gooseSession migrates under an advisory lock.
func gooseSession() error {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 2))
	if err != nil {
		return err
	}
	return gooseWith(goose.WithSessionLocker(locker))
}

// gooseTable migrates under a row of goose_lock.
func gooseTable() error {
	locker, err := lock.NewPostgresTableLocker(lock.WithTableLockTimeout(time.Second, 2))
	if err != nil {
		return err
	}
	return gooseWith(goose.WithLocker(locker))
}
