//go:build !js

// Command goapp is go-app's hello world, served by its own handler, with its WebAssembly in brotli
// and kept forever: what a checkout in go-app costs if nothing is done about it. It is there to
// compare with. The server is not in the WebAssembly, which would be twice the size.
//
//	goapp 127.0.0.1:8081 folder-with-app.wasm.br
package main

import (
	"log"
	"net/http"
	"os"
	"path/filepath"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

func main() {
	app.Route("/", func() app.Composer { return &hello{} })
	program := filepath.Join(os.Args[2], "app.wasm.br")
	http.HandleFunc("/web/app.wasm", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/wasm")
		w.Header().Set("Content-Encoding", "br")
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		http.ServeFile(w, r, program)
	})
	http.HandleFunc("/web/icon.svg", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = w.Write([]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)) // a client that has gone is not our error
	})
	icon := app.Icon{Default: "/web/icon.svg", Large: "/web/icon.svg", SVG: "/web/icon.svg"}
	http.Handle("/", &app.Handler{
		Name:        "Hello",
		Description: "A hello world",
		Version:     "1",
		Icon:        icon,
	})
	log.Fatal(http.ListenAndServe(os.Args[1], nil))
}
