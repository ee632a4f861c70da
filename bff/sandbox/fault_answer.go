package sandbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (f Fault) processes() bool {
	if f.CutBefore {
		return false
	}
	return f.CutAfter || f.Processed || (f.Raw == "" && !f.HTML && f.Status == 0)
}

func (f Fault) deliver(w http.ResponseWriter, r *http.Request, answer envelope) {
	select {
	case <-time.After(f.Latency):
	case <-r.Context().Done():
	}
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((f.RetryAfter+time.Second-1)/time.Second)))
	}
	switch {
	case f.CutBefore, f.CutAfter:
		cut(w)
	case f.Raw != "":
		f.write(w, "application/json", f.Raw)
	case f.HTML:
		f.write(w, "text/html; charset=utf-8", badGateway)
	case f.Status != 0:
		writeJSON(w, f.Status, envelope{Status: f.Status, Message: http.StatusText(f.Status)})
	default:
		answer.Data = f.overwrite(answer.Data)
		writeJSON(w, answer.Status, answer)
	}
}

// badGateway is what a proxy says when it has lost the server behind it.
const badGateway = `<!doctype html><html><head><title>502 Bad Gateway</title></head>` +
	`<body><h1>502 Bad Gateway</h1></body></html>`

func (f Fault) write(w http.ResponseWriter, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(cmp.Or(f.Status, http.StatusOK))
	io.WriteString(w, body) // fails if the client has gone
}

func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2 cannot be taken over, but aborted
	}
	conn.Close()
}

// overwrite returns data with the fields of f.Set overwritten. A refusal has no data
// and stays as it is.
func (f Fault) overwrite(data any) any {
	if len(f.Set) == 0 || data == nil {
		return data
	}
	encoded, err := json.Marshal(data)
	if err != nil {
		panic("sandbox: encoding an answer: " + err.Error())
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber() // amounts stay what they are
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		panic("sandbox: reading an answer back: " + err.Error())
	}
	for _, path := range slices.Sorted(maps.Keys(f.Set)) {
		overwrite(tree, strings.Split(path, "."), f.Set[path])
	}
	return tree
}

// overwrite sets the field that path names, in every element of a list that it
// leads through. A nil value removes it.
func overwrite(tree any, path []string, value any) {
	switch node := tree.(type) {
	case []any:
		for _, element := range node {
			overwrite(element, path, value)
		}
	case map[string]any:
		items, isList := node["items"]
		_, own := node[path[0]]
		switch {
		case isList && !own:
			overwrite(items, path, value)
		case len(path) > 1:
			overwrite(node[path[0]], path[1:], value)
		case value == nil:
			delete(node, path[0])
		default:
			node[path[0]] = value
		}
	}
}
