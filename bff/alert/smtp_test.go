package alert

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	"net/mail"
	netsmtp "net/smtp"
	"strings"
	"testing"

	"coinslot/bff/fortest"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// mailbox is a mail server, and what it has accepted.
type mailbox struct {
	port     string
	roots    *x509.CertPool
	received chan string // whole mails
	// refuse is the answer to a recipient; nil = it is accepted. Drop ends the first connection in
	// the middle of a mail.
	refuse error
	drop   bool
}

// newMailbox starts a server with STARTTLS, or with TLS at once.
func newMailbox(t *testing.T, implicit bool) *mailbox {
	web := httptest.NewTLSServer(nil) // for its certificate
	defer web.Close()
	box := &mailbox{received: make(chan string, 9), roots: x509.NewCertPool()}
	box.roots.AddCert(web.Certificate())

	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &mailSession{box: box, conn: c}, nil
	}))
	server.TLSConfig = &tls.Config{Certificates: web.TLS.Certificates}
	l := fortest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	_, box.port, _ = net.SplitHostPort(l.Addr().String())
	if implicit {
		l = tls.NewListener(l, server.TLSConfig)
	}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return box
}

// mailSession is one connection to the server.
type mailSession struct {
	box    *mailbox
	conn   *smtp.Conn
	signed bool
}

func (s *mailSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *mailSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		s.signed = user == "shop@mail.example" && password == "s3cr3t/@"
		if !s.signed {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

func (s *mailSession) Mail(string, *smtp.MailOptions) error {
	if !s.signed {
		return smtp.ErrAuthRequired
	}
	return nil
}

func (s *mailSession) Rcpt(string, *smtp.RcptOptions) error { return s.box.refuse }

func (s *mailSession) Data(r io.Reader) error {
	if s.box.drop {
		s.box.drop = false
		_, _ = io.ReadFull(r, make([]byte, 10))
		return s.conn.Close()
	}
	raw, err := io.ReadAll(r)
	if err == nil {
		s.box.received <- string(raw)
	}
	return err
}

func (s *mailSession) Reset()        {}
func (s *mailSession) Logout() error { return nil }

// server returns the settings of the mailbox.
func (b *mailbox) server(t *testing.T, scheme, login string) MailServer {
	m := fortest.Must(ParseMailServer(
		fmt.Sprintf("%s://%s@127.0.0.1:%s?from=coinslot@mail.example", scheme, login, b.port)))(t)
	m.roots = b.roots
	return m
}

const goodLogin = "shop%40mail.example:s3cr3t%2F%40"

func mailing(t *testing.T, m MailServer) *Service {
	return New(Config{
		Targets: fortest.Must(ParseTargets("owner@shop.example"))(t),
		Mail:    m,
		Origin:  "https://pay.shop.example",
	})
}

// A mail arrives as it was written, over both kinds of TLS.
func TestMail(t *testing.T) {
	for scheme, implicit := range map[string]bool{"smtp": false, "smtps": true} {
		t.Run(scheme, func(t *testing.T) {
			box := newMailbox(t, implicit)
			s := mailing(t, box.server(t, scheme, goodLogin))
			m := Message{
				ID:    "m1",
				Title: "Bücher: ein Fall",
				Text:  "two\n.lines, ä\n" + strings.Repeat("x", 300),
			}
			fortest.OK(t, s.send(t.Context(), s.Targets[0], m))

			got := fortest.Must(mail.ReadMessage(strings.NewReader(<-box.received)))(t)
			var decoder mime.WordDecoder
			subject := fortest.Must(decoder.DecodeHeader(got.Header.Get("Subject")))(t)
			fortest.Equal(t, subject, m.Title, "the subject")
			for name, want := range map[string]string{
				"From":       "Coinslot <coinslot@mail.example>",
				"To":         "<owner@shop.example>",
				"Message-ID": "<m1@mail.example>",
			} {
				fortest.Equal(t, got.Header.Get(name), want, "the header %s", name)
			}
			text := fortest.Must(io.ReadAll(quotedprintable.NewReader(got.Body)))(t)
			plain := strings.ReplaceAll(string(text), "\r\n", "\n")
			fortest.Equal(t, plain, m.Text+"\n", "the text")
		})
	}
}

// What a server refuses is an error, without the password.
func TestMailIsRefused(t *testing.T) {
	box := newMailbox(t, false)
	box.refuse = &smtp.SMTPError{Code: 452, Message: "mailbox full"}
	for login, want := range map[string]string{
		goodLogin:                       "452",
		"shop%40mail.example:s3cr3tbad": "signing in",
	} {
		err := mailing(t, box.server(t, "smtp", login)).Test(t.Context())[0].Error
		fortest.Has(t, "the error", err, want)
		fortest.Lacks(t, "the error", err, "s3cr3t")
	}

	stranger := box.server(t, "smtp", goodLogin)
	stranger.roots = nil
	err := mailing(t, stranger).Test(t.Context())[0].Error
	fortest.Has(t, "the error of a certificate that is not trusted", err, "starting TLS")
}

// Without STARTTLS nothing is sent to another machine.
func TestMailNeedsTLS(t *testing.T) {
	box := &mailbox{}
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &mailSession{box: box, conn: c}, nil
	}))
	l := fortest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	conn := fortest.Must(net.Dial("tcp", l.Addr().String()))(t)
	client := fortest.Must(netsmtp.NewClient(conn, "mail.example"))(t)
	defer client.Close()

	err := MailServer{Host: "mail.example"}.login(client)
	fortest.Has(t, "the error", fmt.Sprint(err), "STARTTLS")
	fortest.OK(t, MailServer{Host: "127.0.0.1"}.login(client))
}

// A server that ends the connection in the middle of a mail gets it again.
func TestMailIsSentAgain(t *testing.T) {
	box := newMailbox(t, false)
	box.drop = true
	s := mailing(t, box.server(t, "smtp", goodLogin))
	m := Message{ID: "m1", Text: "text"}
	state, _ := State{}.send(m, s.Targets, noon)
	kept := state
	save := func(_ context.Context, state State) error {
		kept = state
		return nil
	}
	fortest.OK(t, s.deliver(t.Context(), &state, save))
	fortest.Equal(t, kept.Messages[0].Deliveries[0].Tries, 1, "tries that are stored")

	kept.Messages[0].Deliveries[0].NextAt = noon // the time has come
	fortest.OK(t, s.deliver(t.Context(), &kept, save))
	fortest.Has(t, "the mail", <-box.received, "text")
	fortest.Equal(t, len(kept.Messages), 0, "messages that wait")
}

// The settings of a server have a form each, and errors do not hold the password.
func TestParseMailServer(t *testing.T) {
	for text, want := range map[string]string{
		"smtps://a%40b.example:s3cr3t@mail.example":           "mail.example:465 a@b.example",
		"smtp://a%40b.example:s3cr3t@mail.example:2525":       "mail.example:2525 a@b.example",
		"smtp://user:s3cr3t@mail.example?from=a@shop.example": "mail.example:587 a@shop.example",
		"smtp://127.0.0.1:25?from=shop@shop.example":          "127.0.0.1:25 shop@shop.example",
	} {
		m := fortest.Must(ParseMailServer(text))(t)
		fortest.Equal(t, m.Address()+" "+m.From, want, "%s", text)
		fortest.Lacks(t, "how it prints", fmt.Sprintf("%v %+v %#v", m, m, m), "s3cr3t")
	}
	for _, bad := range []string{
		"", "mail.example", "https://s3cr3t@mail.example", "smtp://user:s3cr3t@mail.example",
		"smtp://", "smtps://a%40b.example:s3cr3t@mail.example/path", "smtp://a:s3cr%t@mail.example",
		"smtp://mail.example?from=x%0d%0aBcc:s3cr3t@b.example",
	} {
		_, err := ParseMailServer(bad)
		if err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("ParseMailServer(%q) = %v; want an error without the value", bad, err)
		}
	}
}
