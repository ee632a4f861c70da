package https

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"coinslot/bff/internal/background"
)

// lookEvery is how often files are compared with what was read.
const lookEvery = 10 * time.Second

// files reads a certificate again when something else has renewed it.
type files struct {
	certificate, key string // paths
	state            *state
	log              *slog.Logger
	every            time.Duration
	read             [2]stamp // of the files that were read last
}

// stamp changes with a file. The zero stamp is of a file that cannot be seen.
type stamp struct {
	at   time.Time
	size int64
}

// newFiles reads the files. Errors: they are no certificate with its key.
func newFiles(c Config, s *state) (*files, error) {
	f := &files{
		certificate: c.Certificate,
		key:         c.Key,
		state:       s,
		log:         c.Log,
		every:       lookEvery,
	}
	f.read = f.stamps()
	certificate, err := Load(c.Certificate, c.Key)
	if err != nil {
		return nil, err
	}
	s.set(certificate)
	return f, nil
}

// Load reads a certificate and its key from PEM files, with the leaf parsed. Errors: a file cannot
// be read; they do not belong together. No error shows the key.
func Load(certificate, key string) (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("reading a certificate: %w", err)
	}
	return &pair, nil
}

func (f *files) challenge(string) *tls.Certificate { return nil }
func (f *files) response(string) string            { return "" }

// run reads files that have changed, once they have not for a while: one may be new and the other
// old for a moment.
func (f *files) run(ctx context.Context) {
	before := f.read
	for background.Sleep(ctx, f.every) {
		now := f.stamps()
		if now != f.read && now == before {
			f.read = now
			f.reload()
		}
		before = now
		f.warn()
	}
}

func (f *files) reload() {
	certificate, err := Load(f.certificate, f.key)
	if err != nil {
		f.state.fail(err)
		f.log.Error("reading the new certificate failed; the old one is served", "error", err)
		return
	}
	f.state.set(certificate)
	f.log.Info("new certificate read", "expires", certificate.Leaf.NotAfter)
}

// warn reports, once, that nothing has renewed the certificate.
func (f *files) warn() {
	certificate := f.state.certificate()
	if !isNearEnd(certificate, time.Now()) || !f.state.health().FailingSince.IsZero() {
		return
	}
	err := errors.New("nothing has renewed the certificate")
	f.state.fail(err)
	f.log.Error("the certificate expires soon", "expires", certificate.Leaf.NotAfter, "error", err)
}

func (f *files) stamps() (both [2]stamp) {
	for i, path := range []string{f.certificate, f.key} {
		info, err := os.Stat(path)
		if err == nil {
			both[i] = stamp{info.ModTime(), info.Size()}
		}
	}
	return both
}
