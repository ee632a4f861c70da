package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Numbers of the WebAssembly format, version 1.
const (
	wasmHeader    = "\x00asm\x01\x00\x00\x00"
	sectionOfData = 11
	opI32Const    = 0x41
	opEnd         = 0x0b
	// memoryLimit is far above any program's data.
	memoryLimit = 1 << 26
)

// joinGap is how many zeroes in a row start a new data segment. A segment costs eight bytes that do
// not compress; zeroes compress to almost nothing.
const joinGap = 64

var errMalformed = errors.New("reading a WebAssembly program: malformed")

// joinData returns the program with fewer data segments. Go's linker makes 90,000, to leave out
// every eight zeroes, whose addresses are a tenth of the compressed program. The initial memory is
// the same.
func joinData(program []byte) ([]byte, error) {
	in := wasmReader{rest: program}
	if !bytes.Equal(in.take(len(wasmHeader)), []byte(wasmHeader)) {
		return nil, errMalformed
	}

	out := []byte(wasmHeader)
	for len(in.rest) > 0 && !in.bad {
		id := in.byte()
		content := in.take(in.number())
		if id == sectionOfData {
			memory, err := dataImage(content)
			if err != nil {
				return nil, err
			}
			content = memory.section()
		}

		out = append(out, id)
		out = binary.AppendUvarint(out, uint64(len(content)))
		out = append(out, content...)
	}
	if in.bad {
		return nil, errMalformed
	}

	return out, nil
}

// image is the initial memory of a program.
type image []byte

// dataImage decodes a data section.
func dataImage(section []byte) (image, error) {
	in := wasmReader{rest: section}
	var memory image
	for range in.number() {
		kind := in.number()
		op := in.byte()
		at := in.signed()
		end := in.byte()
		content := in.take(in.number())
		if in.bad || kind != 0 || op != opI32Const || end != opEnd ||
			at < 0 || at+len(content) > memoryLimit {
			return nil, fmt.Errorf("%w: data segment at %d", errMalformed, at)
		}
		if more := at + len(content) - len(memory); more > 0 {
			memory = append(memory, make([]byte, more)...)
		}

		copy(memory[at:], content)
	}
	if in.bad || len(in.rest) > 0 {
		return nil, errMalformed
	}

	return memory, nil
}

// section encodes the memory as a data section.
func (i image) section() []byte {
	var pieces []byte
	n := 0
	for at := 0; at < len(i); n++ {
		start, end := i.piece(at)
		if start == end {
			break
		}
		pieces = append(pieces, 0, opI32Const)
		pieces = appendSigned(pieces, start)
		pieces = append(pieces, opEnd)
		pieces = binary.AppendUvarint(pieces, uint64(end-start))
		pieces = append(pieces, i[start:end]...)
		at = end
	}

	return append(binary.AppendUvarint(nil, uint64(n)), pieces...)
}

// piece finds the next segment from at on, up to joinGap zeroes in a row; empty if only zeroes
// follow.
func (i image) piece(at int) (start, end int) {
	skip := slices.IndexFunc(i[at:], func(b byte) bool { return b != 0 })
	if skip < 0 {
		return at, at
	}
	start = at + skip
	if n := bytes.Index(i[start:], make([]byte, joinGap)); n >= 0 {
		return start, start + n
	}
	return start, len(bytes.TrimRight(i, "\x00"))
}

// wasmReader decodes numbers and bytes; bad is set after the end.
type wasmReader struct {
	rest []byte
	bad  bool
}

// take returns the next n bytes.
func (r *wasmReader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.bad = true
		r.rest = nil
		n = 0
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *wasmReader) byte() byte {
	if b := r.take(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

// number decodes an unsigned LEB128 of 32 bits.
func (r *wasmReader) number() int {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > 1<<32-1 {
		r.bad = true
		r.rest = nil
		return 0
	}
	r.rest = r.rest[n:]
	return int(v)
}

// signed decodes a signed LEB128 of 32 bits.
func (r *wasmReader) signed() int {
	value := 0
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		value |= int(b&0x7f) << shift
		if b&0x80 == 0 {
			if b&0x40 != 0 {
				value -= 1 << (shift + 7)
			}
			return value
		}
	}

	r.bad = true
	return 0
}

// appendSigned appends a signed LEB128.
func appendSigned(to []byte, value int) []byte {
	for value >= 0x40 || value < -0x40 {
		to = append(to, byte(value)|0x80)
		value >>= 7
	}
	return append(to, byte(value)&0x7f)
}
