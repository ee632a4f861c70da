package shop

import (
	"encoding/json"
	"strings"
	"sync"

	"coinslot/app/widget"
	"coinslot/bff/web"
)

// textFiles has one file per language for the WebAssembly program. Browsers cache it, so pages
// stay small.
type textFiles map[string]func() *web.Asset // by tag

// newTextFiles returns the files of w, each made on first use.
func newTextFiles(w *translations) textFiles {
	s := textFiles{}
	for _, tag := range w.tags {
		s[tag] = sync.OnceValue(func() *web.Asset {
			return newTextFile(tag, w.texts[tag](), w.menu)
		})
	}
	return s
}

// newTextFile has members of widget.Page, which the program reads after those of the page.
func newTextFile(tag string, text map[string]string, menu []widget.Language) *web.Asset {
	content, _ := json.Marshal(struct {
		Text      map[string]string
		Languages []widget.Language
	}{text, menu}) // text can be encoded always
	return web.NewAsset("text-"+tag, ".json", "application/json", content)
}

// URL returns the immutable path of a language's file; "" = none.
func (s textFiles) URL(tag string) string {
	if file := s[tag]; file != nil {
		return file().URL()
	}
	return ""
}

// find returns the file of a hashed name; nil = none.
func (s textFiles) find(name string) *web.Asset {
	tag, _, _ := strings.Cut(strings.TrimPrefix(name, "text-"), ".")
	if file := s[tag]; file != nil && file().Name() == name {
		return file()
	}
	return nil
}
