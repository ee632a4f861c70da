package deploy

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/check"
	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"
	"coinslot/bff/store"
	"coinslot/bff/web"
	"coinslot/e2e/child"
	"coinslot/e2e/need"
	"coinslot/static"
)

const host = "pay.shop.example"

// certificate writes a self-signed certificate and returns a pool that trusts it.
func certificate(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key := fortest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(90 * 24 * time.Hour),
		DNSNames:              []string{host},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der := fortest.Must(x509.CreateCertificate(rand.Reader, template, template, key.Public(),
		key))(t)
	private := fortest.Must(x509.MarshalPKCS8PrivateKey(key))(t)
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	fortest.OK(t, errors.Join(os.WriteFile(filepath.Join(dir, "fullchain.pem"), cert, 0o600),
		os.WriteFile(filepath.Join(dir, "privkey.pem"),
			pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600)))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	return pool
}

// startProxy starts a proxy and waits until it accepts connections.
func startProxy(t *testing.T, port string, command ...string) {
	t.Helper()
	var said bytes.Buffer
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = &said, &said
	child.Tie(cmd)
	cmd.WaitDelay = 5 * time.Second
	fortest.OK(t, cmd.Start())
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(20 * time.Millisecond) {
		select {
		case <-ended:
			t.Fatalf("%s has ended: %s", command[0], &said)
		default:
		}
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			conn.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not listen: %v", command[0], err)
		}
	}
}

// nginx runs deploy/nginx.conf with other ports and certificates.
func nginx(t *testing.T, dir, port, upstream string) {
	nginxWith(t, dir, port, upstream, func(site string) string { return site })
}

// nginxWith is nginx with a changed site.
func nginxWith(t *testing.T, dir, port, upstream string, change func(site string) string) {
	need.Long(t, "it runs nginx")
	program, err := exec.LookPath("nginx")
	if err != nil {
		if program = "/usr/sbin/nginx"; !exists(program) { // Debian's, which is in root's PATH only
			program = need.Command(t, "nginx")
		}
	}
	site := strings.NewReplacer("127.0.0.1:8080", upstream, "/etc/letsencrypt/live/"+host, dir,
		"listen 443 ssl http2", "listen 127.0.0.1:"+port+
			" ssl http2", "listen 80", "listen 127.0.0.1:"+fortest.FreePort(t),
		"    listen [::]:80;\n", "", "    listen [::]:443 ssl http2;\n", "").Replace(change(read(t,
		"nginx.conf")))
	paths := ""
	for _, what := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		paths += what + "_temp_path " + dir + "/" + what + ";\n"
	}
	whole := "daemon off; master_process off; pid " + dir +
		"/pid; error_log stderr; events {}\nhttp { access_log off;\n" + paths + site + "}\n"
	if os.Getuid() == 0 {
		whole = "user root;\n" + whole
	}
	conf := filepath.Join(dir, "nginx.conf")
	fortest.OK(t, os.WriteFile(conf, []byte(whole), 0o600))
	if out, err := exec.Command(program, "-t", "-e", "stderr", "-c",
		conf).CombinedOutput(); err != nil || strings.Contains(string(out), "[warn]") {
		t.Fatalf("nginx -t: %v\n%s", err, out)
	}
	startProxy(t, port, program, "-e", "stderr", "-c", conf)
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// caddy runs deploy/Caddyfile.
func caddy(t *testing.T, dir, port, upstream string) {
	program := need.Server(t, "caddy")
	text := strings.NewReplacer("127.0.0.1:8080", upstream, "\n{\n", "\n{\n\tadmin off\n\tauto_https disable_redirects\n",
		host+
			" {", host+":"+port+" {\n\ttls "+dir+"/fullchain.pem "+dir+
			"/privkey.pem").Replace(read(t, "Caddyfile"))
	conf := filepath.Join(dir, "Caddyfile")
	fortest.OK(t, os.WriteFile(conf, []byte(text), 0o600))
	startProxy(t, port, program, "run", "--adapter", "caddyfile", "--config", conf)
}

// proxied is a checkout behind a proxy.
type proxied struct {
	t      *testing.T
	port   string
	roots  *x509.CertPool
	config config.Config
	env    []string
}

func startBehind(t *testing.T, proxy func(t *testing.T, dir, port, upstream string)) *proxied {
	t.Helper()
	api := httptest.NewServer(sandbox.New(sandbox.Config{Key: "gateway-key-0123456789"}))
	t.Cleanup(api.Close)
	dir := t.TempDir()
	b := &proxied{t: t, port: fortest.FreePort(t), roots: certificate(t, dir), env: []string{
		"COINSLOT_GATEWAY_URL=" + api.URL, "COINSLOT_GATEWAY_KEY=gateway-key-0123456789",
		"COINSLOT_SECRET_KEY=0123456789abcdef0123456789abcdef",
		"COINSLOT_PUBLIC_URL=https://" + host, "COINSLOT_ORIGINS=https://shop.example",
		"COINSLOT_DATABASE=" + filepath.Join(dir, "coinslot.db"),
		"COINSLOT_TRUSTED_PROXIES=127.0.0.1/32,::1/128",
		"COINSLOT_ADMIN_PROXY_HEADER=X-Forwarded-User",
	}}
	var err error
	if b.config, err = config.Load(b.env, nil); err != nil {
		t.Fatal(err)
	}
	srv := fortest.Must(server.New(t.Context(), b.config,
		server.Options{Limits: web.Limits{Reads: 20}}))(t)
	t.Cleanup(func() { srv.Close() })
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, named := r.Header["X-Forwarded-User"]; named {
			t.Errorf("%s has X-Forwarded-User: whoever sends it is an operator", r.URL.Path)
		}
		// The clients are on this machine, which has no limit.
		for i, client := range r.Header["X-Forwarded-For"] {
			r.Header["X-Forwarded-For"][i] = strings.ReplaceAll(client, "127.0.0.", "192.0.2.")
		}
		srv.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(upstream.Close)
	proxy(t, dir, b.port, upstream.Listener.Addr().String())
	return b
}

// client returns a client that connects from that address.
func (b *proxied) client(address string) *http.Client {
	from := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{
		DisableCompression: true,
		ForceAttemptHTTP2:  true,
		TLSClientConfig:    &tls.Config{RootCAs: b.roots},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return from.DialContext(ctx, network, "127.0.0.1:"+b.port)
		},
	}
	b.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func (b *proxied) request(
	c *http.Client, method, path, body string, header ...string,
) *http.Response {
	b.t.Helper()
	req := fortest.Must(http.NewRequestWithContext(b.t.Context(), method, "https://"+host+path,
		strings.NewReader(body)))(b.t)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp := fortest.Must(c.Do(req))(b.t)
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	return resp
}

// The proxies of deploy/ pass on everything that a checkout needs: headers, sockets, compressed
// files, and client addresses.
func TestProxies(t *testing.T) {
	for name, proxy := range map[string]func(t *testing.T, dir, port, upstream string){
		"nginx": nginx,
		"caddy": caddy,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			need.Assets(t, static.Files)
			l, err := net.Listen("tcp", "127.0.0.2:0") // of the clients below
			if err != nil {
				need.Tool(
					t,
					fmt.Errorf(
						"127.0.0.2 is no address of this machine: %w: add it to its loopback interface",
						err,
					),
				)
			}
			l.Close()
			b := startBehind(t, proxy)
			b.runCheck()
			one, other := b.client("127.0.0.2"), b.client("127.0.0.3")
			if got := b.request(one, "GET", "/checkout.js", "", "Accept-Encoding",
				"br"); got.StatusCode != 200 || got.Header.Get("Content-Encoding") != "br" {
				t.Errorf("checkout.js: %d, %v", got.StatusCode, got.Header)
			}
			if got := b.request(one, "POST", "/checkout", strings.Repeat("x", 70<<10),
				"Content-Type", "application/x-www-form-urlencoded"); got.StatusCode != 413 {
				t.Errorf("a body of 70 KiB: %d; want 413", got.StatusCode)
			}
			for _, path := range []string{"/admin/audit", "/checkout/doctor/live", "/checkout"} {
				b.request(other, "GET", path, "", "X-Forwarded-User", "eve") // the upstream looks
			}
			last := 0
			for range 25 {
				last = b.request(one, "GET", "/checkout/doctor", "", "X-Forwarded-For",
					"203.0.113.9").StatusCode
			}
			fortest.Equal(t, last, 429,
				"the 25th read of one client, who gives another address each time")
			fortest.Equal(t, b.request(other, "GET", "/checkout/doctor", "").StatusCode, 200,
				"the first read of another client")
		})
	}
}

// runCheck runs coinslot check against the proxy.
func (b *proxied) runCheck() {
	b.t.Helper()
	setup := check.Setup{
		Env: b.env, Settings: b.config, Inspect: store.Inspect, Roots: b.roots,
		Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network,
				strings.Replace(address, ":443", ":"+b.port, 1))
		},
	}
	found := setup.Findings(b.t.Context())
	good := map[string]bool{}
	for _, f := range found {
		good[f.ID] = f.Status == check.OK
	}
	if !good["console"] || !good["public"] || !good["headers"] || !good["websocket"] {
		var text bytes.Buffer
		check.Print(&text, found, check.Style{})
		b.t.Errorf("through the proxy:\n%s", &text)
	}
}

// Behind the sign-ins of docs/console.md, only the sign-in sets the operator's name: a
// header from a client is removed, and no operator can pass for another.
func TestSignIns(t *testing.T) {
	for name, proxy := range map[string]func(t *testing.T, dir, port, upstream, signIn string){
		"nginx": nginxSignIn,
		"caddy": caddySignIn,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			b := &proxied{t: t, port: fortest.FreePort(t), roots: certificate(t, dir)}
			upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Seen", strings.Join(r.Header["X-Forwarded-User"], "|"))
			}))
			t.Cleanup(upstream.Close)
			signIn := httptest.NewServer(http.HandlerFunc(fakeSignIn))
			t.Cleanup(signIn.Close)
			proxy(t, dir, b.port, upstream.Listener.Addr().String(),
				signIn.Listener.Addr().String())
			for _, c := range []struct {
				path, cookie, header string
				status               int
				seen                 string
			}{
				{"/admin", "", "", 401, ""},
				{"/admin", "", "eve", 401, ""},
				{"/admin/audit", "", "eve", 401, ""},
				{"/admin", "who=ann", "", 200, "ann"},
				{"/admin/payments", "who=ann", "eve", 200, "ann"},
				{"/checkout", "", "eve", 200, ""},
				{"/v1/sessions", "who=ann", "eve", 200, ""},
			} {
				got := b.request(b.client("127.0.0.1"), "GET", c.path, "", "Cookie", c.cookie,
					"X-Forwarded-User", c.header)
				if seen := got.Header.Get("Seen"); got.StatusCode != c.status || seen != c.seen {
					t.Errorf("%s with cookie %q and name %q: %d, seen as %q; want %d, %q", c.path,
						c.cookie, c.header, got.StatusCode, seen, c.status, c.seen)
				}
			}
		})
	}
}

// fakeSignIn accepts one operator by a cookie.
func fakeSignIn(w http.ResponseWriter, r *http.Request) {
	if who, err := r.Cookie("who"); err == nil && who.Value == "ann" {
		w.Header().Set("Remote-User", "ann")
		return
	}
	w.WriteHeader(http.StatusUnauthorized)
}

// signInExample returns a code block of docs/console.md.
func signInExample(t *testing.T, language string) string {
	t.Helper()
	_, rest, found := strings.Cut(read(t, "../docs/console.md"), "```"+language+"\n")
	example, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatalf("docs/console.md has no example for %s", language)
	}
	return example
}

func caddySignIn(t *testing.T, dir, port, upstream, signIn string) {
	program := need.Server(t, "caddy")
	text := "{\n\tadmin off\n\tauto_https disable_redirects\n}\n" + strings.NewReplacer("coinslot:8080", upstream, "auth:9091", signIn,
		host+
			" {", host+":"+port+" {\n\ttls "+dir+"/fullchain.pem "+dir+
			"/privkey.pem").Replace(signInExample(t, "caddy"))
	conf := filepath.Join(dir, "Caddyfile")
	fortest.OK(t, os.WriteFile(conf, []byte(text), 0o600))
	startProxy(t, port, program, "run", "--adapter", "caddyfile", "--config", conf)
}

// nginxSignIn inserts the example before the first location of deploy/nginx.conf.
func nginxSignIn(t *testing.T, dir, port, upstream, signIn string) {
	example := strings.ReplaceAll(signInExample(t, "nginx"), "auth:9091", signIn)
	nginxWith(t, dir, port, upstream, func(site string) string {
		first := strings.Index(site, "    location / {")
		if first < 0 {
			t.Fatal("deploy/nginx.conf has no location /")
		}
		return site[:first] + example + site[first:]
	})
}
