// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// frameworks NAME hold|work: see tests/frameworks/fetch for what a program writes and how it ends.
package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"
)

var programs = map[string]func() error{
	"golang-migrate":       golangMigrate,
	"golang-migrate-table": golangMigrateTable,
	"goose":                gooseSession,
	"goose-table":          gooseTable,
	"river":                riverLeader,
	"tern":                 ternMigrate,
	"bun":                  bunMigrate,
}

// errLocked is what a program returns where its framework says that somebody else holds the lock.
type errLocked struct{ reason string }

func (e errLocked) Error() string { return e.reason }

func isHolder() bool { return os.Args[2] == "hold" }

// stay never ends. Go would end a program all of whose goroutines wait for nothing.
func stay() {
	for {
		time.Sleep(time.Hour)
	}
}

// underTheLock is what a framework does while it holds its lock: nothing; a holder never comes back.
func underTheLock() {
	if isHolder() {
		fmt.Println("held")
		stay()
	}
}

// address is that of PGHOST, PGPORT, … with another scheme.
func address(scheme string, query url.Values) string {
	where := url.URL{
		Scheme:   scheme,
		User:     url.UserPassword(os.Getenv("PGUSER"), os.Getenv("PGPASSWORD")),
		Host:     os.Getenv("PGHOST") + ":" + os.Getenv("PGPORT"),
		Path:     "/" + os.Getenv("PGDATABASE"),
		RawQuery: query.Encode(),
	}
	return where.String()
}

func main() {
	var locked errLocked
	switch err := programs[os.Args[1]](); {
	case err == nil:
		fmt.Println("done")
	case errors.As(err, &locked):
		fmt.Println("locked:", locked.reason)
		os.Exit(3)
	default:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
