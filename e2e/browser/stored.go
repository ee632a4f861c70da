package browser

import (
	"context"
	"encoding/json"
	"slices"
)

// stored is JavaScript for what the origin of a document keeps. A look that is
// refused throws or rejects: then there is nothing.
const stored = `(async () => {
	const look = async (kind, names) => { try { return [...await names()].map(name => kind + " " + name) } catch { return [] } };
	return (await Promise.all([
		look("localStorage", () => Object.keys(localStorage)),
		look("sessionStorage", () => Object.keys(sessionStorage)),
		look("indexedDB", async () => (await indexedDB.databases()).map(d => d.name)),
		look("caches", () => caches.keys()),
		look("serviceWorker", async () => (await navigator.serviceWorker.getRegistrations()).map(r => r.scope)),
	])).flat();
})()`

// Stored is what the document's origin keeps in the browser by now, each a kind and a name:
// localStorage, sessionStorage, indexedDB, caches, serviceWorker. The look is from outside the
// page's own scripts: one that has put something else in the place of localStorage hides nothing.
func (v *View) Stored() []string {
	v.page.tb.Helper()
	var found []string
	v.until("looking at what is stored", func(ctx context.Context) (bool, error) {
		at, err := v.locate(ctx)
		if err != nil {
			return false, err
		}

		isolatedWorld, err := v.isolatedWorld(ctx, at)
		if err != nil {
			return false, err
		}

		got, err := v.evaluateIn(ctx, at, isolatedWorld, stored, true)
		if err != nil {
			return false, err
		}

		return true, json.Unmarshal(got.Value, &found)
	})
	return found
}

// Cookies are those that the page and all its frames have been given by now, each
// a name, "@" and a domain, in the order of the alphabet.
func (p *Page) Cookies() []string {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), p.options.Patience)
	defer cancel()
	var got struct {
		Cookies []struct{ Name, Domain string }
	}
	if err := p.process.call(ctx, "", "Storage.getCookies", object{"browserContextId": p.profile}, &got); err != nil {
		p.fail("looking at the cookies", err)
	}

	var list []string
	for _, c := range got.Cookies {
		list = append(list, c.Name+"@"+c.Domain)
	}

	slices.Sort(list)
	return list
}
