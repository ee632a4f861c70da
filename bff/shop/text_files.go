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

// newTextFiles returns the files of all languages, each made on first use.
func newTextFiles(t *translations) textFiles {
	files := textFiles{}
	for _, tag := range t.tags {
		files[tag] = sync.OnceValue(func() *web.Asset {
			return newTextFile(tag, t.texts[tag](), t.menu)
		})
	}
	return files
}

// newTextFile has members of widget.Page, which the program reads after those of the page.
func newTextFile(tag string, text map[string]string, menu []widget.Language) *web.Asset {
	content, _ := json.Marshal(struct {
		Text      map[string]string
		Languages []widget.Language
	}{text, menu}) // texts can always be encoded
	return web.NewAsset("text-"+tag, ".json", "application/json", content)
}

// URL returns the immutable path of a language's file; "" = none.
func (f textFiles) URL(tag string) string {
	if file := f[tag]; file != nil {
		return file().URL()
	}
	return ""
}

// find returns the file of a hashed name; nil = none.
func (f textFiles) find(name string) *web.Asset {
	tag, _, _ := strings.Cut(strings.TrimPrefix(name, "text-"), ".")
	file := f[tag]
	if file != nil && file().Name() == name {
		return file()
	}
	return nil
}
