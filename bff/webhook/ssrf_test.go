package webhook

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"
	"coinslot/torture/goal"
)

// special are the address blocks of IANA's special-purpose registries that are
// not globally reachable, and the ones that stand for such an address. Written down
// anew, not taken from the guard. Sources: iana-ipv4-special-registry,
// iana-ipv6-special-registry (RFC 6890), RFC 4291, RFC 3879, RFC 6666, RFC 8215.
var special = []string{
	"0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
	"172.16.0.0/12", "192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.170/32",
	"192.0.0.171/32", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "224.0.0.0/24", "233.252.0.0/24",
	"239.0.0.0/8", "240.0.0.0/4", "255.255.255.255/32", "::/128", "::1/128", "::/96",
	"::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/32",
	"2001:2::/48", "2001:10::/28", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16",
	"fc00::/7", "fd00:ec2::/32", "fe80::/10", "fec0::/10", "ff00::/8", "ff02::/16", "ff05::/16",
	"3ffe::/16", "::ffff:0.0.0.0/104", "::ffff:10.0.0.0/104", "::ffff:100.64.0.0/106",
	"::ffff:127.0.0.0/104", "::ffff:169.254.0.0/112", "::ffff:172.16.0.0/108",
	"::ffff:192.168.0.0/112", "::ffff:198.18.0.0/111", "::ffff:224.0.0.0/100",
	"::ffff:240.0.0.0/100", "64:ff9b::127.0.0.0/104", "64:ff9b::10.0.0.0/104",
	"64:ff9b::169.254.0.0/112", "2002:7f00::/24", "2002:a00::/24", "2002:a9fe::/32",
	"2002:c0a8::/32", "::127.0.0.0/104", "::10.0.0.0/104",
}

// outward are public addresses.
var outward = []string{
	"1.1.1.1", "8.8.8.8", "93.184.216.34", "100.128.0.1", "172.32.0.1", "2606:4700:4700::1111",
	"2a00:1450:4001::1",
}

// last returns the highest address of a block.
func last(p netip.Prefix) netip.Addr {
	raw := p.Addr().As16()
	start := 96
	if p.Addr().Is6() {
		start = 0
	}
	for bit := start + p.Bits(); bit < 128; bit++ {
		raw[bit/8] |= 0x80 >> (bit % 8)
	}
	if p.Addr().Is6() {
		return netip.AddrFrom16(raw)
	}
	return netip.AddrFrom16(raw).Unmap()
}

// errWire stops a connect that was allowed before anything leaves the machine.
var errWire = errors.New("connect was allowed; the test stops it here")

// dialed is what was connected to, or would have been.
type dialed struct {
	mu   sync.Mutex
	list []netip.Addr
}

func (w *dialed) note(address string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		at = netip.AddrPort{} // the zero address is not public either
	}
	w.list = append(w.list, at.Addr())
}

func (w *dialed) take() []netip.Addr {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.list
	w.list = nil
	return list
}

// cut is the client of newClient, whose connects end right after its guard has let them pass.
func cut(w *dialed) *http.Client {
	client := NewClient(false)
	g := newGuard()
	d := net.Dialer{
		Timeout: 5 * time.Second,
		Control: func(network, address string, c syscall.RawConn) error {
			if err := g.control(network, address, c); err != nil {
				return err
			}
			w.note(address)
			return errWire
		}}
	client.Transport.(*http.Transport).DialContext = d.DialContext
	return client
}

// reach asks for a URL and returns the error. Every connect that was tried, and
// not refused by the guard, is noted in w.
func reach(t *testing.T, client *http.Client, w *dialed, target string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		ConnectDone: func(_, address string, err error) {
			if !errors.Is(err, errPrivate) && !errors.Is(err, errWire) {
				w.note(address)
			}
		},
	}), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err == nil {
		res.Body.Close()
	}
	return err
}

// ssrf is the count of the cases.
type ssrf struct {
	t                 *testing.T
	names             *fortest.Names
	cases, violations int
}

// check is a case of spelling: refused when it is set.
func (s *ssrf) check(group, raw string) {
	s.t.Helper()
	s.cases++
	err := CheckEndpoint(raw, false)
	if err == nil {
		s.violations++
		s.t.Errorf("%s: CheckEndpoint(%.100q) = nil", group, raw)
	} else if len(raw) > 20 && strings.Contains(err.Error(), raw) {
		s.t.Errorf("%s: the error repeats the value: %v", group, err)
	}
}

// private is a case of connecting: nothing may be connected to.
func (s *ssrf) private(client *http.Client, group, target string) {
	s.t.Helper()
	s.cases++
	var w dialed
	err := reach(s.t, client, &w, target)
	if list := w.take(); err == nil || len(list) > 0 {
		s.violations++
		s.t.Errorf("%s: %s: %v, connected to %v; want a refusal", group, target, err, list)
	}
}

// mixed is a case of a name with public and other addresses: only the former
// may be connected to, and one has to be.
func (s *ssrf) mixed(group, host string, want bool) {
	s.t.Helper()
	s.cases++
	var w dialed
	err := reach(s.t, cut(&w), &w, "https://"+host+"/hook")
	list := w.take()
	for _, a := range list {
		if !isOutward(a) {
			s.violations++
			s.t.Errorf("%s: %s: connected to %v", group, host, a)
		}
	}
	if want && len(list) == 0 || !want && len(list) > 0 {
		s.violations++
		s.t.Errorf("%s: %s: %v, connects to %v; want any: %v", group, host, err, list, want)
	}
}

func isOutward(a netip.Addr) bool {
	for _, text := range outward {
		if a.Unmap() == netip.MustParseAddr(text) {
			return true
		}
	}
	return false
}

// TestTortureSSRF: whatever a webhook's URL says, and whatever its name leads to
// by the time of the try, nothing is connected to but public addresses.
func TestTortureSSRF(t *testing.T) {
	began := time.Now()
	s := &ssrf{t: t, names: &fortest.Names{}}
	s.names.Use(t)
	s.spellings()
	s.blocks()
	s.answers()
	s.changes()
	s.redirects()
	if s.names.Asked() == 0 {
		t.Error("the name server of the test was never asked")
	}
	goal.Report(t, goal.Result{
		Goal:       "SSRF",
		Rounds:     s.cases,
		Wanted:     250,
		Violations: s.violations,
		Took:       time.Since(began),
		Figure: fmt.Sprintf(
			"%d spellings, addresses, names and redirects, 0 connects to addresses that are not public",
			s.cases,
		),
	})
}

// spellings: B83 to B87 and B90 to B93, as they are refused when they are set.
func (s *ssrf) spellings() {
	for _, raw := range []string{
		"http://shop.example/", "ftp://shop.example/", "file:///etc/passwd",
		"gopher://shop.example:70/", "javascript:alert(1)", "data:,x",
		"dict://shop.example:11211/", "ldap://shop.example/", "jar:https://shop.example!/",
		"unix:///run/docker.sock", "ws://shop.example/", "//shop.example/", "shop.example",
		"https:shop.example", "https:/shop.example/", "https:///shop.example", "://shop.example",
	} {
		s.check("B83", raw)
	}
	for _, host := range []string{
		"127.0.0.1", "localhost", "LOCALHOST", "localhost.", "a.localhost",
		"localhost.localdomain", "0.0.0.0", "0", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "127.1",
		"127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0x7f.0.0.1", "0177.0.0.1",
		"017700000001", "0177.1", "127.0.0.01", "127.000.000.001", "127.0.0.1.", "127.0.0.0x1",
		"00000177.0.0.1", "3232235777", "0xc0a80101", "169.254.43518", "0251.0376.0251.0376",
		"2852039166", "0xA9FEA9FE", "1.2.3", "256.1.1.1", "4294967296", "-1", "1e9", "0x",
		"127.0.0.1%2f", "127.0.0.1%00", "127。0。0。1", "１２７.0.0.1", "①②⑦.⓪.⓪.①", "127.0.0.1\u200b",
		"%31%32%37.0.0.1", "ip6-localhost", "loopback", "host",
	} {
		s.check("B84", "https://"+host+"/hook")
	}
	for _, host := range []string{
		"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:1]", "[::127.0.0.1]",
		"[::7f00:1]", "[64:ff9b::7f00:1]", "[64:ff9b::127.0.0.1]", "[64:ff9b:1::7f00:1]",
		"[2002:7f00:1::]", "[2001:0:7f00:1::]", "[::ffff:0:7f00:1]", "[fe80::1]",
		"[fe80::1%25eth0]", "[fe80::1%eth0]", "[2606:4700:4700::1111%251]", "[fc00::1]",
		"[fd00:ec2::254]", "[fec0::1]", "[ff02::1]", "[100::1]", "[2001:db8::1]", "[5f00::1]",
		"[::1", "::1", "[::1]a", "[[::1]]", "[v1.x]", "[]", "[127.0.0.1]", "[localhost]",
		"[::ffff:1.2.3]", "[12345::1]",
	} {
		s.check("B86", "https://"+host+"/hook")
	}
	for _, host := range []string{
		"169.254.169.254", "metadata.google.internal", "METADATA.GOOGLE.INTERNAL", "metadata",
		"instance-data", "100.100.100.200", "169.254.170.2", "192.0.0.192", "kubernetes",
		"backend.svc.cluster.local", "host.docker.internal", "printer.local", "router.lan",
		"nas.home", "intra.corp", "wiki.intranet", "x.home.arpa", "a.b.localdomain",
	} {
		s.check("B87", "https://"+host+"/latest/meta-data/")
	}
	for _, raw := range []string{
		"", " ", "shop.example/hook", "//shop.example/", "/hook", "https:", "https:shop.example",
		"ftp://shop.example/", "file:///etc/passwd", "javascript:alert(1)", "ws://shop.example/",
		"https://shop.example/\n", "https://127.1/", "https://2130706433/", "https://0x7f.1/",
		"https://0177.0.0.1/", "https://127.0.0.1./", "https://1.2.3/", "https://256.1.1.1/",
		"https://shop.example.1/", "https://shop.0x/", "https://[fe80::1%25eth0]/",
		"https://[127.0.0.1.]/", "https://[shop.example]/", "https://[v1.x]/",
		"https://shop.example:0/", "https://shop.example:65536/", "https://shop.example:/",
		"https://shop.example:0443/", "https://shop.example:https/",
		"https://shop.example:443:443/", "https://shop.example/" + strings.Repeat("a", 1980),
		"https://a.example/,https://b.example/\x0b", "https://user@shop.example/",
		"https://user:pass@shop.example/", "https://@shop.example/", "https://:@shop.example/",
		"https://shop.example@127.0.0.1/", "https://good.example#@evil.example/",
		`https://good.example\@evil.example/`, "https://good.example%40evil.example/",
		`https:\\127.0.0.1\`, "https://shop.example\t.evil.example/", "https://shop.example\n/",
		"https://shop.example\r\nHost:a/", " https://shop.example/", "https://shop.example /",
		"https://shop.example./", "https://.shop.example/", "https://shop..example/",
		"https://-shop.example/", "https://shop-.example/", "https://b\u00fccher.example/",
		"https://sh\u043ep.example/", "https://shop\u3002example/", "https://shop%2eexample/",
		"https://%E2%91%A0.example/", "https://shop*.example/", "https://shop,example/",
		"https://shop;example/", "https://shop.example#", "https://shop.example/#x",
		"https://shop.example\x00.evil.example/", "https://shop.example\x7f/",
		"https://shop!.example/", "https://$(host).example/", "https://{host}/",
		"https://" + strings.Repeat("a", 64) + ".example/",
		"https://" + strings.Repeat("a.", 130) + "example/", "https://", "https://:443/",
		"https://[/", "https://]/", "https://?/", "https:///",
	} {
		s.check("B90", raw)
		fortest.Fails(s.t, CheckEndpoint(raw, true), "CheckEndpoint(%q, true)", raw)
	}
	for _, port := range []string{
		"22", "25", "53", "80", "110", "143", "445", "465", "587", "2375", "3306", "5432", "6379",
		"8080", "9090", "9200", "11211", "27017", "0", "65536", "99999999999", "-1", "+443",
		"0443", "443:443", "https", "4 43", "", "４４３", "0x1bb", "443.0", "65535",
	} {
		s.check("B91", "https://shop.example:"+port+"/")
	}
	s.check("B93", "https://shop.example/"+strings.Repeat("a", 5000))
	s.check("B93", "https://shop.example/?"+strings.Repeat("a", 1980))
}

// blocks: B85 and B86, the first and the last address of each block, set and
// connected to, by the client as it is.
func (s *ssrf) blocks() {
	client := NewClient(false)
	defer client.CloseIdleConnections()
	for _, text := range special {
		p := netip.MustParsePrefix(text)
		for _, a := range []netip.Addr{p.Masked().Addr(), last(p)} {
			if text == "::/96" && a != p.Addr() {
				a = netip.MustParseAddr("::ffff") // the last one is in a block of its own
			}
			host := netip.AddrPortFrom(a, 443).String()
			s.check(text, "https://"+host+"/")
			s.private(client, text, "https://"+host+"/")
		}
	}
	for _, text := range outward {
		s.cases++
		var w dialed
		_ = reach(s.t, cut(&w), &w,
			"https://"+netip.AddrPortFrom(netip.MustParseAddr(text), 443).String()+"/")
		if list := w.take(); len(list) != 1 || !isOutward(list[0]) {
			s.violations++
			s.t.Errorf("%s cannot be reached: %v", text, list)
		}
	}
}

func addresses(list ...string) (all []netip.Addr) {
	for _, a := range list {
		all = append(all, netip.MustParseAddr(a))
	}
	return all
}

// answers: B87 and B88, what names lead to.
func (s *ssrf) answers() {
	client := NewClient(false)
	defer client.CloseIdleConnections()
	for i, list := range [][]string{
		{"127.0.0.1"},
		{"::1"},
		{"10.0.0.1"},
		{"169.254.169.254"},
		{"fd00:ec2::254"},
		{"192.168.1.1"},
		{"100.64.0.1"},
		{"0.0.0.0"},
		{"::"},
		{"::ffff:127.0.0.1"},
		{"64:ff9b::7f00:1"},
		{"2002:7f00:1::1"},
		{"fe80::1"},
		{"ff02::1"},
		{"255.255.255.255"},
		{"224.0.0.1"},
		{"127.0.0.1", "::1"},
		{"10.0.0.1", "10.0.0.2", "172.16.0.1", "192.168.0.1"},
		{"10.0.0.1", "fd00::1"},
		{"127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"},
		{},
	} {
		host := fmt.Sprintf("private%d.shop.example", i)
		s.names.Set(host, "", addresses(list...))
		s.private(client, "B88 "+strings.Join(list, " "), "https://"+host+"/")
	}
	for i, list := range [][]string{
		{"1.1.1.1", "127.0.0.1"},
		{"127.0.0.1", "1.1.1.1"},
		{"8.8.8.8", "::1"},
		{"2606:4700:4700::1111", "127.0.0.1"},
		{"2606:4700:4700::1111", "fd00:ec2::254"},
		{"::1", "2606:4700:4700::1111"},
		{"1.1.1.1", "10.0.0.1", "8.8.8.8"},
		{"169.254.169.254", "1.1.1.1"},
		{"10.0.0.1", "10.0.0.2", "10.0.0.3", "1.1.1.1"},
		{"fe80::1", "1.1.1.1"},
		{"64:ff9b::7f00:1", "8.8.8.8"},
	} {
		host := fmt.Sprintf("mixed%d.shop.example", i)
		s.names.Set(host, "", addresses(list...))
		s.mixed("B88 "+strings.Join(list, " "), host, true)
	}
	for i, c := range []struct {
		target string
		list   []string
	}{
		{"localhost", []string{"127.0.0.1"}},
		{"inside.corp", []string{"10.9.9.9"}},
		{"metadata.google.internal", []string{"169.254.169.254"}},
		{"127.0.0.1.nip.shop.example", []string{"127.0.0.1"}},
		{"both.corp", []string{"10.1.1.1", "1.1.1.1"}},
	} {
		alias := fmt.Sprintf("alias%d.shop.example", i)
		s.names.Set(c.target, "", addresses(c.list...))
		s.names.Set(alias, c.target, nil)
		s.mixed("B88 alias of "+c.target, alias, len(c.list) > 1)
	}
	for _, name := range []string{
		"localhost", "LocalHost", "metadata.google.internal", "127.1.shop.example",
		"xn--bcher-kva.example",
	} { // past CheckEndpoint, as if a setting had slipped through
		s.names.Set(strings.ToLower(name), "", addresses("169.254.169.254"))
		s.private(client, "B87", "https://"+name+"/")
	}
}

// changes: B88, names that lead elsewhere the next time, with a client that has
// been there before, and the sender's own look at the setting in between.
func (s *ssrf) changes() {
	var w dialed
	client := cut(&w)
	for i, lists := range [][][]netip.Addr{
		{addresses("1.1.1.1"), addresses("127.0.0.1")},
		{addresses("1.1.1.1"), addresses("10.0.0.1")},
		{addresses("8.8.8.8"), addresses("169.254.169.254")},
		{addresses("8.8.8.8"), addresses("1.1.1.1", "127.0.0.1")},
		{addresses("127.0.0.1"), addresses("1.1.1.1")},
		{addresses("2606:4700:4700::1111"), addresses("::1")},
		{addresses("1.1.1.1"), addresses("::ffff:127.0.0.1")},
		{addresses("1.1.1.1"), nil},
	} {
		host := fmt.Sprintf("flips%d.shop.example", i)
		s.names.Set(host, "", lists...)
		if err := CheckEndpoint("https://"+host+"/", false); err != nil {
			s.t.Errorf("CheckEndpoint(%s) = %v; want nil: names are judged when they are used",
				host, err)
		}
		for try := range 3 {
			s.cases++
			_ = reach(s.t, client, &w, "https://"+host+"/")
			for _, a := range w.take() {
				if !isOutward(a) {
					s.violations++
					s.t.Errorf("%s, try %d: connected to %v", host, try, a)
				}
			}
		}
	}
}

// redirects: B89, an endpoint that sends the sender on to this machine. The
// connection to it is made up, as a public address would be.
func (s *ssrf) redirects() {
	for _, status := range []int{300, 301, 302, 303, 304, 305, 307, 308} {
		for _, to := range []string{
			"http://127.0.0.1:1/", "https://169.254.169.254/latest/", "//localhost/",
			"http://[::1]/", "file:///etc/passwd", "https://shop.example/again",
		} {
			s.cases++
			var dialled []string
			client := NewClient(false)
			client.Transport.(*http.Transport).DialTLSContext = func(_ context.Context, _, address string) (net.Conn, error) {
				dialled = append(dialled, address)
				ours, theirs := net.Pipe()
				go answerWith(
					theirs,
					fmt.Sprintf(
						"HTTP/1.1 %d Moved\r\nLocation: %s\r\nRefresh: 0; url=%s\r\nAlt-Svc: h2=\"127.0.0.1:1\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
						status,
						to,
						to,
					),
				)
				return ours, nil
			}
			req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost,
				"https://shop.example/hook", strings.NewReader("{}"))
			fortest.OK(s.t, err)
			res, err := client.Do(req)
			if err == nil {
				res.Body.Close()
			}
			if err != nil || res.StatusCode != status || len(dialled) != 1 ||
				dialled[0] != "shop.example:443" {
				s.violations++
				s.t.Errorf("%d to %s: %v, %v, dialled %v; want the redirect itself", status, to,
					res, err, dialled)
			}
			client.CloseIdleConnections()
		}
	}
}

// answerWith reads one request and answers it.
func answerWith(conn net.Conn, text string) {
	defer conn.Close()
	req, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return
	}
	io.WriteString(conn, text)
}

// TestFullSSRFSystemCalls runs the cases under strace: of all sockets that a
// connection can have, none is connected. Sockets for datagrams are: Go's resolver
// asks the kernel so for the route to each of several addresses, which sends nothing.
func TestFullSSRFSystemCalls(t *testing.T) {
	out := filepath.Join(t.TempDir(), "calls")
	cmd := exec.CommandContext(t.Context(), need.Command(t, "strace"), "-f", "-qq", "-yy", "-e",
		"trace=socket,connect", "-o", out, os.Args[0], "-test.run=^TestTortureSSRF$")
	cmd.Env = append(os.Environ(), "TORTURE_LEDGER=")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("strace cannot be used here: %v %.300s", err, text)
	}
	calls := fortest.Must(os.ReadFile(out))(t)
	if n := strings.Count(string(calls), "SOCK_STREAM"); n < 100 {
		t.Errorf("%d sockets were made; want one for each case that is refused at connect", n)
	}
	for call := range strings.Lines(string(calls)) {
		if strings.Contains(call, "connect(") && !strings.Contains(call, "<UDP") {
			t.Errorf("connected: %s", call)
		}
	}
}
