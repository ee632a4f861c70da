// Package https serves a checkout over HTTPS without a proxy: HTTP/1.1, HTTP/2 and HTTP/3 on one
// port, and on another a redirect to it.
//
// The certificate comes from an ACME server (RFC 8555), which also renews it, or from files that
// something else renews. Whatever fails, the server goes on with the certificate that it has;
// [Server.Health] and the log report it.
//
// Start from [New], [Server.Listen] and [Listener.Serve].
package https

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"coinslot/bff/internal/background"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"golang.org/x/sync/errgroup"
)

// Config says what to serve with.
type Config struct {
	// Listen is the address for HTTPS, host:port; HTTP/3 takes the same port of UDP.
	Listen string
	// Redirect is the address for plain HTTP, host:port. It answers the ACME server, and sends
	// others to PublicURL. Empty = none.
	Redirect string
	// PublicURL is an https origin. Its host is the name in the certificate.
	PublicURL string
	// Certificate and Key are the paths of PEM files: the chain, the leaf first, and its private
	// key. Empty = the certificate comes from the ACME server.
	Certificate, Key string
	// ACME is the URL of the ACME server's directory.
	ACME string
	// Folder is where certificates and the key of the ACME account are stored; it is created.
	Folder string
	Log    *slog.Logger // nil = silent
}

// Server serves over HTTPS; create one with [New].
type Server struct {
	config Config
	log    *slog.Logger
	state  state
	source source
}

// source keeps the certificate of a [Server] valid.
type source interface {
	// run obtains and renews the certificate until ctx ends.
	run(ctx context.Context)
	// challenge returns the certificate that answers a tls-alpn-01 challenge; nil = none.
	challenge(name string) *tls.Certificate
	// response returns the answer to an http-01 challenge at a path; empty = none.
	response(path string) string
}

// New returns a server with the certificate that is stored, if there is one. It sends nothing
// before [Listener.Serve]. Errors: files that cannot be used; an invalid PublicURL.
func New(c Config) (*Server, error) {
	public, err := url.Parse(c.PublicURL)
	if err != nil || public.Scheme != "https" {
		return nil, errors.New("the public URL has no https")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}

	s := &Server{config: c, log: c.Log}
	if c.Certificate != "" {
		s.source, err = newFiles(c, &s.state)
	} else {
		s.source, err = newAuthority(c, public.Hostname(), &s.state)
	}
	return s, err
}

// Health reports on the certificate.
func (s *Server) Health() Health { return s.state.health() }

// protocols are offered to browsers over TCP. Websockets need HTTP/1.1.
var protocols = []string{"h2", "http/1.1"}

// tlsConfig is for TCP. Without a certificate, handshakes fail.
func (s *Server) tlsConfig() *tls.Config {
	c := &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     protocols,
		GetCertificate: s.getCertificate,
	}
	if s.config.Certificate == "" {
		c.NextProtos = append([]string{alpnChallenge}, protocols...)
	}
	return c
}

func (s *Server) getCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	certificate := s.state.certificate()
	if len(hello.SupportedProtos) == 1 && hello.SupportedProtos[0] == alpnChallenge {
		certificate = s.source.challenge(hello.ServerName)
	}
	if certificate == nil {
		return nil, errors.New("there is no certificate yet")
	}
	return certificate, nil
}

// Listener has the open addresses of a [Server].
type Listener struct {
	server *Server
	tcp    net.Listener
	udp    net.PacketConn
	plain  net.Listener // nil = none
}

// Listen opens the addresses. The caller serves or closes the listener. Errors: an address that
// cannot be listened on.
func (s *Server) Listen() (*Listener, error) {
	tcp, err := net.Listen("tcp", s.config.Listen)
	if err != nil {
		return nil, fmt.Errorf("COINSLOT_LISTEN: %w", err)
	}

	l := &Listener{server: s, tcp: tcp}
	l.udp, err = net.ListenPacket("udp", tcp.Addr().String())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("COINSLOT_LISTEN, for HTTP/3: %w", err), l.Close())
	}
	if s.config.Redirect == "" {
		return l, nil
	}

	l.plain, err = net.Listen("tcp", s.config.Redirect)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("COINSLOT_HTTP_LISTEN: %w", err), l.Close())
	}
	return l, nil
}

// Addr is the address for HTTPS.
func (l *Listener) Addr() net.Addr { return l.tcp.Addr() }

// Close closes a listener that is not served.
func (l *Listener) Close() error {
	err := l.tcp.Close()
	if l.udp != nil {
		err = errors.Join(err, l.udp.Close())
	}
	if l.plain != nil {
		err = errors.Join(err, l.plain.Close())
	}
	return err
}

// Serve answers by web's handler and with its limits, and keeps the certificate valid, in the group
// until ctx ends. Then requests have five seconds to finish. Web belongs to Serve.
func (l *Listener) Serve(ctx context.Context, group *errgroup.Group, web *http.Server) {
	s := l.server
	if l.plain != nil {
		redirect := s.redirectServer(web)
		address := l.plain.Addr().String()
		background.Serve(ctx, group, address, redirect, func() error { return redirect.Serve(l.plain) })
	}

	quic := quicServer{s.http3Server(web), l.udp}
	handler := web.Handler
	web.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// It fails only while HTTP/3 is not served.
		_ = quic.SetQUICHeaders(w.Header())
		handler.ServeHTTP(w, r)
	})
	web.TLSConfig = s.tlsConfig()
	// Handshakes that fail are of scanners, mostly.
	web.ErrorLog = slog.NewLogLogger(s.log.Handler(), slog.LevelDebug)

	address := l.Addr().String()
	background.Serve(ctx, group, address, web, func() error { return web.ServeTLS(l.tcp, "", "") })
	background.Serve(ctx, group, address, quic, func() error { return quic.Serve(quic.socket) })
	group.Go(func() error {
		s.source.run(ctx)
		return nil
	})
}

// http3Server answers by web's handler, with its limits.
func (s *Server) http3Server(web *http.Server) *http3.Server {
	// A receive buffer below 7 MB is enough for this server, and no line of the log.
	_ = os.Setenv("QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING", "true")

	handler := web.Handler
	return &http3.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			stream := http.NewResponseController(w)
			err := errors.Join(
				stream.SetReadDeadline(deadline(web.ReadTimeout)),
				stream.SetWriteDeadline(deadline(web.WriteTimeout)),
			)
			if err != nil {
				panic(http.ErrAbortHandler) // it cannot be bounded
			}
			handler.ServeHTTP(w, r)
		}),
		TLSConfig: s.tlsConfig(),
		QUICConfig: &quic.Config{
			// Early data can be replayed, and a POST opens a payment.
			Allow0RTT:            false,
			HandshakeIdleTimeout: web.ReadHeaderTimeout,
			MaxIdleTimeout:       web.IdleTimeout,
			MaxIncomingStreams:   100,
			// Bodies have at most 64 KiB.
			MaxStreamReceiveWindow:     256 << 10,
			MaxConnectionReceiveWindow: 1 << 20,
		},
		MaxHeaderBytes: web.MaxHeaderBytes,
		IdleTimeout:    web.IdleTimeout,
		Port:           s.publicPort(),
	}
}

// deadline is the end of a timeout that begins now; zero = none, as in net/http.
func deadline(timeout time.Duration) time.Time {
	if timeout <= 0 {
		return time.Time{}
	}
	return time.Now().Add(timeout)
}

// publicPort is the one that browsers connect to.
func (s *Server) publicPort() int {
	public, err := url.Parse(s.config.PublicURL)
	if err != nil {
		return 443 // New has parsed it
	}
	port, err := strconv.Atoi(public.Port())
	if err != nil {
		return 443
	}
	return port
}

// redirectServer answers challenges, and sends what only reads to the public URL. What has a body
// may have a key with it, and is refused: its sender has to be corrected.
func (s *Server) redirectServer(web *http.Server) *http.Server {
	answer := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if text := s.source.response(r.URL.Path); text != "" {
			fmt.Fprint(w, text)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "Use "+s.config.PublicURL, http.StatusForbidden)
			return
		}
		http.Redirect(w, r, s.config.PublicURL+r.URL.RequestURI(), http.StatusPermanentRedirect)
	}
	return &http.Server{
		Handler:           http.HandlerFunc(answer),
		ReadHeaderTimeout: web.ReadHeaderTimeout,
		ReadTimeout:       web.ReadTimeout,
		WriteTimeout:      web.WriteTimeout,
		IdleTimeout:       web.ReadHeaderTimeout,
		MaxHeaderBytes:    web.MaxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}

// quicServer closes its socket at the end, which package http3 leaves open.
type quicServer struct {
	*http3.Server
	socket net.PacketConn
}

// Shutdown lets requests finish until ctx ends.
func (q quicServer) Shutdown(ctx context.Context) error {
	if err := q.Server.Shutdown(ctx); err != nil {
		return err
	}
	return q.socket.Close()
}

// Close ends requests.
func (q quicServer) Close() error { return errors.Join(q.Server.Close(), q.socket.Close()) }
