package server_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/server/servertest"

	"github.com/gorilla/websocket"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// realtime is docs/realtime.md.
func realtime(t *testing.T) string {
	t.Helper()
	return string(fortest.Must(os.ReadFile("../../docs/realtime.md"))(t))
}

// asView reads a message of a socket and holds it to the contract.
func asView(t *testing.T, message []byte) (view map[string]any) {
	t.Helper()
	v := fortest.Must(jsonschema.UnmarshalJSON(bytes.NewReader(message)))(t)
	if err := written().schemas[shape{"GET /checkout/{session}/view", "200", "application/json"}].Validate(v); err != nil {
		t.Errorf("a message is no view: %v", err)
	}
	return v.(map[string]any)
}

// A socket sends the members of the example of docs/realtime.md.
func TestRealtimeExample(t *testing.T) {
	t.Parallel()
	block := regexp.MustCompile("(?s)```json\n(.*?)```").FindStringSubmatch(realtime(t))
	example := asView(t, []byte(block[1]))
	r := newRig(t)
	id := r.Open(`{"amount_usd":"25.00","currencies":["USDT_bep20"]}`)
	r.Do("POST", "/checkout/"+id+"/attempts", `{"currency_symbol":"USDT","network_code":"bep20"}`, isJSON)
	conn, _, err := dial(listen(t, r.Handler), id)
	fortest.OK(t, err)
	defer conn.Close()
	_, message, err := conn.ReadMessage()
	fortest.OK(t, err)
	fortest.Diff(t, names("", asView(t, message)), names("", example),
		"members of a message (-example +sent)")
}

// names are the paths of all members of v, sorted.
func names(at string, v any) (all []string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			all = append(all, names(at+"[]", item)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			all = append(append(all, at+"."+name), names(at+"."+name, v[name])...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestRealtimeCodes: sockets close with the codes of docs/realtime.md.
func TestRealtimeCodes(t *testing.T) {
	t.Parallel()
	gateway, c := servertest.NewGateway(t)
	r, stop := start(t, gateway, c)
	addr := listen(t, r.Handler)
	id := r.Open(`{"amount_usd":"25.00"}`)
	seen := map[string]bool{"1013": true} // TestLiveWithoutDatabase
	for code, provoke := range map[string]func(*websocket.Conn) error{
		"1002": func(c *websocket.Conn) error { _, err := c.NetConn().Write([]byte{0xff, 0x80, 0, 0, 0, 0}); return err },
		"1008": func(c *websocket.Conn) error {
			for range 31 {
				if err := c.WriteMessage(websocket.TextMessage, []byte("x")); err != nil {
					return err
				}
			}
			return nil
		},
		"1009": func(c *websocket.Conn) error { return c.WriteMessage(websocket.TextMessage, make([]byte, 2<<10)) },
		"1012": func(*websocket.Conn) error { return nil },
	} {
		conn, _, err := dial(addr, id)
		fortest.OK(t, err)
		defer conn.Close()
		if code == "1012" {
			defer func() {
				stop()
				ended(t, conn, code)
			}()
		} else if err := provoke(conn); err != nil {
			t.Fatal(err)
		} else {
			ended(t, conn, code)
		}
		seen[code] = true
	}
	listed := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| (1\d{3}) \|`).FindAllStringSubmatch(realtime(t), -1) {
		listed[row[1]] = true
	}
	fortest.Diff(t, seen, listed, "closing codes (-page +server)")
}

// ended reads until the socket is closed, with that code.
func ended(t *testing.T, conn *websocket.Conn, code string) {
	t.Helper()
	for {
		_, message, err := conn.ReadMessage()
		if err == nil {
			if !json.Valid(message) {
				t.Errorf("a message is no JSON: %.100s", message)
			}
			continue
		}
		fortest.Has(t, "closed", err.Error(), "close "+code)
		return
	}
}
