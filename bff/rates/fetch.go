package rates

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const (
	fetchTimeout = 10 * time.Second
	maxBytes     = 1 << 20
	maxRedirects = 3
)

// remote is a source behind a URL.
type remote struct {
	name   string
	url    *url.URL
	client *http.Client
	parse  func(raw []byte, now time.Time) (Table, error)
}

func newRemote(
	name, location string, parse func(raw []byte, now time.Time) (Table, error),
) (Source, error) {
	u, err := url.Parse(location)
	if err != nil || !checkURL(u) {
		return nil, errSetting
	}
	return remote{name: name, url: u, client: newClient(), parse: parse}, nil
}

// newClient returns a client without cookies and proxies, which follows few redirects, and none to
// another host.
func newClient() *http.Client {
	return &http.Client{
		Timeout: fetchTimeout,
		Transport: &http.Transport{
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			MaxResponseHeaderBytes: maxBytes,
			MaxIdleConns:           1,
			IdleConnTimeout:        time.Minute,
		},
		CheckRedirect: func(next *http.Request, before []*http.Request) error {
			first := before[0].URL
			if next.URL.Host != first.Host || next.URL.Scheme != first.Scheme {
				return errors.New("it redirects to another host or scheme")
			}
			if len(before) > maxRedirects {
				return fmt.Errorf("it redirects more than %d times", maxRedirects)
			}
			return nil
		},
	}
}

// Name implements Source.
func (r remote) Name() string { return r.name }

// Host implements Source.
func (r remote) Host() string { return r.url.Host }

// Fetch implements Source.
func (r remote) Fetch(ctx context.Context, now time.Time) (Table, error) {
	raw, err := r.read(ctx)
	if err != nil {
		return Table{}, fmt.Errorf("reading exchange rates from %s: %w", r.Host(), err)
	}
	table, err := r.parse(raw, now)
	if err != nil {
		return Table{}, fmt.Errorf("the exchange rates of %s: %w", r.Host(), err)
	}
	return table, nil
}

func (r remote) read(ctx context.Context) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url.String(), nil)
	if err != nil {
		return nil, withoutURL(err)
	}
	req.Header.Set("User-Agent", "Coinslot")
	res, err := r.client.Do(req)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answered %d", res.StatusCode)
	}
	return readAll(res.Body)
}

// withoutURL returns an error of a client without the URL, whose path or query may be a key.
func withoutURL(err error) error {
	if whole, ok := errors.AsType[*url.Error](err); ok {
		err = whole.Err
	}
	if strings.Contains(err.Error(), "Location header") {
		return errors.New("it redirects to what is not a URL")
	}
	return err
}

func readAll(r io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err == nil && len(raw) > maxBytes {
		err = fmt.Errorf("it is larger than %d bytes", maxBytes)
	}
	return raw, err
}

// file is a source of fixed rates.
type file struct{ path string }

// Name implements Source.
func (f file) Name() string { return Fixed }

// Host implements Source.
func (f file) Host() string { return "" }

// Fetch implements Source.
func (f file) Fetch(_ context.Context, now time.Time) (Table, error) {
	raw, modified, err := f.read()
	if err != nil {
		return Table{}, fmt.Errorf("reading fixed exchange rates: %w", err)
	}
	table, err := parseFile(raw, modified, now)
	if err != nil {
		return Table{}, fmt.Errorf("the exchange rates in %s: %w", f.path, err)
	}
	return table, nil
}

func (f file) read() (raw []byte, modified time.Time, err error) {
	opened, err := os.Open(f.path)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return nil, time.Time{}, err
	}
	raw, err = readAll(opened)
	return raw, info.ModTime(), err
}
