package server_test

import (
	"bytes"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"coinslot/bff/fortest"

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
	err := written().schemas[shape{
		"GET /checkout/{session}/view",
		"200",
		"application/json",
	}].Validate(v)
	if err != nil {
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
	r.Do("POST", "/checkout/"+id+"/attempts", `{"currency_symbol":"USDT","network_code":"bep20"}`,
		isJSON)
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

// TestRealtimeCodes: docs/realtime.md has the codes with which sockets close in
// TestTortureBadInputs, TestLiveClosesOnRestart and bff/realtime TestCloseFrames.
func TestRealtimeCodes(t *testing.T) {
	listed := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| (1\d{3}) \|`).FindAllStringSubmatch(realtime(t),
		-1) {
		listed[row[1]] = true
	}
	want := map[string]bool{"1002": true, "1008": true, "1009": true, "1012": true, "1013": true}
	fortest.Diff(t, listed, want, "closing codes")
}
