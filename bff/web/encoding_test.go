package web

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
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
	if err != nil || w.Code != http.StatusTeapot || w.Header().Get("Content-Length") != fmt.Sprint(len(body)) {
		tb.Errorf("%q: %d, %d bytes of %s, %v", accept, w.Code, len(body), w.Header().Get("Content-Length"), err)
	}
	coding = w.Header().Get("Content-Encoding")
	return coding, string(unpack(tb, coding, body))
}

func TestSend(t *testing.T) {
	content := strings.Repeat("<p>a page</p>\n", 300)
	for accept, want := range map[string]string{
		"": "", "identity": "", "gzip, deflate, br, zstd": "br", "gzip, deflate": "gzip", "BR": "br", "br;q=0, gzip;q=0.5": "gzip",
		"br;q=0, gzip;q=0": "", "*": "br", "*;q=0": "", "br;q=0.0, *;q=1": "gzip", "zstd, deflate": "", "br;q=x": "", "brx, xgzip": "", ",;q=1,": "",
	} {
		if coding, unpacked := sentBody(t, accept, content); coding != want || unpacked != content {
			t.Errorf("%q: coding %q; want %q, and the content is the same: %t", accept, coding, want, unpacked == content)
		}
	}
	if _, unpacked := sentBody(t, "br", ""); unpacked != "" {
		t.Errorf("nothing becomes %q", unpacked)
	}
}

// TestSendAtOnce: memory that is used again does not mix one answer with another.
func TestSendAtOnce(t *testing.T) {
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			content := bytes.Repeat([]byte{byte('a' + n)}, 1000*(n+1))
			for i := range 20 {
				accept := []string{"br", "gzip"}[i%2]
				if _, unpacked := sentBody(t, accept, string(content)); unpacked != string(content) {
					t.Errorf("answer %d in %s has become another", n, accept)
				}
			}
		})
	}
	all.Wait()
}

// What is compressed says that its coding was chosen.
func TestCompressedKindsVary(t *testing.T) {
	for _, k := range []Kind{KindPage, KindFramed, KindAlone, KindPicture, KindModule} {
		fortest.Has(t, fmt.Sprintf("kind %d varies by", k), newPolicies(nil, "")[k].vary,
			"Accept-Encoding")
	}
}

// TestHeads: what follows a compressed head is read as it was, whatever both contain, and is the
// smaller for it.
func TestHeads(t *testing.T) {
	var h Heads
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Accept-Encoding", "br")
	text := strings.Repeat("<p>The time of day and of the other</p> www.example.com ", 30)
	for i, rest := range []string{"", "x", text, text[:100], strings.Repeat(text, 200), "\x00\xff"} {
		head := text[:len(text)-i]
		for try := range 2 {
			w := httptest.NewRecorder()
			h.SendFast(w, r, http.StatusOK, len(head), []byte(head+rest))
			if got := string(unpack(t, "br", w.Body.Bytes())); got != head+rest {
				t.Fatalf("rest %d, try %d: %d bytes have become %d", i, try, len(head+rest), len(got))
			}
			h.pack(head) // not in the background
		}
		if h.find([]byte(head)) == nil {
			t.Error("no head was compressed")
		}
	}
}

// TestManyHeads: heads of any number take little memory.
func TestManyHeads(t *testing.T) {
	var h Heads
	for i := range 2 * maxHeads {
		h.find(fmt.Appendf(nil, "head %d", i))
	}
	h.packing.Lock()
	defer h.packing.Unlock()
	fortest.Equal(t, len(h.known), maxHeads, "heads are known")
}
