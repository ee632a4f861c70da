package store

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"slices"
	"time"

	"coinslot/bff/webhook"
)

// endpointLease is for how long a URL counts as configured after an instance renewed
// it. It outlasts a missed renewal and the lease of a delivery.
const endpointLease = 2 * time.Minute

const (
	nextEndpoint = `SELECT endpoint FROM deliveries WHERE state = 'open' AND endpoint > $1
		ORDER BY endpoint LIMIT 1`
	// PostgreSQL only; SQLite has no such table.
	renewEndpoint = `INSERT INTO webhook_endpoints (endpoint, seen_at) VALUES ($1, $2)
		ON CONFLICT (endpoint) DO UPDATE
		SET seen_at = GREATEST(webhook_endpoints.seen_at, excluded.seen_at)`
	insertEndpoint = `INSERT INTO webhook_endpoints (endpoint, seen_at) VALUES ($1, $2)
		ON CONFLICT (endpoint) DO NOTHING`
	endpointSeen = `SELECT seen_at FROM webhook_endpoints WHERE endpoint = $1`
)

// RenewEndpoints records that this instance has its URLs configured, for the other instances. An
// unknown URL with open deliveries counts as configured for a lease, too: an instance that starts
// may have written them before it has renewed.
func (db *DB) RenewEndpoints(ctx context.Context) error {
	if !db.Shared() {
		return nil
	}

	err := db.Write(ctx, func(tx *sql.Tx) error {
		open, err := openEndpoints(ctx, tx)
		if err != nil {
			return err
		}

		now := db.Now().UnixMicro()
		record := func(query string, endpoints []string) error {
			for _, endpoint := range endpoints {
				if _, err := tx.ExecContext(ctx, query, keyOf(endpoint), now); err != nil {
					return err
				}
			}
			return nil
		}
		// In one order, so that instances do not deadlock.
		own := slices.Sorted(slices.Values(db.endpoints))
		if err := record(renewEndpoint, own); err != nil {
			return err
		}

		return record(insertEndpoint, open)
	})
	return wrap(err, "renewing the webhook URLs of this instance")
}

// openEndpoints returns the URLs to which deliveries are open, sorted.
func openEndpoints(ctx context.Context, q queryer) (list []string, err error) {
	for last := ""; ; {
		err := q.QueryRowContext(ctx, nextEndpoint, last).Scan(&last)
		if errors.Is(err, sql.ErrNoRows) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, fromKey(last))
	}
}

// IsConfigured reports whether this instance or another running one has the URL.
func (db *DB) IsConfigured(
	ctx context.Context, q queryer, endpoint string,
) (bool, error) {
	if slices.Contains(db.endpoints, endpoint) {
		return true, nil
	}
	if !db.Shared() {
		return false, nil
	}

	var seen int64
	err := q.QueryRowContext(ctx, endpointSeen, keyOf(endpoint)).Scan(&seen)
	if errors.Is(err, sql.ErrNoRows) { // the next pass notes it
		return true, nil
	}

	return seen > db.Now().Add(-endpointLease).UnixMicro(), err
}

// Unrouted implements webhook.Rerouting.
func (db *DB) Unrouted(ctx context.Context) (list []webhook.Backlog, err error) {
	err = db.View(ctx, func(ctx context.Context, q queryer) error {
		list, err = db.CountUnrouted(ctx, q)
		return err
	})
	return list, wrap(err, "counting deliveries to URLs that are not configured")
}

// OpenBacklogs returns what is open to each URL.
func (db *DB) OpenBacklogs(ctx context.Context) ([]webhook.Backlog, error) {
	list, err := backlogs(ctx, db.Reader, func(string) (bool, error) { return true, nil })
	return list, wrap(err, "counting open webhooks")
}

// CountUnrouted is Unrouted on a connection of the caller's.
func (db *DB) CountUnrouted(ctx context.Context, q queryer) ([]webhook.Backlog, error) {
	return backlogs(ctx, q, func(endpoint string) (bool, error) {
		configured, err := db.IsConfigured(ctx, q, endpoint)
		return !configured, err
	})
}

// backlogs returns what is open to each URL that include selects.
func backlogs(
	ctx context.Context, q queryer, include func(endpoint string) (bool, error),
) (list []webhook.Backlog, err error) {
	open, err := openEndpoints(ctx, q)
	if err != nil {
		return nil, err
	}

	for _, endpoint := range open {
		if included, err := include(endpoint); err != nil {
			return nil, err
		} else if !included {
			continue
		}
		b, err := backlog(ctx, q, endpoint)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}

	return list, nil
}

func backlog(ctx context.Context, q queryer, endpoint string) (webhook.Backlog, error) {
	b := webhook.Backlog{Endpoint: endpoint}
	var oldest sql.NullInt64
	err := q.QueryRowContext(ctx, countOpenTo, keyOf(endpoint)).Scan(&b.Waiting, &oldest)
	b.OldestAt = timeOf(oldest)
	return b, err
}

// endpointHost is a URL without its path and query, which may hold a secret.
func endpointHost(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		return "unknown"
	}
	return u.Host
}
