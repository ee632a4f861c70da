package screen

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// Render implements app.Composer, which go-app calls in a browser.
func (c *Checkout) Render() app.UI { return c.Draw().UI() }

func (c *chooser) Render() app.UI    { return c.Draw().UI() }
func (c *closed) Render() app.UI     { return c.Draw().UI() }
func (c *confirmed) Render() app.UI  { return c.Draw().UI() }
func (e *ended) Render() app.UI      { return e.Draw().UI() }
func (py *pay) Render() app.UI       { return py.Draw().UI() }
func (pr *preparing) Render() app.UI { return pr.Draw().UI() }
func (r *refused) Render() app.UI    { return r.Draw().UI() }
func (r *review) Render() app.UI     { return r.Draw().UI() }
func (s *seen) Render() app.UI       { return s.Draw().UI() }
