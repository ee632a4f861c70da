package fortest

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// Names is a name server in memory: what each name stands for, one list for
// each time that it is asked. Nothing of it goes over a network.
type Names struct {
	mu    sync.Mutex                // guards the fields below
	hosts map[string][][]netip.Addr // by name with a dot at its end; the last list stays
	alias map[string]string         // CNAME
	asked int
}

// Use makes the process resolve by n until the test ends.
func (n *Names) Use(t *testing.T) {
	old := net.DefaultResolver
	t.Cleanup(func() { net.DefaultResolver = old })
	net.DefaultResolver = n.Resolver()
}

// Resolver asks n.
func (n *Names) Resolver() *net.Resolver {
	return &net.Resolver{
		PreferGo: true,
		Dial: func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe() // no net.PacketConn: as over TCP
			go n.serve(theirs)
			return ours, nil
		},
	}
}

// Asked is how many questions it was asked.
func (n *Names) Asked() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked
}

func (n *Names) serve(conn net.Conn) {
	defer conn.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}

		query := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}

		answer := n.answer(query)
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

// answer is a reply to a query of one question.
func (n *Names) answer(query []byte) []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil {
		panic(err)
	}

	q := m.Questions[0]
	owner := q.Name
	name := strings.ToLower(q.Name.String())
	add := func(kind dnsmessage.Type, body dnsmessage.ResourceBody) {
		h := dnsmessage.ResourceHeader{Name: owner, Type: kind, Class: dnsmessage.ClassINET}
		m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: body})
	}
	if target, isAlias := n.alias[name]; isAlias {
		add(dnsmessage.TypeCNAME, &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName(target)})
		owner = dnsmessage.MustNewName(target)
		name = strings.ToLower(target)
	}

	for _, a := range n.lookup(name, q.Type) {
		if a.Is4() {
			add(q.Type, &dnsmessage.AResource{A: a.As4()})
		} else {
			add(q.Type, &dnsmessage.AAAAResource{AAAA: a.As16()})
		}
	}
	if _, known := n.hosts[name]; !known {
		m.RCode = dnsmessage.RCodeNameError
	}

	m.Response = true
	m.RecursionAvailable = true
	m.Additionals = nil
	answer, err := m.Pack()
	if err != nil {
		panic(err)
	}

	return answer
}

// lookup returns the addresses of a name that are of the kind asked for. The
// question for A moves on to the next list. The caller holds mu.
func (n *Names) lookup(name string, kind dnsmessage.Type) (list []netip.Addr) {
	n.asked++
	lists := n.hosts[name]
	if len(lists) == 0 {
		return nil
	}

	for _, a := range lists[0] {
		if kind == dnsmessage.TypeA && a.Is4() || kind == dnsmessage.TypeAAAA && a.Is6() {
			list = append(list, a)
		}
	}
	if kind == dnsmessage.TypeA && len(lists) > 1 {
		n.hosts[name] = lists[1:]
	}

	return list
}

// Set makes host, without a dot at its end, stand for lists in turn, or be an
// alias of target if that is not empty.
func (n *Names) Set(host, target string, lists ...[]netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.hosts == nil {
		n.hosts = map[string][][]netip.Addr{}
		n.alias = map[string]string{}
	}
	n.hosts[host+"."] = lists
	if target != "" {
		n.alias[host+"."] = target + "."
	}
}
