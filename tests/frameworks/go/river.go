// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

package main

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

type report struct{}

func (report) Kind() string { return "report" }

type reporter struct{ river.WorkerDefaults[report] }

func (reporter) Work(context.Context, *river.Job[report]) error { return nil }

// riverLeader becomes the leader, who alone inserts periodic jobs.
func riverLeader() error {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, "")
	if err != nil {
		return err
	}
	driver := riverpgxv5.New(pool)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: quiet})
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	led := make(chan bool, 1)
	nightly := river.NewPeriodicJob(river.PeriodicInterval(time.Hour), func() (river.JobArgs, *river.InsertOpts) {
		underTheLock()
		led <- true
		return report{}, nil
	}, &river.PeriodicJobOpts{RunOnStart: true})
	workers := river.NewWorkers()
	river.AddWorker(workers, &reporter{})
	client, err := river.NewClient(driver, &river.Config{Logger: quiet, PeriodicJobs: []*river.PeriodicJob{nightly},
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 1}}, Workers: workers})
	if err != nil {
		return err
	}
	if err := client.Start(ctx); err != nil {
		return err
	}
	if isHolder() {
		stay()
	}
	select {
	case <-led:
		return client.Stop(ctx)
	// A client that is not elected at first tries again after five seconds.
	case <-time.After(12 * time.Second):
		return errLocked{"another client is the leader"}
	}
}
