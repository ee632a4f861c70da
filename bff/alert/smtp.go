package alert

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/netip"
	"net/smtp"
	"net/url"
	"strings"
	"time"
)

// MailServer is the server that mail is handed to. Its zero value is none.
type MailServer struct {
	Host, Port string // where it listens
	// Implicit says that TLS begins at once, else with STARTTLS.
	Implicit bool
	From     string // the sender's address

	user, password string // empty = no login
	roots          *x509.CertPool
}

// ParseMailServer reads smtps://user:password@mail.example:465 or smtp://…:587. The sender is the
// query's from, else the user. TLS is required, except on this machine. Errors never hold the
// value.
func ParseMailServer(text string) (m MailServer, err error) {
	u, err := url.Parse(text)
	if err != nil {
		return m, errors.New("must be a URL like smtps://user:password@mail.example:465: " +
			"percent-encode special characters of the password (% as %25, # as %23, / as %2F, " +
			"? as %3F, @ as %40)")
	}

	port := map[string]string{"smtps": "465", "smtp": "587"}[u.Scheme]
	if port == "" || u.Hostname() == "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
		return m, errors.New("must be a URL like smtps://user:password@mail.example:465, or " +
			"smtp://user:password@mail.example:587 for STARTTLS")
	}
	password, _ := u.User.Password()
	m = MailServer{
		Host:     u.Hostname(),
		Port:     cmp.Or(u.Port(), port),
		Implicit: u.Scheme == "smtps",
		From:     cmp.Or(u.Query().Get("from"), u.User.Username()),
		user:     u.User.Username(),
		password: password,
	}
	if checkAddress(m.From) != nil {
		return m, errors.New("needs a sender: add ?from=coinslot@shop.example")
	}
	return m, nil
}

// IsSet reports whether there is a server.
func (m MailServer) IsSet() bool { return m.Host != "" }

// Address is host:port.
func (m MailServer) Address() string { return net.JoinHostPort(m.Host, m.Port) }

// String shows the server without its password.
func (m MailServer) String() string {
	if !m.IsSet() {
		return "(not set)"
	}
	return m.Address()
}

// GoString is String, for %#v.
func (m MailServer) GoString() string { return m.String() }

// MarshalText is String, for encoders and structured logs.
func (m MailServer) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// send hands a message over. It is accepted once the server has answered the end of the data.
// Errors: of the connection; the server's refusal.
func (m MailServer) send(ctx context.Context, to string, message Message, now time.Time) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", m.Address())
	if err != nil {
		return fmt.Errorf("connecting to the mail server: %w", err)
	}
	defer conn.Close()
	deadline, limited := ctx.Deadline()
	if limited {
		if err := conn.SetDeadline(deadline); err != nil {
			return fmt.Errorf("connecting to the mail server: %w", err)
		}
	}

	if m.Implicit {
		conn = tls.Client(conn, m.tls())
	}
	client, err := smtp.NewClient(conn, m.Host)
	if err != nil {
		return fmt.Errorf("greeting the mail server: %w", err)
	}
	if err := m.login(client); err != nil {
		return err
	}
	return m.deliver(client, to, message, now)
}

func (m MailServer) tls() *tls.Config {
	return &tls.Config{ServerName: m.Host, RootCAs: m.roots, MinVersion: tls.VersionTLS12}
}

// login makes the connection private, and signs in.
func (m MailServer) login(client *smtp.Client) error {
	offered, _ := client.Extension("STARTTLS")
	switch {
	case m.Implicit:
	case offered:
		if err := client.StartTLS(m.tls()); err != nil {
			return fmt.Errorf("starting TLS with the mail server: %w", err)
		}
	case !isLoopback(m.Host):
		return errors.New("the mail server does not offer STARTTLS: use smtps:// or another server")
	}
	if m.user == "" || m.password == "" {
		return nil
	}
	if err := client.Auth(smtp.PlainAuth("", m.user, m.password, m.Host)); err != nil {
		return fmt.Errorf("signing in to the mail server: %w", err)
	}
	return nil
}

func isLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

func (m MailServer) deliver(
	client *smtp.Client, to string, message Message, now time.Time,
) error {
	if err := client.Mail(m.From); err != nil {
		return fmt.Errorf("naming the sender to the mail server: %w", err)
	}
	if err := client.Rcpt(to); err != nil {
		return fmt.Errorf("naming the recipient to the mail server: %w", err)
	}
	data, err := client.Data()
	if err != nil {
		return fmt.Errorf("sending the mail: %w", err)
	}
	if _, err := data.Write(m.compose(to, message, now)); err != nil {
		return fmt.Errorf("sending the mail: %w", err)
	}
	if err := data.Close(); err != nil { // the server's answer
		return fmt.Errorf("sending the mail: %w", err)
	}
	_ = client.Quit() // the mail is accepted, whatever becomes of this
	return nil
}

// compose returns a mail of plain text. A message that is sent twice has the same Message-ID.
// Sources: RFC 5322, RFC 2047, RFC 3834.
func (m MailServer) compose(to string, message Message, now time.Time) []byte {
	_, domain, _ := strings.Cut(m.From, "@")
	var out bytes.Buffer
	for _, header := range [][2]string{
		{"From", "Coinslot <" + m.From + ">"},
		{"To", "<" + to + ">"},
		{"Subject", mime.QEncoding.Encode("utf-8", message.Title)},
		{"Date", now.UTC().Format(time.RFC1123Z)},
		{"Message-ID", "<" + message.ID + "@" + domain + ">"},
		{"Auto-Submitted", "auto-generated"},
		{"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"},
		{"Content-Transfer-Encoding", "quoted-printable"},
	} {
		out.WriteString(header[0] + ": " + header[1] + "\r\n")
	}

	out.WriteString("\r\n")
	body := quotedprintable.NewWriter(&out)
	text := strings.ReplaceAll(message.Text+"\n", "\n", "\r\n")
	_, err := body.Write([]byte(text))
	err = errors.Join(err, body.Close())
	if err != nil {
		panic("alert: writing to a buffer: " + err.Error())
	}
	return out.Bytes()
}
