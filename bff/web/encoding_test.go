package web

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// sentBody returns what send answers to a client that accepts these codings.
func sentBody(tb testing.TB, accept, content string) (coding, unpacked string) {
	tb.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
	if accept != "" {
		r.Header.Set("Accept-Encoding", accept)
	}
	Send(w, r, http.StatusTeapot, []byte(content))
	body, err := io.ReadAll(w.Result().Body)
	if err != nil || w.Code != http.StatusTeapot ||
		w.Header().Get("Content-Length") != fmt.Sprint(len(body)) {
		tb.Errorf("%q: %d, %d bytes of %s, %v", accept, w.Code, len(body),
			w.Header().Get("Content-Length"), err)
	}
	coding = w.Header().Get("Content-Encoding")
	return coding, string(unpack(tb, coding, body))
}

func TestSend(t *testing.T) {
	content := strings.Repeat("<p>a page</p>\n", 300)
	for accept, want := range map[string]string{
		"":                        "",
		"identity":                "",
		"gzip, deflate, br, zstd": "br",
		"gzip, deflate":           "gzip",
		"BR":                      "br",
		"br;q=0, gzip;q=0.5":      "gzip",
		"br;q=0, gzip;q=0":        "",
		"*":                       "br",
		"*;q=0":                   "",
		"br;q=0.0, *;q=1":         "gzip",
		"zstd, deflate":           "",
		"br;q=x":                  "",
		"brx, xgzip":              "",
		",;q=1,":                  "",
	} {
		if coding, unpacked := sentBody(t, accept, content); coding != want || unpacked != content {
			t.Errorf("%q: coding %q; want %q, and the content is the same: %t", accept, coding,
				want, unpacked == content)
		}
	}
}

// Content of any size is read as it was, also if it is larger than the window.
func TestSendLarge(t *testing.T) {
	for _, size := range []int{1 << brotliWindow, 1 << 20} {
		var content strings.Builder
		for n := 0; content.Len() < size; n++ {
			fmt.Fprintf(&content, "<p>the %dth line of www.example.com\x00\xff</p>", n*n)
		}
		coding, unpacked := sentBody(t, "br", content.String()[:size])
		if coding != "br" || unpacked != content.String()[:size] {
			t.Errorf("%d bytes in %q have become %d", size, coding, len(unpacked))
		}
	}
}

// Small content is sent as it is: compressed, it takes as many packets.
func TestSendSmall(t *testing.T) {
	for size, want := range map[int]string{0: "", minCompressed - 1: "", minCompressed: "br"} {
		content := strings.Repeat("a", size)
		coding, unpacked := sentBody(t, "br", content)
		if coding != want || unpacked != content {
			t.Errorf("%d bytes: coding %q; want %q, and the content is the same: %t",
				size, coding, want, unpacked == content)
		}
	}
}

// What is compressed says that its coding was chosen.
func TestCompressedKindsVary(t *testing.T) {
	for _, k := range []Kind{KindPage, KindFramed, KindAlone, KindPicture, KindModule} {
		fortest.Has(t, fmt.Sprintf("kind %d varies by", k), newPolicies(nil, "")[k].vary,
			"Accept-Encoding")
	}
}
