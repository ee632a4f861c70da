package live

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unicode/utf8"

	"github.com/gorilla/websocket"
)

// ear takes apart what a client sends, of which only pings, pongs and the end
// matter: the rest is passed over. The library would do the same, but its reader
// has to wait deep down, and the stack it needs for that would be half of what an
// idle socket costs. FuzzEar holds that both end a socket alike.
//
// Source: RFC 6455, 5.
type ear struct {
	rest    []byte // of a frame that has not come whole; nil = none
	skip    int64  // bytes of a part of a message that are still to come
	partial bool   // a message has begun and not ended
	said    int64  // bytes of that message
}

// hearer is told of what has come. An error of its methods ends the socket.
type hearer interface {
	pinged(text []byte) error
	ponged() error
	spoken() error // a message has begun
}

// frame is the head of one, with the payload if it is a control frame.
type frame struct {
	kind    byte
	final   bool
	size    int64 // of the payload
	head    int   // bytes before it
	payload []byte
}

// kindMore is the kind of a message's second part and of all after it.
const kindMore = 0

// control reports whether f is a ping, a pong or a close frame.
func (f frame) control() bool { return f.kind >= websocket.CloseMessage }

// errMore says that a frame has not come whole.
var errMore = errors.New("more is to come")

// hear takes the bytes that have come in. Errors: *End, with how to say goodbye;
// those of to.
func (e *ear) hear(p []byte, to hearer) error {
	p = append(e.rest, p...)
	e.rest = nil
	for {
		n := min(e.skip, int64(len(p)))
		p, e.skip = p[n:], e.skip-n
		if len(p) == 0 {
			return nil
		}
		f, err := e.parse(p)
		if errors.Is(err, errMore) {
			e.rest = bytes.Clone(p)
			return nil
		}
		if err != nil {
			return err
		}
		p = p[f.head+len(f.payload):]
		if err := e.take(f, to); err != nil {
			return err
		}
	}
}

// parse reads the frame that p begins with. Errors: errMore; *End.
func (e *ear) parse(p []byte) (f frame, err error) {
	if len(p) < 2 {
		return f, errMore
	}
	f = frame{kind: p[0] & 0xf, final: p[0]&0x80 != 0, size: int64(p[1] & 0x7f), head: 6}
	if why := e.wrong(f, p); why != "" {
		return f, &End{websocket.CloseProtocolError, why}
	}
	if wide := map[int64]int{126: 2, 127: 8}[f.size]; wide > 0 {
		if f.head += wide; len(p) < 2+wide {
			return f, errMore
		}
		f.size = int64(binary.BigEndian.Uint64(append(make([]byte, 8-wide, 8), p[2:2+wide]...)))
	}
	switch {
	case f.size < 0:
		return f, &End{websocket.ClosePolicyViolation, ""}
	case len(p) < f.head, f.control() && len(p) < f.head+int(f.size):
		return f, errMore
	case f.control():
		f.payload = unmasked(p[f.head-4:f.head], p[f.head:f.head+int(f.size)])
	}
	return f, nil
}

// wrong says what is against the protocol in the first two bytes of f, p; "" if
// nothing is.
func (e *ear) wrong(f frame, p []byte) string {
	switch {
	case p[0]&0x70 != 0:
		return "reserved bit"
	case p[1]&0x80 == 0:
		return "no mask"
	case f.control() && (f.size > 125 || !f.final):
		return "long or partial control frame"
	case f.kind > websocket.PongMessage, f.kind > websocket.BinaryMessage && !f.control():
		return "unknown opcode"
	case f.control(), e.partial == (f.kind == kindMore):
		return ""
	}
	return "message in the middle of another, or without a beginning"
}

// take passes f on.
func (e *ear) take(f frame, to hearer) error {
	switch f.kind {
	case websocket.PingMessage:
		return to.pinged(f.payload)
	case websocket.PongMessage:
		return to.ponged()
	case websocket.CloseMessage:
		return closing(f.payload)
	case kindMore:
	default:
		e.said = 0
	}
	e.partial, e.skip = !f.final, f.size
	if e.said += f.size; e.said > maxMessage || e.said < 0 {
		return &End{websocket.CloseMessageTooBig, ""}
	}
	if f.kind == kindMore {
		return nil
	}
	return to.spoken()
}

// closing returns the end that a close frame asks for.
func closing(payload []byte) error {
	if len(payload) < 2 {
		return &End{websocket.CloseNoStatusReceived, ""}
	}
	code := int(binary.BigEndian.Uint16(payload))
	switch {
	case code < 1000, code >= 1004 && code <= 1006, code >= 1014 && code < 3000, code >= 5000:
		return &End{websocket.CloseProtocolError, "bad close code"}
	case !utf8.Valid(payload[2:]):
		return &End{websocket.CloseProtocolError, "reason that is no UTF-8"}
	}
	return &End{code, ""}
}

// unmasked returns payload without its mask.
func unmasked(mask, payload []byte) []byte {
	plain := make([]byte, len(payload))
	for i := range payload {
		plain[i] = payload[i] ^ mask[i%4]
	}
	return plain
}
