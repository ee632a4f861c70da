package client_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/client"
	"coinslot/docs/examples/exampletest"
	"coinslot/e2e/need"
)

const passwordCanary = "CANARY4711"

// TestSecretKeyStaysOffTheNetwork: the secret key goes to https, or to this machine, and nowhere
// else.
func TestSecretKeyStaysOffTheNetwork(t *testing.T) {
	var sent []string
	transport := roundTrip(func(r *http.Request) (*http.Response, error) {
		sent = append(sent, r.URL.Host)
		recorded := httptest.NewRecorder()
		recorded.WriteString("{}")
		return recorded.Result(), nil
	})
	for address, allowed := range map[string]bool{
		"https://pay.shop.example":               true,
		"https://pay.shop.example:8443/":         true,
		"http://localhost:8080":                  true,
		"http://LOCALHOST":                       true,
		"http://127.0.0.1:8080":                  true,
		"http://127.9.9.9":                       true,
		"http://[::1]:8080":                      true,
		"http://[::ffff:127.0.0.1]":              true,
		"HTTPS://pay.shop.example":               true,
		"http://pay.shop.example":                false,
		"HTTP://pay.shop.example":                false,
		"http://10.0.0.7:8080":                   false,
		"http://192.168.1.5":                     false,
		"http://localhost.shop.example":          false,
		"http://127.0.0.1.shop.example":          false,
		"http://localhost@pay.shop.example":      false,
		"http://localhost:8080@pay.shop.example": false,
		"http://0.0.0.0:8080":                    false,
		"http://[::]":                            false,
		"http://2130706433":                      false,
		"http://coinslot:8080":                   false,
		"//pay.shop.example":                     false,
		"pay.shop.example":                       false,
		"ftp://localhost":                        false,
		"":                                       false,
		"http://":                                false,
		"https://u:" + passwordCanary + "@pay.shop.example": false,
		"http://u:" + passwordCanary + "@localhost":         false,
		"https://pay.shop.example?key=" + passwordCanary:    false,
		"https://u:1#" + passwordCanary + "@pay":            false,
		"https://%zz" + passwordCanary:                      false,
		"http://localhost\\@pay.shop.example":               false,
	} {
		sent = nil
		c := &client.Client{URL: address, Key: "secret", HTTP: &http.Client{Transport: transport}}
		_, err := c.Session(t.Context(), "cs_1")
		fortest.Equal(t, err == nil && len(sent) == 1, allowed, "%q is allowed", address)
		if !allowed {
			fortest.Equal(t, len(sent), 0, "requests to %q", address)
			fortest.Lacks(t, address, err.Error(), passwordCanary)
			fortest.Has(t, address, err.Error(), "the checkout's URL ")
		}
	}

	local := &http.Client{Transport: transport}
	c := &client.Client{URL: "http://localhost", Key: "secret", HTTP: local}
	sent = nil
	fortest.Fails(t, c.Do(t.Context(), "GET", "@pay.shop.example/", nil, nil), "a path with a host")
	fortest.Fails(t, c.Do(t.Context(), "GET", ".shop.example/", nil, nil), "a longer host")
	fortest.Equal(t, len(sent), 0, "requests")
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestProxyPasswords: no error holds a part of a proxy's password. The process is new each time,
// because net/http reads the environment once.
func TestProxyPasswords(t *testing.T) {
	if os.Getenv("HTTPS_PROXY") != "" {
		c := &client.Client{URL: "https://pay.shop.example", Key: "secret"}
		_, err := c.Session(t.Context(), "cs_1")
		t.Fatalf("error: %v", err)
	}
	for _, proxy := range []string{
		"http://u:a#" + passwordCanary + "@127.0.0.1:1",
		"http://u:1#" + passwordCanary + "@127.0.0.1:1",
		"http://u:1/" + passwordCanary + "@127.0.0.1:1",
		"http://u:1?" + passwordCanary + "@127.0.0.1:1",
		"http://u:%zz" + passwordCanary + "@127.0.0.1:1",
		"u:a#" + passwordCanary + "@127.0.0.1:1",
		"http://u:" + passwordCanary + "@127.0.0.1:1", // valid, but nothing listens
	} {
		again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProxyPasswords$")
		again.Env = append(os.Environ(), "HTTPS_PROXY="+proxy, "NO_PROXY=")
		said, err := again.CombinedOutput()
		fortest.Fails(t, err, "a request by %s", proxy)
		fortest.Has(t, proxy, string(said), "error: ")
		fortest.Lacks(t, proxy, string(said), passwordCanary)
		if strings.HasPrefix(proxy, "http://u:1") { // net/http ignores the other invalid ones
			fortest.Has(t, proxy, string(said), "percent-encode")
		}
	}
}

// The TypeScript client refuses what the Go client refuses.
func TestFullTypeScriptKeepsSecretKey(t *testing.T) {
	node := need.Command(t, "node")
	page := filepath.Join(t.TempDir(), "page.ts")
	code := `import { Coinslot } from "@coinslot/server";
let sent = 0;
const answer = async () => { sent += 1; return new Response("{}"); };
for (const [url, allowed] of [
  ["https://pay.shop.example", true],
  ["https://pay.shop.example:8443/", true],
  ["http://localhost:8080", true],
  ["HTTP://LOCALHOST", true],
  ["http://127.9.9.9/", true],
  ["http://[::1]:8080", true],
  ["http://[::ffff:127.0.0.1]", true],
  ["http://pay.shop.example", false],
  ["HTTP://pay.shop.example", false],
  ["http://10.0.0.7:8080", false],
  ["http://localhost.shop.example", false],
  ["http://127.0.0.1.shop.example", false],
  ["http://coinslot:8080", false],
  ["http://localhost@pay.shop.example", false],
  ["http://localhost\\@pay.shop.example", false],
  ["http://0.0.0.0", false],
  ["https://u:CANARY4711@pay.shop.example", false],
  ["https://u:1#CANARY4711@pay", false],
  ["https://%zzCANARY4711", false],
  ["https://pay.shop.example?key=CANARY4711", false],
  ["//pay.shop.example", false],
  ["pay.shop.example", false],
  ["", false],
] as const) {
  sent = 0;
  let said = "";
  try {
    await new Coinslot({ url, key: "k", fetch: answer as typeof fetch }).session("cs_1");
  } catch (e) {
    said = (e as Error).message;
  }
  const right = (sent === 1) === allowed && (said === "") === allowed;
  if (!right || said.includes("CANARY4711")) console.log("wrong:", url, sent, said);
}
sent = 0;
const local = new Coinslot({ url: "http://localhost", key: "k", fetch: answer as typeof fetch });
await local.request("GET", "@pay.shop.example/").then(() => console.log("wrong"), () => {});
if (sent !== 0) console.log("wrong: sent");
console.log("done");
`
	fortest.OK(t, os.WriteFile(page, []byte(code), 0o600))
	run := exec.CommandContext(t.Context(), node, exampletest.Bundle(t, page))
	said, err := run.CombinedOutput()
	fortest.OK(t, err)
	fortest.Equal(t, string(said), "done\n", "what it prints")
}
