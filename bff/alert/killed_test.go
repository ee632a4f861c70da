//go:build unix

package alert_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/bff/alert"
	"coinslot/bff/attention"
	"coinslot/bff/fortest"
	"coinslot/bff/store"

	"github.com/emersion/go-smtp"
)

// childOf is the environment of this binary when it is a process to be killed: the database and the
// mail server.
const childOf = "ALERT_TEST_CHILD"

func TestMain(m *testing.M) {
	database, server, isChild := strings.Cut(os.Getenv(childOf), " ")
	if !isChild {
		os.Exit(m.Run())
	}
	if err := runChild(database, server); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// runChild reports a nearly full disk until it is killed.
func runChild(database, server string) error {
	db, err := store.Open(context.Background(), store.Config{DSN: database})
	if err != nil {
		return err
	}
	targets, err := alert.ParseTargets("owner@shop.example")
	if err != nil {
		return err
	}
	mail, err := alert.ParseMailServer("smtp://" + server + "?from=coinslot@shop.example")
	if err != nil {
		return err
	}
	return alert.New(alert.Config{
		Store: db,
		Find: func(context.Context, time.Time) ([]attention.Condition, error) {
			return []attention.Condition{{Kind: attention.Disk, Grave: true}}, nil
		},
		Targets: targets,
		Mail:    mail,
		Origin:  "https://pay.shop.example",
		Now:     db.Now,
	}).Run(context.Background())
}

// hangingMailbox does not answer the first mail.
type hangingMailbox struct {
	mails    atomic.Int64
	begun    chan struct{} // closed when the first mail has begun
	ended    chan struct{} // closed at the end of the test
	received chan string   // the others
}

func (h *hangingMailbox) NewSession(*smtp.Conn) (smtp.Session, error) { return h, nil }
func (h *hangingMailbox) Mail(string, *smtp.MailOptions) error        { return nil }
func (h *hangingMailbox) Rcpt(string, *smtp.RcptOptions) error        { return nil }
func (h *hangingMailbox) Reset()                                      {}
func (h *hangingMailbox) Logout() error                               { return nil }

func (h *hangingMailbox) Data(r io.Reader) error {
	if h.mails.Add(1) == 1 {
		_, err := io.Copy(io.Discard, r)
		close(h.begun)
		<-h.ended // the answer never comes
		return err
	}
	raw, err := io.ReadAll(r)
	h.received <- string(raw)
	return err
}

// A process that is killed after it has sent a mail, and before the server has answered, loses
// none: the next one sends it.
func TestKilledWhileSending(t *testing.T) {
	box := &hangingMailbox{
		begun:    make(chan struct{}),
		ended:    make(chan struct{}),
		received: make(chan string, 9),
	}
	defer close(box.ended)
	server := smtp.NewServer(box)
	l := fortest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })

	child := os.Args[0]
	env := childOf + "=" + filepath.Join(t.TempDir(), "coinslot.db") + " " + l.Addr().String()
	start := func() *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), child)
		cmd.Env = append(os.Environ(), env)
		cmd.Stderr = t.Output()
		fortest.OK(t, cmd.Start())
		return cmd
	}

	first := start()
	<-box.begun
	fortest.OK(t, first.Process.Kill())
	_ = first.Wait() // reports the kill

	second := start()
	fortest.Has(t, "the mail", <-box.received, "Subject: pay.shop.example: The disk is nearly full")
	fortest.OK(t, second.Process.Kill())
	_ = second.Wait()
}
