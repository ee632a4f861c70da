package shop

import (
	"encoding/json"
	"strings"
	"sync"

	"coinslot/app/widget"
	"coinslot/bff/web"
)

// textFiles are what the WebAssembly program of every page in a language reads,
// one file per language. They are most of what a page knows and the same for
// all, so that a browser loads them beside the program, once, and no page has
// them in its way.
type textFiles map[string]func() *web.Asset // by tag

// newTextFiles returns the files of w. Each is made when it is first wanted.
func newTextFiles(w *translations) textFiles {
	s := textFiles{}
	for _, tag := range w.tags {
		s[tag] = sync.OnceValue(func() *web.Asset {
			return newTextFile(tag, w.texts[tag](), w.menu)
		})
	}
	return s
}

// newTextFile makes the file of a language: members of widget.Page, which the
// program reads after those of the page itself.
func newTextFile(tag string, text map[string]string, menu []widget.Language) *web.Asset {
	content, _ := json.Marshal(struct {
		Text      map[string]string
		Languages []widget.Language
	}{text, menu}) // text can be encoded always
	return web.NewAsset("text-"+tag, ".json", "application/json", content)
}

// URL returns the immutable address of a language's file; empty if there is none.
func (s textFiles) URL(tag string) string {
	if file := s[tag]; file != nil {
		return "/assets/" + file().Name()
	}
	return ""
}

// find returns the file of that name with hash; nil if there is none.
func (s textFiles) find(name string) *web.Asset {
	tag, _, _ := strings.Cut(strings.TrimPrefix(name, "text-"), ".")
	if file := s[tag]; file != nil && file().Name() == name {
		return file()
	}
	return nil
}
