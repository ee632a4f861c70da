//go:build js

// Command app is the WebAssembly program, which takes over the page that the BFF has rendered with
// the same components.
package main

import (
	"syscall"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

func main() {
	root, err := newCheckout()
	if err != nil {
		app.Log(err)
		syscall.Exit(1) // frame.js notices and keeps the page as it is
	}
	app.Route("/", func() app.Composer { return root })
	app.RunWhenOnBrowser()
}
