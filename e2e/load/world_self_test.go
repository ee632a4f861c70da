package load

import "testing"

// TestWorld: what the benchmarks stand on works.
func TestWorld(t *testing.T) {
	w := newWorld(t)
	id := w.session(map[string]any{"amount_usd": "25.00"})
	var got struct{ Status string }
	if status := w.call("GET", "/v1/sessions/"+id, nil, &got); status != 200 || got.Status != "open" {
		t.Errorf("status %d, session %q; want 200, open", status, got.Status)
	}
	if w.resident() < 1<<20 {
		t.Errorf("%d bytes resident", w.resident())
	}
}
