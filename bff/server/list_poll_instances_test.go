package server_test

import (
	"testing"
	"time"

	"coinslot/bff/sandbox"
	"coinslot/bff/server/servertest"
)

// One of two instances reads the list; when it is gone, the other does.
func TestTwoInstancesReadOneList(t *testing.T) {
	p := newPair(t, 300*time.Millisecond) // the list is worth it from two payments on, and read every 1.35 s
	var ids []string
	for range 12 {
		id := p.a.Open(`{"amount_usd":"25.00"}`)
		p.a.Choose(id)
		ids = append(ids, id)
	}
	servertest.Until(t, "the list to be read", func() bool { return lists(p.a.Gateway) > 0 })
	start, before := time.Now(), lists(p.a.Gateway)
	servertest.Until(t, "the list to be read again", func() bool { return lists(p.a.Gateway) >= before+4 })
	if took := time.Since(start); took < 3*1350*time.Millisecond*9/10 {
		t.Errorf("it was read four times in %v; want one instance's pace", took)
	}
	p.stopA()
	before = lists(p.a.Gateway)
	servertest.Until(t, "the other instance to read it", func() bool { return lists(p.a.Gateway) >= before+2 })
	p.b.Pay(ids[3])
	p.b.Await(ids[3], "confirmed")
}

// lists is how often the list was read, of the last thousand requests.
func lists(g *sandbox.Server) (n int) {
	for _, r := range g.Requests() {
		if r.Endpoint == "list" {
			n++
		}
	}
	return n
}
