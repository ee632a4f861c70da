package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/andybalholm/brotli/matchfinder"
)

// Pages and QR codes are compressed for each request. The BREACH attack does not apply: browsers
// send no credentials that change these answers, and the pages hold no CSRF tokens. An
// attacker who can make a browser request a page knows its URL and could request it directly.
// /v1, whose answers depend on a key, is never compressed.

// A page of 15 kB becomes 4 kB in 0.25 ms; the next higher qualities take ten times as long.
const (
	brotliQuality = 5
	gzipQuality   = 6
)

// compressor reuses its memory.
type compressor struct {
	w interface {
		io.WriteCloser
		Reset(io.Writer)
	}
	out bytes.Buffer
}

// compressors has idle ones, by content coding.
var compressors = map[string]*sync.Pool{
	"br": {New: func() any { return &compressor{w: brotli.NewWriterLevel(nil, brotliQuality)} }},
	"gzip": {New: func() any {
		w, _ := gzip.NewWriterLevel(nil, gzipQuality) // the level is valid
		return &compressor{w: w}
	}},
}

// compress returns memory that the next call overwrites.
func (s *compressor) compress(content []byte) []byte {
	s.out.Reset()
	s.w.Reset(&s.out)
	_, _ = s.w.Write(content) // into memory
	s.w.Close()
	return s.out.Bytes()
}

func compress(coding string, content []byte) []byte {
	s := compressors[coding].Get().(*compressor)
	defer compressors[coding].Put(s)
	return bytes.Clone(s.compress(content))
}

// maxHeads and maxHeadBytes bound the heads of a process: languages, themes and host pages make
// hundreds.
const (
	maxHeads     = 200
	maxHeadBytes = 16 << 20
)

// Heads are the beginnings of answers that many have in common, compressed once with the highest
// quality. The zero value is ready.
type Heads struct {
	packing sync.Mutex // held while one is compressed
	mu      sync.Mutex // guards the fields below
	known   map[string][]byte
	bytes   int // of the keys of known; what they are compressed to is shorter
}

// find returns the compressed head, or nil if it is new, and is then compressed in the background.
func (h *Heads) find(head []byte) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	packed, found := h.known[string(head)]
	if !found && len(h.known) < maxHeads && h.bytes+len(head) <= maxHeadBytes {
		if h.known == nil {
			h.known = map[string][]byte{}
		}
		text := string(head)
		h.known[text] = nil
		h.bytes += len(text)
		go h.pack(text)
	}
	return packed
}

// pack takes tens of milliseconds, of one core at most.
func (h *Heads) pack(text string) {
	h.packing.Lock()
	defer h.packing.Unlock()
	var out bytes.Buffer
	w := brotli.NewWriterLevel(&out, brotli.BestCompression)
	_, _ = io.WriteString(w, text) // into memory
	_ = w.Flush()                  // to a whole byte
	h.mu.Lock()
	defer h.mu.Unlock()
	h.known[text] = out.Bytes()
}

// continuer compresses what follows a head, four times as fast as brotli 5; a page is a quarter
// larger. Blocks of a brotli stream depend on those before them by distances into the text, by the
// last distances, and by the text's size, which a word of the static dictionary is counted from;
// those of brotli.Encoder have only distances of their own.
//
// Source: RFC 7932, 4, 8 and 9.2.
type continuer struct {
	find    matchfinder.ZFast
	encode  brotli.Encoder
	matches []matchfinder.Match
	out     []byte
}

var continuers = sync.Pool{New: func() any {
	return &continuer{find: matchfinder.ZFast{MaxDistance: 1 << 19}}
}}

// compress returns the stream of head, if any, and rest in memory that the next call overwrites.
func (c *continuer) compress(head, rest []byte) []byte {
	c.find.Reset()
	c.encode.Reset()
	if len(head) > 0 {
		c.encode.Encode(nil, nil, nil, true) // a stream of its own: what follows has no header
	}
	c.matches = c.find.FindMatches(c.matches[:0], rest)
	c.out = c.encode.Encode(append(c.out[:0], head...), rest, c.matches, true)
	return c.out
}

// SendFast is Send for a page that many request at once, of which the first n bytes are the same
// in many answers.
func (h *Heads) SendFast(w http.ResponseWriter, r *http.Request, status, n int, page []byte) {
	var head []byte
	if n > 0 {
		head = h.find(page[:n])
	}
	if chosenCoding(r.Header.Get("Accept-Encoding")) != "br" || n > 0 && head == nil {
		Send(w, r, status, page)
		return
	}
	c := continuers.Get().(*continuer)
	defer continuers.Put(c)
	w.Header().Set("Content-Encoding", "br")
	send(w, status, c.compress(head, page[n:]))
}

// Send answers with content in the smallest coding that the client accepts. It ignores write
// errors: the client has disconnected.
func Send(w http.ResponseWriter, r *http.Request, status int, content []byte) {
	if coding := chosenCoding(r.Header.Get("Accept-Encoding")); coding != identity {
		s := compressors[coding].Get().(*compressor)
		defer compressors[coding].Put(s)
		content = s.compress(content)
		w.Header().Set("Content-Encoding", coding)
	}
	send(w, status, content)
}

func send(w http.ResponseWriter, status int, content []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	w.WriteHeader(status)
	w.Write(content)
}

const identity = "identity"

// chosenCoding returns the smallest coding that an Accept-Encoding header accepts; without the
// header, identity.
func chosenCoding(header string) string {
	for _, coding := range []string{"br", "gzip"} {
		if accepts(header, coding) {
			return coding
		}
	}
	return identity
}

// accepts reports whether an Accept-Encoding header has a coding, or *, with a weight above
// zero. Source: RFC 9110, 12.5.3.
func accepts(header, coding string) bool {
	named, star := -1.0, -1.0
	for part := range strings.SplitSeq(header, ",") {
		name, parameter, _ := strings.Cut(part, ";")
		weight := 1.0
		parameter = strings.ReplaceAll(strings.ToLower(parameter), " ", "")
		if q, ok := strings.CutPrefix(parameter, "q="); ok {
			weight = 0
			if parsed, err := strconv.ParseFloat(q, 64); err == nil {
				weight = parsed
			}
		}
		switch strings.ToLower(strings.TrimSpace(name)) {
		case coding:
			named = weight
		case "*":
			star = weight
		}
	}
	return named > 0 || named < 0 && star > 0
}
